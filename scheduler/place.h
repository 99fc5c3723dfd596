/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLACE_H
#define SCHEDULER_PLACE_H

/*
 * Where the jobs run: on this machine, or on the hosts of a file
 *
 * Each job has a hosts file of its own, with all hosts, those first that run
 * least: `bellows run` takes the first ones.
 */

#include "jobfile/hosts.h"

#include <stdbool.h>
#include <stddef.h>

struct queued;
struct scheduler;

/* Zero: this machine. */
struct place {
	struct hosts *hosts;
	const char *path; /* of the hosts file */
};

/* path: NULL: this machine. */
int place_open(struct place *place, const char *path, struct error *err);
void place_close(struct place *place);

/* "this machine", "hosts.txt" */
const char *place_name(const struct place *place);

/* Writes the job's hosts file; nothing on this machine. */
int place_choose(struct queued *queued, struct error *err);

/* The path of the job's hosts file; false: this machine. */
bool place_file(const struct queued *queued, char *path, size_t n);

/* Hosts of a job that runs already, by its hosts file. */
void place_adopt(struct queued *queued);

#endif
