/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/events.h"

#include <errno.h>
#include <stdlib.h>

/* While the journal stands still, each line of progress may be an event. */
static bool is_said(const struct list *events, const struct event *event)
{
	const struct event *newest =
		CONTAINER(events->prev, struct event, link);

	if (list_is_empty(events) || newest->kind != event->kind)
		return false;
	return event->kind == EVENT_EXECUTORS ||
	       (event->kind == EVENT_JOB && event->job.type == JOB_EV_STEP &&
		newest->job.type == JOB_EV_STEP &&
		newest->job.epoch == event->job.epoch);
}

int events_put(struct list *events, const struct event *event)
{
	struct event *copy;

	if (is_said(events, event))
		return 0;
	copy = malloc(sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	*copy = *event;
	list_append(events, &copy->link);
	return 0;
}

bool events_take(struct list *events, struct event *out)
{
	struct event *oldest;

	if (list_is_empty(events))
		return false;
	oldest = CONTAINER(events->next, struct event, link);
	list_remove(&oldest->link);
	*out = *oldest;
	free(oldest);
	return true;
}

void events_clear(struct list *events)
{
	struct event event;

	while (events_take(events, &event))
		;
}
