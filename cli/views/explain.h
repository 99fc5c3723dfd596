/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_EXPLAIN_H
#define CLI_VIEWS_EXPLAIN_H

/*
 * Why a job has the ranks that it has
 *
 *     heat (job 7) is running: it wants 6 ranks, is granted 4, and runs on 4
 *
 *     12:03:11 grant 2 -> 4: free slots save most time there (policy bellows; 3
 *     slots free, 2 jobs wait, 1 runs); on 4 ranks it would end in 31 s +- 2 s,
 *     on 2 in 58 s; a rescale costs 0.2 s
 */

#include "proto/scheduler.pb-c.h"

#include <stdio.h>
#include <time.h>

/* A decision of another day than now's has its date.  Not wrapped. */
void explain_print(FILE *to, const Bellows__V1__ExplainReply *reply,
		   time_t now);

#endif
