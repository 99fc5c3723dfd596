/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_FAKE_COORDINATOR_H
#define TESTS_UNIT_FAKE_COORDINATOR_H

/*
 * A coordinator that says what a test wants, and the real bellows-monitor
 *
 * What the monitor asks is written into a trace, one word each: "watch" when it
 * opens the stream, "scale=4/ID" for a request; what it tells of executors that
 * do not come is kept beside it.  Executors are played by a
 * script, found in PATH, that runs until the file root/over is there.
 */

#include "base/log.h"
#include "base/time.h"
#include "loop/loop.h"
#include "loop/spawn.h"
#include "proto/bellows.pb-c.h"
#include "proto/coordinator.h"
#include "proto/descriptors.h"
#include "rpc/server.h"
#include "tests/check.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* POSTPONE: as a coordinator did that knew no codes, during a rescale */
enum answer { ACCEPT, DECLINE, POSTPONE, BREAK };

static char root[64], address[128];
static struct loop *loop;
static struct rpc *rpc;
static struct rpc_server *server;
static struct rpc_call *watcher;
static Bellows__V1__Job job;
static Bellows__V1__Span span, *spans[] = {&span};
static enum answer answer;
static char trace[4096], last_id[128], last_reason[128], trouble[256];
static unsigned troubles;
static msec_t asked_at;
static pid_t monitor;
static int monitor_status;

static const char *at(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

static void say(const char *word)
{
	strncat(trace, word, sizeof(trace) - strlen(trace) - 1);
}

/* ---- the coordinator ---- */

static void on_watch(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	say("watch ");
	watcher = call;
	if (job.state != BELLOWS__V1__STATE__STATE_UNSPECIFIED)
		rpc_call_send(call, &job.base);
}

static void on_watch_gone(struct rpc_call *call, void *user)
{
	if (watcher == call)
		watcher = NULL;
}

static void on_scale(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	const Bellows__V1__ScaleRequest *request =
		(const Bellows__V1__ScaleRequest *)message;
	Bellows__V1__ScaleReply reply = BELLOWS__V1__SCALE_REPLY__INIT;
	char word[32];

	snprintf(word, sizeof(word), "scale=%u ", request->ranks);
	say(word);
	snprintf(last_id, sizeof(last_id), "%s", request->request_id);
	snprintf(last_reason, sizeof(last_reason), "%s", request->reason);
	asked_at = loop_now();

	if (answer == BREAK) {
		rpc_call_end(call, RPC_UNAVAILABLE, "not now");
		return;
	}
	reply.accepted = answer == ACCEPT;
	reply.from = job.size;
	reply.to = request->ranks;
	if (answer == DECLINE) {
		reply.code = BELLOWS__V1__SCALE_CODE__SIZE_REFUSED;
		reply.reason = (char *)"the application refuses it";
	}
	if (answer == POSTPONE)
		reply.reason = (char *)"a rescale is under way";
	rpc_call_reply(call, &reply.base);
}

static void on_supply(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	Bellows__V1__Ack ack = BELLOWS__V1__ACK__INIT;

	snprintf(trouble, sizeof(trouble), "%s",
		 ((const Bellows__V1__SupplyRequest *)message)->trouble);
	troubles++;
	rpc_call_reply(call, &ack.base);
}

static const struct rpc_method methods[] = {
	{CALL_WATCH_JOB, RPC_SERVER_STREAM,
	 &bellows__v1__get_job_request__descriptor, on_watch, NULL,
	 on_watch_gone, NULL},
	{CALL_SUPPLY, RPC_UNARY, &bellows__v1__supply_request__descriptor,
	 on_supply, NULL, NULL, NULL},
	{CALL_SCALE, RPC_UNARY, &bellows__v1__scale_request__descriptor,
	 on_scale, NULL, NULL, NULL},
};

static bool serve(void)
{
	const struct rpc_server_config config = {
		.listen = address[0] ? address : "127.0.0.1:0",
		.methods = methods,
		.n_methods = sizeof(methods) / sizeof(methods[0]),
		.descriptors = proto_descriptors,
		.descriptors_size = proto_descriptors_size,
	};

	if (rpc_server_create(&server, rpc, &config, NULL) < 0)
		return false;
	snprintf(address, sizeof(address), "%s", rpc_server_address(server));
	return true;
}

/* Sets the state of the job and tells it to those that watch. */
static void tell(Bellows__V1__State state, unsigned size, double progress,
		 unsigned wanted)
{
	job.state = state;
	job.size = job.target = size;
	if (state == BELLOWS__V1__STATE__RUNNING)
		job.want = size;
	job.progress = progress;
	job.executors_wanted = wanted;
	if (watcher)
		rpc_call_send(watcher, &job.base);
}

/* ---- the loop ---- */

static void stop(void *user)
{
	loop_stop(loop, 0);
}

static void pass(msec_t time)
{
	struct loop_timer timer = {0};

	loop_timer_set(loop, &timer, time, stop, NULL);
	loop_run(loop);
	loop_timer_clear(&timer);
}

/* Runs the loop until the condition holds; false after 15 seconds. */
#define UNTIL(condition)                                                       \
	__extension__({                                                        \
		msec_t until_ = loop_now() + SECONDS(15);                      \
		while (!(condition) && loop_now() < until_)                    \
			pass(5);                                               \
		(condition);                                                   \
	})

/* ---- files and processes ---- */

static void write_file(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "we");

	fputs(text, file);
	fclose(file);
	chmod(path, mode);
}

