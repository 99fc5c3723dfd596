/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/fork_probe.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

/* Small enough for a pipe to take it whole. */
struct verdict {
	int code;
	struct error err;
};

static msec_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return SECONDS(t.tv_sec) + t.tv_nsec / 1000000;
}

/* ---- the child ---- */

static void settle_in(pid_t parent)
{
	const struct rlimit none = {0, 0};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t empty;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	setpgid(0, 0);
	setrlimit(RLIMIT_CORE, &none);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	/* a handler of the program, or of a sanitizer, would hide the signal */
	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	sigemptyset(&empty);
	sigprocmask(SIG_SETMASK, &empty, NULL);
}

static void run_child(int (*work)(void *user, struct error *err), void *user,
		      int out)
{
	struct verdict verdict = {0};

	verdict.code = work(user, &verdict.err);
	while (write(out, &verdict, sizeof(verdict)) < 0 && errno == EINTR)
		;
	_exit(0);
}

/* ---- the parent ---- */

/* 1 if there is a verdict, 0 if the child closed the pipe without one,
 * -ETIMEDOUT. */
static int await(int fd, struct verdict *verdict, msec_t patience)
{
	msec_t end = clock_ms() + patience, left;
	struct pollfd at = {.fd = fd, .events = POLLIN};
	ssize_t n;

	while ((left = end - clock_ms()) > 0) {
		if (poll(&at, 1, (int)left) <= 0)
			continue;
		n = read(fd, verdict, sizeof(*verdict));
		if (n >= 0)
			return n == (ssize_t)sizeof(*verdict);
	}
	return -ETIMEDOUT;
}

/* Kills the child and reaps it.  A signal does not change the status of a child
 * that is ending already. */
static int end_child(pid_t pid, int *status)
{
	kill(pid, SIGKILL); /* it may not have a group of its own yet */
	kill(-pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static int describe(int status, struct error *err)
{
	const char *name;

	if (WIFEXITED(status))
		return error_set(err, -ECANCELED,
				 "it ended the program, with status %d",
				 WEXITSTATUS(status));
	name = sigabbrev_np(WTERMSIG(status));
	return error_set(err, -EFAULT, "it crashed: SIG%s", name ? name : "?");
}

int fork_probe(int (*work)(void *user, struct error *err), void *user,
	       msec_t patience, struct error *err)
{
	CLEANUP(close) int in = -1;
	struct verdict verdict;
	pid_t parent = getpid(), pid;
	int ends[2], status = 0, r;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_errno(err, "pipe");
	in = ends[0];
	fflush(NULL); /* or exit() in the child would print it again */
	pid = fork();
	if (pid == 0) {
		settle_in(parent);
		run_child(work, user, ends[1]);
	}
	close(ends[1]);
	if (pid < 0)
		return error_errno(err, "fork");

	r = await(in, &verdict, patience);
	if (end_child(pid, &status) < 0)
		return error_errno(err, "waitpid");
	if (r == 1)
		return verdict.code == 0 ? 0
					 : error_set(err, verdict.code, "%s",
						     verdict.err.text);
	if (r == -ETIMEDOUT && WIFSIGNALED(status) &&
	    WTERMSIG(status) == SIGKILL)
		return error_set(err, r, "it was not done within %lld s",
				 (long long)patience / 1000);
	return describe(status, err);
}
