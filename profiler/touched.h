/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILER_TOUCHED_H
#define PROFILER_TOUCHED_H

/*
 * How much memory processes go through, where no counter says it
 *
 * The processor marks each page that is used (the accessed bit of its entry in
 * the page table); the kernel clears the marks of a process on request
 * (/proc/PID/clear_refs) and adds them up (smaps_rollup: Referenced).  A look
 * is:
 *
 *     clear the marks | warm | read them | interval | read them
 *
 * What has been marked in the interval was not used in the warm time.  That is
 * so long that the last-level cache can be filled anew, and so these pages have
 * come from memory: all their bytes count as moved.  They are divided by the
 * processor time of the interval, which makes it independent of what else the
 * machine does.  To mark a page takes the processor's time, too, so a rate
 * means something only beside another one that was found in this way (triad.h).
 *
 * The processes are stopped (SIGSTOP) all at once while the marks are cleared
 * and read: neither takes part of an interval, and no rank waits for another
 * that is looked at.  A process is left out that had a processor for less than
 * half of the warm time, or that had one while it was to stand still, as one on
 * a busy virtual machine may.
 *
 * Pages of a huge size would hide which parts of them are used, so the program
 * is to run without those that are made transparently (prctl
 * PR_SET_THP_DISABLE).  Pages of hugetlbfs, and memory of devices, are not
 * seen.
 */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { TOUCHED_PROCESSES_MAX = 256, TOUCHED_LOOKS_LEAST = 4 };

struct touched_process {
	pid_t pid;
	double bytes, seconds; /* marked; of its processors, up to the last
				* read */
	bool counts;
};

/* Sums over looks, of each look's bytes b and processor seconds s. */
struct touched {
	unsigned looks; /* in which a processor was used */
	double b, s, bb, bs, ss;

	/* of the look that is made */
	struct touched_process at[TOUCHED_PROCESSES_MAX];
	size_t n;
};

/* 0 if marks can be read here; -errno with a sentence. */
int touched_check(struct error *err);

/* Looks at n processes, at most TOUCHED_PROCESSES_MAX, which takes both times
 * and what the page tables take.  Returns the microseconds for which they stood
 * still. */
long touched_look(struct touched *touched, const pid_t *pids, size_t n,
		  long warm_us, long interval_us);

/* Bytes a processor second, and the standard error of it; false: there
 * were too few looks. */
bool touched_rate(const struct touched *touched, double *rate, double *error);

/* Finds the processes of the session but its leader, at most `room`. */
size_t session_find(pid_t session, pid_t *pids, size_t room);

#endif
