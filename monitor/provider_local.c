/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Executors that are processes of this machine
 *
 *             ended soon after its start
 *     HOLDING --------------------------> WAITING
 *        ^                                   |
 *        +-----------------------------------+
 *                 after backoff, or another wish
 *
 * Executors that were started together and end together are one failure.  The
 * backoff grows with failures in a row; FAILURES_MAX of them are told to the
 * job.  After an executor that left with status 0, as it was told to, the
 * provider waits too: the wish is about to fall.
 */

#include "base/backoff.h"
#include "base/list.h"
#include "base/log.h"
#include "monitor/worker_set.h"

#include <errno.h>

enum { EXECUTORS_MAX = 4096, FAILURES_MAX = 5 };

#define SOON        SECONDS(5) /* an end within that is a failed start */
#define BACKOFF     MSEC(200)
#define BACKOFF_MAX MINUTES(5)

enum local_state {
	LOCAL_HOLDING,
	LOCAL_WAITING, /* the timer is set */
};

struct local {
	struct provider base;
	struct worker_set workers;

	enum local_state state;
	struct loop_timer timer;
	unsigned wish;
	unsigned round; /* counts settle()s that started some */

	unsigned failures; /* rounds in a row */
	unsigned failed_round;
	msec_t fails_until; /* a later failure is the first one again */
};

static void settle(struct local *p);

/* ---- the wish, and what is missing ---- */

static void on_retry(void *user)
{
	struct local *p = user;

	p->state = LOCAL_HOLDING;
	provider_trouble(&p->base, "%s", "");
	settle(p);
}

static void wait_for(struct local *p, msec_t pause)
{
	p->state = LOCAL_WAITING;
	loop_timer_set(p->workers.place.loop, &p->timer, pause, on_retry, p);
}

static bool is_told(const struct local *p)
{
	return p->failures >= FAILURES_MAX;
}

static void on_failure(struct local *p, unsigned round, const char *how)
{
	msec_t now = loop_now(), pause;

	if (p->state != LOCAL_HOLDING || round == p->failed_round)
		return;
	if (now > p->fails_until)
		p->failures = 0;
	p->failed_round = round;
	p->failures++;
	pause = backoff(p->failures - 1, BACKOFF, BACKOFF_MAX);
	p->fails_until = now + pause + SOON;

	log_warn("hold=%u have=%u failures=%u next start in %lld ms: %s",
		 p->wish, worker_set_count(&p->workers), p->failures,
		 (long long)pause, how);
	if (is_told(p))
		provider_trouble(&p->base,
				 "%u starts of executors in a row failed, the "
				 "last one: %s",
				 p->failures, how);
	wait_for(p, pause);
}

static void on_gone(void *user, const struct worker *worker)
{
	struct local *p = user;
	char how[32];

	worker_describe_end(worker, how, sizeof(how));
	p->base.events->lost(p->base.user, worker->name, how,
			     worker_set_count(&p->workers));
	if (worker->ended - worker->started >= SOON)
		p->failures = 0;
	else if (worker_set_count(&p->workers) < p->wish)
		on_failure(p, worker->round, how);
	/* One that was released may be faster than the news of it. */
	if (worker->status == 0 && p->state == LOCAL_HOLDING)
		wait_for(p, BACKOFF);
	settle(p);
}

static int start(struct local *p, unsigned number, struct error *err)
{
	struct worker *worker;
	int r = worker_set_start(&p->workers, number, &worker, err);

	if (r < 0)
		return r;
	worker->round = p->round;
	p->base.events->started(p->base.user, worker->name,
				worker_set_count(&p->workers));
	return 0;
}

static void settle(struct local *p)
{
	unsigned have = worker_set_count(&p->workers);
	char names[1024] = "";
	size_t used = 0;
	struct error err;
	int r = 0;

	if (p->state != LOCAL_HOLDING || have >= p->wish)
		return;

	p->round++;
	for (unsigned i = 0; r == 0 && worker_set_count(&p->workers) < p->wish;
	     i++) {
		if (worker_set_find(&p->workers, i))
			continue;
		r = start(p, i, &err);
		if (r == 0 && used < sizeof(names))
			used += (size_t)snprintf(names + used,
						 sizeof(names) - used,
						 " worker-%u", i);
	}
	if (used > 0)
		log_info("hold=%u have=%u starting%s", p->wish, have, names);
	if (r < 0)
		on_failure(p, p->round, err.text);
}

static int local_hold(struct provider *base, unsigned executors,
		      struct error *err)
{
	struct local *p = CONTAINER(base, struct local, base);

	if (executors > EXECUTORS_MAX)
		return error_set(err, -ERANGE, "%u executors; at most %u",
				 executors, (unsigned)EXECUTORS_MAX);

	if (p->state == LOCAL_WAITING && is_told(p) && executors != p->wish) {
		p->failures = 0;
		loop_timer_clear(&p->timer);
		on_retry(p);
	}
	p->wish = executors;
	settle(p);
	return 0;
}

/* ---- the beginning and the end ---- */

static int local_adopt(struct provider *base, struct error *err)
{
	return worker_set_adopt(&CONTAINER(base, struct local, base)->workers,
				err);
}

static void local_free(struct local *p)
{
	if (!p)
		return;
	loop_timer_clear(&p->timer);
	worker_set_fini(&p->workers);
	free(p);
}

DEFINE_CLEANUP(struct local, local_free)

static int local_create(struct provider **out,
			const struct provider_config *config, struct error *err)
{
	CLEANUP(local_free) struct local *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return error_set(err, -ENOMEM, "out of memory");
	p->base = (struct provider){.ops = &provider_local,
				    .events = config->events,
				    .user = config->user};
	r = worker_set_init(&p->workers, config, on_gone, p, err);
	if (r < 0)
		return r;
	*out = &STEAL(p)->base;
	return 0;
}

static void local_destroy(struct provider *base)
{
	struct local *p = CONTAINER(base, struct local, base);

	loop_timer_clear(&p->timer);
	worker_set_end(&p->workers);
	local_free(p);
}

const struct provider_ops provider_local = {
	.name = "local",
	.create = local_create,
	.adopt = local_adopt,
	.hold = local_hold,
	.destroy = local_destroy,
};
