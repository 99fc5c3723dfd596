/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/save.h"
#include "tests/check.h"

#include <errno.h>
#include <signal.h>

/* The ranks are flags here; tests/run/disk and tests/run/bad_input save real
 * ones. */

enum { EPOCH = 7 };

static bool is_here;
static unsigned calls;
static bool is_read = true;
static uint64_t mark; /* of the checkpoint that is there; 0: none */

static unsigned begun, judged;
static uint64_t judged_mark;
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

static void on_begun(void *user, unsigned epoch)
{
	begun++;
}

static void on_judged(void *user, unsigned epoch,
		      const struct checkpoint *found, bool taken,
		      const char *why, bool unread)
{
	judged++;
	judged_mark = found->mark;
	snprintf(failure, sizeof(failure), "%s", why ? why : "");
}

static const struct save_events events = {on_begun, on_judged};
static const struct jobfile job = {.adapter = &adapter};
static struct loop *loop;
static struct save *save;

static void begin(uint64_t there)
{
	save = save_destroy(save);
	loop_destroy(loop);
	is_here = is_read = true;
	mark = there;
	calls = begun = judged = 0;
	loop_create(&loop, NULL);
	save_create(&save, loop, NULL, &job, &events, NULL, NULL);
}

static void order(void)
{
	save_order(save, EPOCH, false, true);
}

static void leave(void)
{
	is_here = false;
	save_on_gone(save, EPOCH);
}

/* ---- tests ---- */

static void a_checkpoint_that_is_newer_than_the_order_is_the_answer(void)
{
	begin(1);
	order();
	CHECK(begun == 1 && calls == 1 && judged == 0);
	mark = 2;
	leave();
	CHECK(judged == 1 && judged_mark == 2);
	CHECK_TEXT(failure, "");
}

static void ranks_that_leave_the_former_checkpoint_have_saved_nothing(void)
{
	begin(1);
	order();
	leave();
	CHECK(judged == 1);
	CHECK_TEXT(failure, "the ranks left without a new checkpoint");
}

static void a_second_order_counts_only_what_is_newer_than_it(void)
{
	begin(1);
	order();
	mark = 2; /* the application says that it could not, and computes on */
	order();
	CHECK(begun == 2 && calls == 2 && judged == 0);
	leave();
	CHECK(judged == 1);
	CHECK_TEXT(failure, "the ranks left without a new checkpoint");
}

static void a_former_checkpoint_that_cannot_be_read_is_not_new_later(void)
{
	begin(1);
	is_read = false;
	order();
	CHECK(begun == 0 && calls == 0 && judged == 1);
	CHECK_TEXT(failure, "a disk error");
	is_read = true;
	leave();
	CHECK(judged == 1);
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
	leave();
	CHECK(judged == 1);
	order();
	CHECK(begun == 1 && calls == 1 && judged == 2);
	CHECK_TEXT(failure, "rank 0 was gone before it was told to save");
}

RUN_TESTS(TEST(a_checkpoint_that_is_newer_than_the_order_is_the_answer),
	  TEST(ranks_that_leave_the_former_checkpoint_have_saved_nothing),
	  TEST(a_second_order_counts_only_what_is_newer_than_it),
	  TEST(a_former_checkpoint_that_cannot_be_read_is_not_new_later),
	  TEST(an_order_that_comes_after_the_ranks_is_answered),
	  TEST(a_second_order_that_comes_after_the_ranks_is_answered_too))
