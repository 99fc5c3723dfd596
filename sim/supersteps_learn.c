/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/supersteps_learn.h"

#include "base/list.h"
#include "base/splitmix.h"
#include "core/share_learned.h"
#include "sim/supersteps_lesson.h"
#include "supersteps/judge.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/*
 * The simulator knows more than an agent in the world: workloads do not depend
 * on shares, so each action of a state is followed, and not only the one that
 * is taken.  A reward is what the step loses against the best shares for it,
 * and the change: the best shares depend on no action, so what is best stays
 * the same, and the values are small numbers.
 */

enum {
	MEMORY = 20000, /* steps that are remembered */
	BATCH = 16,     /* of them that are learned after each step */
	LEAST = 20,     /* steps to learn from, and to be tried by */
};

#define DISCOUNT   0.9  /* of a reward that is one step later */
#define RATE_FIRST 0.01 /* of learning; it falls evenly */
#define RATE_LAST  0.001
#define CURIOUS    0.05  /* of the steps have any action, at least */
#define FOLLOW     0.001 /* how fast the target comes nearer */

static const struct network_shape shape = {3, {SHARE_STATE, 32, SHARE_ACTIONS}};

struct experience {
	double state[SHARE_STATE];
	double rewards[SHARE_ACTIONS];
	double next[SHARE_ACTIONS][SHARE_STATE];
};

struct learner {
	const struct supersteps_school *school;
	/* The target follows the network that learns, slowly: it says what
	 * states are worth, and it is what has been learned. */
	struct neural_network *network, *target, *best;
	struct random random;
	struct experience *memory;
	unsigned n, at; /* of the memory; where the next one goes */
	uint64_t steps, all_steps;
	struct experience last;       /* its rewards come with the next step */
	struct share_choices choices; /* of the last step */
	struct share_choices next;    /* of one that may follow */
	unsigned trial[SHARE_TASKS_MAX];
};

static void learner_destroy(struct learner *learner)
{
	if (!learner)
		return;
	network_destroy(learner->network);
	network_destroy(learner->target);
	network_destroy(learner->best);
	free(learner->memory);
	free(learner);
}

DEFINE_CLEANUP(struct learner, learner_destroy)

static int learner_create(struct learner **out,
			  const struct supersteps_school *school,
			  struct error *err)
{
	CLEANUP(learner_destroy)
	struct learner *learner = calloc(1, sizeof(*learner));
	struct neural_network **networks[] = {&learner->network,
					      &learner->target, &learner->best};

	if (learner)
		learner->memory = calloc(MEMORY, sizeof(*learner->memory));
	if (!learner || !learner->memory)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < LENGTH(networks); i++) {
		int r = network_create(networks[i], &shape, school->seed, err);

		if (r < 0)
			return r;
	}
	learner->school = school;
	learner->random.state = ~school->seed;
	*out = STEAL(learner);
	return 0;
}

/* ---- learning ---- */

/* From 1 to 0. */
static double rest_of(const struct learner *learner)
{
	return 1 - (double)learner->steps / (double)learner->all_steps;
}

static double worth(struct neural_network *network, const double *state)
{
	double values[SHARE_ACTIONS];

	network_run(network, state, values);
	return values[share_learned_best(values)];
}

static void learn_one(struct learner *learner)
{
	const struct experience *experience =
		&learner->memory[random_below(&learner->random, learner->n)];
	double wanted[SHARE_ACTIONS];

	for (unsigned a = 0; a < SHARE_ACTIONS; a++)
		wanted[a] =
			experience->rewards[a] +
			DISCOUNT * worth(learner->target, experience->next[a]);
	network_train(learner->network,
		      RATE_LAST + (RATE_FIRST - RATE_LAST) * rest_of(learner),
		      experience->state, wanted);
}

static void learn(struct learner *learner)
{
	learner->memory[learner->at] = learner->last;
	learner->at = (learner->at + 1) % MEMORY;
	if (learner->n < MEMORY)
		learner->n++;
	for (unsigned i = 0; i < BATCH; i++)
		learn_one(learner);
	network_follow(learner->target, learner->network, FOLLOW);
}

/* What each action of the last step has brought, and the state that it led to.
 */
static void complete(struct learner *learner, const struct share_view *view,
		     struct share_memory *memory)
{
	double unit = share_learned_unit(view->rules), best;

	share_configure(view->rules, view->ended, 0, 1, &memory->work,
			learner->trial);
	best = share_step_seconds(view->ended, 0, learner->trial);
	learner->next = memory->choices;
	for (unsigned a = 0; a < SHARE_ACTIONS; a++) {
		const unsigned *levels = learner->choices.levels[a];
		double lost = share_step_seconds(view->ended, 0, levels) - best;

		if (a > 0)
			lost += view->rules->cost;
		learner->last.rewards[a] = -lost / unit;
		memcpy(learner->next.levels[0], levels,
		       view->rules->tasks * sizeof(*levels));
		share_learned_state(view, &learner->next,
				    learner->last.next[a]);
	}
}

/* At first any action, later on most often the best one. */
static unsigned choose(struct learner *learner, const double *state)
{
	double curious = fmax(CURIOUS, 2 * rest_of(learner) - 1);
	double values[SHARE_ACTIONS];

	if (random_below(&learner->random, 1000000) < curious * 1000000)
		return random_below(&learner->random, SHARE_ACTIONS);
	network_run(learner->network, state, values);
	return share_learned_best(values);
}

