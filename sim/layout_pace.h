/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_LAYOUT_PACE_H
#define SIM_LAYOUT_PACE_H

/*
 * How fast programs run in a layout
 *
 * A job takes the seconds of its program, times what its containers cost it,
 * times what the memory of the fullest socket costs it: the slowest rank
 * decides. The last factor changes whenever a job begins or ends.
 */

#include "base/error.h"
#include "core/place.h"

#include <stddef.h>

enum {
	LAYOUT_PROGRAMS_MAX = 100,
	LAYOUT_NAME_MAX = 63,
};

struct layout_program {
	char name[LAYOUT_NAME_MAX + 1];
	enum place_profile profile;
	unsigned ranks;
	/* One rank a container, and as much memory bandwidth as it likes.  They
	 * do not depend on the number of ranks: each has as much to do. */
	double seconds;
	/* Factors of that where ranks move about between the cores of a
	 * container of 4, or of 16 ranks. */
	double of_4, of_16;
	double floating;  /* or between all cores of a node */
	double apart;     /* factor if its ranks are on several nodes */
	double bandwidth; /* GB/s that a rank reads and writes */
	double slowing;   /* part by which it takes longer if the ranks on a
			   * socket want twice the bandwidth that it has */
};

struct layout_pace {
	double launch;  /* seconds until a job that has its cores computes */
	double release; /* seconds until the cores of one that ended are free */
	double bandwidth; /* GB/s of a socket */
	struct layout_program *programs;
	size_t n;
};

struct layout_containers {
	unsigned ranks; /* of the largest one */
	bool floating;  /* ranks have no cores of their own */
	bool apart;     /* they are on several nodes */
};

/* Those of experiment 2 of the paper (sim/layout_cluster.h). */
extern const struct layout_pace layout_pace_published;

/* The same from JSON.  -EINVAL with "PATH:LINE: what is wrong"; -ENOMEM; -errno
 * of the file.  layout_pace_fini() in each case. */
int layout_pace_read(struct layout_pace *pace, const char *path,
		     struct error *err);
void layout_pace_fini(struct layout_pace *pace);

static inline void layout_pace_fini_at(struct layout_pace *pace)
{
	layout_pace_fini(pace);
}

/* "network", "cpu" or "memory". */
bool layout_profile_find(enum place_profile *profile, const char *name);

/* NULL: there is none. */
const struct layout_program *layout_program_find(const struct layout_pace *pace,
						 const char *name);

/* Seconds of a job that memory does not slow down. */
double layout_pace_seconds(const struct layout_program *program,
			   const struct layout_containers *containers);

/* load: of the fullest socket that it is on, the bandwidth that all ranks there
 * want, over that which the socket has. */
double layout_pace_slowdown(const struct layout_program *program, double load);

#endif
