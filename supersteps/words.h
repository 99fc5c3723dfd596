/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERSTEPS_WORDS_H
#define SUPERSTEPS_WORDS_H

/*
 * The command of a task in one step
 *
 *     {step}          number of the step, from 0
 *     {workload}      its workload: 12.5, 100
 *     {workload*N}    N times as much, rounded to a whole number: 5000000
 *
 * Neither has an exponent, which a shell would not take for a number.  The
 * workload has as few decimals as printf() needs for what is read back as the
 * same double.
 *
 * N is a positive number.  Other braces are left as they are.
 */

#include "base/error.h"

/* Bytes of {workload} at most: "-0." and 324 decimals, because doubles are at
 * least 4.9e-324 apart. */
enum { SUPERSTEPS_WORKLOAD_MAX = 327 };

/* *words ends with NULL, and one free() frees all.  -EINVAL: N is no positive
 * number, or too large a one; -ENOMEM. */
int supersteps_words(char ***words, char *const *command, unsigned step,
		     double workload, struct error *err);

#endif
