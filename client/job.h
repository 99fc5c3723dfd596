/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLIENT_JOB_H
#define CLIENT_JOB_H

/*
 * A job as message Job tells it: names, and what follows from its numbers
 *
 * Strings of the message come from the coordinator and from executors.  They go
 * through text_safe() before a terminal shows them.
 */

#include "base/cleanup.h"
#include "base/time.h"
#include "proto/bellows.pb-c.h"

#include <stdbool.h>
#include <stdio.h>

/* "running"; "unknown" for a number this program does not know. */
const char *state_name(Bellows__V1__State state);
/* "accepted", "above_grant" */
const char *scale_code_name(Bellows__V1__ScaleCode code);

bool state_is_over(Bellows__V1__State state);

/* By the instants at which Bellows had something done. */
enum pause_phase {
	PAUSE_SAVE,
	PAUSE_STOP,
	PAUSE_START,
	PAUSE_FIRST_STEP,
	PAUSE_PHASES
};

/* By what the application did. */
enum pause_part {
	PART_COMPUTING, /* to the last step that was seen of the old ranks */
	PART_WRITING,   /* until the checkpoint is complete and they are gone */
	PART_STANDING,  /* until the first step of the new ranks */
	PARTS,
};

/* "still computing", "writing", "standing still". */
const char *pause_part_name(enum pause_part part);

/*
 * What a rescale cost: the time from the order to save (or, when ranks were
 * lost, from then) to the first step of the new ranks, or until they run if no
 * step was seen.  -1: not reached, or not known.
 */
struct pause {
	msec_t begin, end, length;
	msec_t phase[PAUSE_PHASES];
	msec_t part[PARTS];
};

struct pause pause_of(const Bellows__V1__Rescale *rescale);

/* "0.800 s (writing 0.300 s, standing still 0.500 s)" */
void pause_print(FILE *to, const struct pause *pause);

bool rescale_is_done(const Bellows__V1__Rescale *rescale);

/* Total of all pauses of rescales that were done, or failed. */
msec_t job_paused(const Bellows__V1__Job *job);

/* It computes on the size that it is to have, and no change is on. */
bool job_is_settled(const Bellows__V1__Job *job);

/* When the ranks began to compute that do now; 0: none do. */
msec_t job_began(const Bellows__V1__Job *job);

/* Members in the state "ready". */
unsigned job_ready(const Bellows__V1__Job *job);

/* A copy of its own; NULL without memory. */
Bellows__V1__Job *job_copy(const Bellows__V1__Job *job);
Bellows__V1__Job *job_free(Bellows__V1__Job *job); /* returns NULL */

DEFINE_CLEANUP(Bellows__V1__Job, job_free)

#endif