/* A planner, whose judge is the learner. */
static bool plan_and_learn(const struct share_planner *planner,
			   const struct share_view *view,
			   struct share_memory *memory, unsigned *levels)
{
	struct learner *learner = view->judge->user;
	unsigned action;

	share_learned_choices(view, &memory->work, &memory->choices);
	if (view->levels) {
		complete(learner, view, memory);
		learn(learner);
	}
	learner->steps++;
	learner->choices = memory->choices;
	share_learned_state(view, &learner->choices, learner->last.state);
	action = choose(learner, learner->last.state);
	memcpy(levels, learner->choices.levels[action],
	       view->rules->tasks * sizeof(*levels));
	return action > 0 || !view->levels;
}

/* ---- the whole ---- */

struct lessons {
	struct supersteps_lesson past, behind;
	struct supersteps_errors errors;
};

static void lessons_fini_at(struct lessons *lessons)
{
	supersteps_lesson_fini(&lessons->past);
	supersteps_lesson_fini(&lessons->behind);
}

/* Steps of the forecasts that the planner needs and the files have. */
static unsigned look_of(const struct supersteps *supersteps)
{
	unsigned look = SHARE_LEARNED_LOOK;

	for (unsigned i = 0; i < supersteps->rules.tasks; i++)
		if (supersteps->tasks[i].columns < look)
			look = supersteps->tasks[i].columns;
	return look;
}

static int lessons_init(struct lessons *lessons, const struct supersteps *whole,
			bool forecast, struct error *err)
{
	unsigned before = supersteps_steps_before(whole);
	unsigned behind =
		supersteps_steps_behind(whole, forecast, SHARE_LEARNED_LOOK);
	unsigned look = forecast ? look_of(whole) : 0;

	/* what is foreseen in the past is the past */
	if (before < LEAST + SHARE_LEARNED_LOOK || behind < LEAST)
		return error_set(err, -EINVAL,
				 "to learn, there are to be %d steps before "
				 "the first and %d behind the last, with their "
				 "forecasts; there are %u and %u",
				 LEAST + SHARE_LEARNED_LOOK, LEAST, before,
				 behind);
	lessons->errors = (struct supersteps_errors){whole->steps, behind};
	if (supersteps_lesson_init(&lessons->past, whole, -(long)before,
				   before - SHARE_LEARNED_LOOK, look) < 0 ||
	    supersteps_lesson_init(&lessons->behind, whole, whole->steps,
				   behind, look) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	supersteps_lesson_expect(&lessons->behind, &lessons->errors, 0);
	return 0;
}

/* Seconds in total in the steps behind, by which planners are tried. */
static int try_by(const struct learner *learner, const struct lessons *lessons,
		  const char *planner, double *total, struct error *err)
{
	struct supersteps_settings settings = {
		.method = {.forecast = learner->school->forecast}};
	struct supersteps_result result = {.total = 0};
	int r = supersteps_judge(&settings.method.judge, learner->target, err);

	share_planner_find(&settings.method.planner, planner);
	if (r == 0)
		r = supersteps_run(&lessons->behind.of, &settings, &result,
				   err);
	*total = result.total;
	return r;
}

static int learn_once(struct learner *learner, struct lessons *lessons,
		      double *best, struct error *err)
{
	const struct supersteps_settings settings = {
		.method = {.planner = {.look = SHARE_LEARNED_LOOK,
				       .plan = plan_and_learn},
			   .judge = {NULL, learner},
			   .forecast = learner->school->forecast}};
	struct supersteps_result result;
	double total;
	int r;

	supersteps_lesson_expect(
		&lessons->past, &lessons->errors,
		random_below(&learner->random, lessons->errors.steps));
	r = supersteps_run(&lessons->past.of, &settings, &result, err);
	if (r == 0)
		r = try_by(learner, lessons, "learned", &total, err);
	if (r < 0 || total >= *best)
		return r;
	*best = total;
	network_follow(learner->best, learner->target, 1);
	return 0;
}

static int learn_all(struct learner *learner, struct lessons *lessons,
		     struct supersteps_report *report, struct error *err)
{
	const struct supersteps_school *school = learner->school;
	int r = try_by(learner, lessons, "static", &report->unchanged, err);

	report->learned = lessons->past.of.steps;
	report->tried = lessons->behind.of.steps;
	report->best = INFINITY;
	learner->all_steps = (uint64_t)school->episodes * report->learned;
	for (unsigned i = 0; r == 0 && i < school->episodes; i++) {
		r = learn_once(learner, lessons, &report->best, err);
		if (school->on_episode)
			school->on_episode(school->user);
	}
	return r;
}

int supersteps_learn(const struct supersteps *supersteps,
		     const struct supersteps_school *school,
		     struct neural_network **out,
		     struct supersteps_report *report, struct error *err)
{
	CLEANUP(learner_destroy) struct learner *learner = NULL;
	CLEANUP(lessons_fini) struct lessons lessons = {.errors = {.steps = 0}};
	bool forecast = school->forecast.source == SUPERSTEPS_GIVEN;
	int r;

	if (forecast && supersteps_without_forecast(supersteps))
		return error_set(err, -EINVAL,
				 "not each task has a 'forecast' file");
	r = lessons_init(&lessons, supersteps, forecast, err);
	if (r == 0)
		r = learner_create(&learner, school, err);
	if (r == 0)
		r = learn_all(learner, &lessons, report, err);
	if (r == 0)
		*out = STEAL(learner->best);
	return r;
}
