/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/queue_live.h"

#include "cli/exit_code.h"
#include "client/watch.h"
#include "jobfile/exit.h"
#include "runner/find.h"

#include <errno.h>

#define TICK SECONDS(1)

struct watching {
	const struct queue_live *live;
	struct client client;
	struct watch watch;
	struct screen *screen;
	Bellows__V1__Queue *queue; /* as it is now; NULL: not known */
	msec_t at;                 /* when that was */
	struct loop_timer tick;
	bool drawn;
	struct error err;
};

static void advance(struct watching *watching)
{
	msec_t now = loop_now();

	queue_advance(watching->queue, now - watching->at);
	watching->at = now;
}

static void on_tick(void *user)
{
	struct watching *watching = user;

	loop_timer_set(watching->client.loop, &watching->tick, TICK, on_tick,
		       watching);
	screen_draw(watching->screen);
}

static void on_queue(void *user, const Bellows__V1__Queue *queue)
{
	struct watching *watching = user;
	Bellows__V1__Queue *copy = queue_copy(queue);

	if (!copy)
		return;
	queue_free(watching->queue);
	watching->queue = copy;
	watching->at = loop_now();
	screen_draw(watching->screen);
}

static void on_end(void *user, int r, const struct error *err)
{
	struct watching *watching = user;

	watching->err = *err;
	loop_stop(watching->client.loop, r);
}

static void draw(void *user, FILE *to, const struct screen_size *size)
{
	struct watching *watching = user;

	if (!watching->queue)
		return;
	advance(watching);
	watching->live->draw(watching->live, to, watching->queue, size,
			     watching->drawn);
	watching->drawn = true;
}

static void on_stop(void *user, int signo)
{
	struct watching *watching = user;

	loop_stop(watching->client.loop, signo ? EXIT_CANCELLED : EXIT_DONE);
}

static int start(struct watching *watching)
{
	static const struct watch_events events = {
		.on_queue = on_queue,
		.on_end = on_end,
	};
	const struct queue_live *live = watching->live;
	const struct screen_config config = {
		.draw = draw,
		.on_stop = on_stop,
		.user = watching,
		.term = live->args->term,
		.keys = live->keys,
		.lines = live->lines,
	};
	int r = queue_open(&watching->client, &live->args->lookup,
			   &watching->err);

	if (r == 0)
		r = screen_create(&watching->screen, watching->client.loop,
				  &config, &watching->err);
	if (r < 0)
		return r;
	watch_start_queue(&watching->watch, &watching->client, live->job,
			  client_patience(&watching->client), &events,
			  watching);
	if (screen_is_terminal(live->args->term) && !live->lines)
		on_tick(watching);
	return 0;
}

int queue_live_run(const struct queue_live *live)
{
	struct watching watching = {.live = live};
	int code, r = start(&watching);

	if (r == 0)
		r = loop_run(watching.client.loop);
	watch_stop(&watching.watch);
	loop_timer_clear(&watching.tick);
	code = r < 0 ? exit_code_of(r) : r;
	if (r >= 0 && screen_check(watching.screen, &watching.err) < 0)
		code = EXIT_SYSTEM;
	screen_destroy(watching.screen);
	client_close(&watching.client);
	queue_free(watching.queue);
	return code == EXIT_DONE || code == EXIT_CANCELLED
		       ? code
		       : output_fail(live->output, code, "%s",
				     watching.err.text);
}
