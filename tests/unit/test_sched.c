/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/sched_bed.h"

static const unsigned powers[] = {2, 4, 8, 16};

static struct sched_job *add_of_powers(unsigned i, int priority)
{
	struct sched_job *job = add(i, priority, 2, 16);

	job->sizes = powers;
	job->n_sizes = LENGTH(powers);
	return job;
}

static void elastic_starts_a_job_on_a_size_that_it_accepts(void)
{
	begin("elastic");
	runs(add(0, 3, 2, 9), 9, 0, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add_of_powers(1, 1)),
		   "start 1 on 8");
	CHECK(view.free == 1);
}

static void a_job_shrinks_to_a_size_that_it_accepts(void)
{
	begin("operator");
	runs(add_of_powers(0, 1), 16, 0, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(1, 2, 3, 3)),
		   "resize 0 to 8 for 1, start 1 on 3");
	CHECK(view.free == 7);
}

static void a_job_grows_only_to_a_size_that_it_accepts(void)
{
	begin("elastic");
	runs(add_of_powers(0, 1), 4, 0, 0);
	runs(add(1, 2, 11, 11), 11, 0, 0);
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "");
	view.free++;
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "resize 0 to 8");
}

static void a_fill_in_job_has_a_rank_if_the_policy_does_not_fill_in(void)
{
	static const struct sched_policy fills_in = {.sizes = SCHED_FILL_IN};
	struct sched_job job = {.min = 0, .max = 9};

	sched_fit(&fills_in, &job);
	CHECK(job.min == 0);
	sched_fit(sched_policy_find("rigid_min"), &job);
	CHECK(job.min == 1 && job.max == 1);
	job = (struct sched_job){.max = 8, .sizes = powers, .n_sizes = 3};
	sched_fit(sched_policy_find("elastic"), &job);
	CHECK(job.min == 2);
}

static void elastic_starts_a_job_on_what_is_free(void)
{
	begin("elastic");
	runs(add(0, 3, 2, 9), 9, 0, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(1, 1, 2, 16)), "start 1 on 9");
	CHECK(view.free == 0 && jobs[1].target == 9 && jobs[1].size == 0);
}

static void elastic_frees_slots_up_to_the_maximum_of_the_new_job(void)
{
	begin("elastic");
	runs(add(0, 5, 2, 7), 7, 0, 0);
	runs(add(1, 2, 2, 6), 5, 0, 0);
	runs(add(2, 1, 2, 6), 5, 0, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(3, 2, 1, 4)),
		   "resize 2 to 2 for 3, resize 1 to 3 for 3, start 3 on 4");
}

static void elastic_shrinks_a_job_of_equal_priority(void)
{
	begin("elastic");
	runs(add(0, 5, 2, 7), 7, 0, 0);
	runs(add(1, 2, 2, 12), 11, 0, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(2, 2, 3, 3)),
		   "resize 1 to 7 for 2, start 2 on 3");
}

static void elastic_shrinks_no_job_of_higher_priority(void)
{
	begin("elastic");
	runs(add(0, 5, 2, 7), 7, 0, 0);
	runs(add(1, 3, 2, 12), 11, 0, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(2, 2, 3, 3)), "wait 2");
	CHECK(view.free == 0 && jobs[1].target == 11);
}

static void elastic_shrinks_no_job_for_less_than_the_minimum(void)
{
	begin("elastic");
	runs(add(0, 5, 2, 7), 7, 0, 0);
	runs(add(1, 1, 9, 12), 11, 0, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(2, 2, 3, 3)), "wait 2");
}

static void elastic_leaves_a_job_alone_until_the_gap_is_over(void)
{
	begin("elastic");
	runs(add(0, 5, 2, 7), 7, 0, 0);
	runs(add(1, 1, 2, 12), 11, 1000 * S - 180 * S + 1, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(2, 2, 3, 3)), "wait 2");
	jobs[1].changed--;
	view.n_queue = 0;
	CHECK_TEXT(decide(SCHED_SUBMITTED, &jobs[2]),
		   "resize 1 to 7 for 2, start 2 on 3");
}

/* Figure 2: `index > 0`. */
static void elastic_never_shrinks_the_most_important_job(void)
{
	begin("elastic");
	runs(add(0, 1, 2, 19), 19, 0, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(1, 5, 2, 4)), "wait 1");
}

static void the_operator_shrinks_the_most_important_job_too(void)
{
	begin("operator");
	runs(add(0, 1, 2, 19), 19, 0, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(1, 5, 2, 4)),
		   "resize 0 to 14 for 1, start 1 on 4");
}

static void a_job_that_is_being_rescaled_is_not_rescaled_again(void)
{
	begin("elastic");
	runs(add(0, 5, 2, 7), 7, 0, 0);
	runs(add(1, 1, 2, 12), 11, 0, 0);
	jobs[1].target = 10;
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(2, 2, 3, 3)), "wait 2");
	view.free = 4;
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "start 2 on 3");
}

