/* SPDX-License-Identifier: Apache-2.0 */
#include "base/options.h"
#include "base/random.h"
#include "cli/commands/args.h"
#include "cli/exit_code.h"
#include "cli/views/show.h"
#include "client/job.h"
#include "client/watch.h"
#include "jobfile/exit.h"
#include "proto/coordinator.h"
#include "runner/find.h"

#include <errno.h>
#include <string.h>

enum { ANSWER = 10000 };

struct scaling {
	struct client *client;
	const struct output *output;
	const struct args *args;
	Bellows__V1__ScaleRequest request;
	bool accepted, above_grant;
	bool is_over; /* the change, with success or without */
	unsigned to;
	struct watch watch;
	struct show *show;
	uint64_t before; /* `asked` of the newest rescale before this one */
	struct error err;
};

/* "4", "+2", "-1" */
static int read_size(Bellows__V1__ScaleRequest *request, const char *word)
{
	bool relative = word[0] == '+' || word[0] == '-';
	unsigned n;

	if (number_read(&n, word + relative) < 0 || n == 0)
		return -EINVAL;
	request->size_case = relative ? BELLOWS__V1__SCALE_REQUEST__SIZE_DELTA
				      : BELLOWS__V1__SCALE_REQUEST__SIZE_RANKS;
	if (relative)
		request->delta = word[0] == '-' ? -(int32_t)n : (int32_t)n;
	else
		request->ranks = n;
	return 0;
}

static void on_reply(void *user, const ProtobufCMessage *answer)
{
	const Bellows__V1__ScaleReply *reply =
		(const Bellows__V1__ScaleReply *)answer;
	struct scaling *scaling = user;

	scaling->accepted = reply->accepted;
	scaling->above_grant =
		reply->code == BELLOWS__V1__SCALE_CODE__ABOVE_GRANT;
	scaling->to = reply->to;
	scaling->output->scaled(stdout, scaling->client->name, reply);
	fflush(stdout);
}

static void on_before(void *user, const ProtobufCMessage *answer)
{
	const Bellows__V1__Job *job = (const Bellows__V1__Job *)answer;
	struct scaling *scaling = user;

	if (job->n_history)
		scaling->before = job->history[job->n_history - 1]->asked;
}

static void on_event(void *user, const struct event *event)
{
	struct scaling *scaling = user;

	if (event->kind != EVENT_RESCALED ||
	    event->rescale->asked <= scaling->before)
		return;
	scaling->is_over = true;
	loop_stop(scaling->client->loop,
		  event->rescale->failed ? EXIT_SIZE_FAILED
		  : rescale_is_done(event->rescale) &&
				  event->rescale->to != event->rescale->from
			  ? EXIT_DONE
			  : EXIT_DECLINED);
}

static void on_job(void *user, const Bellows__V1__Job *job)
{
	struct scaling *scaling = user;
	bool settled = job->state == BELLOWS__V1__STATE__RUNNING &&
		       job->size == scaling->to && job->target == scaling->to;
	bool ours = job->n_history &&
		    job->history[job->n_history - 1]->asked > scaling->before;

	show_job_to(scaling->show, job, on_event, scaling);
	/* a request that joined one under way, or changed nothing */
	if (settled && !ours)
		loop_stop(scaling->client->loop, EXIT_DONE);
}

static void on_end(void *user, int r, const struct error *err)
{
	struct scaling *scaling = user;

	if (scaling->is_over)
		return;
	scaling->err = *err;
	if (r == 0)
		error_set(&scaling->err, -ECANCELED,
			  "the job ended before the change was over");
	loop_stop(scaling->client->loop, r == 0 ? EXIT_DECLINED : r);
}

static int follow(struct scaling *scaling)
{
	static const struct watch_events events = {
		.on_job = on_job,
		.on_end = on_end,
	};
	const struct show_config show = {
		.output = scaling->output,
		.lines = STDOUT_FILENO,
		.bar = !scaling->args->json,
		.term = scaling->args->term,
		.since = &scaling->before,
	};
	int r;

	r = show_create(&scaling->show, scaling->client->loop, &show,
			&scaling->err);
	if (r < 0)
		return r;
	watch_start(&scaling->watch, scaling->client,
		    client_patience(scaling->client), &events, scaling);
	r = loop_run(scaling->client->loop);
	watch_stop(&scaling->watch);
	show_destroy(scaling->show);
	return r;
}

static int request_scale(struct scaling *scaling)
{
	Bellows__V1__GetJobRequest get = BELLOWS__V1__GET_JOB_REQUEST__INIT;
	int r = 0;

	if (scaling->args->wait)
		r = client_call(scaling->client, CALL_GET_JOB, &get.base,
				&bellows__v1__job__descriptor, CLIENT_PATIENCE,
				on_before, scaling, &scaling->err);
	if (r == 0)
		r = client_call(scaling->client, CALL_SCALE,
				&scaling->request.base,
				&bellows__v1__scale_reply__descriptor, ANSWER,
				on_reply, scaling, &scaling->err);
	if (r < 0)
		return r;
	if (!scaling->accepted)
		return EXIT_DECLINED;
	if (!scaling->args->wait)
		return EXIT_DONE;
	/* nobody knows when the grant will be larger */
	return scaling->above_grant ? EXIT_DECLINED : follow(scaling);
}

static int scale(struct scaling *scaling, const char *job)
{
	int r = job_open(scaling->client, &scaling->args->lookup, job,
			 &scaling->err);
	int code = r < 0 ? exit_code_of(r) : 0;

	if (r == 0) {
		r = request_scale(scaling);
		code = r < 0 ? exit_code_of(r) : r;
	}
	if (r < 0 || (code == EXIT_DECLINED && scaling->err.text[0]))
		output_fail(scaling->output, code, "%s", scaling->err.text);
	client_close(scaling->client);
	return code;
}

int cmd_scale(const struct args *args, const struct output *output)
{
	const char *job = args->words.n == 2 ? args->words.at[0] : NULL;
	struct client client = {0};
	struct scaling scaling = {
		.client = &client,
		.output = output,
		.args = args,
		.request = BELLOWS__V1__SCALE_REQUEST__INIT,
	};
	char id[RANDOM_ID];

	if (!job && !args->lookup.connect && !args->lookup.state)
		return output_fail(output, EXIT_USAGE,
				   "scale needs a job and a number of ranks: "
				   "bellows scale heat 4");
	if (read_size(&scaling.request, args->words.at[args->words.n - 1]) < 0)
		return output_fail(output, EXIT_USAGE,
				   "'%s' is no number of ranks; 4, +2 or -1 is",
				   args->words.at[args->words.n - 1]);
	if (random_hex(id, sizeof(id), &scaling.err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", scaling.err.text);
	scaling.request.request_id = id;
	scaling.request.reason =
		(char *)(args->reason ? args->reason : "asked for by hand");
	scaling.request.deadline = (uint32_t)args->deadline;
	return scale(&scaling, job);
}