/* Executors alive: each removes its file in root/alive when it leaves. */
static unsigned count(const char *name)
{
	DIR *dir = opendir(at(name));
	struct dirent *entry;
	unsigned n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

static void on_monitor_end(void *user, pid_t pid, int status)
{
	monitor = 0;
	monitor_status =
		WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static bool run_monitor(const char *const *more)
{
	static char path[PATH_MAX + 32], paths[PATH_MAX], temporary[128];
	const char *argv[16] = {
		path,         "--job", at("job.yaml"), "--coordinator", address,
		"--patience", "2"};
	const char *entries[] = {paths, temporary};
	struct spawn what = {.argv = argv,
			     .in = -1,
			     .out = -1,
			     .err = -1,
			     .on_parent_death = SIGTERM};
	char **environment;
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	int r;

	for (int slashes = 0; n > 0 && slashes < 2;)
		slashes += path[--n] == '/';
	snprintf(path + n, 32, "/monitor/bellows-monitor");
	for (size_t i = 7; *more; more++)
		argv[i++] = *more;
	snprintf(paths, sizeof(paths), "PATH=%s:%s", root, getenv("PATH"));
	snprintf(temporary, sizeof(temporary), "TMPDIR=%s", at("tmp"));
	environment = spawn_environment(NULL, entries, 2);
	what.envp = (const char *const *)environment;
	r = spawn(&what, &monitor, NULL);
	free(environment);
	return r == 0 &&
	       loop_child_add(loop, monitor, on_monitor_end, NULL, NULL) == 0;
}

/* ---- a test ---- */

/* Also what a test left that was cut short by a lie. */
static void end(void)
{
	char command[128];

	if (monitor > 0) {
		kill(monitor, SIGTERM);
		UNTIL(monitor == 0);
	}
	server = rpc_server_destroy(server);
	rpc = rpc_destroy(rpc);
	loop = loop_destroy(loop);
	if (root[0]) {
		snprintf(command, sizeof(command), "rm -r %s", root);
		if (system(command) != 0)
			printf("# %s stays\n", root);
	}
	root[0] = '\0';
}

static bool begin(const char *job_file)
{
	char text[1024];

	end();
	snprintf(root, sizeof(root), "/tmp/bellows-test-XXXXXX");
	if (!mkdtemp(root))
		return false;
	mkdir(at("alive"), 0755);
	mkdir(at("tmp"), 0755);
	mkdir(at("ckpt"), 0755);
	snprintf(text, sizeof(text),
		 "#!/bin/sh\n"
		 "trap 'rm -f %s/alive/$4; exit 0' EXIT TERM\n"
		 "echo $$ >%s/alive/$4\n"
		 "while [ ! -e %s/over ]; do sleep 0.05; done\n",
		 root, root, root);
	write_file(at("bellows-executor"), text, 0755);
	write_file(at("job.yaml"), job_file, 0644);

	trace[0] = address[0] = last_id[0] = last_reason[0] = '\0';
	trouble[0] = '\0';
	troubles = 0;
	job = (Bellows__V1__Job)BELLOWS__V1__JOB__INIT;
	span = (Bellows__V1__Span)BELLOWS__V1__SPAN__INIT;
	job.name = (char *)"heat";
	answer = ACCEPT;
	watcher = NULL;
	monitor_status = -1;
	return loop_create(&loop, NULL) == 0 &&
	       rpc_create(&rpc, loop, NULL) == 0 && serve();
}

#endif
