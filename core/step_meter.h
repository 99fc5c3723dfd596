/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_STEP_METER_H
#define CORE_STEP_METER_H

/*
 * Step meter: what a step takes at each size, by successive looks at the job
 *
 * Between two looks at one start of the ranks so many steps were made in so
 * much time.  The first measurements of a start are its warming up
 * (COST_WARM_UP) and are left out.
 *
 * What a start takes is the time from when its ranks ran to their first step,
 * without the steps that were made in it.  The first start that is looked at
 * before its first step tells.
 *
 * A job may change while it runs.  Each METER_BATCH measurements are compared
 * with all that were made at that size before: if their mean is off by more
 * than METER_CHANGE, and by more than METER_DEVIATIONS standard errors, what
 * was measured before is of another curve, and only this batch is kept.
 *
 * Pure; zero: nothing was looked at yet.
 */

#include "base/time.h"
#include "core/cost.h"

enum { METER_BATCH = 8, METER_DEVIATIONS = 4 };

#define METER_CHANGE 0.1 /* of the mean */

struct step_look {
	unsigned epoch; /* of the start; 0: no start was looked at */
	unsigned ranks;
	uint64_t step; /* the last one that was made */
	msec_t at;     /* when it was; of any origin */
	msec_t began; /* when the ranks of this start ran; of the same origin */
};

struct step_start {
	bool is_awaited; /* the first step of the start that is looked at */
	double seconds;  /* until some steps were seen; 0: not known */
	double steps;    /* made until then */
	unsigned ranks;
};

/* The time of a step at a size that is not what it was. */
struct step_change {
	unsigned ranks;  /* 0: nothing has changed yet */
	double from, to; /* seconds a step */
	uint64_t number; /* 1: the first change of the job */
};

struct step_meter {
	struct cost_steps steps;
	struct step_look last;
	bool is_broken; /* the next look begins anew, in the same start */
	unsigned fresh; /* measurements of this start, without its warming up */
	double stride;  /* steps between the last two looks; 0: not known */
	struct step_start start;
	struct cost_steps batch;   /* the last measurements, of one size */
	struct step_change change; /* the last one */
};

void step_meter_look(struct step_meter *meter, const struct step_look *look);

/* Until the next look the ranks do something else beside computing. */
void step_meter_break(struct step_meter *meter);

/* Seconds that a start takes; 0: not known. */
double step_meter_start(const struct step_meter *meter);

#endif
