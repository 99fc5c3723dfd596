/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_BENEFIT_BED_H
#define TESTS_UNIT_BENEFIT_BED_H

/*
 * A job whose step takes 8 / n + 1 seconds on n ranks: 9 on one, 5 on 2, 3 on
 * 4, 2 on 8.  A rescale has taken 10 s twice.
 */

#include "base/list.h"
#include "core/scaler_benefit.h"
#include "tests/check.h"

#include <math.h>

static const unsigned sizes[] = {1, 2, 3, 4, 5, 6, 7, 8};

static struct benefit benefit;
static struct step_meter meter;
static struct cost_rescales rescales;
static struct benefit_facts facts;
static struct benefit_choice choice;
static char text[256];

static void measured(unsigned ranks, double seconds, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		cost_observe(&meter.steps, ranks, seconds);
}

static UNUSED void measured_well(unsigned ranks)
{
	measured(ranks, 8.0 / ranks + 1, 20);
}

static void price(double seconds)
{
	rescales = (struct cost_rescales){0};
	cost_rescaled(&rescales, seconds);
	cost_rescaled(&rescales, seconds);
}

static void begin(enum benefit_goal goal, unsigned size, double steps_left)
{
	const struct benefit_rules rules = {
		.goal = goal,
		.deadline = SECONDS(1000000),
		.efficiency = 0.5,
		.sizes = sizes,
		.n_sizes = LENGTH(sizes),
	};

	benefit_init(&benefit, &rules);
	meter = (struct step_meter){.fresh = 20, .stride = 1};
	price(10);
	facts = (struct benefit_facts){
		.now = SECONDS(100),
		.size = size,
		.want = size,
		.steps_left = steps_left,
		.meter = &meter,
		.rescales = &rescales,
	};
}

static UNUSED void begin_known(enum benefit_goal goal, unsigned size,
			       double steps_left)
{
	begin(goal, size, steps_left);
	measured_well(1);
	measured_well(2);
	measured_well(4);
	measured_well(8);
}

static unsigned decide(void)
{
	choice = benefit_decide(&benefit, &facts);
	benefit_say(&choice, text, sizeof(text));
	return choice.ranks;
}

static UNUSED bool stays(enum benefit_reason reason)
{
	return decide() == 0 && choice.reason == reason;
}

/* The answer, and that the job is at that size. */
static UNUSED void moved(unsigned size)
{
	benefit_answered(&benefit, SCALER_ACCEPTED, facts.now);
	facts.now += SECONDS(60);
	facts.size = facts.want = size;
}

#endif
