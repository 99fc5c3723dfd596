/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_ETA_H
#define CORE_ETA_H

/*
 * ETA: how long a job still computes, and how well that is known
 *
 * The time of a step is the time of all steps that were measured at the present
 * size, by their number.  How much it varies is taken from batches of them:
 * whenever ETA_BATCHES are full, each two become one, so that batches grow with
 * what was measured, and noise that lasts for many steps shows in them (batch
 * means, Fishman 1978).  With a variance v of one step, N steps that were
 * measured and L that are left, the variance of the time that is left is
 * v L + v L^2 / N: the noise of these steps, and that of the mean.
 *
 * A job may change its pace.  Every METER_BATCH measurements the batches are
 * split where those before and those after differ most.  If their means differ
 * by more than ETA_CHANGE, and by more than ETA_DEVIATIONS standard errors,
 * those before are forgotten.  This finds smaller changes than
 * core/step_meter.h does, and takes none for one that is noise which lasts.
 *
 * Until ETA_KNOWN batches of a start at another size are there, a step is what
 * it was when the job had that size before, or else what core/cost.h predicts,
 * with the uncertainty of that: the steps that would have to be waited for may
 * take an hour each, and the deviation says what a prediction is worth.
 *
 * Before anything was measured, the caller may have a rough time of a step;
 * what follows from it has no deviation.
 *
 * Pure; a zero eta_meter: nothing was looked at yet.
 */

#include "core/step_meter.h"

enum {
	ETA_BATCHES = 32,
	ETA_KNOWN = 3,      /* batches that tell the noise */
	ETA_DEVIATIONS = 5, /* of a change */
	ETA_LOOK = 100, /* milliseconds: lines that come within are one look */
};

#define ETA_CHANGE 0.01 /* of the mean */

struct eta_batch {
	unsigned n; /* measurements */
	double steps, seconds;
};

struct eta_meter {
	struct step_meter meter;
	unsigned ranks; /* that the batches are of */
	struct eta_batch batches[ETA_BATCHES];
	unsigned n;
	unsigned length; /* measurements that the last one is to have */
	bool is_anew;    /* they are of another pace than those before */
	bool is_mixed;   /* and the first of them may be of both */
	bool knows_noise;
	double noise; /* relative variance of a step at the size before */
};

struct eta_facts {
	unsigned ranks;    /* that compute, or will */
	double steps_left; /* negative: not known */
	double idle;       /* seconds since the last step was seen */
	double rough;      /* seconds of a step, with the warming up of this
			    * start; 0: not known */
};

struct eta {
	double rate; /* steps a second; 0: not known */
	double left; /* seconds; negative: not known */
	double sd;   /* standard deviation of left; negative: not known */
};

void eta_look(struct eta_meter *meter, const struct step_look *look);

/* Until the next look the ranks do something else beside computing. */
void eta_break(struct eta_meter *meter);

struct eta eta_of(const struct eta_meter *meter, const struct eta_facts *facts);

#endif
