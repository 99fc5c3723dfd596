/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/sim/cluster.h"

#include <errno.h>

static struct cluster c;

static void begin(void)
{
	pod_pool_fini(&c.pool);
	cluster_init(&c, POD_POOL_PODS);
}

static void what_is_missing_is_made_and_not_twice(void)
{
	begin();
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(5));
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(60));
	CHECK_TEXT(cluster_transcript(&c), "[  0.0] wished: 2\n"
					   "[  0.0] create heat-bellows-0\n"
					   "[  0.0] create heat-bellows-1\n"
					   "[  5.1] wished: 2\n");
}

static void nothing_is_done_before_the_wish_and_the_pods_are_known(void)
{
	const struct pod_pool_config config = {.made = "heat-bellows-"};
	struct pod_pool_plan plan;
	struct pod_pool pool;

	pod_pool_init(&pool, &config);
	pod_pool_decide(&pool, 0, &plan);
	CHECK(plan.n == 0);
	pod_pool_list_begin(&pool);
	pod_pool_list_end(&pool, 0, NULL, NULL);
	pod_pool_set_owner(&pool, 0, 0, "");
	pod_pool_decide(&pool, 0, &plan);
	CHECK(plan.n == 0);
	pod_pool_set_wish(&pool, 1);
	pod_pool_decide(&pool, 0, &plan);
	CHECK(plan.n == 1 && plan.acts[0].kind == POD_POOL_CREATE);
	pod_pool_fini(&pool);
}

static void pods_of_the_owners_task_count_and_are_left_alone(void)
{
	begin();
	cluster_own(&c, 2, 1);
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(5));
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(10));
	cluster_release(&c, "heat-bellows-0");
	cluster_release(&c, "heat-worker-1");
	cluster_hold(&c, 1);
	cluster_run(&c, SECONDS(60));
	CHECK_TEXT(cluster_transcript(&c), "[  0.0] wished: 2\n"
					   "[  5.1] wished: 3\n"
					   "[  5.1] create heat-bellows-0\n"
					   "[ 10.1] wished: 1\n"
					   "[ 10.6] remove heat-bellows-0\n");
	CHECK(cluster_find(&c, "heat-worker-1"));
}

static void only_pods_that_were_released_and_have_ended_are_removed(void)
{
	begin();
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(5));
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(60));
	cluster_release(&c, "heat-bellows-1");
	cluster_run(&c, SECONDS(70));
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(80));
	CHECK_TEXT(cluster_transcript(&c), "[  0.0] wished: 3\n"
					   "[  0.0] create heat-bellows-0\n"
					   "[  0.0] create heat-bellows-1\n"
					   "[  0.0] create heat-bellows-2\n"
					   "[  5.1] wished: 2\n"
					   "[ 60.6] remove heat-bellows-1\n"
					   "[ 70.1] wished: 3\n"
					   "[ 70.1] create heat-bellows-1\n");
}

static void one_that_leaves_does_not_count_for_the_next_wish(void)
{
	begin();
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(5));
	cluster_transcript(&c);
	cluster_hold(&c, 1);
	cluster_release(&c, "heat-bellows-1");
	cluster_run(&c, c.now);
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(10));
	CHECK_TEXT(cluster_transcript(&c), "[  5.1] wished: 1\n"
					   "[  5.2] wished: 2\n"
					   "[  5.2] create heat-bellows-2\n"
					   "[  5.6] remove heat-bellows-1\n");
}

static void a_pod_that_never_joined_is_taken_back(void)
{
	begin();
	cluster_hold(&c, 1);
	cluster_run(&c, SECONDS(5));
	c.hitch = POD_POOL_UNPLACED;
	c.why = "0/1 nodes are available: 1 Insufficient cpu.";
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(30));
	cluster_hold(&c, 1);
	cluster_run(&c, SECONDS(60));
	CHECK_TEXT(cluster_transcript(&c),
		   "[  0.0] wished: 1\n"
		   "[  0.0] create heat-bellows-0\n"
		   "[  5.1] wished: 3\n"
		   "[  5.1] create heat-bellows-1\n"
		   "[  5.1] create heat-bellows-2\n"
		   "[  8.1] trouble: heat-bellows-1 and 1 more cannot be "
		   "scheduled: 0/1 nodes are available: 1 Insufficient cpu.\n"
		   "[ 30.1] wished: 1\n"
		   "[ 30.1] remove heat-bellows-2\n"
		   "[ 30.1] remove heat-bellows-1\n"
		   "[ 30.1] trouble: none\n");
}

