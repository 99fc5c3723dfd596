/* SPDX-License-Identifier: Apache-2.0 */
#include "profiler/touched.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- the processes of a session ---- */

#define STOP_SECONDS 5e-5

/* "1234 (a name) S ppid group session ..."; 0 of one that has ended. */
static pid_t session_of(pid_t pid)
{
	char path[64], text[512], *rest;
	CLEANUP(fclose) FILE *f = NULL;
	int session = 0;
	char state;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f || !fgets(text, sizeof(text), f))
		return 0;
	rest = strrchr(text, ')');
	if (!rest || sscanf(rest + 1, " %c %*d %*d %d", &state, &session) != 2)
		return 0;
	return strchr("ZXx", state) ? 0 : session;
}

size_t session_find(pid_t session, pid_t *pids, size_t room)
{
	CLEANUP(closedir) DIR *dir = opendir("/proc");
	const struct dirent *entry;
	size_t n = 0;

	while (dir && n < room && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && pid != session && session_of(pid) == session)
			pids[n++] = pid;
	}
	return n;
}

/* ---- one process ---- */

static int clear(pid_t pid)
{
	CLEANUP(close) int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/clear_refs", (int)pid);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, "1", 1) == 1 ? 0 : -errno;
}

/* Bytes that are marked; -errno. */
static long long marked(pid_t pid)
{
	char path[64], text[4096], *line;
	CLEANUP(close) int fd = -1;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text) - 1);
	if (got <= 0)
		return got < 0 ? -errno : -ESRCH;
	text[got] = '\0';
	line = strstr(text, "\nReferenced:");
	return line ? strtoll(line + strlen("\nReferenced:"), NULL, 10) << 10
		    : -ENOTSUP;
}

/* Of all its threads; negative: it has ended. */
static double processor_seconds(pid_t pid)
{
	struct timespec at;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 ||
	    clock_gettime(clock, &at) < 0)
		return -1;
	return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

int touched_check(struct error *err)
{
	long long bytes = marked(getpid());

	if (bytes >= 0)
		return 0;
	return error_set(err, (int)bytes,
			 "/proc/PID/smaps_rollup does not say which memory a "
			 "process has used: %s",
			 strerror((int)-bytes));
}

/* ---- a look ---- */

static long now_us(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000 + at.tv_nsec / 1000;
}

static void signal_all(const struct touched *touched, int signo)
{
	for (size_t i = 0; i < touched->n; i++)
		kill(touched->at[i].pid, signo);
}

static void wait_us(long us)
{
	const struct timespec time = {.tv_sec = us / 1000000,
				      .tv_nsec = us % 1000000 * 1000};

	nanosleep(&time, NULL);
}

/* A stop takes some of its time. */
static bool stood_still(const struct touched_process *at)
{
	return processor_seconds(at->pid) - at->seconds < STOP_SECONDS;
}

static void clear_all(struct touched *touched)
{
	for (size_t i = 0; i < touched->n; i++) {
		struct touched_process *at = &touched->at[i];

		at->seconds = processor_seconds(at->pid);
		at->counts = at->seconds >= 0 && clear(at->pid) == 0 &&
			     stood_still(at);
	}
}

/* Reads marks and time of each process anew, and adds up what they have grown
 * by.  One that has ended, or has become another program, counts no more; nor
 * does one that has had a processor for less than `least` seconds. */
static void read_all(struct touched *touched, double least, double *bytes,
		     double *seconds)
{
	*bytes = *seconds = 0;
	for (size_t i = 0; i < touched->n; i++) {
		struct touched_process *at = &touched->at[i];
		struct touched_process before = *at;

		if (!at->counts)
			continue;
		at->seconds = processor_seconds(at->pid);
		at->bytes = (double)marked(at->pid);
		at->counts = at->seconds - before.seconds >= least &&
			     at->bytes >= before.bytes && stood_still(at);
		if (!at->counts)
			continue;
		*bytes += at->bytes - before.bytes;
		*seconds += at->seconds - before.seconds;
	}
}

static void add(struct touched *touched, double b, double s)
{
	if (s <= 0)
		return;
	touched->looks++;
	touched->b += b;
	touched->s += s;
	touched->bb += b * b;
	touched->bs += b * s;
	touched->ss += s * s;
}

long touched_look(struct touched *touched, const pid_t *pids, size_t n,
		  long warm_us, long interval_us)
{
	long began = now_us();
	double b, s;

	touched->n = n;
	for (size_t i = 0; i < n; i++)
		touched->at[i] = (struct touched_process){.pid = pids[i]};

	signal_all(touched, SIGSTOP);
	clear_all(touched);
	signal_all(touched, SIGCONT);
	wait_us(warm_us);
	signal_all(touched, SIGSTOP);
	read_all(touched, 0.5e-6 * (double)warm_us, &b, &s);
	signal_all(touched, SIGCONT);
	wait_us(interval_us);
	signal_all(touched, SIGSTOP);
	read_all(touched, 0, &b, &s);
	signal_all(touched, SIGCONT);

	add(touched, b, s);
	return now_us() - began - warm_us - interval_us;
}

/* The error of a ratio of sums. */
bool touched_rate(const struct touched *touched, double *rate, double *error)
{
	double off, n = touched->looks;

	if (touched->looks < TOUCHED_LOOKS_LEAST)
		return false;
	*rate = touched->b / touched->s;
	off = touched->bb - 2 * *rate * touched->bs +
	      *rate * *rate * touched->ss;
	*error = sqrt(off > 0 ? off * n / (n - 1) : 0) / touched->s;
	return true;
}
