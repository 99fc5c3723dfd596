/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/event_heap.h"
#include "tests/check.h"

#include <stdlib.h>

enum { JOBS = 16 };

static struct event_heap heap;
static char order[256];

static void begin(bool as_heapq)
{
	CHECK(event_heap_init(&heap, JOBS, as_heapq) == 0);
}

static void add(usec_t at, unsigned job, enum sim_event_kind kind)
{
	const struct sim_event event = {.at = at, .job = job, .kind = kind};

	CHECK(event_heap_add(&heap, &event) == 0);
}

/* The jobs, in the order in which their events come; ends the heap. */
static const char *drain(void)
{
	struct sim_event event;
	char *to = order;

	*to = '\0';
	while (event_heap_pop(&heap, &event))
		to += sprintf(to, "%s%u", to == order ? "" : " ", event.job);
	event_heap_fini(&heap);
	return order;
}

static void the_earliest_event_is_first(void)
{
	begin(false);
	for (unsigned i = 0; i < JOBS; i++)
		add((i * 7) % JOBS, i, SIM_END);
	CHECK_TEXT(drain(), "0 7 14 5 12 3 10 1 8 15 6 13 4 11 2 9");
}

static void events_at_one_instant_come_as_they_were_added(void)
{
	begin(false);
	for (unsigned i = 0; i < JOBS; i++)
		add(5 + i / 8, i, SIM_SUBMIT);
	CHECK_TEXT(drain(), "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
}

/* From CPython 3.11: heappush and heappop of values that compare equal. */
static void or_as_pythons_heapq_leaves_them(void)
{
	begin(true);
	for (unsigned i = 0; i < 8; i++)
		add(5, i, SIM_SUBMIT);
	CHECK_TEXT(drain(), "0 2 6 5 7 4 1 3");
}

static void an_event_can_be_removed(void)
{
	begin(false);
	for (unsigned i = 0; i < JOBS; i++)
		add((i * 7) % JOBS, i, SIM_END);
	add(3, 3, SIM_RESIZE);
	CHECK(event_heap_remove(&heap, 3, SIM_END));
	CHECK(!event_heap_remove(&heap, 3, SIM_END));
	CHECK(event_heap_remove(&heap, 0, SIM_END));
	CHECK(event_heap_remove(&heap, 9, SIM_END));
	CHECK(!event_heap_remove(&heap, 9, SIM_RESIZE));
	CHECK_TEXT(drain(), "7 14 5 3 12 10 1 8 15 6 13 4 11 2");
}

/* From CPython 3.11: list.remove() and heapify(). */
static void a_removal_rebuilds_the_heap_as_heapq_does(void)
{
	begin(true);
	for (unsigned i = 0; i < 12; i++)
		add(i / 6, i, SIM_END);
	CHECK(event_heap_remove(&heap, 4, SIM_END));
	CHECK_TEXT(drain(), "2 0 5 1 3 7 6 11 9 10 8");
}

/* Against a search through all events, in a random walk. */
static void a_heap_agrees_with_a_plain_search(void)
{
	usec_t at[JOBS];
	unsigned seed = 1, n = 0, popped = 0;

	begin(false);
	for (unsigned i = 0; i < JOBS; i++)
		at[i] = -1;
	for (unsigned step = 0; step < 20000; step++) {
		unsigned job = (seed = seed * 1103515245 + 12345) >> 16;
		struct sim_event event;
		unsigned first = JOBS;

		job %= JOBS;
		if (at[job] < 0) {
			at[job] = step + (seed >> 24);
			add(at[job], job, SIM_END);
			n++;
			continue;
		}
		if (seed & 1024) {
			CHECK(event_heap_remove(&heap, job, SIM_END));
			at[job] = -1;
			n--;
			continue;
		}
		for (unsigned i = 0; i < JOBS; i++)
			if (at[i] >= 0 && (first == JOBS || at[i] < at[first]))
				first = i;
		CHECK(event_heap_pop(&heap, &event));
		CHECK(event.at == at[first]);
		at[event.job] = -1;
		n--;
		popped++;
		CHECK(heap.n == n);
	}
	CHECK(popped > 1000);
	event_heap_fini(&heap);
}

RUN_TESTS(TEST(the_earliest_event_is_first),
	  TEST(events_at_one_instant_come_as_they_were_added),
	  TEST(or_as_pythons_heapq_leaves_them), TEST(an_event_can_be_removed),
	  TEST(a_removal_rebuilds_the_heap_as_heapq_does),
	  TEST(a_heap_agrees_with_a_plain_search))
