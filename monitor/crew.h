/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_CREW_H
#define MONITOR_CREW_H

/*
 * The workers of one provider, and the directory that is theirs
 *
 * The directory is locked: it has one crew at a time, which may clear away what
 * the one before left there.
 */

#include "monitor/provider.h"
#include "monitor/worker.h"

/* Embedded in its owner. */
struct crew {
	struct worker_place place;
	struct list workers;
	msec_t grace;
	bool ending, abandoned;
	struct loop_timer timer;
	/* As of worker_place; not while the crew is being ended. */
	void (*gone)(void *user, const struct worker *worker);
	void *user;
};

/* Copies what it needs of config.  crew_fini() even after a failure. */
int crew_init(struct crew *crew, const struct provider_config *config,
	      void (*gone)(void *user, const struct worker *worker), void *user,
	      struct error *err);
void crew_fini(struct crew *crew);

/* Clears away what a former crew left. */
int crew_adopt(struct crew *crew, struct error *err);

unsigned crew_count(const struct crew *crew);

/* NULL if there is no worker of that number. */
struct worker *crew_find(const struct crew *crew, unsigned number);

int crew_start(struct crew *crew, unsigned number, struct worker **out,
	       struct error *err);

/* Ends all workers, bounded.  Runs the loop, which must not be running. */
void crew_end(struct crew *crew);

#endif
