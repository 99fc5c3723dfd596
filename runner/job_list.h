/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_JOB_LIST_H
#define RUNNER_JOB_LIST_H

/*
 * Jobs whose coordinators are asked all at once, on one loop
 */

#include "client/client.h"
#include "proto/bellows.pb-c.h"

enum { JOB_LIST_MAX = 1000 };

struct job_list;

struct job_entry {
	struct job_list *list;
	struct client client;
	/* NULL: not known.  Where one is set before, and the coordinator does
	 * not answer, its reason says why. */
	Bellows__V1__Job *job;
};

/* Zero-initialised. */
struct job_list {
	struct loop *loop;
	struct rpc *rpc;
	struct job_entry *at[JOB_LIST_MAX];
	size_t n, waiting;
	msec_t patience; /* with each answer */
};

int job_list_init(struct job_list *list, msec_t patience, struct error *err);
void job_list_fini(struct job_list *list);

/* Closes the connections; the jobs stay. */
void job_list_close(struct job_list *list);

/* An entry with a loop and rpc; NULL: there is no room. */
struct job_entry *job_list_add(struct job_list *list);

/* Asks the coordinator that entry->client was made to lead to. */
void job_list_ask(struct job_entry *entry);

/* The reason of entry->job says why there is no answer. */
void job_list_tell(struct job_entry *entry, const char *why);

/* job_list_wait() waits for as many releases as there were holds. */
void job_list_hold(struct job_entry *entry);
void job_list_release(struct job_entry *entry);

/* Runs the loop until each entry has its answer; then sorts by name, without
 * those whose job is not known. */
int job_list_wait(struct job_list *list);

#endif
