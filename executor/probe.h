/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_PROBE_H
#define EXECUTOR_PROBE_H

/*
 * Whether this host can run ranks of the job
 *
 * It can if the MPI daemon is there, and then directories and program are.
 * These are looked for on a thread, for a file system may never answer; then
 * there is no answer to the coordinator either.
 */

#include "base/error.h"

#include <stdint.h>

struct executor;
struct probe;

int probe_create(struct probe **out, struct executor *ex, struct error *err);
struct probe *probe_destroy(struct probe *probe); /* returns NULL */

/* Answered by a report.  An order takes the place of the one before. */
void probe_order(struct probe *probe, uint64_t token);

/* What is ordered is not answered. */
void probe_forget(struct probe *probe);

#endif
