/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_WORKER_SET_H
#define MONITOR_WORKER_SET_H

/*
 * The workers of one provider, and the directory that is theirs
 *
 * The directory is locked: one set of workers has it at a time, and may clear
 * away what the one before left there.
 */

#include "monitor/provider.h"
#include "monitor/worker.h"

/* Embedded in its owner. */
struct worker_set {
	struct worker_place place;
	struct list workers;
	msec_t grace;
	bool ending, abandoned;
	struct loop_timer timer;
	/* As of worker_place; not while the workers are being ended. */
	void (*gone)(void *user, const struct worker *worker);
	void *user;
};

/* Copies what it needs of config.  worker_set_fini() even after a failure. */
int worker_set_init(struct worker_set *set,
		    const struct provider_config *config,
		    void (*gone)(void *user, const struct worker *worker),
		    void *user, struct error *err);
void worker_set_fini(struct worker_set *set);

/* Clears away what the set before left. */
int worker_set_adopt(struct worker_set *set, struct error *err);

unsigned worker_set_count(const struct worker_set *set);

/* NULL if there is no worker of that number. */
struct worker *worker_set_find(const struct worker_set *set, unsigned number);

int worker_set_start(struct worker_set *set, unsigned number,
		     struct worker **out, struct error *err);

/* Ends all workers, bounded.  Runs the loop, which must not be running. */
void worker_set_end(struct worker_set *set);

#endif
