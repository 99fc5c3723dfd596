/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PLACE_H
#define SCHEDULER_PLACE_H

/*
 * Where the jobs run: on this machine, on the hosts of a file, or in a
 * namespace of a cluster
 *
 * On hosts each job has a hosts file of its own, with all hosts, those first
 * that run least: `bellows run` takes the first ones.
 *
 * In a cluster each run of a job has an ID (runner/kube/runs.h), which is on
 * the disk before the run is made.
 */

#include "jobfile/hosts.h"
#include "runner/kube/runs.h"
#include "scheduler/config.h"
#include "scheduler/programs.h"
#include "scheduler/record.h"

#include <stdbool.h>
#include <stddef.h>

struct queued;
struct scheduler;

/* Zero: this machine. */
struct place {
	const struct scheduler_config *config;
	struct hosts *hosts;  /* NULL: none */
	struct lookup lookup; /* of a cluster */
	char sockets[PATH_MAX + 16];
	struct reach *reach;    /* NULL: no cluster */
	struct kube_runs *runs; /* likewise */
	char name[PATH_MAX];
};

/* dir: of the queue. */
int place_open(struct place *place, struct loop *loop,
	       const struct scheduler_config *config,
	       const struct state_dir *dir, struct error *err);
void place_close(struct place *place);

/* "this machine", "hosts.txt", "namespace physics" */
const char *place_name(const struct place *place);

/* Whether the job's file can run there: 0, or -EINVAL with a sentence. */
int place_check(const struct place *place, const char *path, const char *text,
		struct error *err);

/* Whether a job that has begun did so there: 0, or -EACCES with a sentence. */
int place_check_begun(const struct place *place, const struct record *record,
		      struct error *err);

/* Gives the run that begins its ID, in a cluster, and its namespace; -errno
 * without random numbers. */
int place_name_run(struct queued *queued, struct error *err);

/* Writes the job's hosts file, if it runs on hosts. */
int place_choose(struct queued *queued, struct error *err);

/* "its output goes to DIR/output" */
void place_tell_output(const struct queued *queued, char *text, size_t n);

/* What `bellows run` has to know of the place. */
void place_put_words(const struct queued *queued, struct programs_order *order);

/* Hosts of a job that runs already, by its hosts file. */
void place_adopt(struct queued *queued);

#endif
