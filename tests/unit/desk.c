/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/desk.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "base/tree.h"
#include "coordinator/service/endpoints.h"
#include "coordinator/service/output_writer.h"
#include "rpc/client.h"
#include "rpc/wire.h"
#include "ssh/login.h"

#include <assert.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

struct rpc_call {
	struct list link;
	const struct rpc_method *method;
	void *user, *data;
	bool has_request;
	struct desk_answer answer;
};

struct rpc_server {
	struct rpc_server_config config;
	struct list calls;
};

static struct desk desk;
static struct rpc_server server;

/* ---- the server of lib/rpc ---- */

int rpc_create(struct rpc **out, struct loop *loop, struct error *err)
{
	*out = NULL;
	return 0;
}

struct rpc *rpc_destroy(struct rpc *rpc)
{
	return NULL;
}

int rpc_server_create(struct rpc_server **out, struct rpc *rpc,
		      const struct rpc_server_config *config, struct error *err)
{
	server.config = *config;
	list_init(&server.calls);
	*out = &server;
	return 0;
}

struct rpc_server *rpc_server_destroy(struct rpc_server *at)
{
	while (at && !list_is_empty(&at->calls))
		desk_hang_up(CONTAINER(at->calls.next, struct rpc_call, link));
	return NULL;
}

void rpc_server_renew(struct rpc_server *at, const struct tls_identity *tls)
{
}

const char *rpc_server_address(const struct rpc_server *at)
{
	return "10.0.0.1:7000";
}

static void keep(struct rpc_call *call, const ProtobufCMessage *message)
{
	struct desk_answer *answer = &call->answer;

	free(answer->last);
	answer->size = protobuf_c_message_get_packed_size(message);
	answer->last = malloc(answer->size + 1);
	assert(answer->last);
	protobuf_c_message_pack(message, answer->last);
	wire_mend_texts(message->descriptor, answer->last, answer->size);
	answer->n++;
}

void rpc_call_reply(struct rpc_call *call, const ProtobufCMessage *answer)
{
	if (call->answer.is_over)
		return;
	keep(call, answer);
	rpc_call_end(call, RPC_OK, "");
}

int rpc_call_send(struct rpc_call *call, const ProtobufCMessage *answer)
{
	if (!call->answer.is_over)
		keep(call, answer);
	return 0;
}

void rpc_call_end(struct rpc_call *call, enum rpc_code code, const char *fmt,
		  ...)
{
	va_list args;

	if (call->answer.is_over)
		return;
	call->answer.is_over = true;
	call->answer.code = code;
	va_start(args, fmt);
	vsnprintf(call->answer.text, sizeof(call->answer.text), fmt, args);
	va_end(args);
}

void rpc_call_pause(struct rpc_call *call, bool paused)
{
}

void rpc_call_set_data(struct rpc_call *call, void *data)
{
	call->data = data;
}

void *rpc_call_data(const struct rpc_call *call)
{
	return call->data;
}

const char *rpc_call_peer(const struct rpc_call *call)
{
	return "ipv4:10.0.0.9:40312";
}

int rpc_channel_set_metadata(struct rpc_channel *channel, const char *key,
			     const char *value)
{
	return 0;
}

/* ---- output, and logging in ---- */

int output_writer_create(struct output_writer **out, struct loop *loop,
			 const char *dir, void (*on_room)(void *user),
			 void (*on_file)(void *user, const char *text),
			 void *user, struct error *err)
{
	*out = NULL;
	return 0;
}

struct output_writer *output_writer_destroy(struct output_writer *writer)
{
	return NULL;
}

void output_writer_write(struct output_writer *writer, unsigned epoch,
			 bool error, const void *data, size_t n)
{
	desk.printed += n;
}

bool output_writer_is_full(const struct output_writer *writer)
{
	return false;
}

int login_start(struct login **out, struct loop *loop,
		const struct ssh_peer *peer, const char *private_key,
		const char *command, msec_t patience, login_f fn, void *user,
		struct error *err)
{
	*out = NULL;
	fn(user, 0, NULL, "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA");
	return 0;
}

struct login *login_destroy(struct login *login)
{
	return NULL;
}

/* ---- the client ---- */

void desk_count_run(void)
{
	desk.runs++;
}

/* What follows from what was said. */
static void settle(void)
{
	do
		driver_settle(desk.c->driver);
	while (!desk.dies_late && desk_reap());
}

struct rpc_call *desk_call(struct desk *at, const char *path)
{
	const struct rpc_server_config *config = &server.config;
	struct rpc_call *call;
	size_t i = 0;

