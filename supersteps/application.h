/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERSTEPS_APPLICATION_H
#define SUPERSTEPS_APPLICATION_H

/*
 * A bulk-synchronous application: its tasks, their profiles and workloads
 *
 * It is read from a file of JSON that names files of comma-separated values
 * beside it; docs/supersteps.md explains the keys.
 */

#include "base/cleanup.h"
#include "base/error.h"
#include "core/share.h"
#include "core/share_profile.h"

#include <limits.h>

enum {
	SUPERSTEPS_BYTES_MAX = 1 << 20,
	SUPERSTEPS_STEPS_MAX = 1000000,
	SUPERSTEPS_NAME_MAX = 63,
	SUPERSTEPS_WORDS_MAX = 256, /* of a command */
};

struct supersteps_task {
	char name[SUPERSTEPS_NAME_MAX + 1];
	struct share_profile profile;
	double *numbers; /* of the profile */
	double usual;    /* workload, on average */
	/* Workloads: n_past ones before the first step, then n of the steps. */
	double *series;
	size_t n_past, n;
	/* Of step r the workloads that are expected in the steps r, r + 1, ...:
	 * [r][columns]; NULL: the file has none. */
	double *forecast;
	size_t rows;
	unsigned columns;
	/* A program and its arguments, which computes one step; ends with NULL.
	 * NULL: the task is simulated alone. */
	char **command;
	double memory; /* MiB that it may have; 0: not limited */
};

struct supersteps {
	struct share_rules rules;
	unsigned steps;
	unsigned levels; /* of a table: above the last one no task is faster */
	struct supersteps_task *tasks; /* as many as the rules say */
};

/* Of the step, from 0. */
static inline double supersteps_workload(const struct supersteps_task *task,
					 size_t step)
{
	return task->series[task->n_past + step];
}

/* -EINVAL with "PATH:LINE: what is wrong", -ENOMEM, -errno of a file. */
int supersteps_read(struct supersteps **out, const char *path,
		    struct error *err);

/* The same without the profiles of its tasks; `profile` gets the path of their
 * file, which need not be there. */
int supersteps_read_unmeasured(struct supersteps **out, const char *path,
			       char profile[PATH_MAX], struct error *err);

void supersteps_destroy(struct supersteps *supersteps);
DEFINE_CLEANUP(struct supersteps, supersteps_destroy)

#endif
