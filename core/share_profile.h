/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_PROFILE_H
#define CORE_SHARE_PROFILE_H

/*
 * Profile: how long a task takes with a workload and with shares
 *
 * A bicubic spline through measured cells, section IV-A of the paper of
 * core/share.h: cubic along either axis, with continuous second derivatives,
 * and one polynomial across the second and the last but one value ("not a
 * knot").  An axis of three values has one parabola, one of two a line, one of
 * one a constant.  Outside of what was measured it takes as long as at the
 * edge.
 */

#include <stddef.h>

enum { SHARE_AXIS_MAX = 64 };

struct share_axis {
	unsigned n;       /* 1 to SHARE_AXIS_MAX */
	const double *at; /* ascending */
};

struct share_profile {
	struct share_axis workloads, shares;
	/* [workload][share]: seconds, second derivatives along shares, along
	 * workloads, and along both. */
	const double *seconds;
	double *by_shares, *by_workload, *by_both;
};

/* Numbers that share_profile_init() needs beside the cells. */
static inline size_t share_profile_room(unsigned workloads, unsigned shares)
{
	return (size_t)3 * workloads * shares;
}

/* The axes, the cells [workload][share] and the room stay the caller's and have
 * to stay. */
void share_profile_init(struct share_profile *profile,
			const struct share_axis *workloads,
			const struct share_axis *shares, const double *seconds,
			double *room);

double share_profile_seconds(const struct share_profile *profile,
			     double workload, double shares);

/* The same with first, first + step, ... shares, n times. */
void share_profile_row(const struct share_profile *profile, double workload,
		       double first, double step, unsigned n, double *seconds);

#endif
