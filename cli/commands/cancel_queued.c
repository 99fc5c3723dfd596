/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/cancel_queued.h"

#include "base/text.h"
#include "cli/commands/queue_ask.h"
#include "cli/exit_code.h"
#include "client/queue.h"
#include "client/watch.h"
#include "jobfile/exit.h"
#include "proto/scheduler.h"
#include "runner/find.h"

#include <errno.h>
#include <inttypes.h>

struct cancelling {
	struct client client;
	struct watch watch;
	struct loop_timer timeout;
	const char *name;
	msec_t patience;
	uint64_t number; /* 0: the queue has none that is not over */
	const struct output *output;
	struct error err;
};

static void on_list(void *user, const ProtobufCMessage *answer)
{
	const Bellows__V1__Queue *queue = (const Bellows__V1__Queue *)answer;
	struct cancelling *cancelling = user;

	for (size_t i = 0; i < queue->n_jobs; i++)
		if (!listed_state_is_over(queue->jobs[i]->state))
			cancelling->number = queue->jobs[i]->number;
}

/* -ENOENT: there is no such job. */
static int find(struct cancelling *cancelling, const struct lookup *lookup)
{
	Bellows__V1__ListRequest request = BELLOWS__V1__LIST_REQUEST__INIT;
	int r = queue_open(&cancelling->client, lookup, &cancelling->err);

	request.job = (char *)cancelling->name;
	if (r == 0)
		r = client_call(&cancelling->client, CALL_LIST, &request.base,
				&bellows__v1__queue__descriptor, QUEUE_ANSWER,
				on_list, cancelling, &cancelling->err);
	return r == 0 && cancelling->number == 0 ? -ENOENT : r;
}

static void print_end(const struct cancelling *cancelling,
		      const Bellows__V1__QueueJob *job)
{
	const struct queue_answer queued = {
		.number = job->number,
		.name = job->name,
		.state = listed_state_name(job->state),
		.note = job->reason,
	};

	cancelling->output->queued(stdout, &queued);
}

static void on_queue(void *user, const Bellows__V1__Queue *queue)
{
	struct cancelling *cancelling = user;

	for (size_t i = 0; i < queue->n_jobs; i++) {
		const Bellows__V1__QueueJob *job = queue->jobs[i];

		if (job->number != cancelling->number ||
		    !listed_state_is_over(job->state))
			continue;
		print_end(cancelling, job);
		watch_stop(&cancelling->watch);
		loop_stop(cancelling->client.loop, 0);
	}
}

static void on_end(void *user, int r, const struct error *err)
{
	struct cancelling *cancelling = user;

	cancelling->err = *err;
	loop_stop(cancelling->client.loop, r);
}

static void on_timeout(void *user)
{
	struct cancelling *cancelling = user;

	error_set(&cancelling->err, -ETIMEDOUT,
		  "job %s was told to end and has not within %s",
		  cancelling->name, text_duration(cancelling->patience).s);
	loop_stop(cancelling->client.loop, -ETIMEDOUT);
}

static int cancel(struct cancelling *cancelling, const struct args *args)
{
	static const struct watch_events events = {
		.on_queue = on_queue,
		.on_end = on_end,
	};
	Bellows__V1__QueueRequest request = BELLOWS__V1__QUEUE_REQUEST__INIT;
	struct client *client = &cancelling->client;
	char job[24];
	int r;

	snprintf(job, sizeof(job), "%" PRIu64, cancelling->number);
	request.job = job;
	request.reason =
		(char *)(args->reason ? args->reason : "cancelled by hand");
	r = client_call(client, CALL_CANCEL_JOB, &request.base,
			&bellows__v1__queue_reply__descriptor, QUEUE_ANSWER,
			NULL, NULL, &cancelling->err);
	if (r < 0)
		return r;
	loop_timer_set(client->loop, &cancelling->timeout, cancelling->patience,
		       on_timeout, cancelling);
	watch_start_queue(&cancelling->watch, client, job,
			  client_patience(client), &events, cancelling);
	r = loop_run(client->loop);
	loop_timer_clear(&cancelling->timeout);
	watch_stop(&cancelling->watch);
	return r;
}

int cancel_queued(const struct args *args, const struct output *output,
		  msec_t patience)
{
	struct cancelling cancelling = {
		.name = args->words.at[0],
		.patience = patience,
		.output = output,
	};
	int code, r = find(&cancelling, &args->lookup);

	if (r == -ENOENT) {
		client_close(&cancelling.client);
		return -1;
	}
	if (r == 0 && args->save)
		r = error_set(
			&cancelling.err, -EINVAL,
			"job %s is in the queue of a scheduler: 'bellows "
			"hold' saves it, and 'bellows release' lets it go "
			"on; without --save it is ended",
			cancelling.name);
	else if (r == 0)
		r = cancel(&cancelling, args);
	code = r < 0 ? output_fail(output, exit_code_of(r), "%s",
				   cancelling.err.text)
		     : EXIT_DONE;
	client_close(&cancelling.client);
	return code;
}
