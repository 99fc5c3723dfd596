/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/event_heap.h"

#include "base/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int event_heap_init(struct event_heap *heap, size_t n_jobs, bool as_heapq)
{
	*heap = (struct event_heap){.as_heapq = as_heapq};
	heap->ends = malloc(n_jobs * sizeof(*heap->ends));
	heap->starts = malloc(n_jobs * sizeof(*heap->starts));
	heap->resizes = malloc(n_jobs * sizeof(*heap->resizes));
	if (!heap->ends || !heap->starts || !heap->resizes)
		return -ENOMEM;
	for (size_t i = 0; i < n_jobs; i++)
		heap->ends[i] = heap->starts[i] = heap->resizes[i] = SIZE_MAX;
	return 0;
}

void event_heap_fini(struct event_heap *heap)
{
	free(heap->events);
	free(heap->ends);
	free(heap->starts);
	free(heap->resizes);
}

static bool is_before(const struct event_heap *heap, const struct sim_event *a,
		      const struct sim_event *b)
{
	if (a->at != b->at || heap->as_heapq)
		return a->at < b->at;
	return a->order < b->order;
}

/* Where the heap notes the place of such an event; NULL: it does not. */
static size_t *place_of(struct event_heap *heap, enum sim_event_kind kind,
			unsigned job)
{
	return kind == SIM_END      ? &heap->ends[job]
	       : kind == SIM_START  ? &heap->starts[job]
	       : kind == SIM_RESIZE ? &heap->resizes[job]
				    : NULL;
}

static void put(struct event_heap *heap, size_t i,
		const struct sim_event *event)
{
	size_t *place = place_of(heap, event->kind, event->job);

	heap->events[i] = *event;
	if (place)
		*place = i;
}

static void rise(struct event_heap *heap, size_t from, size_t i)
{
	struct sim_event event = heap->events[i];

	while (i > from) {
		size_t above = (i - 1) / 2;

		if (!is_before(heap, &event, &heap->events[above]))
			break;
		put(heap, i, &heap->events[above]);
		i = above;
	}
	put(heap, i, &event);
}

/* Moves the earlier child up until a leaf is free, and lets the event rise from
 * there. */
static void sink(struct event_heap *heap, size_t i)
{
	struct sim_event event = heap->events[i];
	size_t from = i;

	for (size_t child; (child = 2 * i + 1) < heap->n; i = child) {
		if (child + 1 < heap->n &&
		    !is_before(heap, &heap->events[child],
			       &heap->events[child + 1]))
			child++;
		put(heap, i, &heap->events[child]);
	}
	put(heap, i, &event);
	rise(heap, from, i);
}

int event_heap_add(struct event_heap *heap, const struct sim_event *event)
{
	struct sim_event added = *event;

	if (ARRAY_RESERVE(heap->events, heap->n, heap->room) < 0)
		return -ENOMEM;
	added.order = heap->added++;
	put(heap, heap->n++, &added);
	rise(heap, 0, heap->n - 1);
	return 0;
}

static void forget(struct event_heap *heap, const struct sim_event *event)
{
	size_t *place = place_of(heap, event->kind, event->job);

	if (place)
		*place = SIZE_MAX;
}

bool event_heap_pop(struct event_heap *heap, struct sim_event *event)
{
	if (heap->n == 0)
		return false;
	*event = heap->events[0];
	forget(heap, event);
	if (--heap->n > 0) {
		put(heap, 0, &heap->events[heap->n]);
		sink(heap, 0);
	}
	return true;
}

static void remove_as_list(struct event_heap *heap, size_t at)
{
	heap->n--;
	for (size_t i = at; i < heap->n; i++)
		put(heap, i, &heap->events[i + 1]);
	for (size_t i = heap->n / 2; i > 0; i--)
		sink(heap, i - 1);
}

struct sim_event *event_heap_find(struct event_heap *heap, unsigned job,
				  enum sim_event_kind kind)
{
	size_t at = *place_of(heap, kind, job);

	return at == SIZE_MAX ? NULL : &heap->events[at];
}

bool event_heap_remove(struct event_heap *heap, unsigned job,
		       enum sim_event_kind kind)
{
	size_t at = *place_of(heap, kind, job);

	if (at == SIZE_MAX)
		return false;
	forget(heap, &heap->events[at]);
	if (heap->as_heapq) {
		remove_as_list(heap, at);
	} else if (at < --heap->n) {
		put(heap, at, &heap->events[heap->n]);
		sink(heap, at);
		rise(heap, 0, at);
	}
	return true;
}