static void an_image_that_is_not_to_be_had_is_told_at_once(void)
{
	begin();
	c.hitch = POD_POOL_STUCK;
	c.why = "image localhost/no:dev is not to be had (ErrImagePull): no";
	cluster_hold(&c, 1);
	cluster_run(&c, SECONDS(120));
	CHECK_TEXT(cluster_transcript(&c),
		   "[  0.0] wished: 1\n"
		   "[  0.0] create heat-bellows-0\n"
		   "[  0.0] trouble: heat-bellows-0: image localhost/no:dev "
		   "is not to be had (ErrImagePull): no\n");
}

static void what_is_only_slow_is_told_after_a_while(void)
{
	begin();
	c.start = 0;
	cluster_hold(&c, 1);
	cluster_run(&c, SECONDS(30));
	c.start = SECONDS(31);
	c.join = SECONDS(25);
	cluster_run(&c, SECONDS(60));
	CHECK_TEXT(cluster_transcript(&c),
		   "[  0.0] wished: 1\n"
		   "[  0.0] create heat-bellows-0\n"
		   "[ 20.0] trouble: heat-bellows-0 is still pending\n"
		   "[ 31.0] trouble: none\n"
		   "[ 51.0] trouble: heat-bellows-0 runs, but its executor has "
		   "not reached the coordinator; its log may say why\n"
		   "[ 56.0] trouble: none\n");
}

static void a_failed_pod_is_replaced_ever_more_rarely(void)
{
	begin();
	c.join = 0;
	cluster_hold(&c, 1);
	cluster_run(&c, SECONDS(2));
	cluster_end(&c, "heat-bellows-0", POD_POOL_FAILED, "exit code 3");
	cluster_run(&c, SECONDS(6));
	cluster_end(&c, "heat-bellows-1", POD_POOL_FAILED, "exit code 4");
	cluster_run(&c, SECONDS(12));
	cluster_end(&c, "heat-bellows-2", POD_POOL_FAILED, "exit code 5");
	c.join = 500;
	cluster_run(&c, SECONDS(60));
	CHECK_TEXT(cluster_transcript(&c),
		   "[  0.0] wished: 1\n"
		   "[  0.0] create heat-bellows-0\n"
		   "[  2.1] trouble: heat-bellows-0 ended: exit code 3\n"
		   "[  4.1] create heat-bellows-1\n"
		   "[  6.1] trouble: heat-bellows-1 ended: exit code 4\n"
		   "[ 10.1] create heat-bellows-2\n"
		   "[ 12.1] remove heat-bellows-0\n"
		   "[ 12.1] trouble: heat-bellows-2 ended: exit code 5\n"
		   "[ 20.1] create heat-bellows-0\n"
		   "[ 21.6] trouble: none\n");
}

static void those_that_fail_together_are_one_failure(void)
{
	begin();
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(60));
	cluster_transcript(&c);
	for (int i = 0; i < 3; i++)
		cluster_end(&c, c.pods[i].name, POD_POOL_FAILED, "exit code 1");
	cluster_run(&c, SECONDS(70));
	CHECK_TEXT(cluster_transcript(&c),
		   "[ 60.1] trouble: heat-bellows-2 ended: exit code 1\n"
		   "[ 62.1] create heat-bellows-3\n"
		   "[ 62.1] create heat-bellows-4\n"
		   "[ 62.1] create heat-bellows-5\n"
		   "[ 63.6] trouble: none\n");
	CHECK(c.pool.failures == 0);
}

static void a_pod_that_ends_at_once_by_itself_was_unfit(void)
{
	begin();
	c.join = 0;
	cluster_hold(&c, 1);
	cluster_run(&c, SECONDS(2));
	cluster_end(&c, "heat-bellows-0", POD_POOL_SUCCEEDED, "exit code 0");
	cluster_run(&c, SECONDS(5));
	CHECK_TEXT(cluster_transcript(&c),
		   "[  0.0] wished: 1\n"
		   "[  0.0] create heat-bellows-0\n"
		   "[  2.1] remove heat-bellows-0\n"
		   "[  2.1] trouble: heat-bellows-0 ended: exit code 0\n"
		   "[  4.1] create heat-bellows-0\n");
}

static void a_member_that_ends_with_0_is_no_failure(void)
{
	begin();
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(10));
	cluster_transcript(&c);
	cluster_end(&c, "heat-bellows-0", POD_POOL_SUCCEEDED, "exit code 0");
	cluster_run(&c, SECONDS(20));
	CHECK_TEXT(cluster_transcript(&c), "[ 10.1] remove heat-bellows-0\n"
					   "[ 11.1] create heat-bellows-0\n");
}

static void a_pod_deleted_by_hand_is_replaced(void)
{
	begin();
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(10));
	cluster_transcript(&c);
	cluster_vanish(&c, "heat-bellows-0");
	cluster_run(&c, SECONDS(20));
	CHECK_TEXT(cluster_transcript(&c),
		   "[ 10.1] trouble: heat-bellows-0 was deleted\n"
		   "[ 12.1] create heat-bellows-0\n"
		   "[ 13.6] trouble: none\n");
}

