/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "executor/process.h"
#include "tests/check.h"
#include "tests/unit/child.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * What is looked for is a child of this process that forks and ends when it is
 * told to, and so does its child.  It is told when readdir() comes to it, and
 * its child is not shown before the next look: as if pids had begun anew, and
 * the child had one that was passed already.
 */

enum { LOOKS = 20, LOOKS_MAX = 5 };

static pid_t chain, passed;
static int orders, answers;
static unsigned moves, looks;

static void be_chain(int in, int out)
{
	char order;

	while (read(in, &order, 1) == 1) {
		pid_t pid = fork();

		if (pid == 0)
			continue;
		if (write(out, &pid, sizeof(pid)) != sizeof(pid))
			_exit(1);
		_exit(0);
	}
	_exit(0);
}

static void begin(void)
{
	int in[2], out[2];

	/* an orphan is given to this process */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (pipe(in) < 0 || pipe(out) < 0)
		abort();
	chain = fork();
	if (chain == 0) {
		close(in[1]);
		close(out[0]);
		be_chain(in[0], out[1]);
	}
	close(in[0]);
	close(out[1]);
	orders = in[1];
	answers = out[0];
	moves = looks = 0;
}

/* Returns how it ended, as of waitpid(). */
static int end(void)
{
	int status = 0;

	moves = 0;
	close(orders);
	close(answers);
	waitpid(chain, &status, 0);
	return status;
}

static void move(void)
{
	pid_t next;

	moves--;
	if (write(orders, "", 1) != 1 ||
	    read(answers, &next, sizeof(next)) != sizeof(next))
		abort();
	waitpid(chain, NULL, 0);
	chain = passed = next;
}

/* Takes the place of the C library's, in process.c too. */
struct dirent *readdir(DIR *dir)
{
	static struct dirent *(*real)(DIR *);
	struct dirent *entry;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "readdir64");
	do
		entry = real(dir);
	while (entry && passed && atoi(entry->d_name) == passed);
	if (entry && moves > 0 && atoi(entry->d_name) == chain)
		move();
	if (!entry) {
		passed = 0;
		looks++;
	}
	return entry;
}

static void a_process_that_rests_is_found(void)
{
	bool left;

	begin();
	left = process_is_left(0, false);
	end();
	CHECK(left);
	CHECK(looks == 1);
	CHECK(!process_is_left(0, false));
}

static void a_child_at_a_pid_that_was_passed_is_found(void)
{
	for (unsigned n = 1; n < LOOKS_MAX; n++) {
		bool left;

		begin();
		moves = n;
		left = process_is_left(0, false);
		end();
		CHECK(left);
		CHECK(looks == n + 1);
	}
}

static void such_a_child_gets_the_signal(void)
{
	size_t n;
	int status;

	begin();
	moves = 1;
	n = process_signal(0, false, SIGKILL);
	status = end();
	CHECK(n == 1);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Whether that many processes stop in 10 s. */
static bool stop(const pid_t *pids, size_t n)
{
	size_t stopped = 0;

	for (int tries = 0; stopped < n && tries < 10000; tries++) {
		int status;

		if (waitpid(pids[stopped], &status, WNOHANG | WUNTRACED) > 0)
			stopped += WIFSTOPPED(status);
		else
			usleep(1000);
	}
	return stopped == n;
}

static void such_a_child_stands_still_beside_others(void)
{
	pid_t pids[2];
	size_t n;
	bool stopped;

	begin();
	pids[0] = make_child();
	moves = 1;
	n = process_signal(0, false, SIGSTOP);
	pids[1] = chain;
	stopped = n == 2 && stop(pids, 2);
	process_signal(0, false, SIGCONT);
	end_child(pids[0]);
	end();
	CHECK(stopped);
}

static void more_than_a_thousand_stand_still(void)
{
	static pid_t pids[1100];
	size_t n = 0, signalled;
	bool stopped;

	while (n < LENGTH(pids) && (pids[n] = make_child()) > 0)
		n++;
	signalled = process_signal(0, false, SIGSTOP);
	stopped = stop(pids, n);
	for (size_t i = 0; i < n; i++)
		end_child(pids[i]);
	if (n < LENGTH(pids)) {
		printf("# this machine allows %zu processes more\n", n);
		return;
	}
	CHECK(signalled == n);
	CHECK(stopped);
}

static void looks_come_to_an_end(void)
{
	begin();
	moves = 1000;
	process_is_left(0, false);
	end();
	CHECK(looks == LOOKS_MAX);
}

static pid_t begin_program(const char *text)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("BELLOWS_EPOCH", "5", 1);
	setenv("BELLOWS_RANK", "0", 1);
	execl("/bin/sh", "sh", "-c", text, text, NULL);
	_exit(127);
}

static void until_it_runs(void)
{
	while (process_signal(5, true, 0) == 0)
		usleep(1000);
}

static void a_process_that_becomes_others_is_found(void)
{
	pid_t pid = begin_program("exec sh -c \"$0\" \"$0\"");
	unsigned found = 0;

	until_it_runs();
	for (unsigned i = 0; i < LOOKS; i++)
		found += process_is_left(5, true);
	end_child(pid);
	CHECK(found == LOOKS);
}

static void a_process_of_another_start_is_not(void)
{
	pid_t pid = begin_program("exec sleep 1000");
	bool left;

	until_it_runs();
	left = process_is_left(6, true);
	end_child(pid);
	CHECK(!left);
}

static void a_process_without_an_environment_is_not(void)
{
	pid_t pid = begin_program("exec env -i sleep 1000");
	unsigned tries = 0;

	while (process_is_left(5, true) && ++tries < 1000)
		usleep(5000);
	end_child(pid);
	CHECK(tries < 1000);
}

/* ---- a process whose first thread has ended ---- */

static pthread_t first_thread;
static int told;

static void *outlive(void *user)
{
	pthread_join(first_thread, NULL);
	if (write(told, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/* It has a child. */
static void lose_first_thread(void)
{
	pthread_t thread;

	if (fork() == 0)
		for (;;)
			pause();
	first_thread = pthread_self();
	pthread_create(&thread, NULL, outlive, NULL);
	pthread_exit(NULL);
}

static char state_of(pid_t pid)
{
	char path[64], state = '?';
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (f && fscanf(f, "%*d %*s %c", &state) != 1)
		state = '?';
	if (f)
		fclose(f);
	return state;
}

static void one_whose_first_thread_has_ended_is_found_with_its_child(void)
{
	char byte;
	size_t n;
	pid_t pid;
	int ends[2];

	CHECK(pipe(ends) == 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		told = ends[1];
		lose_first_thread();
	}
	CHECK(read(ends[0], &byte, 1) == 1);
	while (state_of(pid) != 'Z')
		sched_yield();
	n = process_signal(0, false, SIGKILL);
	kill(-pid, SIGKILL); /* what was not found */
	close(ends[0]);
	close(ends[1]);
	while (wait(NULL) > 0)
		;
	CHECK(n == 2);
	CHECK(!process_is_left(0, false));
}

RUN_TESTS(TEST(a_process_that_rests_is_found),
	  TEST(a_child_at_a_pid_that_was_passed_is_found),
	  TEST(such_a_child_gets_the_signal),
	  TEST(such_a_child_stands_still_beside_others),
	  TEST(more_than_a_thousand_stand_still), TEST(looks_come_to_an_end),
	  TEST(a_process_that_becomes_others_is_found),
	  TEST(a_process_of_another_start_is_not),
	  TEST(a_process_without_an_environment_is_not),
	  TEST(one_whose_first_thread_has_ended_is_found_with_its_child))
