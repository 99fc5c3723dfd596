/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/spans.h"

#include <stdlib.h>

static struct queue_span *find_open(const struct queue_spans *spans,
				    uint64_t number)
{
	size_t kept =
		spans->n < SPANS_OF_QUEUE_MAX ? spans->n : SPANS_OF_QUEUE_MAX;

	for (size_t i = 0; i < kept; i++)
		if (spans->ring[i].number == number && spans->ring[i].to == 0)
			return &spans->ring[i];
	return NULL;
}

void spans_set(struct queue_spans *spans, uint64_t number, msec_t now,
	       unsigned slots)
{
	struct queue_span *open = find_open(spans, number);

	if ((open ? open->slots : 0) == slots)
		return;
	if (open)
		open->to = now;
	if (slots == 0)
		return;
	if (!spans->ring)
		spans->ring = calloc(SPANS_OF_QUEUE_MAX, sizeof(*spans->ring));
	if (spans->ring)
		spans->ring[spans->n++ % SPANS_OF_QUEUE_MAX] =
			(struct queue_span){number, now, 0, slots};
}

const struct queue_span *spans_at(const struct queue_spans *spans, size_t i)
{
	size_t first = spans->n > SPANS_OF_QUEUE_MAX
			       ? spans->n - SPANS_OF_QUEUE_MAX
			       : 0;

	return first + i < spans->n
		       ? &spans->ring[(first + i) % SPANS_OF_QUEUE_MAX]
		       : NULL;
}

void spans_fini(struct queue_spans *spans)
{
	free(spans->ring);
	*spans = (struct queue_spans){0};
}
