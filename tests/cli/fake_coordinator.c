/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A coordinator that coordinates nothing: it plays one job, 2 -> 4 ranks, from
 * a table, so that the command line program can be tested alone.  It begins
 * when somebody watches, so that nobody comes too late on a busy machine.  FAKE
 * chooses how it fails:
 *
 *     refuse    ends with 71 before it listens
 *     silent    never listens
 *     crash     is ended by a signal while the job runs
 *     forever   the job runs until it is cancelled
 *     stubborn  as forever, and neither Cancel nor SIGTERM ends it
 *     noisy     as forever, and floods standard output
 *     fail      the job fails with status 3
 */
#include "base/list.h"
#include "base/log.h"
#include "proto/bellows.pb-c.h"
#include "proto/coordinator.h"
#include "proto/descriptors.h"
#include "rpc/server.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct moment {
	unsigned at;
	Bellows__V1__State state;
	unsigned size, target;
	double progress;
};

/* clang-format off */
static const struct moment moments[] = {
	{   0, BELLOWS__V1__STATE__WAITING,   0, 2, 0    },
	{ 100, BELLOWS__V1__STATE__STARTING,  0, 2, 0    },
	{ 200, BELLOWS__V1__STATE__RUNNING,   2, 2, 0.05 },
	{ 400, BELLOWS__V1__STATE__RUNNING,   2, 2, 0.32 },
	{ 500, BELLOWS__V1__STATE__GROWING,   2, 4, 0.33 },
	{ 700, BELLOWS__V1__STATE__PREPARING, 2, 4, 0.41 },
	{ 800, BELLOWS__V1__STATE__SAVING,    2, 4, 0.42 },
	{ 850, BELLOWS__V1__STATE__STOPPING,  2, 4, 0.42 },
	{ 900, BELLOWS__V1__STATE__STARTING,  2, 4, 0.42 },
	{1000, BELLOWS__V1__STATE__RUNNING,   4, 4, 0.43 },
	{1200, BELLOWS__V1__STATE__RUNNING,   4, 4, 0.75 },
	{1400, BELLOWS__V1__STATE__DONE,      4, 4, 1    },
};
/* clang-format on */

enum { FOREVER = 3, WATCHERS = 16 };

static struct loop *loop;
static struct rpc_server *server;
static struct loop_timer timer, flood_timer;
static struct rpc_call *watchers[WATCHERS];
static const char *mode, *job_name = "heat";
static msec_t began;
static size_t now_at;
static Bellows__V1__State ended; /* by Cancel; 0: not */

static bool is_mode(const char *name)
{
	return mode && strcmp(mode, name) == 0;
}

static bool is_endless(void)
{
	return is_mode("forever") || is_mode("stubborn") || is_mode("noisy");
}

static void put_history(Bellows__V1__Job *job, Bellows__V1__Rescale *rescale)
{
	rescale->epoch = 2;
	rescale->from = 2;
	rescale->to = 4;
	rescale->reason = "schedule";
	rescale->asked = 500;
	rescale->last_step = 790;
	rescale->executors = now_at > 4 ? 700 : 0;
	rescale->prepared = now_at > 5 ? 800 : 0;
	rescale->ordered = now_at > 5 ? 800 : 0;
	rescale->saved = now_at > 6 ? 850 : 0;
	rescale->stopped = now_at > 7 ? 900 : 0;
	rescale->up = now_at > 8 ? 1000 : 0;
	rescale->stepped = now_at > 8 ? 1010 : 0;
	rescale->result = now_at > 8 ? "done" : "";
	job->n_history = now_at > 3;
	job->rescales = now_at > 8;
}

static void put_spans(Bellows__V1__Job *job, Bellows__V1__Span **spans)
{
	*spans[0] = (Bellows__V1__Span)BELLOWS__V1__SPAN__INIT;
	*spans[1] = *spans[2] = *spans[3] = *spans[0];
	spans[0]->to = 200;
	spans[1]->from = 200;
	spans[1]->to = 850;
	spans[1]->ranks = 2;
	spans[2]->from = 850;
	spans[2]->to = 1000;
	spans[3]->from = 1000;
	spans[3]->to = 1400;
	spans[3]->ranks = 4;
	job->n_spans = now_at > 8 ? 4 : 2;
}

