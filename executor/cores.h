/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_CORES_H
#define EXECUTOR_CORES_H

/*
 * How many processors ranks may use here
 *
 * A container sees all processors of its machine.  What it may use of them is
 * said by its affinity, which cpuset and taskset narrow, and by the quota of
 * its control group or one above it: cpu.max in version 2, cpu.cfs_quota_us
 * and cpu.cfs_period_us in version 1.
 */

/* groups: as /proc/self/cgroup, mount: as /sys/fs/cgroup.  At least 1; of a
 * processor that is there in part only whole ones count. */
unsigned cores_available(const char *groups, const char *mount);

#endif
