/* SPDX-License-Identifier: Apache-2.0 */

/*
 * kin: what a process 1 has to look after
 *
 *     kin exit N              ends with N
 *     kin die SIGNO           dies of a signal
 *     kin hear FILE           writes the number of each signal that it gets
 *     kin family FILE         ignores all signals; its child, of the same
 *                             process group, hears them
 *     kin stubborn FILE       ignores SIGTERM and SIGUSR1
 *     kin signals FILE        writes what it was given: ignored, blocked
 *     kin given IGNORED BLOCKED WORDS...
 *                             becomes WORDS with these, lists as 10,12 or -
 *     kin orphans FILE N CODE makes N orphans that wait; ends all of them at
 *                             once on SIGUSR1, and itself with CODE on SIGUSR2
 *     kin scatter FILE N      makes N orphans that end at once, and ends
 *
 * What begins to wait writes a line to FILE before.
 */

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIGNALS = 64 };

static int file = -1;

static void say(const char *line)
{
	if (write(file, line, strlen(line)) < 0)
		_exit(99);
}

static int die(int signo)
{
	sigset_t none;

	signal(signo, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	raise(signo);
	return 98;
}

static _Noreturn void hear(void)
{
	sigset_t all;
	char line[16];

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	say("ready\n");
	for (;;) {
		int signo = sigwaitinfo(&all, NULL);

		snprintf(line, sizeof(line), "%d\n", signo);
		say(line);
	}
}

static int family(void)
{
	for (int signo = 1; signo <= SIGNALS; signo++)
		if (signo != SIGCHLD)
			signal(signo, SIG_IGN);
	if (fork() == 0)
		hear();
	wait(NULL);
	return 0;
}

static _Noreturn void stubborn(void)
{
	signal(SIGTERM, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	say("ready\n");
	for (;;)
		pause();
}

static int signals(void)
{
	struct sigaction action;
	sigset_t blocked;
	char line[64];

	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (int signo = 1; signo <= SIGNALS; signo++) {
		if (sigaction(signo, NULL, &action) == 0 &&
		    action.sa_handler == SIG_IGN) {
			snprintf(line, sizeof(line), "ignored %d\n", signo);
			say(line);
		}
		if (sigismember(&blocked, signo) == 1) {
			snprintf(line, sizeof(line), "blocked %d\n", signo);
			say(line);
		}
	}
	say("ready\n");
	return 0;
}

static int given(const char *ignored, const char *blocked, char **words)
{
	sigset_t mask;
	char *end;

	sigemptyset(&mask);
	for (; *ignored >= '0'; ignored = *end ? end + 1 : end)
		signal((int)strtol(ignored, &end, 10), SIG_IGN);
	for (; *blocked >= '0'; blocked = *end ? end + 1 : end)
		sigaddset(&mask, (int)strtol(blocked, &end, 10));
	sigprocmask(SIG_SETMASK, &mask, NULL);
	execvp(words[0], words);
	return 97;
}

/* Whose parent has ended before it does. */
static void make_orphan(const int ends[2], int code)
{
	char c;

	if (fork() == 0) {
		if (fork() == 0) {
			close(ends[1]);
			if (read(ends[0], &c, 1) < 0)
				code = 96;
			_exit(code);
		}
		_exit(0);
	}
	wait(NULL);
}

static int orphans(int n, int code)
{
	sigset_t awaited;
	int ends[2], signo = 0;

	sigemptyset(&awaited);
	sigaddset(&awaited, SIGUSR1);
	sigaddset(&awaited, SIGUSR2);
	sigprocmask(SIG_SETMASK, &awaited, NULL);
	if (pipe(ends) < 0)
		return 95;
	for (int i = 0; i < n; i++)
		make_orphan(ends, 1 + i % 200);
	say("ready\n");
	while (signo != SIGUSR2) {
		signo = sigwaitinfo(&awaited, NULL);
		close(ends[1]);
	}
	return code;
}

static int scatter(int n)
{
	int ends[2];

	if (pipe(ends) < 0)
		return 95;
	close(ends[1]);
	ends[1] = -1;
	for (int i = 0; i < n; i++)
		make_orphan(ends, 1);
	say("ready\n");
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";

	if (strcmp(mode, "exit") == 0)
		return atoi(argv[2]);
	if (strcmp(mode, "die") == 0)
		return die(atoi(argv[2]));
	if (strcmp(mode, "given") == 0 && argc > 4)
		return given(argv[2], argv[3], argv + 4);
	if (argc > 2)
		file = open(argv[2], O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (strcmp(mode, "hear") == 0)
		hear();
	if (strcmp(mode, "family") == 0)
		return family();
	if (strcmp(mode, "stubborn") == 0)
		stubborn();
	if (strcmp(mode, "signals") == 0)
		return signals();
	if (strcmp(mode, "orphans") == 0 && argc > 4)
		return orphans(atoi(argv[3]), atoi(argv[4]));
	if (strcmp(mode, "scatter") == 0 && argc > 3)
		return scatter(atoi(argv[3]));
	fputs("kin: see kin.c\n", stderr);
	return 64;
}
