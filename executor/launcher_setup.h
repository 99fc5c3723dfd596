/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_LAUNCHER_SETUP_H
#define EXECUTOR_LAUNCHER_SETUP_H

/*
 * How mpiexec reaches this executor: what the job's launcher needs here
 */

struct executor;

/* After each attachment: begins it, or reports it once more. */
void launcher_setup_begin(struct executor *ex);

/* The executor leaves: no launcher is to reach it any more. */
void launcher_setup_end(struct executor *ex);

#endif
