/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_AFFINITY_H
#define EXECUTOR_AFFINITY_H

/*
 * The processors on which a process may run
 */

#include "base/error.h"
#include "core/processor_set.h"

#include <sys/types.h>

/* pid 0: this thread.  -ESRCH and the like, -ERANGE if one has a number that
 * is not below PROCESSORS_MAX. */
int affinity_read(struct processor_set *out, pid_t pid, struct error *err);

#endif
