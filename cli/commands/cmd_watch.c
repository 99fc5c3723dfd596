/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/args.h"
#include "cli/exit_code.h"
#include "cli/views/show.h"
#include "client/job.h"
#include "client/watch.h"
#include "jobfile/exit.h"
#include "runner/find.h"

#include <errno.h>
#include <signal.h>

struct watching {
	struct client client;
	struct watch watch;
	struct show *show;
	struct error err;
};

static void on_job(void *user, const Bellows__V1__Job *job)
{
	struct watching *watching = user;

	show_job(watching->show, job);
}

static void stop_when_empty(void *user)
{
	struct watching *watching = user;

	if (watching->watch.stopped && show_is_empty(watching->show))
		loop_stop(watching->client.loop, 0);
}

static void on_end(void *user, int r, const struct error *err)
{
	struct watching *watching = user;

	if (r < 0) {
		watching->err = *err;
		loop_stop(watching->client.loop, r);
		return;
	}
	show_over(watching->show);
	stop_when_empty(watching);
}

static void on_signal(void *user, int signo, pid_t sender)
{
	struct watching *watching = user;

	loop_stop(watching->client.loop, EXIT_CANCELLED);
}

static int start(struct watching *watching, const struct args *args,
		 const struct output *output)
{
	static const struct watch_events events = {
		.on_job = on_job,
		.on_end = on_end,
	};
	const struct show_config show = {
		.output = output,
		.lines = STDOUT_FILENO,
		.bar = !args->no_progress && !args->json,
		.term = args->term,
		.on_room = stop_when_empty,
		.user = watching,
	};
	struct loop *loop = watching->client.loop;
	int r;

	r = loop_signal_add(loop, SIGINT, on_signal, watching, &watching->err);
	if (r == 0)
		r = loop_signal_add(loop, SIGTERM, on_signal, watching,
				    &watching->err);
	if (r == 0)
		r = show_create(&watching->show, loop, &show, &watching->err);
	if (r == 0)
		watch_start(&watching->watch, &watching->client,
			    client_patience(&watching->client), &events,
			    watching);
	return r;
}

int cmd_watch(const struct args *args, const struct output *output)
{
	const char *name = args->words.n ? args->words.at[0] : NULL;
	struct watching watching = {0};
	const Bellows__V1__Job *job = NULL;
	int r, code;

	r = job_open(&watching.client, &args->lookup, name, &watching.err);
	if (r == 0)
		r = start(&watching, args, output);
	if (r == 0)
		r = loop_run(watching.client.loop);
	watch_stop(&watching.watch);
	if (watching.show)
		job = show_last(watching.show);
	code = r < 0   ? exit_code_of(r)
	       : r > 0 ? r
	       : job   ? job->exit_code
		       : EXIT_INTERNAL;
	if (r == 0)
		r = show_check(watching.show, &watching.err);
	if (r < 0 && code == 0)
		code = EXIT_SYSTEM;
	watching.show = show_destroy(watching.show);
	client_close(&watching.client);
	return r < 0 ? output_fail(output, code, "%s", watching.err.text)
		     : code;
}
