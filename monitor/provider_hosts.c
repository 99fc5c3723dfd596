/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Executors on the hosts of a hosts file, one on each
 *
 * A worker is the command that the file names for the host, with the executor's
 * command line behind it.  What is missing is started on the first host in the
 * file that is free.  A host whose executor ends without being told to is tried
 * again at once, or if that one had ended soon, rests, longer each time, so
 * that another host is taken meanwhile.  Another wish ends the rest of a host
 * with FAILURES_MAX in a row.
 *
 *     free --start--> working --told to leave--> free
 *                        |
 *                        +--ended--> resting --backoff--> free
 */

#include "base/backoff.h"
#include "base/list.h"
#include "base/log.h"
#include "jobfile/hosts.h"
#include "monitor/worker_set.h"

#include <errno.h>

enum { FAILURES_MAX = 5, NOBODY = -1 };

#define SOON SECONDS(5) /* an end within that is a failure */
#define LONG                                                                   \
	SECONDS(600) /* after so long a life a failure counts as the first */
#define NEWS     MSEC(200) /* of the wish, behind a release */
#define REST     MSEC(500)
#define REST_MAX MINUTES(5)

/* What is remembered of a host; its index is the number of the host. */
struct host_record {
	unsigned failures; /* in a row */
	msec_t rest_until;
	bool doubt; /* it left soon: fit for the job, or no more wanted? */
};

struct remote {
	struct provider base;
	struct worker_set workers;
	const struct hosts *hosts; /* borrowed */
	struct host_record *records;
	struct loop_timer timer;
	msec_t news; /* when the wish is sure to be newer than a release */
	unsigned wish;
};

static void settle(struct remote *p);

static void on_timer(void *user)
{
	settle(user);
}

static bool fails_always(const struct host_record *record)
{
	return record->failures >= FAILURES_MAX;
}

static void on_failure(struct remote *p, unsigned number, const char *how)
{
	struct host_record *record = &p->records[number];
	const char *name = p->hosts->at[number].name;
	msec_t rest;

	rest = backoff(record->failures++, REST, REST_MAX);
	record->rest_until = loop_now() + rest;
	log_warn("host=%s failures=%u rests for %lld ms: %s", name,
		 record->failures, (long long)rest, how);
}

static void start(struct remote *p, unsigned number)
{
	struct worker *worker;
	struct error err;

	if (worker_set_start(&p->workers, number, &worker, &err) < 0) {
		on_failure(p, number, err.text);
		return;
	}
	log_info("hold=%u have=%u starting %s", p->wish,
		 worker_set_count(&p->workers), worker->name);
	p->base.events->started(p->base.user, worker->name,
				worker_set_count(&p->workers));
}

static void on_gone(void *user, const struct worker *worker)
{
	struct remote *p = user;
	struct host_record *record = &p->records[worker->number];
	msec_t lived = worker->ended - worker->started;
	char how[32];

	worker_describe_end(worker, how, sizeof(how));
	p->base.events->lost(p->base.user, worker->name, how,
			     worker_set_count(&p->workers));
	if (lived >= LONG)
		record->failures = 0;
	if (worker->status != 0) {
		on_failure(p, worker->number, how);
		/* Under its old name the loss is known to the job at once. */
		if (lived >= SOON && worker_set_count(&p->workers) < p->wish &&
		    !fails_always(record))
			start(p, worker->number);
	} else {
		record->doubt = lived < SOON;
		if (!record->doubt)
			record->failures = 0;
		p->news = loop_now() + NEWS;
	}
	settle(p);
}

/* Once the wish is known: an executor that left soon, and is still wanted, was
 * unfit for the job. */
static void resolve_doubts(struct remote *p)
{
	bool wanted = worker_set_count(&p->workers) < p->wish;

	for (unsigned i = 0; i < p->hosts->n; i++) {
		if (p->records[i].doubt && wanted)
			on_failure(p, i, "it left at once");
		p->records[i].doubt = false;
	}
}

