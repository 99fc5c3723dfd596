/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/save.h"
#include "tests/check.h"
#include "tests/unit/run_loop.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

/* The ranks are flags here; tests/run/disk and tests/run/bad_input save real
 * ones. */

#define LONG SECONDS(60)

enum { EPOCH = 7, NEW = 99 };

static bool is_here;
static unsigned calls;
static bool is_read = true;
static uint64_t mark;     /* of the checkpoint that is there; 0: none */
static atomic_bool hangs; /* the file system */
static sem_t looking, answers;
static atomic_uint looks;

static unsigned begun, judged;
static uint64_t judged_mark;
static bool judged_unread;
static char failure[128];

bool ranks_has(const struct ranks *ranks, unsigned epoch, unsigned rank)
{
	return is_here && epoch == EPOCH && rank == 0;
}

void ranks_call(struct ranks *ranks, unsigned epoch,
		const struct ranks_call *call)
{
	calls++;
}

void ranks_set_nodelay(struct ranks *ranks, unsigned epoch)
{
}

static enum save_kind save_kind(const struct adapter_app *app, int *signo)
{
	*signo = SIGUSR1;
	return SAVE_SIGNAL_ALL;
}

static int checkpoint(const struct adapter_app *app, struct checkpoint *out,
		      struct error *err)
{
	looks++;
	if (hangs) {
		sem_post(&looking);
		sem_wait(&answers);
	}
	*out = (struct checkpoint){.mark = mark};
	if (!is_read)
		return error_set(err, -EIO, "a disk error");
	return mark == 0;
}

static const struct adapter adapter = {
	.abi = ADAPTER_ABI,
	.name = "flags",
	.save = save_kind,
	.checkpoint = checkpoint,
};

static struct loop *loop;

static void on_begun(void *user, unsigned epoch)
{
	begun++;
	loop_stop(loop, 0);
}

static void on_judged(void *user, unsigned epoch,
		      const struct checkpoint *found, bool taken,
		      const char *why, bool unread)
{
	judged++;
	judged_mark = found->mark;
	judged_unread = unread;
	snprintf(failure, sizeof(failure), "%s", why ? why : "");
	loop_stop(loop, 0);
}

static const struct save_events events = {on_begun, on_judged};
static struct jobfile job;
static struct save *save;

static void begin(uint64_t there)
{
	save = save_destroy(save);
	loop_destroy(loop);
	is_here = is_read = true;
	hangs = false;
	mark = there;
	calls = begun = judged = looks = 0;
	job.adapter = &adapter;
	job.app.checkpoint_dir = "/ck";
	job.checkpoint_deadline = LONG;
	sem_init(&looking, 0, 0);
	sem_init(&answers, 0, 0);
	loop_create(&loop, NULL);
	save_create(&save, loop, NULL, &job, &events, NULL, NULL);
}

/* Until a save has begun or is judged; false if none is. */
static bool run(void)
{
	return run_loop(loop, LONG) == 0;
}

static void order(void)
{
	save_order(save, EPOCH, false, true);
}

/* The file system answers from now on, and has answered what hung. */
static void answer(void)
{
	hangs = false;
	sem_post(&answers);
}

static void leave(void)
{
	is_here = false;
	save_on_gone(save, EPOCH);
}

/* What was abandoned comes before what is ordered now, and is not told. */
static bool is_quiet(void)
{
	unsigned begun_before = begun, calls_before = calls;
	unsigned judged_before = judged;

	is_here = true;
	order();
	if (!run() || judged != judged_before)
		return false;
	mark = NEW;
	leave();
	return run() && begun == begun_before + 1 &&
	       calls == calls_before + 1 && judged == judged_before + 1 &&
	       judged_mark == NEW;
}

/* ---- tests ---- */

static void a_checkpoint_that_is_newer_than_the_order_is_the_answer(void)
{
	begin(1);
	order();
	CHECK(run() && begun == 1 && calls == 1 && judged == 0);
	mark = 2;
	leave();
	CHECK(run() && judged == 1 && judged_mark == 2);
	CHECK_TEXT(failure, "");
}

static void ranks_that_leave_the_former_checkpoint_have_saved_nothing(void)
{
	begin(1);
	order();
	CHECK(run());
	leave();
	CHECK(run() && judged == 1);
	CHECK_TEXT(failure, "the ranks left without a new checkpoint");
}

static void a_second_order_counts_only_what_is_newer_than_it(void)
{
	begin(1);
	order();
	CHECK(run());
	mark = 2; /* the application says that it could not, and computes on */
	order();
	CHECK(run() && begun == 2 && calls == 2 && judged == 0);
	leave();
	CHECK(run() && judged == 1);
	CHECK_TEXT(failure, "the ranks left without a new checkpoint");
}

static void a_checkpoint_that_is_there_is_taken_if_it_will_do(void)
{
	begin(1);
	save_order(save, EPOCH, true, true);
	CHECK(run() && begun == 1 && calls == 0);
	CHECK(judged == 1 && judged_mark == 1);
	CHECK_TEXT(failure, "");
}

