/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/affinity.h"

#include <errno.h>
#include <sched.h>

enum { KERNEL_MAX = 65536 }; /* the kernel refuses a set below its own */

int affinity_read(struct processor_set *out, pid_t pid, struct error *err)
{
	cpu_set_t sets[KERNEL_MAX / CPU_SETSIZE];

	*out = (struct processor_set){0};
	if (sched_getaffinity(pid, sizeof(sets), sets) < 0)
		return error_errno(err, "the affinity of process %d", pid);
	for (unsigned i = 0; i < KERNEL_MAX; i++) {
		if (!CPU_ISSET_S(i, sizeof(sets), sets))
			continue;
		if (i >= PROCESSORS_MAX)
			return error_set(err, -ERANGE,
					 "processor %u is there; Bellows knows "
					 "the first %d",
					 i, PROCESSORS_MAX);
		processor_set_add(out, i);
	}
	return 0;
}