/* The first host that is free; or NOBODY, and *due when one will be, if any. */
static int find_free(const struct remote *p, msec_t *due)
{
	msec_t now = loop_now();

	*due = 0;
	for (unsigned i = 0; i < p->hosts->n; i++) {
		const struct host_record *record = &p->records[i];

		if (worker_set_find(&p->workers, i))
			continue;
		if (record->rest_until <= now)
			return (int)i;
		if (*due == 0 || record->rest_until < *due)
			*due = record->rest_until;
	}
	return NOBODY;
}

/* Starts what is missing; returns when to go on with it, 0: there is nothing to
 * wait for. */
static msec_t fill(struct remote *p)
{
	msec_t due = 0;
	int number;

	while (worker_set_count(&p->workers) < p->wish) {
		number = find_free(p, &due);
		if (number == NOBODY)
			return due;
		start(p, (unsigned)number);
	}
	return 0;
}

static void tell_trouble(struct remote *p)
{
	char except[64] = "";
	unsigned resting = 0;

	for (unsigned i = 0; i < p->hosts->n; i++)
		resting += fails_always(&p->records[i]) &&
			   p->records[i].rest_until > loop_now();
	if (resting > 0)
		snprintf(except, sizeof(except),
			 ", %u of them rest after failures", resting);
	if (worker_set_count(&p->workers) >= p->wish)
		provider_trouble(&p->base, "%s", "");
	else if (p->wish > p->hosts->n - resting)
		provider_trouble(&p->base,
				 "%u executors are wanted, the hosts file has "
				 "%zu%s",
				 p->wish, p->hosts->n, except);
}

static void settle(struct remote *p)
{
	msec_t due = p->news;

	if (p->news <= loop_now()) {
		resolve_doubts(p);
		due = fill(p);
	}
	if (due > 0)
		loop_timer_set(p->workers.place.loop, &p->timer,
			       due - loop_now(), on_timer, p);
	tell_trouble(p);
}

static int remote_hold(struct provider *base, unsigned executors,
		       struct error *err)
{
	struct remote *p = CONTAINER(base, struct remote, base);

	if (executors != p->wish)
		for (size_t i = 0; i < p->hosts->n; i++)
			if (fails_always(&p->records[i]))
				p->records[i] = (struct host_record){0};
	p->wish = executors;
	settle(p);
	return 0;
}

/* ---- the beginning and the end ---- */

static int remote_adopt(struct provider *base, struct error *err)
{
	return worker_set_adopt(&CONTAINER(base, struct remote, base)->workers,
				err);
}

static void remote_free(struct remote *p)
{
	if (!p)
		return;
	loop_timer_clear(&p->timer);
	worker_set_fini(&p->workers);
	free(p->records);
	free(p);
}

DEFINE_CLEANUP(struct remote, remote_free)

static int remote_create(struct provider **out,
			 const struct provider_config *config,
			 struct error *err)
{
	CLEANUP(remote_free) struct remote *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return error_set(err, -ENOMEM, "out of memory");
	p->base = (struct provider){.ops = &provider_hosts,
				    .events = config->events,
				    .user = config->user};
	p->hosts = config->hosts;
	r = worker_set_init(&p->workers, config, on_gone, p, err);
	if (r < 0)
		return r;
	p->records = calloc(p->hosts->n, sizeof(*p->records));
	if (!p->records)
		return error_set(err, -ENOMEM, "out of memory");
	*out = &STEAL(p)->base;
	return 0;
}

static void remote_destroy(struct provider *base)
{
	struct remote *p = CONTAINER(base, struct remote, base);

	loop_timer_clear(&p->timer);
	worker_set_end(&p->workers);
	remote_free(p);
}

const struct provider_ops provider_hosts = {
	.name = "hosts",
	.create = remote_create,
	.adopt = remote_adopt,
	.hold = remote_hold,
	.destroy = remote_destroy,
};
