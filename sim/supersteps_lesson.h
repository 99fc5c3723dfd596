/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SUPERSTEPS_LESSON_H
#define SIM_SUPERSTEPS_LESSON_H

/*
 * Steps of an application from which a planner learns, or by which it is tried
 *
 * They are an application of their own.  The files have no forecast of the
 * past: it is made of the workloads as they were and of the errors that the
 * forecast of the files has in other steps.
 */

#include "supersteps/application.h"

struct supersteps_lesson {
	struct supersteps of;
	const struct supersteps *whole;
	long first;        /* of its steps; negative: before step 0 */
	double *forecasts; /* [task][step][look] */
	unsigned look;     /* steps; 0: it has no forecast */
};

/* Steps of the whole whose forecast has errors that may be known. */
struct supersteps_errors {
	unsigned first, steps;
};

/* Its forecast is empty until supersteps_lesson_expect(); -ENOMEM. */
int supersteps_lesson_init(struct supersteps_lesson *lesson,
			   const struct supersteps *whole, long first,
			   unsigned steps, unsigned look);
void supersteps_lesson_fini(struct supersteps_lesson *lesson);

static inline void supersteps_lesson_fini_at(struct supersteps_lesson *lesson)
{
	supersteps_lesson_fini(lesson);
}

/* The forecast of its first step has the errors of the one `from` steps behind
 * the first of the errors, and so on; behind their last one they begin again.
 * Each task has them at the same steps, for their errors may be alike. */
void supersteps_lesson_expect(struct supersteps_lesson *lesson,
			      const struct supersteps_errors *errors,
			      unsigned from);

/* Steps that all tasks have before step 0. */
unsigned supersteps_steps_before(const struct supersteps *supersteps);

/* Steps behind those that are simulated of which `look` steps are known, with a
 * forecast of as many if it is to be there. */
unsigned supersteps_steps_behind(const struct supersteps *supersteps,
				 bool forecast, unsigned look);

#endif
