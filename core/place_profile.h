/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_PLACE_PROFILE_H
#define CORE_PLACE_PROFILE_H

/*
 * What binds a program: the network, the processor or the memory
 *
 * The profile of fine-grained scheduling (P. Liu and J. Guitart, Fine-grained
 * scheduling for containerized HPC workloads in Kubernetes clusters, 2022,
 * section IV-A and figure 3): a program that the network binds is packed into
 * one worker, one that the processor or the memory binds is split into many.
 *
 * - Network: its ranks are in calls of MPI for a large part of their time.  The
 *   rank that is there least decides: the others may wait for that one, which
 *   is imbalance, and no network changes it.  Among the programs of the paper
 *   G-RandomRing does nothing but communicate, and G-FFT sends all its
 *   data around three times for few operations; MiniFE, which the paper does
 *   not count among the communicating ones, has halo exchanges and reductions.
 *   The bound lies between these.  It is also what POP (Performance
 *   Optimisation and Productivity, its efficiency metrics) begins to call poor:
 *   a communication efficiency below 80 %, with room for noise.
 * - Memory: a second of a processor moves a large part of what the machine can
 *   move for as many processors.  EP-STREAM is the yardstick, at 1; a blocked
 *   EP-DGEMM uses each element that it loads dozens of times, and is at 0.13 or
 *   below; MiniFE, which the paper calls both, is at 0.34.  At the bound, a
 *   program that has its share of the bandwidth computes for at most three
 *   times as long as it loads.
 *
 * Both bounds are taken with a factor of two around them: there confidence goes
 * from 0.5 to 1.
 */

#include "core/place.h"

#define PLACE_NETWORK_BOUND 0.25
#define PLACE_MEMORY_BOUND  0.25
#define PLACE_SECONDS_LEAST 1.0

/* The most confidence if something is not known, or is known with too much
 * noise. */
#define PLACE_CONFIDENCE_UNKNOWN 0.25
#define PLACE_CONFIDENCE_NOISY   0.5

enum place_reason {
	PLACE_MESSAGES,        /* much time in MPI */
	PLACE_BANDWIDTH,       /* little; much of the memory bandwidth */
	PLACE_NEITHER,         /* little of both */
	PLACE_BANDWIDTH_NOISY, /* little; the bandwidth's noise hides the bound
				*/
	PLACE_BANDWIDTH_UNKNOWN, /* little; the bandwidth was not measured */
	PLACE_MESSAGES_UNKNOWN,  /* one rank has nothing to communicate with */
	PLACE_SHORT              /* the figures are those of a moment */
};

/* Shares are from 0 to 1, or a little above it by noise; negative: not known.
 */
struct place_facts {
	double seconds; /* that were measured */
	/* of time in communication, of the rank that has least; 0 for a program
	 * that does not use MPI */
	double messages;
	/* of the machine's memory bandwidth for as many processors, and its
	 * standard error */
	double bandwidth, bandwidth_error;
};

struct place_verdict {
	enum place_profile profile;
	double confidence; /* 0 to 1 */
	enum place_reason reason;
};

struct place_verdict place_judge(const struct place_facts *facts);

/* "cpu", as in a job file. */
const char *place_profile_name(enum place_profile profile);

#endif
