/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "core/end_cause.h"
#include "tests/check.h"

#include <signal.h>

static int exited(int code)
{
	return code << 8;
}

static void what_a_rank_did_itself_is_the_application_s(void)
{
	static const int codes[] = {0, 1, 42, 70, 126, 127, 255};
	static const int signals[] = {SIGILL,  SIGABRT, SIGBUS, SIGFPE,
				      SIGSEGV, SIGXCPU, SIGPIPE};

	for (size_t i = 0; i < LENGTH(codes); i++)
		CHECK(end_is_own(exited(codes[i])));
	for (size_t i = 0; i < LENGTH(signals); i++)
		CHECK(end_is_own(exited(128 + signals[i])));
}

static void what_was_done_to_it_is_not(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGKILL, SIGTERM};

	for (size_t i = 0; i < LENGTH(signals); i++)
		CHECK(!end_is_own(exited(128 + signals[i])));
	CHECK(!end_is_own(exited(END_LOST_DAEMON)));
	CHECK(!end_is_own(SIGKILL)); /* mpiexec was killed */
	CHECK(!end_is_own(SIGSEGV));
}

static void mpiexec_says_which_rank_a_signal_ended(void)
{
	unsigned rank = 0;
	int signo = 0;

	CHECK(end_find_killed(
		"-----\n"
		"mpiexec noticed that process rank 11 with PID 15749 on node "
		"127.1.0.2 exited on signal 9 (Killed).\n",
		&rank, &signo));
	CHECK(rank == 11 && signo == 9);
	CHECK(!end_find_killed("", &rank, &signo));
	CHECK(!end_find_killed("mpiexec noticed that process rank 3 with PID 0 "
			       "on node n exited with status 9.\n",
			       &rank, &signo));
}

RUN_TESTS(TEST(what_a_rank_did_itself_is_the_application_s),
	  TEST(what_was_done_to_it_is_not),
	  TEST(mpiexec_says_which_rank_a_signal_ended))
