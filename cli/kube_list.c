/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kube_list.h"

#include "base/list.h"
#include "cli/client.h"
#include "jobfile/exit.h"
#include "proto/coordinator.h"
#include "runner/kube/pods.h"
#include "runner/kube/reach.h"
#include "runner/statedir.h"

#include <errno.h>
#include <string.h>

/* Coordinators are asked all at once; whoever does not answer is listed with
 * the reason. */
enum { JOBS_MAX = 200, ANSWER = 5000 };

struct listing {
	struct client client; /* its loop, rpc and reach */
	struct entry {
		struct listing *listing;
		struct route *route;
		struct rpc_channel *channel;
		Bellows__V1__Job *job;
	} at[JOBS_MAX];
	size_t n, waiting;
	struct error err;
};

static void answered(struct listing *listing)
{
	if (--listing->waiting == 0)
		loop_stop(listing->client.loop, 0);
}

static void tell(struct entry *entry, const char *why)
{
	char *reason = strdup(why);

	if (!reason)
		return;
	if (entry->job->reason != protobuf_c_empty_string)
		free(entry->job->reason);
	entry->job->reason = reason;
}

static void on_job(void *user, const struct rpc_status *status,
		   const ProtobufCMessage *answer)
{
	struct entry *entry = user;
	struct error err;

	if (status->code == RPC_OK) {
		Bellows__V1__Job *job =
			job_copy((const Bellows__V1__Job *)answer);

		if (job) {
			job_free(entry->job);
			entry->job = job;
		}
	} else if (route_gone(entry->route, &err) < 0 ||
		   route_trouble(entry->route, &err) < 0) {
		tell(entry, err.text);
	} else {
		tell(entry, status->message);
	}
	answered(entry->listing);
}

static void on_route(void *user, int r, const char *text)
{
	Bellows__V1__GetJobRequest request = BELLOWS__V1__GET_JOB_REQUEST__INIT;
	struct entry *entry = user;
	struct listing *listing = entry->listing;
	const struct rpc_security security = {route_identity(entry->route),
					      COORDINATOR_TLS_NAME, false};
	struct error err;

	if (r == 0)
		r = rpc_channel_create(&entry->channel, listing->client.rpc,
				       route_address(entry->route), &security,
				       &err);
	else
		error_set(&err, r, "%s", text);
	if (r == 0)
		r = token_use(entry->channel, route_token(entry->route), &err);
	if (r < 0) {
		tell(entry, err.text);
		answered(listing);
		return;
	}
	rpc_call_unary(entry->channel, CALL_GET_JOB, &request.base,
		       &bellows__v1__job__descriptor, ANSWER, on_job, entry);
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
	struct entry *entry = &listing->at[listing->n];
	const char *name =
		cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
			kube_at(pod, "metadata.labels"), KUBE_JOB));
	struct error err;
	char state[256];

	if (listing->n == JOBS_MAX || !name || !statedir_is_name(name))
		return;
	*entry = (struct entry){.listing = listing, .job = unknown(name)};
	if (!entry->job)
		return;
	listing->n++;
	if (!kube_pod_runs(pod)) {
		kube_pod_tell(state, sizeof(state), pod);
		tell(entry, state);
		return;
	}
	if (route_create(&entry->route, listing->client.reach, name, pod,
			 on_route, entry, &err) < 0)
		tell(entry, err.text);
	else
		listing->waiting++;
}

static void on_pods(void *user, const struct kube_answer *answer)
{
	struct listing *listing = user;
	const cJSON *at;

	if (answer->r < 0)
		error_set(&listing->err, answer->r, "%s", answer->text);
	else
		cJSON_ArrayForEach(at, kube_at(answer->object, "items"))
			add(listing, at);
	if (answer->r < 0 || listing->waiting == 0)
		loop_stop(listing->client.loop, answer->r);
}

static int ask(struct listing *listing, const struct args *args)
{
	struct client *client = &listing->client;
	struct error *err = &listing->err;
	struct kube_target target = {.kind = &kube_pods};
	char query[160];
	int r = loop_create(&client->loop, err);

	if (r == 0)
		r = rpc_create(&client->rpc, client->loop, err);
	if (r == 0)
		r = reach_create(&client->reach, client->loop, &args->lookup,
				 err);
	if (r < 0)
		return r;
	kube_find_query(query, sizeof(query), NULL);
	target.namespace = reach_namespace(client->reach);
	target.query = query;
	r = kube_get(reach_kube(client->reach), NULL, &target, REACH_DEADLINE,
		     on_pods, listing, err);
	return r < 0 ? r : loop_run(client->loop);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(Bellows__V1__Job *const *)a)->name,
		      (*(Bellows__V1__Job *const *)b)->name);
}

static void show(const struct listing *listing, const struct output *output)
{
	Bellows__V1__Job *jobs[JOBS_MAX];

	for (size_t i = 0; i < listing->n; i++)
		jobs[i] = listing->at[i].job;
	qsort(jobs, listing->n, sizeof(jobs[0]), by_name);
	output->jobs(stdout, jobs, listing->n, true);
}

int kube_list(const struct args *args, const struct output *output)
{
	CLEANUP(free) struct listing *listing = calloc(1, sizeof(*listing));
	int r, code = EXIT_DONE;

	if (!listing)
		return output_fail(output, EXIT_INTERNAL, "out of memory");
	r = ask(listing, args);
	for (size_t i = 0; i < listing->n; i++)
		if (listing->at[i].channel)
			rpc_channel_destroy(listing->at[i].channel);
	if (r == 0)
		show(listing, output);
	else
		code = output_fail(output, client_exit_code(r), "%s",
				   listing->err.text);
	for (size_t i = 0; i < listing->n; i++) {
		route_destroy(listing->at[i].route);
		job_free(listing->at[i].job);
	}
	client_close(&listing->client);
	return code;
}
