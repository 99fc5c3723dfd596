/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/lease.h"
#include "tests/check.h"
#include "tests/unit/child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Real children of this process are what is leased. */

enum { LENGTH = 50, LOOK_EVERY = 5, LOOKS_MAX = 2000 };

static struct loop *loop;
static struct lease lease;

struct child_watch {
	pid_t pid;
	int status, looks;
	struct loop_timer timer;
};

static void look(void *user)
{
	struct child_watch *watch = user;

	if (waitpid(watch->pid, &watch->status,
		    WNOHANG | WUNTRACED | WCONTINUED) != 0 ||
	    ++watch->looks > LOOKS_MAX)
		loop_stop(loop, 0);
	else
		loop_timer_set(loop, &watch->timer, LOOK_EVERY, look, watch);
}

/* What becomes of it next, as of waitpid(); 0: nothing. */
static int next_of(pid_t pid)
{
	struct child_watch watch = {.pid = pid, .status = 0};

	loop_timer_set(loop, &watch.timer, 0, look, &watch);
	if (loop_run(loop) != 0)
		return 0;
	loop_timer_clear(&watch.timer);
	return watch.status;
}

static void begin(msec_t length)
{
	struct error err;

	CHECK(loop_create(&loop, &err) == 0);
	lease = (struct lease){.loop = loop, .length = length};
}

static void end(pid_t child)
{
	end_child(child);
	lease_end(&lease);
	loop_destroy(loop);
}

static void without_an_answer_all_stand_still(void)
{
	pid_t child = make_child();

	begin(LENGTH);
	lease_renew(&lease, loop_now());
	CHECK(!lease.is_over);
	CHECK(WIFSTOPPED(next_of(child)));
	CHECK(lease.is_over);
	end(child);
}

static void what_starts_meanwhile_stands_still_too(void)
{
	pid_t child = make_child(), late;

	begin(LENGTH);
	lease_renew(&lease, loop_now());
	CHECK(WIFSTOPPED(next_of(child)));
	late = make_child();
	CHECK(WIFSTOPPED(next_of(late)));
	end_child(late);
	end(child);
}

static void an_answer_lets_them_go_on(void)
{
	pid_t child = make_child();

	begin(LENGTH);
	lease_renew(&lease, loop_now());
	CHECK(WIFSTOPPED(next_of(child)));
	lease.length = 1000000; /* so that it is not over again */
	lease_renew(&lease, loop_now());
	CHECK(!lease.is_over);
	CHECK(WIFCONTINUED(next_of(child)));
	end(child);
}

static void an_answer_to_an_old_heartbeat_is_worth_nothing(void)
{
	pid_t child = make_child();

	begin(LENGTH);
	lease_renew(&lease, loop_now());
	CHECK(WIFSTOPPED(next_of(child)));
	lease_renew(&lease, loop_now() - LENGTH);
	CHECK(lease.is_over);
	lease_renew(&lease, loop_now() + 1000); /* nor one to none */
	CHECK(lease.is_over);
	end(child);
}

static void without_a_length_nothing_is_limited(void)
{
	pid_t child = make_child();

	begin(0);
	lease_renew(&lease, loop_now());
	CHECK(!loop_timer_is_set(&lease.timer));
	end(child);
}

RUN_TESTS(TEST(without_an_answer_all_stand_still),
	  TEST(what_starts_meanwhile_stands_still_too),
	  TEST(an_answer_lets_them_go_on),
	  TEST(an_answer_to_an_old_heartbeat_is_worth_nothing),
	  TEST(without_a_length_nothing_is_limited))
