/* SPDX-License-Identifier: Apache-2.0 */
#include "core/checkpoint_judge.h"
#include "tests/check.h"

#include <errno.h>

static struct checkpoint_judge judge;
static const struct error why = {.text = "state.cpt: cut short"};

static void a_checkpoint_that_ranks_left_is_newer_than_the_order(void)
{
	checkpoint_judge_init(&judge, 7);
	CHECK(!checkpoint_judge_left(&judge, 0, 8, NULL));
	CHECK_TEXT(checkpoint_judge_left(&judge, 0, 7, NULL),
		   "the ranks left without a new checkpoint");
	CHECK_TEXT(checkpoint_judge_left(&judge, 1, 0, NULL),
		   "the ranks left without a new checkpoint");
	checkpoint_judge_init(&judge, 0);
	CHECK(!checkpoint_judge_left(&judge, 0, 7, NULL));
}

static void one_that_cannot_be_read_is_answered_with_the_reason(void)
{
	checkpoint_judge_init(&judge, 7);
	CHECK_TEXT(checkpoint_judge_left(&judge, -EBADMSG, 0, &why), why.text);
	CHECK(checkpoint_judge_is_unread(-EIO));
	CHECK(!checkpoint_judge_is_unread(-EBADMSG)); /* it is damaged */
	CHECK(!checkpoint_judge_is_unread(1));        /* there is none */
	CHECK(!checkpoint_judge_is_unread(0));
}

static void ranks_that_compute_on_are_looked_at_twice(void)
{
	checkpoint_judge_init(&judge, 7);
	CHECK(!checkpoint_judge_look(&judge, 7));
	CHECK(!checkpoint_judge_look(&judge, 7)); /* it was there before */
	CHECK(!checkpoint_judge_look(&judge, 8));
	CHECK(!checkpoint_judge_look(&judge, 9)); /* it was being written */
	CHECK(checkpoint_judge_look(&judge, 9));
}

static void a_look_that_finds_none_settles_nothing(void)
{
	checkpoint_judge_init(&judge, 0);
	CHECK(!checkpoint_judge_look(&judge, 0));
	CHECK(!checkpoint_judge_look(&judge, 0));
	CHECK(!checkpoint_judge_look(&judge, 8));
	CHECK(checkpoint_judge_look(&judge, 8));
}

RUN_TESTS(TEST(a_checkpoint_that_ranks_left_is_newer_than_the_order),
	  TEST(one_that_cannot_be_read_is_answered_with_the_reason),
	  TEST(ranks_that_compute_on_are_looked_at_twice),
	  TEST(a_look_that_finds_none_settles_nothing))