static void with_job(void (*fn)(void *, const ProtobufCMessage *), void *to)
{
	const struct moment *at = &moments[now_at];
	Bellows__V1__Member member = BELLOWS__V1__MEMBER__INIT;
	Bellows__V1__Rescale rescale = BELLOWS__V1__RESCALE__INIT;
	Bellows__V1__Member *members[] = {&member};
	Bellows__V1__Rescale *history[] = {&rescale};
	Bellows__V1__Span four[4];
	Bellows__V1__Span *spans[] = {&four[0], &four[1], &four[2], &four[3]};
	Bellows__V1__Job job = BELLOWS__V1__JOB__INIT;

	member.name = "executor-0\033[2J";
	member.slots = 4;
	member.ranks = at->size;
	member.state = "ready";
	job.name = (char *)job_name;
	job.state = ended ? ended : at->state;
	job.reason = is_mode("fail") ? "the application failed" : "";
	if (is_mode("fail") && at->state == BELLOWS__V1__STATE__DONE)
		job.state = BELLOWS__V1__STATE__FAILED;
	job.exit_code = ended == BELLOWS__V1__STATE__SUSPENDED ? 75
			: ended                                ? 130
			: is_mode("fail")                      ? 3
							       : 0;
	job.size = at->size;
	job.target = at->target;
	job.min = 1;
	job.max = 6;
	job.epoch = at->size == 4 ? 2 : 1;
	job.progress = at->progress;
	job.step = (uint64_t)(at->progress * 3000);
	job.age = at->at;
	job.eta = at->progress > 0.1 ? 1400 - (int64_t)at->at : -1;
	job.executors_wanted = at->target;
	job.n_members = 1;
	job.members = members;
	job.history = history;
	job.spans = spans;
	put_history(&job, &rescale);
	put_spans(&job, spans);
	fn(to, &job.base);
}

static void on_flushed(void *user)
{
	int code = ended == BELLOWS__V1__STATE__SUSPENDED ? 75
		   : ended                                ? 130
		   : is_mode("fail")                      ? 3
							  : 0;

	loop_stop(loop, code);
}

static void send_to(void *to, const ProtobufCMessage *job)
{
	rpc_call_send(to, job);
}

static void reply_to(void *to, const ProtobufCMessage *job)
{
	rpc_call_reply(to, job);
}

static void tell_all(bool last)
{
	for (int i = 0; i < WATCHERS; i++) {
		if (!watchers[i])
			continue;
		with_job(send_to, watchers[i]);
		if (last)
			rpc_call_end(watchers[i], RPC_OK, "%s", "");
	}
}

static void end(void)
{
	tell_all(true);
	loop_timer_set(loop, &timer, 200, on_flushed, NULL);
}

static void on_time(void *user)
{
	msec_t age = loop_now() - began;

	if (is_mode("crash") && now_at == FOREVER)
		raise(SIGKILL);
	if (now_at + 1 == LENGTH(moments)) {
		end();
		return;
	}
	if (!(is_endless() && now_at == FOREVER)) {
		while (now_at + 1 < LENGTH(moments) &&
		       moments[now_at + 1].at <= age)
			now_at++;
		printf("step at %u\n", moments[now_at].at);
		fflush(stdout);
		tell_all(false);
	}
	loop_timer_set(loop, &timer, 50, on_time, NULL);
}

static void on_flood(void *user)
{
	static char line[4096];

	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	fwrite(line, 1, sizeof(line), stdout);
	loop_timer_set(loop, &flood_timer, 0, on_flood, NULL);
}

static void on_get(struct rpc_call *call, const ProtobufCMessage *message,
		   void *user)
{
	with_job(reply_to, call);
}

static void on_watch(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	if (began == 0) {
		began = loop_now();
		loop_timer_set(loop, &timer, 50, on_time, NULL);
	}
	for (int i = 0; i < WATCHERS; i++) {
		if (watchers[i])
			continue;
		watchers[i] = call;
		with_job(send_to, call);
		return;
	}
}

static void on_watch_gone(struct rpc_call *call, void *user)
{
	for (int i = 0; i < WATCHERS; i++)
		if (watchers[i] == call)
			watchers[i] = NULL;
}

