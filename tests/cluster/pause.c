/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pause: holds namespaces open, as the first process in them.
 *
 * It is the sandbox of every pod, and process 1 of the cluster itself: orphans
 * come to it and are reaped, and it ends when it is told to.
 */
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
	sigset_t awaited;
	int signo = 0;

	sigemptyset(&awaited);
	sigaddset(&awaited, SIGCHLD);
	sigaddset(&awaited, SIGINT);
	sigaddset(&awaited, SIGTERM);
	sigprocmask(SIG_BLOCK, &awaited, NULL);
	while (signo != SIGINT && signo != SIGTERM) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (sigwait(&awaited, &signo) != 0)
			return 1;
	}
	return 0;
}
