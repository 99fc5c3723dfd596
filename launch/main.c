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
 * The first two wait for as long as the process at the other end of the socket
 * lives: a connection that closes ends them.
 */

#include "base/cleanup.h"
#include "jobfile/exit.h"
#include "launch/session.h"
#include "local/local.h"
#include "proto/local.pb-c.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
	"usage: bellows-launch HOST COMMAND...\n"
	"       bellows-launch --gate\n"
	"       bellows-launch --session\n"
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

static int number(const char *name, unsigned *out)
{
	const char *text = getenv(name);
	char *end;
	unsigned long value;

	errno = 0;
	value = text ? strtoul(text, &end, 10) : 0;
	if (!text || *text == '\0' || *end || errno || value > INT32_MAX) {
		fprintf(stderr, "bellows-launch: %s is not a number\n", name);
		return -EINVAL;
	}
	*out = (unsigned)value;
	return 0;
}

/* As ssh does it: the words of the command, with blanks between, for a shell.
 */
static char *join(char **words)
{
	size_t size = 1;
	char *text, *at;

	for (char **w = words; *w; w++)
		size += strlen(*w) + 1;
	text = at = calloc(1, size);
	for (char **w = words; text && *w; w++) {
		at = stpcpy(at, *w);
		if (w[1])
			at = stpcpy(at, " ");
	}
	return text;
}

static int agent(int fd, unsigned epoch, const char *host, char **words)
{
	CLEANUP(free) char *command = join(words);
	Bellows__Local__AgentRequest request =
		BELLOWS__LOCAL__AGENT_REQUEST__INIT;
	Bellows__Local__AgentReply *reply;
	ProtobufCMessage *message;
	struct error err;
	int fds[LOCAL_FDS_MAX], r;
	size_t n_fds;

	if (!command)
		return fail(EXIT_UNREACHABLE, "out of memory");
	request.epoch = epoch;
	request.host = (char *)host;
	request.command = command;
	r = local_send(fd, &request.base, NULL, 0, &err);
	if (r == 0)
		r = local_receive(fd, &bellows__local__agent_reply__descriptor,
				  &message, fds, &n_fds, &err);
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
static int refuse(int fd, int error, const char *what)
{
	Bellows__Local__GateFailure failure =
		BELLOWS__LOCAL__GATE_FAILURE__INIT;
	struct error err;

	error_set(&err, 0, "cannot run %s: %s", what, strerror(error));
	failure.failure = err.text;
	failure.error = error;
	local_send(fd, &failure.base, NULL, 0, NULL);
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

static int become(int fd, const Bellows__Local__GateOpen *open, const int *fds,
		  size_t n_fds)
{
	CLEANUP(free) char **argv = NULL;

	for (size_t i = 0; i < n_fds; i++)
		if (dup2(fds[i], (int)i) < 0)
			return refuse(fd, errno, "the application");
	for (size_t i = 0; i < open->n_env; i++)
		if (putenv(open->env[i]) != 0)
			return refuse(fd, errno, "the application");
	if (*open->dir && chdir(open->dir) < 0)
		return refuse(fd, errno, open->dir);

	argv = calloc(open->n_argv + 1, sizeof(*argv));
	if (!argv || open->n_argv == 0)
		return refuse(fd, argv ? EINVAL : ENOMEM, "the application");
	memcpy(argv, open->argv, open->n_argv * sizeof(*argv));
	execvp(argv[0], argv);
	return refuse(fd, errno, argv[0]);
}

static int gate(int fd, unsigned epoch)
{
	Bellows__Local__GateHello hello = BELLOWS__LOCAL__GATE_HELLO__INIT;
	ProtobufCMessage *message;
	struct error err;
	int fds[LOCAL_FDS_MAX], r;
	size_t n_fds;

	/* ranks share the fate of their daemon, and it that of its executor */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	hello.epoch = epoch;
	if (number("OMPI_COMM_WORLD_RANK", &hello.rank) < 0 ||
	    number("OMPI_COMM_WORLD_SIZE", &hello.size) < 0)
		return EXIT_USAGE;
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

int main(int argc, char **argv)
{
	bool is_gate = argc == 2 && strcmp(argv[1], "--gate") == 0;
	const char *name = is_gate ? "BELLOWS_GATE" : "BELLOWS_AGENT";
	const char *path = getenv(name);
	struct error err;
	unsigned epoch;
	int fd;

	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		fputs(usage, stdout);
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		puts("bellows-launch " VERSION);
		return 0;
	}
	if (argc == 2 && strcmp(argv[1], "--session") == 0)
		return session_run();
	if (!is_gate && (argc < 3 || argv[1][0] == '-')) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	if (!path) {
		fprintf(stderr, "bellows-launch: %s is not set\n", name);
		return EXIT_USAGE;
	}
	if (number("BELLOWS_EPOCH", &epoch) < 0)
		return EXIT_USAGE;

	fd = local_connect(path, &err);
	if (fd < 0)
		return fail(EXIT_UNREACHABLE, err.text);
	return is_gate ? gate(fd, epoch) : agent(fd, epoch, argv[1], argv + 2);
}
