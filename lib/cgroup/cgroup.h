/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CGROUP_CGROUP_H
#define CGROUP_CGROUP_H

/*
 * Control groups: how much of the processors and of the memory some processes
 * may have, changed while they run
 *
 * Of version 2 there is one tree of folders, of version 1 one for each of cpu,
 * cpuacct and memory; a group is a folder in each tree.  Which version this
 * machine has for the processors decides.  See cgroups(7).
 */

#include "base/error.h"

#include <limits.h>
#include <stdint.h>

enum cgroup_tree {
	CGROUP_CPU,
	CGROUP_ACCOUNT, /* of processor time; version 2: that of CGROUP_CPU */
	CGROUP_MEMORY,  /* version 2: that of CGROUP_CPU */
	CGROUP_TREES,
};

/* Where groups may be made. */
struct cgroup_base {
	unsigned version;
	char dirs[CGROUP_TREES][PATH_MAX]; /* "": this machine has none */
};

/* `group`: a group as /proc/PID/cgroup names it, "/user.slice/x", which has no
 * processes if it is of version 2; NULL: that of this program, whose processes
 * move into a group of their own within it if it is of version 2.  `root`: "",
 * or a folder in place of the machine's.
 *
 * -ENOENT: no control groups; -EACCES, -EROFS: no right to make any. */
int cgroup_base_find(struct cgroup_base *base, const char *group,
		     const char *root, struct error *err);

/* How many processors this program's own group may have at most; INFINITY: all
 * that there are.  Others may change that at any time.  root: as above. */
int cgroup_own_processors(double *processors, const char *root,
			  struct error *err);

struct cgroup {
	unsigned version;
	char dirs[CGROUP_TREES][PATH_MAX];
	/* Of each folder cgroup.procs, open for writing: a process that writes
	 * "0" joins. */
	int joins[CGROUP_TREES];
	unsigned n_joins;
	int lock; /* its first folder; -1: none.  Programs that end let go */
};

/* An empty group; what is left of a former one of that name is killed.
 * -EINVAL: the name is empty, begins with a dot or has a slash; -EBUSY: a
 * program that lives has made it; -errno.  cgroup_fini() in each case. */
int cgroup_create(struct cgroup *group, const struct cgroup_base *base,
		  const char *name, struct error *err);

/* 1.5: one and a half processors.  At least 0.01. */
int cgroup_set_processors(struct cgroup *group, double processors,
			  struct error *err);

/* -ENOTSUP: this machine does not count memory. */
int cgroup_set_memory(struct cgroup *group, uint64_t bytes, struct error *err);

struct cgroup_usage {
	uint64_t processor_us; /* that its processes had */
	uint64_t throttled_us; /* that they waited for the next period */
	uint64_t memory_peak;  /* bytes; 0: not known */
};

int cgroup_read(const struct cgroup *group, struct cgroup_usage *usage,
		struct error *err);

/* SIGKILL to each process in it. */
int cgroup_kill(const struct cgroup *group, struct error *err);

/* Removes it.  -EBUSY: processes are in it. */
int cgroup_remove(struct cgroup *group, struct error *err);

/* Removes the groups whose names begin so and whose programs have ended; what
 * is in them is killed.  How many there were. */
unsigned cgroup_clear(const struct cgroup_base *base, const char *prefix);

/* Closes what is open, and leaves the group. */
void cgroup_fini(struct cgroup *group);

#endif
