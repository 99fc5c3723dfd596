/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/timeline.h"
#include "tests/check.h"
#include "tests/unit/cli_told.h"

static void what_is_computed_again_is_said(void)
{
	struct follow follow = {0};

	begin();
	step(&follow, BELLOWS__V1__STATE__RUNNING, 3200);
	sample.job.n_history = 1;
	sample.job.unit = "ms of model time";
	sample.rescale.repeated = 9000;
	step(&follow, BELLOWS__V1__STATE__RUNNING, 10600);
	CHECK_TEXT(told,
		   "[  3.2 s] running on 2 ranks\n"
		   "[ 10.6 s] going back by 9 s of model time for 2 -> 4\n"
		   "[ 10.6 s] 2 -> 4 cost a pause of 0.800 s (still "
		   "computing 0.100 s, writing 0.200 s, standing still 0.500 "
		   "s); 9 s of model time computed again\n");
}

static void what_is_saved_is_the_checkpoint_s_step(void)
{
	struct follow follow = {0};

	begin();
	step(&follow, BELLOWS__V1__STATE__RUNNING, 9000);
	told[0] = '\0';
	sample.job.n_history = 1;
	sample.job.step = 310;
	sample.rescale.checkpoint = 300;
	sample.rescale.result = "";
	step(&follow, BELLOWS__V1__STATE__RUNNING, 10000);
	CHECK_TEXT(told, "[ 10.0 s] saved at step 300 for 2 -> 4\n");
	memset(&follow, 0, sizeof(follow));
	told[0] = '\0';
	sample.job.unit = "ms of model time";
	follow.has_since = true;
	step(&follow, BELLOWS__V1__STATE__STOPPING, 10000);
	CHECK(strstr(told, "saved at 0.3 s of model time for 2 -> 4\n"));
}

static void a_loss_is_told_with_its_cause_and_what_it_cost(void)
{
	struct follow follow = {0};

	begin();
	step(&follow, BELLOWS__V1__STATE__RUNNING, 9000);
	told[0] = '\0';
	sample.job.n_history = 1;
	sample.job.reason = "rank 1 was killed by signal 9";
	sample.rescale = (Bellows__V1__Rescale){
		.base = sample.rescale.base,
		.from = 2,
		.to = 2,
		.reason = sample.job.reason,
		.result = "",
		.asked = 9900,
		.recovery = true,
	};
	step(&follow, BELLOWS__V1__STATE__STOPPING, 9900);
	sample.rescale.result = "done";
	sample.rescale.stopped = 10000;
	sample.rescale.up = 10400;
	sample.rescale.stepped = 10600;
	sample.rescale.repeated = 135000;
	sample.job.unit = "ms of model time";
	sample.job.reason = "";
	step(&follow, BELLOWS__V1__STATE__RUNNING, 10600);
	CHECK_TEXT(told,
		   "[  9.9 s] stopping the ranks: rank 1 was killed by signal "
		   "9\n"
		   "[ 10.6 s] running on 2 ranks\n"
		   "[ 10.6 s] rank 1 was killed by signal 9: 2 -> 2, paused "
		   "0.700 s (standing still 0.700 s); 135 s of model time "
		   "computed again\n");
}

static void a_change_that_was_dropped_says_why(void)
{
	struct follow follow = {0};

	begin();
	step(&follow, BELLOWS__V1__STATE__RUNNING, 100);
	sample.job.n_history = 1;
	sample.rescale.result = "2 of 4 executors came\033 in 5min";
	step(&follow, BELLOWS__V1__STATE__RUNNING, 10000);
	CHECK_TEXT(told, "[  0.1 s] running on 2 ranks\n"
			 "[ 10.0 s] saved for 2 -> 4\n"
			 "[ 10.0 s] stays on 2 ranks: 2 of 4 executors came? "
			 "in 5min\n");
}

static void a_change_that_failed_says_so_and_what_it_cost(void)
{
	struct follow follow = {0};
	CLEANUP(free) char *summary = NULL;

	begin();
	step(&follow, BELLOWS__V1__STATE__RUNNING, 100);
	told[0] = '\0';
	sample.job.n_history = 1;
	sample.job.rescales = 0;
	sample.rescale.saved = 0;
	sample.rescale.failed = true;
	sample.rescale.result = "the application ended with 64";
	step(&follow, BELLOWS__V1__STATE__RUNNING, 10700);
	CHECK_TEXT(told,
		   "[ 10.7 s] 2 -> 4 failed: the application ended with 64; "
		   "back on 2 ranks, paused 0.800 s (still computing 0.100 s, "
		   "writing 0.200 s, standing still 0.500 s)\n");
	PRINTED(summary, timeline_print, &sample.job);
	CHECK(strstr(summary, "0 rescales, paused 0.800 s in all"));
	CHECK(strstr(summary, "0.500 s  failed: the application ended with "
			      "64\n"));
}

/* The first step of the first came after the order to save for the second. */
static void each_pause_of_the_timeline_is_that_of_its_own_rescale(void)
{
	Bellows__V1__Rescale next;

	sample_init(&sample);
	next = sample.rescale;
	sample.history[0] = &sample.rescale;
	sample.rescale.ordered = 300;
	sample.rescale.saved = 350;
	sample.rescale.stopped = 400;
	sample.rescale.up = 500;
	sample.rescale.stepped = 9950;
	CHECK(timeline_pause(&sample.job, 2) == 9650);
	sample.job.history = (Bellows__V1__Rescale *[]){&sample.rescale, &next};
	sample.job.n_history = 2;
	CHECK(timeline_pause(&sample.job, 2) == 800);
}

/* Ranks came up at the new size, and ended before their first step. */
static void a_change_that_failed_is_one_pause(void)
{
	CLEANUP(free) char *summary = NULL;
	CLEANUP(free) char *picture = NULL;

	sample_init(&sample);
	sample.span[1].to = sample.span[2].from = 9000;
	sample.span[1].from = 400;
	sample.span[2].to = sample.span[3].from = 9100;
	sample.span[3].to = 9200;
	sample.rescale.failed = true;
	sample.rescale.result = "the application ended with 64";
	sample.rescale.ordered = 8900;
	sample.job.spans = (Bellows__V1__Span *[]){
		&sample.span[0],
		&sample.span[1],
		&sample.span[2],
		&sample.span[3],
		&(Bellows__V1__Span){
			.base = sample.span[0].base, .from = 9200, .to = 10500},
		&(Bellows__V1__Span){
			.base = sample.span[0].base, .from = 10500, .ranks = 2},
	};
	sample.job.n_spans = 6;
	CHECK(timeline_pause(&sample.job, 2) == 1700);
	CHECK(timeline_pause(&sample.job, 4) == -1);
	PRINTED(summary, timeline_print, &sample.job);
	CHECK(strstr(summary, "      0  pause 1.700 s\n"));
	CHECK(strstr(summary, "      0  the same pause\n"));
	PRINTED(picture, timeline_draw, &sample.job);
	CHECK(strstr(picture, ">1.700 s</text>"));
	CHECK(!strstr(picture, ">-</text>"));
}

RUN_TESTS(TEST(what_is_computed_again_is_said),
	  TEST(what_is_saved_is_the_checkpoint_s_step),
	  TEST(a_loss_is_told_with_its_cause_and_what_it_cost),
	  TEST(a_change_that_was_dropped_says_why),
	  TEST(a_change_that_failed_says_so_and_what_it_cost),
	  TEST(each_pause_of_the_timeline_is_that_of_its_own_rescale),
	  TEST(a_change_that_failed_is_one_pause))
