/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "monitor/decide_benefit.h"
#include "tests/check.h"

#include <math.h>
#include <string.h>

/*
 * Messages of a job that makes a step in 2 / n seconds on n ranks, and is on 2
 */

#define RUNNING BELLOWS__V1__STATE__RUNNING
#define GROWING BELLOWS__V1__STATE__GROWING

#define JOB                                                                    \
	"name: heat\n"                                                         \
	"app: generic\n"                                                       \
	"command: [md]\n"                                                      \
	"checkpoint: {dir: ckpt}\n"                                            \
	"generic: {files: ['*'], progress: 'step ([0-9]+)', ranks: [1, 2, "    \
	"4]}\n"                                                                \
	"ranks: {initial: 2, min: 1, max: 6}\n"                                \
	"scale: {policy: benefit, "

static struct decide_benefit decide;
static struct jobfile *file;
static Bellows__V1__Job job;
static Bellows__V1__Rescale rescales[2], *history[2];
static Bellows__V1__Span span, *spans[] = {&span};
static struct benefit_choice choice;
static char reason[256], logged[4096];

static void on_line(const char *line, size_t n)
{
	size_t at = strlen(logged);

	snprintf(logged + at, sizeof(logged) - at, "%.*s", (int)n, line);
}

static bool begin(const char *keys)
{
	char text[1024];
	struct error err;

	decide_benefit_fini(&decide);
	file = jobfile_destroy(file);
	snprintf(text, sizeof(text), JOB "%s}\n", keys);
	if (jobfile_parse(&file, "t.yaml", text, strlen(text), "/", &err) < 0 ||
	    decide_benefit_init(&decide, file) < 0)
		return false;
	logged[0] = '\0';
	log_through(on_line);
	job = (Bellows__V1__Job)BELLOWS__V1__JOB__INIT;
	job.state = RUNNING;
	job.epoch = 1;
	job.size = job.target = job.want = 2;
	job.total = 1006;
	job.age = job.step_at = 5000;
	job.history = history;
	job.spans = spans;
	span = (Bellows__V1__Span)BELLOWS__V1__SPAN__INIT;
	span.from = 5000;
	span.ranks = 2;
	for (int i = 0; i < 2; i++) {
		rescales[i] = (Bellows__V1__Rescale)BELLOWS__V1__RESCALE__INIT;
		history[i] = &rescales[i];
	}
	return true;
}

static void tell(void)
{
	decide_benefit_on_job(&decide, &job, 900000 + (msec_t)job.age);
	choice = decide_benefit_choose(&decide, 900000 + (msec_t)job.age,
				       reason, sizeof(reason));
}

/* Messages come some time after the step that they tell of. */
static void make_steps(unsigned n)
{
	static const unsigned late[] = {10, 200, 90};

	for (unsigned i = 0; i < n; i++) {
		job.step++;
		job.step_at += 2000 / job.size;
		job.age = job.step_at + late[job.step % 3];
		tell();
		if (choice.ranks > 0)
			return;
	}
}

static unsigned count(const char *word)
{
	unsigned n = 0;

	for (const char *at = logged; (at = strstr(at, word)); at++)
		n++;
	return n;
}

static void a_size_is_asked_for_with_numbers_once_steps_are_measured(void)
{
	CHECK(begin("probe: false"));
	tell();
	make_steps(COST_WARM_UP + BENEFIT_MEASURES - 1);
	CHECK(choice.ranks == 0 && choice.reason == BENEFIT_MEASURING);
	make_steps(1);
	CHECK(choice.ranks == 4);
	CHECK_TEXT(reason, "benefit: 2 -> 4: 1000 s are left, gain 250 +- 250 "
			   "s, price 0.1 s");
}

static void a_probe_is_asked_for_and_its_cost_is_logged(void)
{
	CHECK(begin("probe: true"));
	job.checkpoint_bytes = (uint64_t)1 << 30;
	tell();
	make_steps(10);
	CHECK(choice.ranks == 4 && choice.reason == BENEFIT_PROBES);
	CHECK_TEXT(reason, "benefit: 2 -> 4 is a probe: it costs 9.3 s at "
			   "most, and 1000 s are left");
	decide_benefit_answered(&decide, SCALER_ACCEPTED,
				900000 + (msec_t)job.age);
	job.size = job.target = job.want = 4;
	job.epoch = 2;
	job.step_at += 3000;
	tell();
	make_steps(10);
	CHECK(choice.ranks == 0 && choice.reason == BENEFIT_BEST);
	CHECK(count("the probe of 4 ranks cost -1.9 s: 0.5 s a step, not 1") ==
	      1);
	CHECK(count("size=4 stays: no size is predicted to be better than 4 "
		    "ranks, and 497 s are left") == 1);
}

static void what_is_not_granted_is_not_probed(void)
{
	CHECK(begin("probe: true"));
	job.grant = 3;
	tell();
	make_steps(10);
	CHECK(choice.ranks == 1 && choice.reason == BENEFIT_PROBES);
}

static void steps_beside_a_rescale_are_not_measured(void)
{
	CHECK(begin("probe: false"));
	tell();
	make_steps(COST_WARM_UP + 1);
	job.state = GROWING;
	job.target = 4;
	job.step += 10;
	job.step_at += 90000;
	tell();
	CHECK(choice.reason == BENEFIT_MEASURING && decide.facts.size == 0);
	job.state = RUNNING;
	job.target = 2;
	tell();
	make_steps(1);
	CHECK(decide.meter.fresh == 2);
	CHECK(fabs(cost_seen(&decide.meter.steps, 2)->mean - 1) < 1e-9);
}

