/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/status_publisher.h"

#include "base/log.h"
#include "monitor/conditions.h"
#include "monitor/events.h"
#include "monitor/pod_view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct status_publisher {
	struct loop *loop;
	struct kube *kube;
	char *namespace, *owner, query[POD_VIEW_QUERY_MAX];

	struct status_told told;
	struct events events;
	struct conditions conditions;

	struct loop_timer end;
	void (*finished)(void *user); /* NULL: it goes on */
	void *user;
};

static bool is_all_told(const struct status_publisher *publisher)
{
	return events_rest(&publisher->events) &&
	       conditions_rest(&publisher->conditions);
}

static void on_end(void *user)
{
	struct status_publisher *publisher = user;

	if (!is_all_told(publisher))
		log_warn("events=%zu were not told: no answer in time",
			 publisher->events.n);
	publisher->finished(publisher->user);
}

static void on_rest(void *user)
{
	struct status_publisher *publisher = user;

	if (publisher->finished && is_all_told(publisher))
		loop_timer_set(publisher->loop, &publisher->end, 0, on_end,
			       publisher);
}

void status_publisher_finish(struct status_publisher *publisher,
			     msec_t patience, void (*fn)(void *user),
			     void *user)
{
	if (publisher->finished)
		return;
	publisher->finished = fn;
	publisher->user = user;
	loop_timer_set(publisher->loop, &publisher->end,
		       is_all_told(publisher) ? 0 : patience, on_end,
		       publisher);
}

void status_publisher_on_job(struct status_publisher *publisher,
			     const Bellows__V1__Job *job)
{
	struct status_event new[STATUS_MAX];
	struct condition conditions[STATUS_CONDITIONS];
	size_t n;

	if (publisher->finished)
		return;
	n = status_build_events(&publisher->told, job, new);
	for (size_t i = 0; i < n; i++)
		events_add(&publisher->events, &new[i]);
	status_build_conditions(job, conditions);
	conditions_hold(&publisher->conditions, conditions);
}

void status_publisher_on_shared(struct status_publisher *publisher,
				const char *why)
{
	struct status_event event = {
		.warning = true,
		.reason = "ProcessorsShared",
		.action = "Place",
	};

	snprintf(event.note, sizeof(event.note), "%s", why);
	if (!publisher->finished)
		events_add(&publisher->events, &event);
}

/* ---- life ---- */

static void join(struct status_publisher *publisher,
		 const struct status_publisher_config *config)
{
	publisher->events = (struct events){
		.loop = config->loop,
		.kube = publisher->kube,
		.regarding = {.kind = config->kind,
			      .namespace = publisher->namespace,
			      .name = publisher->owner},
		.rest = on_rest,
		.user = publisher,
	};
	publisher->conditions = (struct conditions){
		.loop = config->loop,
		.kube = publisher->kube,
		.pods = {.kind = &kube_pods,
			 .namespace = publisher->namespace,
			 .query = publisher->query},
		.rest = on_rest,
		.user = publisher,
	};
}

int status_publisher_create(struct status_publisher **out,
			    const struct status_publisher_config *config,
			    struct error *err)
{
	CLEANUP(status_publisher_destroy)
	struct status_publisher *publisher = calloc(1, sizeof(*publisher));
	int r;

	if (!publisher)
		return error_set(err, -ENOMEM, "out of memory");
	publisher->loop = config->loop;
	publisher->namespace = strdup(config->namespace);
	publisher->owner = strdup(config->owner);
	if (!publisher->namespace || !publisher->owner)
		return error_set(err, -ENOMEM, "out of memory");
	pod_view_query(publisher->query, config->job, "coordinator");
	r = kube_create(&publisher->kube, config->loop, config->kube, err);
	if (r < 0)
		return r;
	join(publisher, config);
	*out = STEAL(publisher);
	return 0;
}

struct status_publisher *
status_publisher_destroy(struct status_publisher *publisher)
{
	if (!publisher)
		return NULL;
	kube_destroy(publisher->kube); /* no answer comes any more */
	events_fini(&publisher->events);
	conditions_fini(&publisher->conditions);
	loop_timer_clear(&publisher->end);
	free(publisher->namespace);
	free(publisher->owner);
	free(publisher);
	return NULL;
}