static void an_executor_lost_on_a_silent_node_is_replaced(void)
{
	begin();
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(10));
	cluster_transcript(&c);
	c.join = 0;
	cluster_find(&c, "heat-bellows-0")->member = false;
	cluster_run(&c, SECONDS(20));
	c.join = 500;
	c.removal = SECONDS(1000);
	cluster_find(&c, "heat-bellows-0")->runs = SECONDS(1000);
	cluster_run(&c, SECONDS(40));
	CHECK_TEXT(cluster_transcript(&c), "[ 25.1] remove heat-bellows-0\n"
					   "[ 25.1] create heat-bellows-2\n");
}

static void a_coordinator_that_was_away_costs_no_pod(void)
{
	begin();
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(10));
	cluster_transcript(&c);
	c.join = 0;
	for (int i = 0; i < 2; i++)
		c.pods[i].member = false;
	cluster_run(&c, SECONDS(20));
	c.join = 500;
	cluster_run(&c, SECONDS(60));
	CHECK_TEXT(cluster_transcript(&c), "");
}

static void a_refusal_is_told_and_tried_again(void)
{
	begin();
	c.refusal = -EDQUOT;
	c.refusal_text = "create pods in namespace heat: the quota is used up";
	cluster_hold(&c, 1);
	cluster_run(&c, SECONDS(5));
	c.refusal = 0;
	cluster_run(&c, SECONDS(10));
	CHECK_TEXT(cluster_transcript(&c),
		   "[  0.0] wished: 1\n"
		   "[  0.0] create heat-bellows-0, refused\n"
		   "[  0.0] trouble: create pods in namespace heat: the quota "
		   "is used up\n"
		   "[  2.0] create heat-bellows-0, refused\n"
		   "[  6.0] create heat-bellows-0\n"
		   "[  6.0] trouble: none\n");
}

static void a_name_that_is_a_strangers_is_passed_over(void)
{
	begin();
	c.refusal = -EEXIST;
	c.refusal_text = "pod heat-bellows-0 is there already";
	cluster_hold(&c, 1);
	cluster_run(&c, 0);
	c.refusal = 0;
	cluster_run(&c, SECONDS(5));
	CHECK_TEXT(cluster_transcript(&c),
		   "[  0.0] wished: 1\n"
		   "[  0.0] create heat-bellows-0, refused\n"
		   "[  0.0] trouble: pod heat-bellows-0 is there already\n"
		   "[  0.1] create heat-bellows-1\n"
		   "[  0.1] trouble: none\n");
}

static void a_new_monitor_goes_on_with_what_is_there(void)
{
	begin();
	cluster_hold(&c, 4);
	cluster_run(&c, SECONDS(1));
	cluster_restart_monitor(&c);
	cluster_run(&c, SECONDS(2));
	cluster_hold(&c, 4);
	cluster_run(&c, SECONDS(60));
	cluster_release(&c, "heat-bellows-3");
	cluster_restart_monitor(&c);
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(70));
	CHECK_TEXT(cluster_transcript(&c), "[  0.0] wished: 4\n"
					   "[  0.0] create heat-bellows-0\n"
					   "[  0.0] create heat-bellows-1\n"
					   "[  0.0] create heat-bellows-2\n"
					   "[  0.0] create heat-bellows-3\n"
					   "[  2.1] wished: 4\n"
					   "[ 60.1] wished: 3\n"
					   "[ 60.6] remove heat-bellows-3\n");
}

static void a_monitor_killed_in_a_grow_makes_nothing_twice(void)
{
	begin();
	c.deaf = true; /* what it made, it has not seen */
	cluster_hold(&c, 2);
	cluster_run(&c, 0);
	c.deaf = false;
	cluster_restart_monitor(&c);
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(20));
	CHECK_TEXT(cluster_transcript(&c), "[  0.0] wished: 2\n"
					   "[  0.0] create heat-bellows-0\n"
					   "[  0.0] create heat-bellows-1\n"
					   "[  0.1] wished: 3\n"
					   "[  0.1] create heat-bellows-2\n");
}

static void what_a_list_does_not_show_is_gone(void)
{
	begin();
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(10));
	cluster_transcript(&c);
	c.deaf = true;
	cluster_vanish(&c, "heat-bellows-1");
	cluster_run(&c, SECONDS(12));
	c.deaf = false;
	pod_pool_set_api_error(&c.pool, "the API cannot be reached");
	cluster_run(&c, SECONDS(15));
	cluster_list(&c);
	cluster_run(&c, SECONDS(50));
	CHECK_TEXT(cluster_transcript(&c),
		   "[ 12.1] trouble: the API cannot be reached\n"
		   "[ 15.1] trouble: heat-bellows-1 was deleted\n"
		   "[ 17.1] create heat-bellows-1\n"
		   "[ 18.6] trouble: none\n");
}

