/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/run_view.h"

#include "base/list.h"
#include "cli/views/timeline.h"
#include "jobfile/exit.h"

#include <signal.h>

static void on_job(void *user, const Bellows__V1__Job *job)
{
	struct run_view *view = user;

	show_job(view->show, job);
}

static void on_output(void *user, bool error, const char *data, size_t n)
{
	struct run_view *view = user;

	show_output(view->show, error, data, n);
	if (show_is_full(view->show))
		run_hold(view->run, true);
}

static void on_say(void *user, const char *sentence)
{
	struct run_view *view = user;

	show_say(view->show, "%s", sentence);
}

static void on_room(void *user)
{
	struct run_view *view = user;

	if (view->run && !view->ended)
		run_hold(view->run, show_is_full(view->show));
	if (view->ended && show_is_empty(view->show))
		loop_stop(view->loop, 0);
}

static void on_over(void *user)
{
	struct run_view *view = user;

	show_over(view->show);
}

static void on_end(void *user)
{
	struct run_view *view = user;

	view->ended = true;
	on_room(view);
}

const struct run_events run_view_events = {
	.on_job = on_job,
	.on_output = on_output,
	.on_say = on_say,
	.on_over = on_over,
	.on_end = on_end,
};

static void on_signal(void *user, int signo, pid_t sender)
{
	struct run_view *view = user;

	/* what is not read is not waited for a second time */
	if (view->ended)
		loop_stop(view->loop, 0);
	else if (view->run)
		run_stop(view->run);
}

static int handle_signals(struct run_view *view, struct error *err)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	int r = 0;

	for (size_t i = 0; r == 0 && i < LENGTH(signals); i++)
		if (signals[i] != SIGHUP || !loop_signal_is_ignored(SIGHUP))
			r = loop_signal_add(view->loop, signals[i], on_signal,
					    view, err);
	return r;
}

int view_begin(struct run_view *view, struct loop *loop, struct error *err)
{
	const struct args *args = view->args;
	const struct show_config show = {
		.output = view->output,
		.lines = args->json ? STDOUT_FILENO : STDERR_FILENO,
		.bar = !args->no_progress && !args->json,
		.wrap = args->json,
		.quiet = args->quiet,
		.term = args->term,
		.on_room = on_room,
		.user = view,
	};
	int r = show_create(&view->show, loop, &show, err);

	view->loop = loop;
	return r < 0 ? r : handle_signals(view, err);
}

static int conclude(const struct run_view *view)
{
	const struct run_result *result = run_result(view->run);

	/* a job that is over was shown, with its reason */
	if (!result->why[0] || (result->over && !view->args->quiet))
		return result->code;
	return output_fail(view->output, result->code, "%s", result->why);
}

int view_follow(struct run_view *view)
{
	const char *timeline = view->args->timeline;
	const Bellows__V1__Job *job;
	struct error err;
	int code;

	if (loop_run(view->loop) < 0)
		return output_fail(view->output, EXIT_SYSTEM,
				   "the event loop failed");
	job = show_last(view->show);
	if (timeline && job && timeline_save(timeline, job, &err) < 0)
		fprintf(stderr, "bellows: no timeline: %s\n", err.text);
	code = conclude(view);
	if (show_check(view->show, &err) == 0)
		return code;
	return output_fail(view->output, code ? code : EXIT_SYSTEM, "%s",
			   err.text);
}

void view_end(struct run_view *view)
{
	view->run = run_destroy(view->run);
	view->show = show_destroy(view->show);
}