static void a_former_checkpoint_that_cannot_be_read_is_not_new_later(void)
{
	begin(1);
	is_read = false;
	order();
	CHECK(run() && begun == 0 && calls == 0 && judged == 1);
	CHECK_TEXT(failure, "a disk error");
	is_read = true;
	leave();
	CHECK(is_quiet());
}

static void an_order_that_comes_after_the_ranks_is_answered(void)
{
	begin(1);
	is_here = false;
	order();
	CHECK(begun == 0 && calls == 0 && judged == 1);
	CHECK_TEXT(failure, "rank 0 was gone before it was told to save");
}

static void a_second_order_that_comes_after_the_ranks_is_answered_too(void)
{
	begin(1);
	order();
	CHECK(run());
	leave();
	CHECK(run() && judged == 1);
	order();
	CHECK(begun == 1 && calls == 1 && judged == 2);
	CHECK_TEXT(failure, "rank 0 was gone before it was told to save");
}

/* ---- a file system that does not answer ---- */

/* An order whose first look hangs. */
static void begin_to_hang(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LONG / 1000;
	begin(1);
	hangs = true;
	order();
	CHECK(sem_timedwait(&looking, &until) == 0);
	CHECK(begun == 0 && calls == 0 && judged == 0);
}

static void ranks_are_told_when_the_former_checkpoint_is_known(void)
{
	begin_to_hang();
	answer();
	CHECK(run() && begun == 1 && calls == 1 && judged == 0);
	leave();
	CHECK(run() && judged == 1);
	CHECK_TEXT(failure, "the ranks left without a new checkpoint");
}

static void without_an_answer_by_the_deadline_ranks_are_not_told(void)
{
	begin(1);
	hangs = true;
	job.checkpoint_deadline = 1;
	order();
	CHECK(run() && begun == 0 && calls == 0 && judged == 1);
	CHECK(strncmp(failure, "ranks are not told to save: ", 28) == 0);
	answer();
	job.checkpoint_deadline = LONG;
	CHECK(is_quiet());
}

static void the_deadline_of_the_first_look_is_over_with_it(void)
{
	begin(1);
	job.checkpoint_deadline = SECONDS(1);
	order();
	CHECK(run() && begun == 1);
	CHECK(run_loop(loop, MSEC(1200)) == -1 && judged == 0);
}

static void ranks_that_leave_meanwhile_were_not_told(void)
{
	begin_to_hang();
	leave();
	CHECK(begun == 0 && calls == 0 && judged == 1);
	CHECK_TEXT(failure, "rank 0 was gone before it was told to save");
	answer();
	CHECK(is_quiet());
}

static void rank_0_that_leaves_alone_meanwhile_was_not_told(void)
{
	begin_to_hang();
	is_here = false; /* others of its host are there */
	answer();
	CHECK(run() && begun == 0 && calls == 0 && judged == 1);
	CHECK_TEXT(failure, "rank 0 was gone before it was told to save");
}

static void of_two_orders_meanwhile_one_is_obeyed(void)
{
	begin_to_hang();
	order();
	answer();
	CHECK(run() && begun == 1 && calls == 1);
	CHECK(is_quiet());
}

static void an_order_that_is_cancelled_meanwhile_is_not_obeyed(void)
{
	begin_to_hang();
	save_cancel(save, EPOCH);
	answer();
	CHECK(is_quiet() && begun == 1 && judged == 1);
}

static void what_ranks_left_is_judged_without_an_answer_too(void)
{
	begin(1);
	order();
	CHECK(run());
	hangs = true;
	leave();
	leave(); /* told again, as after an order to stop */
	CHECK(run() && judged == 1 && judged_unread);
	CHECK_TEXT(failure, "the checkpoint that ranks left could not be "
			    "looked at: /ck does not answer");
	answer();
	CHECK(is_quiet() && looks == 4); /* two of them by this order */
}

RUN_TESTS(TEST(a_checkpoint_that_is_newer_than_the_order_is_the_answer),
	  TEST(ranks_that_leave_the_former_checkpoint_have_saved_nothing),
	  TEST(a_second_order_counts_only_what_is_newer_than_it),
	  TEST(a_checkpoint_that_is_there_is_taken_if_it_will_do),
	  TEST(a_former_checkpoint_that_cannot_be_read_is_not_new_later),
	  TEST(an_order_that_comes_after_the_ranks_is_answered),
	  TEST(a_second_order_that_comes_after_the_ranks_is_answered_too),
	  TEST(ranks_are_told_when_the_former_checkpoint_is_known),
	  TEST(without_an_answer_by_the_deadline_ranks_are_not_told),
	  TEST(the_deadline_of_the_first_look_is_over_with_it),
	  TEST(ranks_that_leave_meanwhile_were_not_told),
	  TEST(rank_0_that_leaves_alone_meanwhile_was_not_told),
	  TEST(of_two_orders_meanwhile_one_is_obeyed),
	  TEST(an_order_that_is_cancelled_meanwhile_is_not_obeyed),
	  TEST(what_ranks_left_is_judged_without_an_answer_too))