static void at_the_end_of_the_job_what_ended_is_removed(void)
{
	begin();
	cluster_own(&c, 1, 1);
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(10));
	cluster_end(&c, "heat-bellows-1", POD_POOL_FAILED, "exit code 1");
	cluster_run(&c, SECONDS(60));
	cluster_transcript(&c);
	for (size_t i = 0; i < c.n; i++)
		if (c.pods[i].member)
			cluster_release(&c, c.pods[i].name);
	cluster_hold(&c, 0);
	cluster_run(&c, SECONDS(70));
	CHECK_TEXT(cluster_transcript(&c), "[ 60.1] wished: 0\n"
					   "[ 60.1] remove heat-bellows-1\n"
					   "[ 60.6] remove heat-bellows-0\n"
					   "[ 60.6] remove heat-bellows-2\n");
	CHECK(pod_pool_alive(&c.pool) == 0);
}

static void only_a_removal_that_was_broken_off_is_asked_for_again(void)
{
	begin();
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(10));
	cluster_transcript(&c);
	for (size_t i = 0; i < c.n; i++)
		cluster_release(&c, c.pods[i].name);
	c.removal = SECONDS(20);
	c.cut = "heat-bellows-1";
	cluster_hold(&c, 0);
	cluster_run(&c, SECONDS(60));
	CHECK_TEXT(cluster_transcript(&c),
		   "[ 10.1] wished: 0\n"
		   "[ 10.6] remove heat-bellows-0\n"
		   "[ 10.6] remove heat-bellows-1, broken off\n"
		   "[ 10.6] remove heat-bellows-2\n"
		   "[ 10.7] remove heat-bellows-1\n");
	CHECK(c.n == 0);
}

static void a_thousand_are_made_a_few_at_a_time(void)
{
	const struct pod_pool_config config = {.made = "heat-bellows-"};
	unsigned made = 0, most = 0;
	struct pod_pool_plan plan;
	struct pod_pool pool;

	pod_pool_init(&pool, &config);
	pod_pool_set_owner(&pool, 0, 0, "");
	pod_pool_list_end(&pool, 0, NULL, NULL);
	pod_pool_set_wish(&pool, 1000);
	for (int turn = 0; turn < 1000; turn++) {
		pod_pool_decide(&pool, turn, &plan);
		most = plan.n > most ? (unsigned)plan.n : most;
		for (size_t i = 0; i < plan.n; i++) {
			const struct pod_view view = {.name = plan.acts[i].name,
						      .uid = "u",
						      .why = "",
						      .ours = true};
			enum pod_pool_news news;

			pod_pool_on_pod(&pool, &view, turn, &news, NULL);
			pod_pool_on_act_done(&pool, &plan.acts[i], 0, "", turn);
			made += news == POD_POOL_CAME;
		}
	}
	CHECK(made == 1000 && pod_pool_alive(&pool) == 1000);
	CHECK(most == POD_POOL_FLIGHTS_MAX);
	pod_pool_fini(&pool);
}

RUN_TESTS(TEST(what_is_missing_is_made_and_not_twice),
	  TEST(nothing_is_done_before_the_wish_and_the_pods_are_known),
	  TEST(pods_of_the_owners_task_count_and_are_left_alone),
	  TEST(only_pods_that_were_released_and_have_ended_are_removed),
	  TEST(one_that_leaves_does_not_count_for_the_next_wish),
	  TEST(a_pod_that_never_joined_is_taken_back),
	  TEST(an_image_that_is_not_to_be_had_is_told_at_once),
	  TEST(what_is_only_slow_is_told_after_a_while),
	  TEST(a_failed_pod_is_replaced_ever_more_rarely),
	  TEST(those_that_fail_together_are_one_failure),
	  TEST(a_pod_that_ends_at_once_by_itself_was_unfit),
	  TEST(a_member_that_ends_with_0_is_no_failure),
	  TEST(a_pod_deleted_by_hand_is_replaced),
	  TEST(an_executor_lost_on_a_silent_node_is_replaced),
	  TEST(a_coordinator_that_was_away_costs_no_pod),
	  TEST(a_refusal_is_told_and_tried_again),
	  TEST(a_name_that_is_a_strangers_is_passed_over),
	  TEST(a_new_monitor_goes_on_with_what_is_there),
	  TEST(a_monitor_killed_in_a_grow_makes_nothing_twice),
	  TEST(what_a_list_does_not_show_is_gone),
	  TEST(at_the_end_of_the_job_what_ended_is_removed),
	  TEST(only_a_removal_that_was_broken_off_is_asked_for_again),
	  TEST(a_thousand_are_made_a_few_at_a_time))
