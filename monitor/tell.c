/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/tell.h"

#include "base/log.h"
#include "monitor/conditions.h"
#include "monitor/events.h"
#include "monitor/pod_view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tell {
	struct loop *loop;
	struct kube *kube;
	char *namespace, *owner, query[POD_VIEW_QUERY_MAX];

	struct announced told;
	struct events events;
	struct conditions conditions;

	struct loop_timer end;
	void (*finished)(void *user); /* NULL: it goes on */
	void *user;
};

static bool is_all_told(const struct tell *tell)
{
	return events_rest(&tell->events) && conditions_rest(&tell->conditions);
}

static void on_end(void *user)
{
	struct tell *tell = user;

	if (!is_all_told(tell))
		log_warn("events=%zu were not told: no answer in time",
			 tell->events.n);
	tell->finished(tell->user);
}

static void on_rest(void *user)
{
	struct tell *tell = user;

	if (tell->finished && is_all_told(tell))
		loop_timer_set(tell->loop, &tell->end, 0, on_end, tell);
}

void tell_finish(struct tell *tell, msec_t patience, void (*fn)(void *user),
		 void *user)
{
	if (tell->finished)
		return;
	tell->finished = fn;
	tell->user = user;
	loop_timer_set(tell->loop, &tell->end, is_all_told(tell) ? 0 : patience,
		       on_end, tell);
}

void tell_on_job(struct tell *tell, const Bellows__V1__Job *job)
{
	struct announcement new[ANNOUNCE_MAX];
	struct condition conditions[ANNOUNCE_CONDITIONS];
	size_t n;

	if (tell->finished)
		return;
	n = announce(&tell->told, job, new);
	for (size_t i = 0; i < n; i++)
		events_add(&tell->events, &new[i]);
	announce_conditions(job, conditions);
	conditions_hold(&tell->conditions, conditions);
}

/* ---- life ---- */

static void join(struct tell *tell, const struct tell_config *config)
{
	tell->events = (struct events){
		.loop = config->loop,
		.kube = tell->kube,
		.regarding = {.kind = config->kind,
			      .namespace = tell->namespace,
			      .name = tell->owner},
		.rest = on_rest,
		.user = tell,
	};
	tell->conditions = (struct conditions){
		.loop = config->loop,
		.kube = tell->kube,
		.pods = {.kind = &kube_pods,
			 .namespace = tell->namespace,
			 .query = tell->query},
		.rest = on_rest,
		.user = tell,
	};
}

int tell_create(struct tell **out, const struct tell_config *config,
		struct error *err)
{
	CLEANUP(tell_destroy) struct tell *tell = calloc(1, sizeof(*tell));
	int r;

	if (!tell)
		return error_set(err, -ENOMEM, "out of memory");
	tell->loop = config->loop;
	tell->namespace = strdup(config->namespace);
	tell->owner = strdup(config->owner);
	if (!tell->namespace || !tell->owner)
		return error_set(err, -ENOMEM, "out of memory");
	pod_view_query(tell->query, config->job, "coordinator");
	r = kube_create(&tell->kube, config->loop, config->kube, err);
	if (r < 0)
		return r;
	join(tell, config);
	*out = STEAL(tell);
	return 0;
}

struct tell *tell_destroy(struct tell *tell)
{
	if (!tell)
		return NULL;
	kube_destroy(tell->kube); /* no answer comes any more */
	events_fini(&tell->events);
	conditions_fini(&tell->conditions);
	loop_timer_clear(&tell->end);
	free(tell->namespace);
	free(tell->owner);
	free(tell);
	return NULL;
}