static void free_slots_go_to_the_most_important_jobs(void)
{
	begin("elastic");
	runs(add(0, 2, 2, 6), 3, 0, 0);
	runs(add(1, 4, 2, 9), 6, 0, 0);
	waits(add(2, 3, 2, 4));
	CHECK_TEXT(decide(SCHED_ENDED, NULL),
		   "resize 1 to 9, start 2 on 4, resize 0 to 4");
	CHECK(view.free == 0);
}

static void a_launcher_needs_a_slot_when_free_slots_are_handed_out(void)
{
	begin("elastic");
	runs(add(0, 1, 2, 19), 16, 0, 0);
	waits(add(1, 3, 3, 4));
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "resize 0 to 19");
	begin("elastic");
	runs(add(0, 1, 2, 15), 15, 0, 0);
	waits(add(1, 3, 3, 4));
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "start 1 on 3");
}

static void at_equal_priority_the_earlier_job_is_first_in_the_figures(void)
{
	begin("elastic");
	waits(add(0, 3, 2, 7));
	runs(add(1, 3, 2, 12), 11, 0, 0);
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "start 0 on 7");
}

static void at_equal_priority_the_operator_lets_a_job_grow_first(void)
{
	begin("operator");
	waits(add(0, 3, 2, 7));
	runs(add(1, 3, 2, 12), 11, 0, 0);
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "resize 1 to 12, start 0 on 6");
}

static void the_operator_asks_again_when_the_gap_is_over(void)
{
	begin("operator");
	runs(add(0, 3, 2, 12), 9, 900 * S, 0);
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "ask at 1080");
	view.free = 0;
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(1, 4, 2, 2)),
		   "ask at 1080, wait 1");
	view.now = 1080 * S;
	CHECK_TEXT(decide(SCHED_RECHECK, NULL), "ask at 1080");
	view.now = 1080 * S + 1;
	CHECK_TEXT(decide(SCHED_RECHECK, NULL),
		   "resize 0 to 6 for 1, start 1 on 2");
}

static void elastic_asks_for_nothing(void)
{
	begin("elastic");
	runs(add(0, 3, 2, 12), 9, 900 * S, 0);
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "");
}

static void a_moldable_job_keeps_the_size_it_started_with(void)
{
	begin("moldable");
	runs(add(0, 1, 2, 19), 14, 0, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(1, 5, 5, 8)), "wait 1");
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "");
	view.now = (usec_t)365 * 86400 * S;
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "");
	view.free += 15;
	view.n_running = 0;
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "start 1 on 8");
}

static void a_rigid_job_has_one_size(void)
{
	begin("rigid_min");
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(0, 1, 2, 9)), "start 0 on 2");
	begin("rigid_max");
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(0, 1, 2, 9)), "start 0 on 9");
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(1, 1, 2, 10)), "wait 1");
}

static void published_frees_slots_for_the_minimum_alone(void)
{
	begin("published");
	runs(add(0, 5, 2, 7), 7, 0, 0);
	runs(add(1, 1, 2, 12), 11, 0, 0);
	view.delay = S;
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(2, 2, 3, 9)), "wait 2");
	jobs[0].priority = 1;
	view.n_queue = 0;
	CHECK_TEXT(decide(SCHED_SUBMITTED, &jobs[2]),
		   "resize 0 to 3 for 2, start 2 on 3");
}

static void published_looks_through_the_queue_from_its_end(void)
{
	begin("published");
	runs(add(0, 1, 2, 15), 15, 0, 0);
	waits(add(1, 5, 2, 4));
	waits(add(2, 3, 2, 4));
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "start 2 on 3");
	begin("published_sorted");
	runs(add(0, 1, 2, 15), 15, 0, 0);
	waits(add(1, 5, 2, 4));
	waits(add(2, 3, 2, 4));
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "start 1 on 3");
}

static void published_sends_a_job_that_does_not_fit_to_the_end(void)
{
	begin("published");
	runs(add(0, 1, 2, 16), 16, 0, 0);
	waits(add(1, 5, 4, 4));
	waits(add(2, 3, 5, 5));
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "wait 2, wait 1");
}

static void published_asks_again_a_delay_after_the_gap(void)
{
	begin("published");
	view.delay = S;
	runs(add(0, 1, 2, 16), 16, 900 * S, 0);
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(1, 5, 4, 4)),
		   "ask at 1081, wait 1");
	waits(add(2, 1, 9, 9));
	jobs[0].size = jobs[0].target = 14;
	view.free = 2;
	jobs[1].min = jobs[1].max = 9;
	CHECK_TEXT(decide(SCHED_REASSIGN, NULL), "wait 2, wait 1, ask at 1081");
}

