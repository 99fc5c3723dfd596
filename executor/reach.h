/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_REACH_H
#define EXECUTOR_REACH_H

/*
 * How mpiexec reaches this executor: what the job's launcher needs here
 */

struct executor;

/* After each attachment: begins it, or reports it once more. */
void reach_on_attached(struct executor *ex);

/* The executor leaves: nobody is to come any more. */
void reach_end(struct executor *ex);

#endif
