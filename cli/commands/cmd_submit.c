/* SPDX-License-Identifier: Apache-2.0 */
#include "base/backoff.h"
#include "base/random.h"
#include "base/text.h"
#include "cli/commands/queue_ask.h"
#include "cli/exit_code.h"
#include "jobfile/exit.h"
#include "proto/scheduler.h"
#include "proto/scheduler.pb-c.h"
#include "runner/find.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <string.h>

/* A request whose answer was lost is sent again for so long. */
#define RESEND      SECONDS(10)
#define BACKOFF     MSEC(100)
#define BACKOFF_MAX SECONDS(2)

struct submission {
	const struct args *args;
	const struct output *output;
	struct loop *loop;
	struct client client;
	struct jobfile **jobs; /* one for each file */
	size_t done;           /* files that are submitted */
	char user[64];
	struct error err;
};

static const char *file_of(const struct submission *submission)
{
	return submission->args->words.at[submission->done];
}

/* ---- the files ---- */

static int read_files(struct submission *submission)
{
	size_t n = submission->args->words.n;

	submission->jobs = calloc(n, sizeof(struct jobfile *));
	if (!submission->jobs)
		return output_fail(submission->output, EXIT_INTERNAL,
				   "out of memory");
	for (size_t i = 0; i < n; i++)
		if (jobfile_read(&submission->jobs[i],
				 submission->args->words.at[i], NULL,
				 &submission->err) < 0)
			return output_fail(submission->output, EXIT_JOBFILE,
					   "%s%s", submission->err.text,
					   n > 1 ? "; nothing was submitted"
						 : "");
	return 0;
}

static void find_user(struct submission *submission)
{
	const struct passwd *entry = getpwuid(geteuid());
	size_t n = sizeof(submission->user);

	if (entry)
		snprintf(submission->user, n, "%s", entry->pw_name);
	else
		snprintf(submission->user, n, "%u", (unsigned)geteuid());
}

/* ---- one request ---- */

static void on_reply(void *user, const ProtobufCMessage *answer)
{
	const Bellows__V1__SubmitReply *reply =
		(const Bellows__V1__SubmitReply *)answer;
	const struct submission *submission = user;
	const struct queue_answer queued = {
		.number = reply->number,
		.name = reply->name,
		.note = reply->note,
		.is_new = true,
	};

	submission->output->queued(stdout, &queued);
	fflush(stdout);
}

static int send_once(struct submission *submission,
		     const Bellows__V1__SubmitRequest *request)
{
	return client_call(&submission->client, CALL_SUBMIT, &request->base,
			   &bellows__v1__submit_reply__descriptor, QUEUE_ANSWER,
			   on_reply, submission, &submission->err);
}

static int open_again(struct submission *submission)
{
	client_close(&submission->client);
	submission->client = (struct client){.loop = submission->loop};
	return queue_open(&submission->client, &submission->args->lookup,
			  &submission->err);
}

static void on_time(void *user)
{
	loop_stop(user, 0);
}

static void nap(struct loop *loop, msec_t length)
{
	struct loop_timer timer = {0};

	loop_timer_set(loop, &timer, length, on_time, loop);
	loop_run(loop);
	loop_timer_clear(&timer);
}

static bool is_lost(int r)
{
	return r == -ECONNREFUSED || r == -ETIMEDOUT;
}

/* A request that was carried out is not carried out again: its id is known. */
static int send_until_answered(struct submission *submission,
			       const Bellows__V1__SubmitRequest *request)
{
	msec_t until = loop_now() + RESEND;
	int r = send_once(submission, request);

	for (unsigned n = 0; is_lost(r) && loop_now() < until; n++) {
		nap(submission->loop, backoff(n, BACKOFF, BACKOFF_MAX));
		r = open_again(submission);
		if (r == 0)
			r = send_once(submission, request);
		else if (r == -ENOENT) /* it may come back */
			r = -ECONNREFUSED;
	}
	return r;
}

static int submit(struct submission *submission)
{
	const struct jobfile *job = submission->jobs[submission->done];
	const struct args *args = submission->args;
	Bellows__V1__SubmitRequest request = BELLOWS__V1__SUBMIT_REQUEST__INIT;
	char path[PATH_MAX], id[RANDOM_ID];
	int r;

	if (!realpath(file_of(submission), path))
		return error_errno(&submission->err, "cannot be read any more");
	r = random_hex(id, sizeof(id), &submission->err);
	if (r < 0)
		return r;
	request.text = job->text;
	request.path = path;
	request.folder = (char *)job->folder;
	request.priority = args->priority;
	request.user = (char *)(args->user ? args->user : submission->user);
	request.n_after = args->after.n;
	request.after = (char **)args->after.at;
	request.hold = args->hold;
	request.length = (uint64_t)args->time;
	request.request_id = id;
	return send_until_answered(submission, &request);
}

/* ---- all of them ---- */

/* What was submitted, and what was not. */
static int fail(struct submission *submission, int r)
{
	size_t n = submission->args->words.n, done = submission->done;
	size_t behind = n - done - 1;
	const char *doubt =
		is_lost(r)
			? ": whether it was submitted is not known, 'bellows "
			  "queue' shows it"
			: "";
	int code = r == -EINVAL ? EXIT_JOBFILE : exit_code_of(r);
	char rest[160] = "";

	if (n > 1)
		snprintf(rest, sizeof(rest),
			 "; submitted: %zu file%s before it; not submitted: "
			 "%s%zu behind it",
			 done, text_plural(done), is_lost(r) ? "" : "it, ",
			 behind);
	return output_fail(submission->output, code, "%.200s: %s%s%s",
			   file_of(submission), submission->err.text, doubt,
			   rest);
}

static int submit_all(struct submission *submission)
{
	int r = loop_create(&submission->loop, &submission->err);

	if (r == 0)
		r = open_again(submission);
	if (r < 0)
		return output_fail(submission->output, exit_code_of(r), "%s",
				   submission->err.text);
	for (; submission->done < submission->args->words.n;
	     submission->done++) {
		r = submit(submission);
		if (r < 0)
			return fail(submission, r);
	}
	return EXIT_DONE;
}

int cmd_submit(const struct args *args, const struct output *output)
{
	struct submission submission = {.args = args, .output = output};
	int code;

	if (adapter_files_load(&args->adapters, &submission.err) < 0)
		return output_fail(output, EXIT_USAGE, "%s",
				   submission.err.text);
	find_user(&submission);
	code = read_files(&submission);
	if (code == 0)
		code = submit_all(&submission);
	for (size_t i = 0; submission.jobs && i < args->words.n; i++)
		jobfile_destroy(submission.jobs[i]);
	free(submission.jobs);
	client_close(&submission.client);
	if (submission.loop)
		loop_destroy(submission.loop);
	return code;
}
