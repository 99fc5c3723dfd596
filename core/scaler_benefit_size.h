/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SCALER_BENEFIT_SIZE_H
#define CORE_SCALER_BENEFIT_SIZE_H

/*
 * What the sizes of a job are worth to its goal
 */

#include "core/scaler_benefit.h"

/* What is decided with, at one instant. */
struct benefit_view {
	const struct benefit *benefit;
	const struct benefit_facts *facts;
	struct cost_curve curve;
	struct cost_time price; /* of a rescale, seconds */
	double left;            /* seconds on the size that it has */
	double until;           /* seconds to the deadline */
	double margin; /* standard deviations by which a gain has to exceed the
			* price */
};

/* A change to another size; to 0: none comes into question. */
struct benefit_change {
	unsigned to;
	struct cost_time gain, price;
	bool is_work;
};

struct benefit_view benefit_view(const struct benefit *benefit,
				 const struct benefit_facts *facts);

/* What a change to this size saves, in what the goal counts there. */
struct benefit_change benefit_change_to(const struct benefit_view *view,
					unsigned ranks);

/* Gain less price, and its standard deviation. */
struct cost_time benefit_net(const struct benefit_change *change);

/* The size of the goal, as far as it is known. */
struct benefit_change benefit_target(const struct benefit_view *view);

/* Measurements that a start needs before anything is decided there: so many
 * that their mean is known to BENEFIT_KNOWN. */
unsigned benefit_measures(const struct benefit_facts *facts);

/* Steps that are made until a size which was just started is measured. */
double benefit_probe_steps(const struct benefit_facts *facts);

/* Seconds that a probe of this size costs the job at most: two rescales, and
 * steps that take longer in proportion to the ranks, or on fewer of them. */
double benefit_probe_cost(const struct benefit_view *view, unsigned ranks);

/* The size that may gain most and may be probed. */
struct benefit_change benefit_probe_target(const struct benefit_view *view);

#endif