	while (i < config->n_methods &&
	       strcmp(config->methods[i].path, path) != 0)
		i++;
	if (i == config->n_methods)
		return NULL;
	call = calloc(1, sizeof(*call));
	assert(call);
	call->method = &config->methods[i];
	call->user = config->user;
	list_append(&server.calls, &call->link);
	return call;
}

bool desk_say(struct rpc_call *call, const void *bytes, size_t n)
{
	const ProtobufCMessageDescriptor *type = call->method->request;
	ProtobufCMessage *message = NULL;

	if (call->answer.is_over)
		return true;
	if (call->has_request && call->method->kind != RPC_BIDI) {
		rpc_call_end(call, RPC_INVALID_ARGUMENT, "%s takes one message",
			     call->method->path);
		return true;
	}
	call->has_request = true;
	if (wire_has_texts(type, bytes, n))
		message = protobuf_c_message_unpack(type, NULL, n, bytes);
	if (!message) {
		rpc_call_end(call, RPC_INVALID_ARGUMENT, "not a %s",
			     type->name);
		return false;
	}
	call->method->on_message(call, message, call->user);
	protobuf_c_message_free_unpacked(message, NULL);
	settle();
	return true;
}

void desk_tell(struct rpc_call *call, const ProtobufCMessage *message)
{
	size_t n = protobuf_c_message_get_packed_size(message);
	CLEANUP(free) uint8_t *bytes = malloc(n + 1);

	assert(bytes);
	protobuf_c_message_pack(message, bytes);
	desk_say(call, bytes, n);
}

void desk_half(struct rpc_call *call)
{
	if (!call->answer.is_over && call->method->on_half)
		call->method->on_half(call, call->user);
	settle();
}

void desk_hang_up(struct rpc_call *call)
{
	list_remove(&call->link);
	call->answer.is_over = true;
	if (call->method->on_gone)
		call->method->on_gone(call, call->user);
	free(call->answer.last);
	free(call);
}

const struct desk_answer *desk_answer(const struct rpc_call *call)
{
	return &call->answer;
}

bool desk_is_unary(const struct rpc_call *call)
{
	return call->method->kind == RPC_UNARY;
}

/* ---- life ---- */

static struct {
	void (*fn)(struct desk *desk, void *user);
	void *user;
	struct loop *loop;
	struct loop_timer timer;
} visit;

static void on_open(void *user)
{
	visit.fn(&desk, visit.user);
	loop_stop(visit.loop, 0);
}

static int live(const struct coordinator_config *config, struct error *err)
{
	CLEANUP(coordinator_destroy) struct coordinator *c = NULL;
	const struct former former = {0};
	int r = coordinator_create(&c, visit.loop, config, err);

	if (r == 0)
		r = coordinator_prepare(c, "/usr/bin", &former, err);
	if (r == 0)
		r = endpoints_open(c->service, "10.0.0.1:7000", err);
	if (r == 0)
		r = driver_begin(c->driver, err);
	if (r < 0)
		return r;
	desk.c = c;
	loop_timer_set(visit.loop, &visit.timer, 0, on_open, NULL);
	coordinator_run(c);
	return 0;
}

static int run_in(const char *dir, const char *job, struct error *err)
{
	char path[128], checkpoints[128];
	const struct coordinator_config config = {.job = path, .state = dir};
	int r;

	snprintf(path, sizeof(path), "%s/job.yaml", dir);
	snprintf(checkpoints, sizeof(checkpoints), "%s/ck", dir);
	if (mkdir(checkpoints, 0700) < 0)
		return error_errno(err, "%s", checkpoints);
	r = file_replace(path, 0600, job, strlen(job), err);
	if (r == 0)
		r = loop_create(&visit.loop, err);
	if (r == 0)
		r = live(&config, err);
	visit.loop = loop_destroy(visit.loop);
	return r;
}

bool desk_run(const char *job, void (*fn)(struct desk *desk, void *user),
	      void *user)
{
	char dir[] = "/tmp/desk-XXXXXX";
	CLEANUP(close) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct error err = {"cannot make a directory in /tmp"};
	int r;

	log_to(null);
	desk = (struct desk){0};
	visit.fn = fn;
	visit.user = user;
	r = mkdtemp(dir) ? run_in(dir, job, &err) : -1;
	tree_remove_path(dir, NULL);
	log_to(STDERR_FILENO);
	if (r < 0)
		fprintf(stderr, "%s\n", err.text);
	return r == 0;
}
