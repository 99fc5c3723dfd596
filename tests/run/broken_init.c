/* SPDX-License-Identifier: Apache-2.0 */

/*
 * broken_init FAULT WORDS...: a process 1 that does what it should, but for one
 * thing; with FAULT none it does all
 *
 * It runs WORDS as a process group of its own and passes signals on to it.
 */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const faults[] = {
	"none",
	"reaps-nobody",     /* but its child */
	"reaps-one",        /* for each SIGCHLD, of which several may be one */
	"ends-with-any",    /* child, orphans among them */
	"forwards-nothing", /* and ends on no signal either */
	"forwards-to-one",  /* of the group */
	"hides-the-code",   /* ends with 0 */
	"hides-the-signal", /* ends with the signal's number */
	"keeps-the-mask",   /* in the child */
	"ends-on-sigterm",  /* though the child does not */
};

static const char *fault;

static bool has(const char *name)
{
	return strcmp(fault, name) == 0;
}

static int status_of(int status)
{
	if (WIFEXITED(status))
		return has("hides-the-code") ? 0 : WEXITSTATUS(status);
	return WTERMSIG(status) + (has("hides-the-signal") ? 0 : 128);
}

/* -1: the child lives. */
static int reap(pid_t child)
{
	int status, result = -1;
	pid_t pid;

	do {
		pid = waitpid(has("reaps-nobody") ? child : -1, &status,
			      WNOHANG);
		if (pid == child || (pid > 0 && has("ends-with-any")))
			result = status_of(status);
	} while (pid > 0 && !has("reaps-one"));
	return result;
}

static pid_t begin(char **words, const sigset_t *mask)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	setpgid(0, 0);
	if (!has("keeps-the-mask"))
		sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(words[0], words);
	_exit(errno == ENOENT ? 127 : 126);
}

int main(int argc, char **argv)
{
	sigset_t all, before;
	bool known = false;
	int result = -1;
	pid_t child;

	fault = argc > 2 ? argv[1] : "";
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		known |= has(faults[i]);
	if (!known) {
		fputs("broken_init: see broken_init.c\n", stderr);
		return 64;
	}
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	child = begin(argv + 2, &before);
	while (result < 0) {
		int signo = sigwaitinfo(&all, NULL);

		if (signo == SIGCHLD)
			result = reap(child);
		else if (signo == SIGTERM && has("ends-on-sigterm"))
			result = 143;
		else if (!has("forwards-nothing"))
			kill(has("forwards-to-one") ? child : -child, signo);
	}
	return result;
}
