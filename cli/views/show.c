/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/show.h"

#include "cli/views/fd_writer.h"
#include "cli/views/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { REDRAW = 100 };

struct show {
	struct show_config config;
	struct loop *loop;
	struct follow follow;
	Bellows__V1__Job *job;
	struct fd_writer *out, *err;
	struct progress_style style;
	struct loop_timer redraw;
	msec_t drawn_at;
	bool drawn, over;
};

static struct fd_writer *lines_of(const struct show *show)
{
	return show->config.lines == STDOUT_FILENO ? show->out : show->err;
}

static void hide(struct show *show)
{
	static const char clear[] = "\r\033[K";

	if (!show->drawn)
		return;
	show->drawn = false;
	fd_writer_write(show->err, clear, sizeof(clear) - 1);
}

static void draw(void *user)
{
	struct show *show = user;
	char line[1024], all[1040];
	int n;

	/* A line is underway, or what was written has not come out yet. */
	if (!fd_writer_is_empty(show->err) || !fd_writer_is_empty(show->out) ||
	    (isatty(STDOUT_FILENO) && !fd_writer_at_line_start(show->out)))
		return;
	progress_render(line, sizeof(line), show->job, &show->style);
	n = snprintf(all, sizeof(all), "\r%s\033[K", line);
	fd_writer_write(show->err, all, (size_t)n);
	show->drawn = true;
	show->drawn_at = loop_now();
}

static void draw_soon(struct show *show)
{
	msec_t since = loop_now() - show->drawn_at;

	if (!show->config.bar || !show->job || show->over ||
	    loop_timer_is_set(&show->redraw))
		return;
	loop_timer_set(show->loop, &show->redraw,
		       since < REDRAW ? REDRAW - since : 0, draw, show);
}

static void on_resize(void *user, int signo, pid_t sender)
{
	struct show *show = user;

	progress_style_of(&show->style, show->config.term);
	hide(show);
	draw_soon(show);
}

int show_create(struct show **out, struct loop *loop,
		const struct show_config *config, struct error *err)
{
	CLEANUP(show_destroy) struct show *show = calloc(1, sizeof(*show));
	int r;

	if (!show)
		return error_set(err, -ENOMEM, "out of memory");
	show->config = *config;
	show->config.bar = config->bar && !config->quiet &&
			   progress_style_of(&show->style, config->term);
	show->loop = loop;
	show->follow.has_since = config->since != NULL;
	show->follow.since = config->since ? *config->since : 0;
	r = fd_writer_create(&show->out, loop, STDOUT_FILENO, config->on_room,
			     config->user, err);
	if (r < 0)
		return r;
	r = fd_writer_create(&show->err, loop, STDERR_FILENO, config->on_room,
			     config->user, err);
	if (r < 0)
		return r;
	if (show->config.bar) {
		r = loop_signal_add(loop, SIGWINCH, on_resize, show, err);
		if (r < 0)
			return r;
	}
	*out = STEAL(show);
	return 0;
}

struct show *show_destroy(struct show *show)
{
	if (!show)
		return NULL;
	loop_timer_clear(&show->redraw);
	if (show->err)
		hide(show);
	fd_writer_destroy(show->out);
	fd_writer_destroy(show->err);
	job_free(show->job);
	free(show);
	return NULL;
}

/* Whether the status line shows the event: then it gets no line of its own. */
static bool is_in_bar(const struct event *event)
{
	return event->kind == EVENT_PROGRESS || event->kind == EVENT_SAVED ||
	       (event->kind == EVENT_STATE &&
		!state_is_over(event->job->state));
}

static void show_event(void *user, const struct event *event)
{
	struct show *show = user;
	struct fd_writer *writer = lines_of(show);
	CLEANUP(free) char *text = NULL;
	size_t n = 0;
	FILE *to;

	if (show->config.quiet && event->kind != EVENT_OUTPUT)
		return;
	if (show->config.bar && is_in_bar(event))
		return;
	to = open_memstream(&text, &n);
	if (!to)
		return;
	show->config.output->event(to, event);
	if (fclose(to) != 0)
		return;
	hide(show);
	fd_writer_write(writer, text, n);
	draw_soon(show);
}

struct both {
	struct show *show;
	event_f fn;
	void *user;
};

static void tell_both(void *user, const struct event *event)
{
	const struct both *both = user;

	show_event(both->show, event);
	if (both->fn)
		both->fn(both->user, event);
}

void show_job_to(struct show *show, const Bellows__V1__Job *job, event_f fn,
		 void *user)
{
	struct both both = {show, fn, user};
	Bellows__V1__Job *copy = job_copy(job);

	if (!copy)
		return;
	job_free(show->job);
	show->job = copy;
	follow_step(&show->follow, copy, tell_both, &both);
	draw_soon(show);
}

void show_job(struct show *show, const Bellows__V1__Job *job)
{
	show_job_to(show, job, NULL, NULL);
}

void show_say(struct show *show, const char *fmt, ...)
{
	char text[512];
	const struct event event = {
		.kind = EVENT_MESSAGE,
		.job = show->job,
		.text = text,
	};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	show_event(show, &event);
}

void show_output(struct show *show, bool error, const char *data, size_t n)
{
	const struct event event = {
		.kind = EVENT_OUTPUT,
		.job = show->job,
		.text = data,
		.size = n,
		.error = error,
	};

	if (show->config.wrap) {
		show_event(show, &event);
		return;
	}
	hide(show);
	fd_writer_write(error ? show->err : show->out, data, n);
	draw_soon(show);
}

void show_over(struct show *show)
{
	const struct event event = {.kind = EVENT_OVER, .job = show->job};

	if (show->over)
		return;
	show->over = true;
	loop_timer_clear(&show->redraw);
	hide(show);
	if (show->job)
		show_event(show, &event);
}

bool show_is_full(const struct show *show)
{
	return fd_writer_is_full(show->out) || fd_writer_is_full(show->err);
}

bool show_is_empty(const struct show *show)
{
	return fd_writer_is_empty(show->out) && fd_writer_is_empty(show->err);
}

const Bellows__V1__Job *show_last(const struct show *show)
{
	return show->job;
}

int show_check(const struct show *show, struct error *err)
{
	return fd_writer_check(show->out, err);
}
