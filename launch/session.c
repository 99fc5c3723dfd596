/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/session.h"

#include "base/cleanup.h"
#include "jobfile/exit.h"
#include "loop/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { ENTRIES_MAX = 4096, TEXT_MAX = 4 << 20 };

static int fail(const char *what)
{
	fprintf(stderr, "bellows-launch: %s: %s\n", what, strerror(errno));
	return EXIT_UNREACHABLE;
}

/* All of a file, with a NUL behind it; NULL if it cannot be read. */
static char *read_whole(const char *path, size_t *size)
{
	CLEANUP(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	CLEANUP(free) char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	if (st.st_size > TEXT_MAX) {
		errno = EFBIG;
		return NULL;
	}
	text = malloc((size_t)st.st_size + 1);
	n = text ? read(fd, text, (size_t)st.st_size) : -1;
	if (n < 0)
		return NULL;
	text[n] = '\0';
	*size = (size_t)n;
	return STEAL(text);
}

/* Its entries point into text.  NULL without memory. */
static const char **split(const char *text, size_t size)
{
	const char **all = calloc(ENTRIES_MAX + 1, sizeof(*all));
	size_t n = 0;

	for (const char *at = text; all && at < text + size && n < ENTRIES_MAX;
	     at += strlen(at) + 1)
		all[n++] = at;
	return all;
}

static pid_t executor_of(const char *const *env)
{
	static const char key[] = "BELLOWS_EXECUTOR=";

	for (; *env; env++)
		if (strncmp(*env, key, strlen(key)) == 0)
			return atoi(*env + strlen(key));
	return 0;
}

/* Waits for the command; kills it if the executor ends first. */
static int attend(pid_t child, int executor)
{
	CLEANUP(close) int fd = (int)syscall(SYS_pidfd_open, child, 0);
	struct pollfd at[] = {
		{.fd = fd, .events = POLLIN},
		{.fd = executor, .events = POLLIN},
	};
	int status;

	while (fd >= 0 && poll(at, 2, -1) < 0 && errno == EINTR)
		;
	if (fd < 0 || !(at[0].revents & POLLIN))
		kill(-child, SIGKILL);
	if (waitpid(child, &status, 0) < 0)
		return fail("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(const char *dir, const char *const *env, const char *command)
{
	CLEANUP(close) int executor = -1;
	CLEANUP(free) char **all = NULL;
	const char *argv[] = {"/bin/sh", "-c", command, NULL};
	const char *epoch = getenv("BELLOWS_EPOCH");
	char entry[64];
	const char *entries[] = {entry};
	struct spawn child = {
		.argv = argv,
		.dir = dir,
		.in = -1,
		.out = STDOUT_FILENO,
		.err = STDERR_FILENO,
		.new_session = true,
		.on_parent_death = SIGKILL,
	};
	struct error err;
	pid_t pid;

	executor = (int)syscall(SYS_pidfd_open, executor_of(env), 0);
	if (executor < 0)
		return fail("the executor is gone");
	snprintf(entry, sizeof(entry), "BELLOWS_EPOCH=%.20s",
		 epoch ? epoch : "");
	all = spawn_environment(env, entries, epoch ? 1 : 0);
	if (!all)
		return fail("no environment");
	child.envp = (const char *const *)all;
	if (spawn(&child, &pid, &err) < 0) {
		fprintf(stderr, "bellows-launch: %s\n", err.text);
		return EXIT_CANNOT_RUN;
	}
	return attend(pid, executor);
}

int session_run(void)
{
	const char *dir = getenv("BELLOWS_SESSION");
	const char *command = getenv("SSH_ORIGINAL_COMMAND");
	CLEANUP(free) char *text = NULL;
	CLEANUP(free) const char **env = NULL;
	char path[4200];
	size_t size = 0;

	if (!dir || !command) {
		fputs("bellows-launch: --session is for the sshd of an "
		      "executor, to run one command\n",
		      stderr);
		return EXIT_USAGE;
	}
	snprintf(path, sizeof(path), "%s/environment", dir);
	text = read_whole(path, &size);
	if (!text)
		return fail(path);
	env = split(text, size);
	return env ? run(dir, env, command) : fail("no environment");
}