static void on_scale(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	const Bellows__V1__ScaleRequest *request =
		(const Bellows__V1__ScaleRequest *)message;
	Bellows__V1__ScaleReply reply = BELLOWS__V1__SCALE_REPLY__INIT;

	reply.from = 2;
	reply.to = request->size_case == BELLOWS__V1__SCALE_REQUEST__SIZE_DELTA
			   ? (unsigned)(2 + request->delta)
			   : request->ranks;
	reply.accepted = reply.to <= 6 && strlen(request->request_id) == 32;
	reply.reason = reply.accepted ? "" : "7 ranks: at most 6\033[31m";
	rpc_call_reply(call, &reply.base);
}

static void on_cancel(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	const Bellows__V1__CancelRequest *request =
		(const Bellows__V1__CancelRequest *)message;
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;

	rpc_call_reply(call, &ack.base);
	if (is_mode("stubborn"))
		return;
	ended = request->save ? BELLOWS__V1__STATE__SUSPENDED
			      : BELLOWS__V1__STATE__CANCELLED;
	end();
}

/* clang-format off */
static const struct rpc_method methods[] = {
	{CALL_GET_JOB, RPC_UNARY,
	 &bellows__v1__get_job_request__descriptor,
	 on_get, NULL, NULL, NULL},
	{CALL_WATCH_JOB, RPC_SERVER_STREAM,
	 &bellows__v1__get_job_request__descriptor,
	 on_watch, NULL, on_watch_gone, NULL},
	{CALL_SCALE, RPC_UNARY,
	 &bellows__v1__scale_request__descriptor,
	 on_scale, NULL, NULL, NULL},
	{CALL_CANCEL, RPC_UNARY,
	 &bellows__v1__cancel_request__descriptor,
	 on_cancel, NULL, NULL, NULL},
};
/* clang-format on */

static void on_term(void *user, int signo, pid_t sender)
{
	if (!is_mode("stubborn"))
		loop_stop(loop, 130);
}

static int serve(struct rpc *rpc, const char *dir)
{
	char listen[4096], file[4096];
	struct tls_identity tls = {0};
	const struct rpc_server_config config = {
		.listen = listen,
		.tls = &tls,
		.methods = methods,
		.n_methods = LENGTH(methods),
		.descriptors = proto_descriptors,
		.descriptors_size = proto_descriptors_size,
	};
	struct error err;
	FILE *to;

	snprintf(listen, sizeof(listen), "unix:%s/coordinator.sock", dir);
	snprintf(file, sizeof(file), "%s/address", dir);
	if ((getenv("FAKE_TLS") &&
	     tls_identity_read(&tls, getenv("FAKE_TLS"), &err) < 0) ||
	    rpc_server_create(&server, rpc, &config, &err) < 0) {
		log_error("%s", err.text);
		return 71;
	}
	tls_identity_fini(&tls);
	to = fopen(file, "w");
	if (!to)
		return 71;
	fprintf(to, "%s\n", rpc_server_address(server));
	fclose(to);
	return 0;
}

static void write_pid(const char *dir)
{
	char file[4096];
	FILE *to;

	snprintf(file, sizeof(file), "%s/pid", dir);
	to = fopen(file, "w");
	if (!to)
		exit(71);
	fprintf(to, "%d\n", (int)getpid());
	fclose(to);
}

int main(int argc, char **argv)
{
	struct rpc *rpc;
	int code;

	mode = getenv("FAKE");
	write_pid(argv[4]);
	log_init("coordinator", LOG_INFO);
	log_to(open(argv[6], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
	if (is_mode("refuse")) {
		log_error("another coordinator holds %s", argv[4]);
		return 71;
	}
	loop_create(&loop, NULL);
	loop_signal_add(loop, SIGTERM, on_term, NULL, NULL);
	if (is_mode("silent"))
		return loop_run(loop);
	rpc_create(&rpc, loop, NULL);
	code = serve(rpc, argv[4]);
	if (code == 0) {
		log_info("job=%s listening", job_name);
		fprintf(stderr, "a rank's own words\n");
		if (is_mode("noisy"))
			loop_timer_set(loop, &flood_timer, 0, on_flood, NULL);
		code = loop_run(loop);
	}
	server = rpc_server_destroy(server);
	rpc_destroy(rpc);
	loop_destroy(loop);
	return code;
}
