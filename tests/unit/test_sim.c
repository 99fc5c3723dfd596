/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "core/sched_plan.h"
#include "sim/spans.h"
#include "tests/unit/sim_bed.h"

#include <errno.h>
#include <math.h>

static void submit(usec_t at, int priority)
{
	jobs[set.n++] = (struct workload_job){
		.priority = priority, .submit = at, .estimate = -1};
}

static const char *run_policy(const struct sched_policy *policy)
{
	const struct sim_settings settings = {
		.policy = policy,
		.gap = -1,
		.rescale_gap = -1,
		.observer = {.on_slots = on_slots},
	};

	*told = '\0';
	if (sim_run_all(&metrics, &workload, &settings, &err) < 0)
		return err.text;
	return told;
}

/* What slots which job has from when on. */
static const char *run(const char *policy)
{
	return run_policy(sched_policy_find(policy));
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void a_job_starts_and_computes(void)
{
	begin_sim();
	submit(5 * S, 3);
	CHECK_TEXT(run("elastic"), "5: 0 has 9, 107: 0 has 0");
	CHECK(is_near(metrics.total, 107) && is_near(metrics.response, 0));
	CHECK(is_near(metrics.completion, 102));
	CHECK(is_near(metrics.slot_seconds, 9 * 102));
	CHECK(is_near(metrics.slowdown, 1) && metrics.rescales == 0);
	/* seen at 6, 8, ... 106, of 0, 2, ... 110 */
	CHECK(is_near(metrics.utilisation, 51 * 9.0 / 56 / 10));
}

static void a_job_may_have_steps_of_its_own(void)
{
	begin_sim();
	submit(0, 1);
	jobs[0].steps = 10;
	CHECK_TEXT(run("elastic"), "0: 0 has 9, 12: 0 has 0");
}

/* Job 0 has done a fourth when it shrinks, and pauses for 4 s; then 0.995, and
 * it pauses for 6 s. */
static void a_rescale_pauses_a_job_by_its_new_size(void)
{
	static const struct curve_point move[] = {{2, 2}, {4, 4}};

	begin_sim();
	workload.slots = 7;
	classes[0].max = 4;
	classes[0].move = curve_through(move, LENGTH(move));
	submit(0, 1);
	submit(52 * S, 2);
	CHECK_TEXT(run("operator"),
		   "0: 0 has 5, 52: 0 has 3, 52: 1 has 4, 354: 1 has 0, "
		   "354: 0 has 5, 361: 0 has 0");
	CHECK(metrics.rescales == 2);
}

static void a_decision_has_its_effect_after_the_delay(void)
{
	begin_sim();
	workload.decision_delay = workload.start_delay = 4 * S;
	submit(0, 1);
	submit(1 * S, 1);
	CHECK_TEXT(run("rigid_max"),
		   "4: 0 has 9, 106: 0 has 0, 110: 1 has 9, 212: 1 has 0");
}

static void a_start_waits_only_for_slots_that_are_left(void)
{
	begin_sim();
	workload.decision_delay = 4 * S;
	workload.start_delay = 1 * S;
	workload.slots = 7;
	classes[0].max = 4;
	submit(0, 1);
	submit(52 * S, 2);
	CHECK_TEXT(run("operator"),
		   "1: 0 has 5, 56: 0 has 3, 56: 1 has 4, 353: 0 has 0, "
		   "357: 1 has 5, 360.667: 1 has 0");
}

static void averages_are_weighted_by_priority(void)
{
	begin_sim();
	submit(0, 1);
	submit(0, 3);
	run("rigid_max");
	CHECK(is_near(metrics.response, 3 * 102 / 4.0));
	CHECK(is_near(metrics.completion, (102 + 3 * 204) / 4.0));
	CHECK(is_near(metrics.slowdown, 1.5));
	submit(0, 4);
	run("rigid_max");
	CHECK(is_near(metrics.response, (204 * 3 + 102 * 4) / 8.0));
}

static void a_short_run_counts_as_ten_seconds_in_the_slowdown(void)
{
	begin_sim();
	classes[0].steps = 1;
	classes[0].start = curve_constant(0);
	submit(0, 1);
	submit(0, 1);
	run("rigid_max");
	CHECK(is_near(metrics.slowdown, 1));
	classes[0].steps = 40;
	run("rigid_max");
	CHECK(is_near(metrics.slowdown, 1.5));
}

static void the_gap_submits_jobs_without_a_time_of_their_own(void)
{
	begin_sim();
	workload.gap = 200 * S;
	submit(-1, 1);
	submit(7 * S, 1);
	submit(-1, 1);
	CHECK_TEXT(run("rigid_max"),
		   "0: 0 has 9, 102: 0 has 0, 102: 1 has 9, 204: 1 has 0, "
		   "400: 2 has 9, 502: 2 has 0");
}

static void easy_believes_the_estimate(void)
{
	begin_sim();
	submit(0, 1);
	submit(1 * S, 1);
	submit(2 * S, 1);
	jobs[0].class = jobs[2].class = 1;
	CHECK_TEXT(run("easy"),
		   "0: 0 has 5, 202: 0 has 0, 202: 1 has 9, 304: 1 has 0, "
		   "304: 2 has 5, 506: 2 has 0");
	jobs[2].estimate = 200 * S;
	CHECK_TEXT(run("easy"),
		   "0: 0 has 5, 2: 2 has 5, 202: 0 has 0, 204: 2 has 0, "
		   "204: 1 has 9, 306: 1 has 0");
}

static void the_published_simulator_knows_no_sizes(void)
{
	static unsigned sizes[] = {2, 4, 8};

	begin_sim();
	submit(0, 1);
	classes[0].sizes = sizes;
	classes[0].n_sizes = LENGTH(sizes);
	CHECK_TEXT(run("published_min"),
		   "class a has sizes, of which published_min knows nothing");
	workload.slots = 8;
	CHECK_TEXT(run("elastic"), "0: 0 has 5, 202: 0 has 0");
}

/* A new job takes all, and the job that ran waits until it has ended. */
static size_t decide_last_first(struct sched_view *view,
				struct sched_action *actions)
{
	struct sched_plan plan = {.view = view, .actions = actions};

	if (view->n_running > 0)
		sched_plan_park(&plan, view->running[0], SCHED_GIVES_WAY,
				view->submitted);
	if (view->n_queue > 0)
		sched_plan_start(&plan, view->queue[view->n_queue - 1], 8,
				 SCHED_FITS);
	return plan.n;
}

/* Job 0 has done half when it is parked at 52 s, and pauses for 3 s. */
static void a_parked_job_goes_on_from_where_it_was(void)
{
	static const struct sched_policy last_first = {
		.name = "last_first", .decide = decide_last_first};

	begin_sim();
	submit(0, 1);
	submit(52 * S, 1);
	CHECK_TEXT(run_policy(&last_first),
		   "0: 0 has 9, 52: 0 has 0, 52: 1 has 9, 154: 1 has 0, "
		   "154: 0 has 9, 207: 0 has 0");
	CHECK(metrics.parks == 1 && metrics.rescales == 0);
	CHECK(is_near(metrics.response, 0));
	/* it waited from 52 to 154 s */
	CHECK(is_near(metrics.slowdown, (207 / 105.0 + 1) / 2));
	CHECK(is_near(metrics.slot_seconds, 9 * 207));
	/* 100 steps of 4 s on 2 ranks, twice */
	CHECK(is_near(metrics.efficiency, 1600 / (9 * 207.0)));
}

static double price;

static size_t decide_and_look_at_the_price(struct sched_view *view,
					   struct sched_action *actions)
{
	if (view->submitted)
		price = view->submitted->pace.price.seconds;
	return sched_fifo(view, actions);
}

/* A rescale to 2 ranks pauses the job for 4 s.  It cannot have 1 rank. */
static void the_price_of_a_fill_in_job_is_of_its_smallest_size(void)
{
	static const struct curve_point move[] = {{2, 2}, {4, 4}};
	static unsigned sizes[] = {2, 4};
	static const struct sched_policy looks = {
		.name = "looks",
		.decide = decide_and_look_at_the_price,
		.sizes = SCHED_FILL_IN,
	};

	begin_sim();
	classes[0].min = 0;
	classes[0].max = 4;
	classes[0].sizes = sizes;
	classes[0].n_sizes = LENGTH(sizes);
	classes[0].move = curve_through(move, LENGTH(move));
	submit(0, 1);
	run_policy(&looks);
	CHECK(is_near(price, 4));
}

static double usage[2][8];
static size_t questions;

static size_t decide_and_look_at_users(struct sched_view *view,
				       struct sched_action *actions)
{
	usage[0][questions] = view->users[0].usage;
	usage[1][questions++] = view->users[1].usage;
	return sched_fifo(view, actions);
}

/* Job 0 has 9 slots until 102 s, job 1 5 until 304 s; the one that waits is not
 * asked for. */
static void the_policy_sees_what_each_user_had(void)
{
	static struct workload_user users[] = {{"ada", 1}, {"bob", 3}};
	static const struct sched_policy looks = {
		.name = "looks",
		.decide = decide_and_look_at_users,
		.sizes = SCHED_MAX_ONLY,
		.fair_share = true,
	};

	begin_sim();
	workload.users = (struct workload_users){.at = users, .n = 2};
	submit(0, 1);
	submit(0, 1);
	submit(202 * S, 1);
	jobs[1].class = jobs[1].user = jobs[2].user = 1;
	questions = 0;
	CHECK_TEXT(run_policy(&looks),
		   "0: 0 has 9, 102: 0 has 0, 102: 1 has 5, 304: 1 has 0, "
		   "304: 2 has 9, 406: 2 has 0");
	CHECK(questions == 6 && usage[0][0] == 0 && usage[1][1] == 0);
	CHECK(is_near(usage[0][2], 1) && is_near(usage[1][2], 0));
	CHECK(is_near(usage[0][3], 9 * 102 / (9 * 102 + 5 * 100.0)));
	CHECK(is_near(usage[1][4], 5 * 202 / (9 * 102 + 5 * 202.0)));
	/* slowdowns of 1; of 304 / 202 and 204 / 102 */
	CHECK(is_near(metrics.fairness,
		      pow(1 + (304 / 202.0 + 2) / 2, 2) / 2 /
			      (1 + pow((304 / 202.0 + 2) / 2, 2))));
}

static size_t decide_without_users(struct sched_view *view,
				   struct sched_action *actions)
{
	questions += !view->users;
	return sched_fifo(view, actions);
}

static void a_policy_without_fair_shares_sees_no_users(void)
{
	static struct workload_user users[] = {{"ada", 1}, {"bob", 3}};
	static const struct sched_policy looks = {
		.name = "looks", .decide = decide_without_users};

	begin_sim();
	workload.users = (struct workload_users){.at = users, .n = 2};
	submit(0, 1);
	questions = 0;
	CHECK_TEXT(run_policy(&looks), "0: 0 has 9, 102: 0 has 0");
	CHECK(questions == 2);
}

/* Each takes 202 s, and all slots. */
static void submit_three(void)
{
	begin_sim();
	workload.slots = 5;
	classes[0].min = classes[0].max = 4;
	submit(0, 1);
	submit(1 * S, 1);
	submit(2 * S, 1);
}

#define LAST_IS_SECOND                                                         \
	"0: 0 has 5, 202: 0 has 0, 202: 2 has 5, 404: 2 has 0, "               \
	"404: 1 has 5, 606: 1 has 0"

static void bellows_prefers_the_user_who_had_less(void)
{
	static struct workload_user users[] = {{"ada", 1}, {"bob", 1}};

	submit_three();
	workload.users = (struct workload_users){.at = users, .n = 2};
	jobs[2].user = 1;
	CHECK_TEXT(run("bellows"), LAST_IS_SECOND);
}

static void bellows_believes_the_estimate_until_a_job_runs(void)
{
	submit_three();
	jobs[2].estimate = 20 * S;
	CHECK_TEXT(run("bellows"), LAST_IS_SECOND);
}

static void jobs_that_wait_for_ever_are_an_error(void)
{
	begin_sim();
	submit(0, 1);
	classes[0].max = 10;
	CHECK_TEXT(run("rigid_max"),
		   "set A: rigid_max leaves 1 of 1 jobs waiting for ever");
}

static void a_time_without_end_is_an_error(void)
{
	begin_sim();
	submit(INT64_MAX / 4, 1);
	CHECK_TEXT(run("fifo"),
		   "set A: fifo: the jobs take too long to be simulated");
}

/* Of the run in a_rescale_pauses_a_job_by_its_new_size(). */
static void slots_of_a_job_are_spans_of_time(void)
{
	static const struct curve_point move[] = {{2, 2}, {4, 4}};
	struct sim_spans spans;
	const struct sim_settings settings = {
		.policy = sched_policy_find("operator"),
		.gap = -1,
		.rescale_gap = -1,
		.observer = {&spans, NULL, sim_spans_on_slots},
	};
	CLEANUP(free) struct sim_span *by_job = NULL;

	begin_sim();
	workload.slots = 7;
	classes[0].max = 4;
	classes[0].move = curve_through(move, LENGTH(move));
	submit(0, 1);
	submit(52 * S, 2);
	CHECK(sim_spans_init(&spans, set.n) == 0);
	CHECK(sim_run(&metrics, &workload, &set, &settings, &err) == 0);
	by_job = sim_spans_by_job(&spans);
	*told = '\0';
	for (size_t i = 0; by_job && i < spans.n; i++) {
		size_t used = strlen(told);

		snprintf(told + used, sizeof(told) - used,
			 "%u has %u from %g to %g; ", by_job[i].job,
			 by_job[i].slots, (double)by_job[i].from / (double)S,
			 (double)by_job[i].to / (double)S);
	}
	CHECK_TEXT(told, "0 has 5 from 0 to 52; 0 has 3 from 52 to 354; "
			 "0 has 5 from 354 to 361; 1 has 4 from 52 to 354; ");
	CHECK(spans.jobs[1].submitted == 52 * S);
	CHECK(spans.jobs[1].started == 52 * S && spans.jobs[1].priority == 2);
	sim_spans_fini(&spans);
}

RUN_TESTS(TEST(a_job_starts_and_computes),
	  TEST(a_job_may_have_steps_of_its_own),
	  TEST(a_rescale_pauses_a_job_by_its_new_size),
	  TEST(a_decision_has_its_effect_after_the_delay),
	  TEST(a_start_waits_only_for_slots_that_are_left),
	  TEST(averages_are_weighted_by_priority),
	  TEST(a_short_run_counts_as_ten_seconds_in_the_slowdown),
	  TEST(the_gap_submits_jobs_without_a_time_of_their_own),
	  TEST(easy_believes_the_estimate),
	  TEST(the_published_simulator_knows_no_sizes),
	  TEST(a_parked_job_goes_on_from_where_it_was),
	  TEST(the_price_of_a_fill_in_job_is_of_its_smallest_size),
	  TEST(the_policy_sees_what_each_user_had),
	  TEST(a_policy_without_fair_shares_sees_no_users),
	  TEST(bellows_prefers_the_user_who_had_less),
	  TEST(bellows_believes_the_estimate_until_a_job_runs),
	  TEST(jobs_that_wait_for_ever_are_an_error),
	  TEST(a_time_without_end_is_an_error),
	  TEST(slots_of_a_job_are_spans_of_time))
