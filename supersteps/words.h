/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERSTEPS_WORDS_H
#define SUPERSTEPS_WORDS_H

/*
 * The command of a task in one step
 *
 *     {step}          number of the step, from 0
 *     {workload}      its workload, in the shortest form: 12.5
 *     {workload*N}    N times as much, rounded to a whole number: 5000000
 *
 * N is a positive number.  Other braces are left as they are.
 */

#include "base/error.h"

/* *words ends with NULL, and one free() frees all.  -EINVAL: N is no positive
 * number; -ENOMEM. */
int supersteps_words(char ***words, char *const *command, unsigned step,
		     double workload, struct error *err);

#endif
