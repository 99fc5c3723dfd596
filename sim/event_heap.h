/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_EVENT_HEAP_H
#define SIM_EVENT_HEAP_H

/*
 * What is to happen in virtual time, the earliest event first
 *
 * Of events at the same instant the one that was added first comes first.  The
 * published simulator leaves that order to Python's heapq, and its figures
 * depend on it.  With `as_heapq` the heap compares instants alone and moves its
 * events exactly as CPython's heapq does, and a removal shifts all events
 * behind and builds the heap anew, which takes time in proportion to it.
 */

#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_event_kind {
	SIM_SUBMIT, /* a job */
	SIM_START,  /* a job, on size ranks */
	SIM_RESIZE, /* a job, to size ranks */
	SIM_END,    /* a job */
	SIM_FAIL,   /* a node */
	SIM_REPAIR, /* a node */
	SIM_ASK,    /* the policy, with cause */
};

struct sim_event {
	usec_t at;
	uint64_t order; /* set by event_heap_add() */
	enum sim_event_kind kind;
	unsigned job;  /* number */
	unsigned size; /* ranks, or the cause of SIM_ASK */
};

struct event_heap {
	bool as_heapq;
	struct sim_event *events;
	size_t n, room;
	uint64_t added;
	size_t *ends, *starts,
		*resizes; /* by job: where its event is; SIZE_MAX */
};

/* 0 or -ENOMEM; then, too, event_heap_fini() is to be called. */
int event_heap_init(struct event_heap *heap, size_t n_jobs, bool as_heapq);
void event_heap_fini(struct event_heap *heap);

/* 0 or -ENOMEM. */
int event_heap_add(struct event_heap *heap, const struct sim_event *event);

/* False: it is empty. */
bool event_heap_pop(struct event_heap *heap, struct sim_event *event);

/* A job's SIM_END, SIM_START or SIM_RESIZE, whose size may be changed until the
 * heap is; NULL: it has none. */
struct sim_event *event_heap_find(struct event_heap *heap, unsigned job,
				  enum sim_event_kind kind);

/* Removes a job's SIM_END, SIM_START or SIM_RESIZE; false: it has none. */
bool event_heap_remove(struct event_heap *heap, unsigned job,
		       enum sim_event_kind kind);

#endif
