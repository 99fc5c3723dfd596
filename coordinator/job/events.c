/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/events.h"

#include <errno.h>
#include <stdlib.h>

int events_put(struct list *events, const struct event *event)
{
	struct event *copy = malloc(sizeof(*copy));

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
