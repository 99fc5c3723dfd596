/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/commands/args.h"
#include "cli/commands/cancel_queued.h"
#include "cli/exit_code.h"
#include "cli/views/output.h"
#include "client/job.h"
#include "client/watch.h"
#include "jobfile/exit.h"
#include "proto/coordinator.h"
#include "runner/find.h"

#include <errno.h>

#define ANSWER  SECONDS(10)
#define TIMEOUT SECONDS(60)

struct cancelling {
	struct client client;
	struct watch watch;
	struct loop_timer timeout;
	Bellows__V1__Job *job; /* the last seen */
	msec_t patience;
	struct error err;
};

static void on_job(void *user, const Bellows__V1__Job *job)
{
	struct cancelling *cancelling = user;
	Bellows__V1__Job *copy = job_copy(job);

	if (!copy)
		return;
	job_free(cancelling->job);
	cancelling->job = copy;
	if (state_is_over(job->state))
		loop_stop(cancelling->client.loop, 0);
}

static void on_end(void *user, int r, const struct error *err)
{
	struct cancelling *cancelling = user;

	/* a coordinator that nobody finds any more has ended */
	if (r < 0 && client_gone(&cancelling->client, NULL) == 0)
		cancelling->err = *err;
	else
		r = 0;
	loop_stop(cancelling->client.loop, r);
}

static void on_timeout(void *user)
{
	struct cancelling *cancelling = user;

	error_set(&cancelling->err, -ETIMEDOUT,
		  "job %s was told to end and has not within %s",
		  cancelling->client.name,
		  text_duration(cancelling->patience).s);
	loop_stop(cancelling->client.loop, -ETIMEDOUT);
}

static int cancel(struct cancelling *cancelling, const struct args *args)
{
	static const struct watch_events events = {
		.on_job = on_job,
		.on_end = on_end,
	};
	Bellows__V1__CancelRequest request = BELLOWS__V1__CANCEL_REQUEST__INIT;
	struct client *client = &cancelling->client;
	int r;

	request.save = args->save;
	request.reason =
		(char *)(args->reason ? args->reason : "cancelled by hand");
	r = client_call(client, CALL_CANCEL, &request.base,
			&bellows__v1__ack__descriptor, ANSWER, NULL, NULL,
			&cancelling->err);
	if (r < 0)
		return r;
	loop_timer_set(client->loop, &cancelling->timeout, cancelling->patience,
		       on_timeout, cancelling);
	watch_start(&cancelling->watch, client, client_patience(client),
		    &events, cancelling);
	r = loop_run(client->loop);
	loop_timer_clear(&cancelling->timeout);
	watch_stop(&cancelling->watch);
	return r;
}

static void print_end(const struct cancelling *cancelling,
		      const struct output *output)
{
	const struct event event = {
		.kind = cancelling->job ? EVENT_STATE : EVENT_MESSAGE,
		.job = cancelling->job,
		.text = "the job is over",
	};

	output->event(stdout, &event);
}

int cmd_cancel(const struct args *args, const struct output *output)
{
	const char *name = args->words.n ? args->words.at[0] : NULL;
	struct cancelling cancelling = {
		.patience = args->timeout ? args->timeout : TIMEOUT,
	};
	bool is_given =
		args->lookup.on || args->lookup.connect || args->lookup.state;
	int r = is_given ? -1
			 : cancel_queued(args, output, cancelling.patience);

	if (r >= 0)
		return r;
	r = job_open(&cancelling.client, &args->lookup, name, &cancelling.err);
	if (r == 0)
		r = cancel(&cancelling, args);
	if (r == 0)
		print_end(&cancelling, output);
	else
		output_fail(output, exit_code_of(r), "%s", cancelling.err.text);
	client_close(&cancelling.client);
	job_free(cancelling.job);
	return r < 0 ? exit_code_of(r) : EXIT_DONE;
}
