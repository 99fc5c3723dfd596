/* SPDX-License-Identifier: Apache-2.0 */
#include "profiler/touched.h"
#include "tests/check.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 20 }; /* seconds */

static void add(struct touched *touched, double b, double s)
{
	touched->looks++;
	touched->b += b;
	touched->s += s;
	touched->bb += b * b;
	touched->bs += b * s;
	touched->ss += s * s;
}

static void a_rate_is_that_of_all_looks_together(void)
{
	struct touched touched = {.looks = 0};
	double rate, error;

	add(&touched, 100, 1);
	add(&touched, 300, 3);
	add(&touched, 200, 2);
	CHECK(!touched_rate(&touched, &rate, &error));
	add(&touched, 400, 4);
	CHECK(touched_rate(&touched, &rate, &error));
	CHECK(fabs(rate - 100) < 1e-9 && error < 1e-6);
}

/* Looks of one length: the error of their mean. */
static void looks_that_differ_have_an_error(void)
{
	static const double values[] = {90, 110, 80, 120};
	struct touched touched = {.looks = 0};
	double rate, error;

	for (int i = 0; i < 4; i++)
		add(&touched, values[i], 1);
	CHECK(touched_rate(&touched, &rate, &error));
	CHECK(fabs(rate - 100) < 1e-9);
	CHECK(fabs(error - sqrt(1000.0 / 3 / 4)) < 1e-9);
}

static void tell_and_wait(int told, pid_t number)
{
	alarm(PATIENCE);
	if (write(told, &number, sizeof(number)) == sizeof(number))
		for (;;)
			pause();
	_exit(1);
}

/* The leader makes a process, which tells its number. */
static void lead(int told)
{
	setsid();
	alarm(PATIENCE);
	if (fork() == 0)
		tell_and_wait(told, getpid());
	for (;;)
		pause();
}

static void a_session_is_found_without_its_leader_and_its_dead(void)
{
	pid_t leader, child = 0, found[4];
	int told[2];

	CHECK(pipe(told) == 0);
	leader = fork();
	if (leader == 0)
		lead(told[1]);
	CHECK(read(told[0], &child, sizeof(child)) == sizeof(child));
	CHECK(session_find(leader, found, 4) == 1 && found[0] == child);
	CHECK(session_find(leader, found, 0) == 0);
	/* dead, and not reaped by the leader while that lives */
	kill(child, SIGKILL);
	while (session_find(leader, found, 4) > 0)
		;
	CHECK(kill(child, 0) == 0);
	kill(leader, SIGKILL);
	waitpid(leader, NULL, 0);
}

static void marks_of_a_process_can_be_read(void)
{
	struct error err = {""};

	if (touched_check(&err) < 0)
		CHECK(strstr(err.text, "smaps_rollup"));
	else
		CHECK(!*err.text);
}

RUN_TESTS(TEST(a_rate_is_that_of_all_looks_together),
	  TEST(looks_that_differ_have_an_error),
	  TEST(a_session_is_found_without_its_leader_and_its_dead),
	  TEST(marks_of_a_process_can_be_read))
