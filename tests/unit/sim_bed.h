/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_SIM_BED_H
#define TESTS_UNIT_SIM_BED_H

/*
 * A workload that tests of the simulator begin with
 */

#include "base/list.h"
#include "sim/engine.h"
#include "tests/check.h"

#include <math.h>

#define S ((usec_t)1000000)

enum { JOBS = 40 };

/* Ten slots; a job has 100 steps of 8 / ranks seconds, starts in 2 seconds and
 * pauses for 1 second more when it is rescaled. */
static const struct curve_point step_time[] = {{1, 8}, {2, 4}, {4, 2}, {8, 1}};
static struct workload_class classes[2]; /* the second: of 4 ranks alone */
static struct workload_job jobs[JOBS];
static struct workload_set set = {.name = "A", .jobs = jobs};
static struct workload workload;
static struct sim_metrics metrics;
static struct error err;
static char told[1024];

static void begin_sim(void)
{
	classes[0] = (struct workload_class){
		.name = "a",
		.min = 2,
		.max = 8,
		.steps = 100,
		.step_time = curve_through(step_time, LENGTH(step_time)),
		.start = curve_constant(2),
		.move = curve_constant(1),
	};
	classes[1] = classes[0];
	classes[1].min = classes[1].max = 4;
	workload = (struct workload){
		.slots = 10,
		.launcher_slots = 1,
		.classes = classes,
		.n_classes = LENGTH(classes),
		.sets = &set,
		.n_sets = 1,
	};
	set.n = 0;
}

/* "at: job has slots", for a simulation's observer. */
static void on_slots(void *user, usec_t now, const struct sched_job *job,
		     unsigned from, unsigned to)
{
	size_t used = strlen(told);

	snprintf(told + used, sizeof(told) - used, "%s%g: %u has %u",
		 used ? ", " : "", round((double)now / 1000) / 1000,
		 job->number, to);
}

#endif
