/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/sim/cluster.h"

#include <errno.h>

static struct cluster c;

/* A task of two executors that may have one, wished and there. */
static void begin(void)
{
	pod_pool_fini(&c.pool);
	cluster_init(&c, POD_POOL_REPLICAS);
	cluster_own(&c, 2, 1);
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(5));
	cluster_transcript(&c);
}

static void the_task_is_told_once_how_many(void)
{
	begin();
	cluster_hold(&c, 4);
	cluster_run(&c, SECONDS(30));
	CHECK_TEXT(cluster_transcript(&c), "[  5.1] wished: 4\n"
					   "[  5.1] replicas 4\n");
	CHECK(pod_pool_alive(&c.pool) == 4);
}

static void the_highest_are_given_back_once_they_have_ended(void)
{
	begin();
	cluster_hold(&c, 4);
	cluster_run(&c, SECONDS(10));
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(20));
	cluster_release(&c, "heat-worker-2");
	cluster_run(&c, SECONDS(30));
	cluster_release(&c, "heat-worker-3");
	cluster_run(&c, SECONDS(40));
	CHECK_TEXT(cluster_transcript(&c), "[  5.1] wished: 4\n"
					   "[  5.1] replicas 4\n"
					   "[ 10.1] wished: 2\n"
					   "[ 30.6] replicas 2\n");
}

static void one_that_ended_in_between_is_made_up_for(void)
{
	begin();
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(10));
	cluster_release(&c, "heat-worker-1");
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(20));
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(30));
	CHECK_TEXT(cluster_transcript(&c), "[  5.1] wished: 3\n"
					   "[  5.1] replicas 3\n"
					   "[ 10.1] wished: 2\n"
					   "[ 20.1] wished: 3\n"
					   "[ 20.1] replicas 4\n");
	CHECK(pod_pool_alive(&c.pool) == 3);
}

static void a_failed_one_is_made_up_for_after_a_pause(void)
{
	begin();
	cluster_run(&c, SECONDS(60));
	cluster_end(&c, "heat-worker-1", POD_POOL_FAILED, "exit code 9");
	cluster_run(&c, SECONDS(80));
	CHECK_TEXT(cluster_transcript(&c),
		   "[ 60.1] trouble: heat-worker-1 ended: exit code 9\n"
		   "[ 62.1] replicas 3\n"
		   "[ 63.7] trouble: none\n");
}

static void what_was_made_up_for_is_not_told_of_the_next_that_lacks(void)
{
	begin();
	cluster_run(&c, SECONDS(60));
	cluster_end(&c, "heat-worker-1", POD_POOL_FAILED, "exit code 9");
	cluster_run(&c, SECONDS(80));
	cluster_transcript(&c);
	c.join = 0;
	cluster_find(&c, "heat-worker-0")->member = false;
	cluster_run(&c, SECONDS(90));
	CHECK_TEXT(cluster_transcript(&c), "");
}

static void the_task_keeps_the_fewest_it_may_have(void)
{
	begin();
	cluster_own(&c, 2, 2);
	cluster_release(&c, "heat-worker-1");
	cluster_hold(&c, 1);
	cluster_run(&c, SECONDS(60));
	CHECK_TEXT(cluster_transcript(&c), "[  5.1] wished: 1\n");
}

static void a_dropped_grow_removes_pods_that_never_joined(void)
{
	begin();
	c.hitch = POD_POOL_UNPLACED;
	c.why = "no node";
	cluster_hold(&c, 4);
	cluster_run(&c, SECONDS(20));
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(30));
	CHECK_TEXT(cluster_transcript(&c),
		   "[  5.1] wished: 4\n"
		   "[  5.1] replicas 4\n"
		   "[  8.2] trouble: heat-worker-2 and 1 more cannot be "
		   "scheduled: no node\n"
		   "[ 20.1] wished: 2\n"
		   "[ 20.1] replicas 2\n"
		   "[ 20.1] trouble: none\n");
}

static void an_owner_that_is_objected_to_is_left_as_it_is(void)
{
	begin();
	pod_pool_set_owner(&c.pool, 2, 1, "vcjob/heat has a policy");
	cluster_hold(&c, 4);
	cluster_run(&c, SECONDS(30));
	cluster_hold(&c, 2);
	cluster_run(&c, SECONDS(40));
	CHECK_TEXT(cluster_transcript(&c),
		   "[  5.1] wished: 4\n"
		   "[  5.1] trouble: vcjob/heat has a policy\n"
		   "[ 30.1] wished: 2\n"
		   "[ 30.1] trouble: none\n");
}

static void a_conflict_is_no_failure(void)
{
	begin();
	c.refusal = -EAGAIN;
	cluster_hold(&c, 3);
	cluster_run(&c, c.now);
	c.refusal = 0;
	cluster_run(&c, SECONDS(20));
	CHECK_TEXT(cluster_transcript(&c), "[  5.1] wished: 3\n"
					   "[  5.1] replicas 3, refused\n"
					   "[  5.2] replicas 3\n");
}

static void a_refusal_is_told_and_tried_again(void)
{
	begin();
	c.refusal = -EACCES;
	c.refusal_text = "patch jobs: forbidden";
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(6));
	c.refusal = 0;
	cluster_run(&c, SECONDS(20));
	CHECK_TEXT(cluster_transcript(&c),
		   "[  5.1] wished: 3\n"
		   "[  5.1] replicas 3, refused\n"
		   "[  5.1] trouble: patch jobs: forbidden\n"
		   "[  7.1] replicas 3\n"
		   "[  7.1] trouble: none\n");
}

static void a_new_monitor_goes_on_with_what_is_there(void)
{
	begin();
	cluster_hold(&c, 4);
	cluster_run(&c, c.now);
	cluster_restart_monitor(&c);
	cluster_hold(&c, 4);
	cluster_run(&c, SECONDS(60));
	CHECK_TEXT(cluster_transcript(&c), "[  5.1] wished: 4\n"
					   "[  5.1] replicas 4\n"
					   "[  5.2] wished: 4\n");
}

static void pods_that_the_owner_does_not_make_are_told(void)
{
	begin();
	c.stingy = true;
	cluster_hold(&c, 3);
	cluster_run(&c, SECONDS(60));
	CHECK_TEXT(cluster_transcript(&c),
		   "[  5.1] wished: 3\n"
		   "[  5.1] replicas 3\n"
		   "[ 25.1] trouble: 1 of 3 pods heat-worker-... are not made "
		   "by their Job; its events say why\n");
}

RUN_TESTS(TEST(the_task_is_told_once_how_many),
	  TEST(the_highest_are_given_back_once_they_have_ended),
	  TEST(one_that_ended_in_between_is_made_up_for),
	  TEST(a_failed_one_is_made_up_for_after_a_pause),
	  TEST(what_was_made_up_for_is_not_told_of_the_next_that_lacks),
	  TEST(the_task_keeps_the_fewest_it_may_have),
	  TEST(a_dropped_grow_removes_pods_that_never_joined),
	  TEST(an_owner_that_is_objected_to_is_left_as_it_is),
	  TEST(a_conflict_is_no_failure),
	  TEST(a_refusal_is_told_and_tried_again),
	  TEST(a_new_monitor_goes_on_with_what_is_there),
	  TEST(pods_that_the_owner_does_not_make_are_told))
