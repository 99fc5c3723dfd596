/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/list.h"

#include "client/job.h"
#include "runner/kube/coordinator_pod.h"
#include "runner/kube/reach.h"
#include "runner/state_dir.h"

#include <errno.h>

enum { JOBS_MAX = 200 };

#define ANSWER SECONDS(5)

struct listing {
	struct job_list *list;
	struct reach *reach;
	struct error *err;
};

static void on_route(void *user, int r, const char *text)
{
	struct job_entry *entry = user;

	if (r == 0) {
		route_lend(entry->client.route, &entry->client);
		job_list_ask(entry);
	} else {
		job_list_tell(entry, text);
	}
	job_list_release(entry);
}

/* A job of which no more than the name is known yet. */
static Bellows__V1__Job *unknown(const char *name)
{
	Bellows__V1__Job job = BELLOWS__V1__JOB__INIT;

	job.name = (char *)name;
	job.progress = job.eta = -1;
	return job_copy(&job);
}

static void add(struct listing *listing, const cJSON *pod)
{
	const char *name = kube_text_in(pod, "metadata.labels", KUBE_JOB);
	struct job_entry *entry;
	struct route *route;
	struct error err;
	char state[256];

	if (listing->list->n == JOBS_MAX || !name || !state_dir_is_name(name))
		return;
	entry = job_list_add(listing->list);
	if (!entry)
		return;
	entry->job = unknown(name);
	snprintf(entry->client.name, sizeof(entry->client.name), "%s", name);
	if (!kube_pod_runs(pod)) {
		kube_pod_tell(state, sizeof(state), pod);
		job_list_tell(entry, state);
	} else if (route_create(&route, listing->reach, name, pod, on_route,
				entry, &err) < 0) {
		job_list_tell(entry, err.text);
	} else {
		route_lend(route, &entry->client);
		job_list_hold(entry);
	}
}

static void on_pods(void *user, const struct kube_answer *answer)
{
	struct listing *listing = user;
	const cJSON *at;

	if (answer->r < 0)
		error_set(listing->err, answer->r, "%s", answer->text);
	else
		cJSON_ArrayForEach(at, kube_at(answer->object, "items"))
			add(listing, at);
	loop_stop(listing->list->loop, answer->r);
}

static int list_pods(struct listing *listing)
{
	const struct reach *reach = listing->reach;
	char query[160];
	const struct kube_target target = {
		.kind = &kube_pods,
		.namespace = reach_namespace(reach),
		.query = query,
	};
	int r;

	kube_find_query(query, sizeof(query), NULL);
	r = kube_get(reach_kube(reach), NULL, &target, REACH_DEADLINE, on_pods,
		     listing, listing->err);
	if (r == 0)
		r = loop_run(listing->list->loop);
	return r < 0 ? r : job_list_wait(listing->list);
}

int kube_list_jobs(struct job_list *list, const struct lookup *lookup,
		   struct error *err)
{
	struct listing listing = {.list = list, .err = err};
	int r = job_list_init(list, ANSWER, err);

	if (r == 0)
		r = reach_create(&listing.reach, list->loop, lookup, err);
	if (r == 0)
		r = list_pods(&listing);
	/* routes go before their reach */
	job_list_close(list);
	reach_destroy(listing.reach);
	return r;
}