static void fifo_starts_nothing_before_the_first_of_the_queue(void)
{
	begin("fifo");
	runs(add(0, 1, 9, 9), 9, 0, 2000 * S);
	waits(add(1, 1, 12, 12));
	CHECK_TEXT(decide(SCHED_SUBMITTED, add(2, 9, 2, 2)), "wait 2");
	view.free = 20;
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "start 1 on 12, start 2 on 2");
}

static void easy_fills_in_what_ends_in_time(void)
{
	begin("easy");
	runs(add(0, 1, 9, 9), 9, 0, 2000 * S);
	waits(add(1, 1, 18, 18));
	waits(add(2, 1, 4, 4));
	waits(add(3, 1, 4, 4));
	jobs[2].length = 1001 * S;
	jobs[3].length = 1000 * S;
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "start 3 on 4");
}

static void easy_fills_in_what_is_not_in_the_way(void)
{
	begin("easy");
	runs(add(0, 1, 9, 9), 9, 0, 2000 * S);
	waits(add(1, 1, 12, 12));
	waits(add(2, 1, 6, 6));
	waits(add(3, 1, 5, 5));
	waits(add(4, 1, 1, 1));
	jobs[2].length = jobs[3].length = jobs[4].length = 5000 * S;
	/* seven are spare when 0 has ended: 2 takes all of them */
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "start 2 on 6");
}

static void easy_counts_all_that_ends_when_the_first_can_start(void)
{
	begin("easy");
	runs(add(0, 1, 4, 4), 4, 0, 2000 * S);
	runs(add(1, 1, 4, 4), 4, 0, 2000 * S);
	waits(add(2, 1, 11, 11));
	waits(add(3, 1, 5, 5));
	jobs[3].length = 5000 * S;
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "start 3 on 5");
}

static void easy_reserves_only_with_what_it_has_started_in_view(void)
{
	begin("easy");
	waits(add(0, 1, 9, 9));
	waits(add(1, 1, 12, 12));
	CHECK_TEXT(decide(SCHED_ENDED, NULL), "start 0 on 9, ask at 1000");
}

static void every_policy_and_rule_has_a_name(void)
{
	size_t n = 0;

	for (const struct sched_policy *at = sched_policies; at->name; at++) {
		CHECK(at->decide && sched_policy_find(at->name) == at);
		n++;
	}
	CHECK(n >= 9);
	CHECK(!sched_policy_find("none"));
	for (int i = 0; i < SCHED_RULES; i++)
		CHECK(*sched_rule_text((enum sched_rule)i));
}

RUN_TESTS(TEST(elastic_starts_a_job_on_a_size_that_it_accepts),
	  TEST(a_job_shrinks_to_a_size_that_it_accepts),
	  TEST(a_job_grows_only_to_a_size_that_it_accepts),
	  TEST(a_fill_in_job_has_a_rank_if_the_policy_does_not_fill_in),
	  TEST(elastic_starts_a_job_on_what_is_free),
	  TEST(elastic_frees_slots_up_to_the_maximum_of_the_new_job),
	  TEST(elastic_shrinks_a_job_of_equal_priority),
	  TEST(elastic_shrinks_no_job_of_higher_priority),
	  TEST(elastic_shrinks_no_job_for_less_than_the_minimum),
	  TEST(elastic_leaves_a_job_alone_until_the_gap_is_over),
	  TEST(elastic_never_shrinks_the_most_important_job),
	  TEST(the_operator_shrinks_the_most_important_job_too),
	  TEST(a_job_that_is_being_rescaled_is_not_rescaled_again),
	  TEST(free_slots_go_to_the_most_important_jobs),
	  TEST(a_launcher_needs_a_slot_when_free_slots_are_handed_out),
	  TEST(at_equal_priority_the_earlier_job_is_first_in_the_figures),
	  TEST(at_equal_priority_the_operator_lets_a_job_grow_first),
	  TEST(the_operator_asks_again_when_the_gap_is_over),
	  TEST(elastic_asks_for_nothing),
	  TEST(a_moldable_job_keeps_the_size_it_started_with),
	  TEST(a_rigid_job_has_one_size),
	  TEST(published_frees_slots_for_the_minimum_alone),
	  TEST(published_looks_through_the_queue_from_its_end),
	  TEST(published_sends_a_job_that_does_not_fit_to_the_end),
	  TEST(published_asks_again_a_delay_after_the_gap),
	  TEST(fifo_starts_nothing_before_the_first_of_the_queue),
	  TEST(easy_fills_in_what_ends_in_time),
	  TEST(easy_fills_in_what_is_not_in_the_way),
	  TEST(easy_counts_all_that_ends_when_the_first_can_start),
	  TEST(easy_reserves_only_with_what_it_has_started_in_view),
	  TEST(every_policy_and_rule_has_a_name))