/* Of 9 s, 4 were computed; 2 steps of a second are made again. */
static void the_price_is_what_rescales_have_cost(void)
{
	CHECK(begin("probe: false"));
	rescales[0].from = 2;
	rescales[0].to = 4;
	rescales[0].result = (char *)"done";
	rescales[0].ordered = 10000;
	rescales[0].last_step = 14000;
	rescales[0].saved = 15000;
	rescales[0].stopped = 16000;
	rescales[0].up = 18000;
	rescales[0].stepped = 19000;
	rescales[0].repeated = 2;
	rescales[1] = rescales[0];
	rescales[1].recovery = true;
	rescales[1].stepped = 99000;
	job.n_history = 2;
	tell();
	make_steps(10);
	CHECK(decide.rescales.n == 1);
	CHECK(fabs(decide.rescales.mean - 7) < 0.01);
	CHECK(choice.ranks == 4 && fabs(choice.price.seconds - 7) < 0.01);
}

/* Its ranks ran for 25 s until their first step was made, which took one. */
static void the_first_price_has_the_start_of_the_job_in_it(void)
{
	CHECK(begin("probe: false"));
	job.total = 106;
	job.step_at = 0;
	job.n_spans = 1;
	tell();
	job.step_at = 29000;
	make_steps(10);
	CHECK(choice.ranks == 0 && choice.reason == BENEFIT_NOT_WORTH);
	CHECK(fabs(choice.price.seconds - 24.1) < 0.01);
}

static void a_size_that_failed_is_not_asked_for(void)
{
	CHECK(begin("probe: false"));
	rescales[0].from = 2;
	rescales[0].to = 4;
	rescales[0].failed = true;
	rescales[0].result = (char *)"the application ended with 64";
	job.n_history = 1;
	tell();
	make_steps(10);
	CHECK(choice.ranks == 0 && choice.reason == BENEFIT_BEST);
}

static void that_it_stays_is_logged_once(void)
{
	CHECK(begin("probe: false"));
	job.total = 12;
	rescales[0].result = (char *)"done";
	rescales[0].ordered = 1000;
	rescales[0].up = rescales[0].stepped = 31000;
	job.n_history = 1;
	tell();
	make_steps(10);
	CHECK(choice.ranks == 0 && choice.reason == BENEFIT_NOT_WORTH);
	CHECK(count("size=2 stays: not 2 -> 4: 6 s are left, gain 1.5 +- 1.5 "
		    "s, price 30 s") == 1);
	CHECK(count("stays") == 1);
}

static void a_job_that_says_no_total_stays(void)
{
	CHECK(begin("probe: true"));
	job.total = 0;
	tell();
	make_steps(10);
	CHECK(choice.ranks == 0 && choice.reason == BENEFIT_UNKNOWN);
	CHECK(count("size=2 stays: how many steps are left is not known") == 1);
	job.total = job.step - 1;
	tell();
	CHECK(choice.ranks == 0 && decide.facts.steps_left == 0);
}

static void a_pause_ends_by_the_clock_of_the_monitor(void)
{
	msec_t now;

	CHECK(begin("probe: false"));
	tell();
	make_steps(10);
	CHECK(choice.ranks == 4);
	now = 900000 + (msec_t)job.age + 70;
	decide_benefit_answered(&decide, SCALER_POSTPONED, now);
	choice = decide_benefit_choose(&decide, now, reason, sizeof(reason));
	CHECK(choice.ranks == 0 && choice.again == now + SCALER_PAUSE);
	now += SCALER_PAUSE;
	choice = decide_benefit_choose(&decide, now, reason, sizeof(reason));
	CHECK(choice.ranks == 4);
}

static void nothing_is_chosen_before_the_first_message(void)
{
	CHECK(begin("probe: true"));
	choice = decide_benefit_choose(&decide, 900000, reason, sizeof(reason));
	CHECK(choice.ranks == 0 && choice.again == 0);
}

static void the_goal_of_the_job_file_is_the_scalers(void)
{
	CHECK(begin("goal: deadline, finish_by: 20min, probe: false"));
	CHECK(decide.benefit.rules.goal == BENEFIT_DEADLINE);
	CHECK(decide.benefit.rules.deadline == MINUTES(20));
	CHECK(!decide.benefit.rules.probes);
	CHECK(decide.benefit.rules.n_sizes == 3);
	CHECK(decide.benefit.rules.sizes[2] == 4);
	CHECK(begin("goal: efficiency, efficiency: 80%"));
	CHECK(decide.benefit.rules.goal == BENEFIT_EFFICIENCY);
	CHECK(decide.benefit.rules.efficiency == 0.8);
	CHECK(begin("goal: cheapest"));
	CHECK(decide.benefit.rules.goal == BENEFIT_CHEAPEST);
}

RUN_TESTS(TEST(a_size_is_asked_for_with_numbers_once_steps_are_measured),
	  TEST(a_probe_is_asked_for_and_its_cost_is_logged),
	  TEST(what_is_not_granted_is_not_probed),
	  TEST(steps_beside_a_rescale_are_not_measured),
	  TEST(the_price_is_what_rescales_have_cost),
	  TEST(the_first_price_has_the_start_of_the_job_in_it),
	  TEST(a_size_that_failed_is_not_asked_for),
	  TEST(that_it_stays_is_logged_once),
	  TEST(a_job_that_says_no_total_stays),
	  TEST(a_pause_ends_by_the_clock_of_the_monitor),
	  TEST(nothing_is_chosen_before_the_first_message),
	  TEST(the_goal_of_the_job_file_is_the_scalers))
