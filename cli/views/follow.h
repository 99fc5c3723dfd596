/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_FOLLOW_H
#define CLI_VIEWS_FOLLOW_H

/*
 * From a stream of Job messages to what a reader wants to hear: each change of
 * the state, each tenth of progress, each checkpoint, each rescale, each
 * trouble with executors and each notice of a disk or a checkpoint once
 *
 * Pure: no clock, no output.  A stream that was opened again goes on where the
 * former one ended; what was over when the first message came is not told.  A
 * rescale is told when its first step was seen, or some seconds after its ranks
 * came up if none is.
 */

#include "client/job.h"

enum event_kind {
	EVENT_STATE,
	EVENT_PROGRESS,
	EVENT_SAVED,    /* rescale: whose checkpoint is complete */
	EVENT_RESCALED, /* rescale: which is over, done or not */
	EVENT_TROUBLE,  /* job->trouble: executors do not come */
	EVENT_NOTICE,   /* text: what is the matter with a disk, a
			 * checkpoint or the job's progress */
	EVENT_OVER,     /* the job is; not told by follow_step() */
	EVENT_MESSAGE,  /* text: a sentence of this program */
	EVENT_OUTPUT,   /* text, size: output of the application */
};

/* All borrowed. */
struct event {
	enum event_kind kind;
	const Bellows__V1__Job *job; /* NULL: none was seen yet */
	const Bellows__V1__Rescale *rescale;
	const char *text;
	size_t size;
	bool error; /* of EVENT_OUTPUT: stderr */
};

typedef void (*event_f)(void *user, const struct event *event);

/* Zero-initialised at first. */
struct follow {
	bool begun;
	Bellows__V1__State state;
	unsigned size, target;
	int tenth;
	uint64_t told, told_saved; /* the newest rescale told, by `asked` */
	/* Set before the first message: what was asked for later is news, also
	 * if it is over by then. */
	bool has_since;
	uint64_t since;
	char trouble[256];
	uint64_t notice; /* number of the newest */
};

void follow_step(struct follow *follow, const Bellows__V1__Job *job, event_f fn,
		 void *user);

#endif
