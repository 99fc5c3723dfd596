/* SPDX-License-Identifier: Apache-2.0 */

/*
 * bellows-launch: mpiexec's hand on another host, and a rank before it is one
 *
 * As mpiexec's remote-shell agent (`bellows-launch HOST COMMAND...`) it asks
 * the coordinator, which stands beside it, to have COMMAND run on HOST, and
 * leaves with that command's status.  No ssh, no key, no name to resolve.
 *
 * As a gate (`bellows-launch --gate`) it is what mpiexec believes to be the
 * application: it tells its executor which rank it is and waits.  When the
 * gate opens it gets the rank's descriptors, its command line and environment,
 * and becomes the application.  So the daemons and the wire-up of a start are
 * paid while the ranks of the one before still compute.
 *
 * As what an executor's sshd runs (`bellows-launch --session`) it runs the
 * command that mpiexec's ssh brought; see session.h.
 *
 * As a look at a directory (`bellows-launch --look DIR BYTES`) it finds out
 * whether a checkpoint can be written there, and leaves with 0 or the errno: a
 * file system may never answer, and then it is this process that waits.
 *
 * The first two wait for as long as the process at the other end of the socket
 * lives: a connection that closes ends them.
 */

#include "base/cleanup.h"
#include "base/disk.h"
#include "jobfile/exit.h"
#include "launch/argv.h"
#include "launch/session.h"
#include "local/local.h"
#include "proto/local.pb-c.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
	"usage: bellows-launch HOST COMMAND...\n"
	"       bellows-launch --gate\n"
	"       bellows-launch --session\n"
	"       bellows-launch --look DIR BYTES\n"
	"\n"
	"Started by mpiexec under bellows-coordinator, or by the sshd of an\n"
	"executor; not for people.\n"
	"BELLOWS_AGENT or BELLOWS_GATE names the socket to ask, BELLOWS_EPOCH\n"
	"the start it belongs to.\n";

static int fail(int code, const char *text)
{
	fprintf(stderr, "bellows-launch: %s\n", text);
	return code;
}

static int agent(int fd, const struct launch_argv *args)
{
	CLEANUP(free) char *command = argv_join(args->command);
	Bellows__Local__AgentRequest request =
		BELLOWS__LOCAL__AGENT_REQUEST__INIT;
	Bellows__Local__AgentReply *reply;
	ProtobufCMessage *message;
	struct error err;
	int r;

	if (!command)
		return fail(EXIT_UNREACHABLE, "out of memory");
	request.epoch = args->epoch;
	request.host = (char *)args->host;
	request.command = command;
	r = local_send(fd, &request.base, NULL, 0, &err);
	if (r == 0)
		r = local_receive(fd, &bellows__local__agent_reply__descriptor,
				  &message, NULL, NULL, &err);
	if (r > 0)
		return fail(EXIT_UNREACHABLE, "the coordinator is gone");
	if (r < 0)
		return fail(EXIT_UNREACHABLE, err.text);

	reply = (Bellows__Local__AgentReply *)message;
	fputs(reply->text, stderr);
	r = WIFEXITED(reply->status) ? WEXITSTATUS(reply->status)
				     : 128 + WTERMSIG(reply->status);
	protobuf_c_message_free_unpacked(message, NULL);
	return r;
}

/* Tells why the rank is none; the executor turns it into a sentence. */
static int report_gate_failure(int fd, int error, const char *what)
{
	Bellows__Local__GateFailure failure =
		BELLOWS__LOCAL__GATE_FAILURE__INIT;
	struct error err;

	error_describe(&err, "cannot run %s: %s", what, strerror(error));
	failure.failure = err.text;
	failure.error = error;
	local_send(fd, &failure.base, NULL, 0, NULL);
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

enum { STANDARD_FDS = 3 }; /* those that follow are held, whatever they are */

static int become(int fd, const Bellows__Local__GateOpen *open, const int *fds,
		  size_t n_fds)
{
	CLEANUP(free) char **argv = NULL;

	for (size_t i = 0; i < n_fds; i++)
		if ((i < STANDARD_FDS ? dup2(fds[i], (int)i)
				      : fcntl(fds[i], F_SETFD, 0)) < 0)
			return report_gate_failure(fd, errno,
						   "the application");
	for (size_t i = 0; i < open->n_env; i++)
		if (putenv(open->env[i]) != 0)
			return report_gate_failure(fd, errno,
						   "the application");
	if (*open->dir && chdir(open->dir) < 0)
		return report_gate_failure(fd, errno, open->dir);

	argv = calloc(open->n_argv + 1, sizeof(*argv));
	if (!argv || open->n_argv == 0)
		return report_gate_failure(fd, argv ? EINVAL : ENOMEM,
					   "the application");
	memcpy(argv, open->argv, open->n_argv * sizeof(*argv));
	execvp(argv[0], argv);
	return report_gate_failure(fd, errno, argv[0]);
}

static int gate(int fd, const struct launch_argv *args)
{
	Bellows__Local__GateHello hello = BELLOWS__LOCAL__GATE_HELLO__INIT;
	ProtobufCMessage *message;
	struct error err;
	int fds[LOCAL_FDS_MAX], r;
	size_t n_fds;

	/* ranks share the fate of their daemon, and it that of its executor */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	hello.epoch = args->epoch;
	hello.rank = args->rank;
	hello.size = args->size;
	r = local_send(fd, &hello.base, NULL, 0, &err);
	if (r == 0)
		r = local_receive(fd, &bellows__local__gate_open__descriptor,
				  &message, fds, &n_fds, &err);
	if (r < 0)
		return fail(EXIT_UNREACHABLE, err.text);
	if (r > 0)
		return 0; /* the start was dropped */
	return become(fd, (Bellows__Local__GateOpen *)message, fds, n_fds);
}

static int run_client(const struct launch_argv *args)
{
	struct error err;
	int fd = local_connect(args->socket, &err);

	if (fd < 0)
		return fail(EXIT_UNREACHABLE, err.text);
	return args->role == ROLE_GATE ? gate(fd, args) : agent(fd, args);
}

int main(int argc, char **argv)
{
	struct launch_argv args;
	struct error err;

	if (argv_read(&args, argc, argv, getenv, &err) < 0) {
		if (*err.text)
			return fail(EXIT_USAGE, err.text);
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	switch (args.role) {
	case ROLE_HELP:
		fputs(usage, stdout);
		return 0;
	case ROLE_VERSION:
		puts("bellows-launch " VERSION);
		return 0;
	case ROLE_SESSION:
		return session_run();
	case ROLE_LOOK:
		return -disk_try(args.dir, args.room, true, NULL);
	case ROLE_AGENT:
	case ROLE_GATE:
		return run_client(&args);
	}
	return EXIT_USAGE;
}
