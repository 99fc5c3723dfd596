/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/events.h"

#include "base/log.h"

#include <errno.h>
#include <string.h>

/* Until an API that is away is asked again. */
#define AGAIN SECONDS(2)

static void post(void *user);

static void forget_first(struct events *events)
{
	memmove(events->queue, events->queue + 1,
		--events->n * sizeof(events->queue[0]));
	if (events->n > 0)
		post(events);
	else
		events->rest(events->user);
}

static void fall_silent(struct events *events, const char *text)
{
	log_warn("events are not told: %s", text);
	events->mute = true;
	events->n = 0;
	events->rest(events->user);
}

/* False: it is asked again later. */
static bool is_answered(struct events *events, const struct kube_answer *answer)
{
	events->busy = false;
	if (answer->r != -ETIMEDOUT && answer->r != -ECONNREFUSED)
		return true;
	loop_timer_set(events->loop, &events->again, AGAIN, post, events);
	return false;
}

static void on_posted(void *user, const struct kube_answer *answer)
{
	struct events *events = user;

	if (!is_answered(events, answer))
		return;
	if (answer->r == -EACCES) {
		fall_silent(events, answer->text);
		return;
	}
	if (answer->r < 0)
		log_warn("event=%s is not told: %s", events->queue[0].reason,
			 answer->text);
	forget_first(events);
}

static void on_object(void *user, const struct kube_answer *answer)
{
	struct events *events = user;

	if (!is_answered(events, answer))
		return;
	if (answer->r == 0)
		events->object = cJSON_Duplicate(answer->object, true);
	if (events->object)
		post(events);
	else
		fall_silent(events,
			    answer->r < 0 ? answer->text : "out of memory");
}

static int post_first(struct events *events, struct error *err)
{
	const struct status_event *first = &events->queue[0];
	const struct kube_event event = {
		.regarding = events->object,
		.type = first->warning ? "Warning" : "Normal",
		.reason = first->reason,
		.action = first->action,
		.note = first->note,
	};

	return kube_post_event(events->kube, &event, on_posted, events, err);
}

static void post(void *user)
{
	struct events *events = user;
	struct error err;
	int r;

	loop_timer_clear(&events->again);
	r = events->object ? post_first(events, &err)
			   : kube_get(events->kube, NULL, &events->regarding, 0,
				      on_object, events, &err);
	if (r < 0)
		fall_silent(events, err.text);
	else
		events->busy = true;
}

void events_add(struct events *events, const struct status_event *new)
{
	/* queue[0] may be under way: then the one behind it goes */
	size_t oldest = events->busy ? 1 : 0;

	if (events->mute)
		return;
	if (events->n == EVENTS_MAX) {
		log_warn("event=%s is not told: too many wait",
			 events->queue[oldest].reason);
		events->n--;
		memmove(events->queue + oldest, events->queue + oldest + 1,
			(events->n - oldest) * sizeof(events->queue[0]));
	}
	events->queue[events->n++] = *new;
	if (!events->busy && !loop_timer_is_set(&events->again))
		post(events);
}

bool events_rest(const struct events *events)
{
	return events->n == 0;
}

void events_fini(struct events *events)
{
	loop_timer_clear(&events->again);
	cJSON_Delete(events->object);
}
