/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/job_list.h"

#include "client/job.h"
#include "proto/coordinator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int job_list_init(struct job_list *list, msec_t patience, struct error *err)
{
	int r = loop_create(&list->loop, err);

	list->patience = patience;
	return r < 0 ? r : rpc_create(&list->rpc, list->loop, err);
}

static void entry_free(struct job_entry *entry)
{
	client_close(&entry->client);
	job_free(entry->job);
	free(entry);
}

void job_list_close(struct job_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		client_close(&list->at[i]->client);
}

void job_list_fini(struct job_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		entry_free(list->at[i]);
	list->n = 0;
	if (list->rpc)
		list->rpc = rpc_destroy(list->rpc);
	if (list->loop)
		list->loop = loop_destroy(list->loop);
}

struct job_entry *job_list_add(struct job_list *list)
{
	struct job_entry *entry =
		list->n < JOB_LIST_MAX ? calloc(1, sizeof(*entry)) : NULL;

	if (!entry)
		return NULL;
	entry->list = list;
	entry->client.loop = list->loop;
	entry->client.rpc = list->rpc;
	list->at[list->n++] = entry;
	return entry;
}

void job_list_hold(struct job_entry *entry)
{
	entry->list->waiting++;
}

void job_list_release(struct job_entry *entry)
{
	if (--entry->list->waiting == 0)
		loop_stop(entry->list->loop, 0);
}

void job_list_tell(struct job_entry *entry, const char *why)
{
	char *reason = entry->job ? strdup(why) : NULL;

	if (!reason)
		return;
	if (entry->job->reason != protobuf_c_empty_string)
		free(entry->job->reason);
	entry->job->reason = reason;
}

static void on_failure(struct job_entry *entry, const struct rpc_status *status)
{
	struct error err;
	int r = client_way_failed(&entry->client, &err);

	job_list_tell(entry, r < 0 ? err.text : status->message);
}

static void on_answer(void *user, const struct rpc_status *status,
		      const ProtobufCMessage *answer)
{
	struct job_entry *entry = user;
	Bellows__V1__Job *job = NULL;

	if (status->code == RPC_OK)
		job = job_copy((const Bellows__V1__Job *)answer);
	else
		on_failure(entry, status);
	if (job) {
		job_free(entry->job);
		entry->job = job;
	}
	job_list_release(entry);
}

void job_list_ask(struct job_entry *entry)
{
	Bellows__V1__GetJobRequest request = BELLOWS__V1__GET_JOB_REQUEST__INIT;
	struct client *client = &entry->client;
	struct error err;

	if (client_channel(&client->channel, client, &err) < 0) {
		job_list_tell(entry, err.text);
		return;
	}
	job_list_hold(entry);
	rpc_call_unary(client->channel, CALL_GET_JOB, &request.base,
		       &bellows__v1__job__descriptor, entry->list->patience,
		       on_answer, entry);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct job_entry *const *)a)->job->name,
		      (*(struct job_entry *const *)b)->job->name);
}

int job_list_wait(struct job_list *list)
{
	int r = list->waiting > 0 ? loop_run(list->loop) : 0;
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->at[i]->job)
			list->at[n++] = list->at[i];
		else
			entry_free(list->at[i]);
	list->n = n;
	qsort(list->at, n, sizeof(list->at[0]), by_name);
	return r;
}
