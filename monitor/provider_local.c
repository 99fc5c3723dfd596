/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Executors that are processes of this machine
 *
 *             ended soon after its start          FAILURES_MAX in a row
 *     HOLDING --------------------------> WAITING ----------> GIVEN_UP
 *        ^                                   |                   |
 *        +-----------------------------------+-------------------+
 *                     after backoff               another wish
 *
 * Executors that were started together and end together are one failure.  One
 * that left as it was told to, with status 0, is waited after too: the wish is
 * about to fall.  The state directory is locked: it has one provider at a time.
 */

#include "base/list.h"
#include "base/log.h"
#include "monitor/provider.h"
#include "monitor/worker.h"
#include "rpc/client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { EXECUTORS_MAX = 4096, FAILURES_MAX = 5 };

#define SOON        SECONDS(5) /* an end within that is a failed start */
#define BACKOFF     ((msec_t)200)
#define BACKOFF_MAX SECONDS(5)
#define AFTER_KILL  SECONDS(2)

enum local_state {
	LOCAL_HOLDING,
	LOCAL_WAITING,    /* the timer is set */
	LOCAL_GIVEN_UP,   /* until the wish changes */
	LOCAL_ENDING,     /* the timer is set */
	LOCAL_ABANDONING, /* SIGKILL did not help */
};

struct local {
	struct provider base;
	struct worker_place place;
	msec_t grace;

	enum local_state state;
	struct loop_timer timer;
	unsigned wish;
	struct list workers;
	unsigned round; /* counts settle()s that started some */

	unsigned failures; /* rounds in a row */
	unsigned failed_round;
	msec_t failed_at;
};

static void settle(struct local *p);

static struct worker *worker_of(struct list *link)
{
	return CONTAINER(link, struct worker, link);
}

static unsigned count(const struct local *p)
{
	unsigned n = 0;

	list_for_each (at, &p->workers)
		n++;
	return n;
}

static bool is_number_used(const struct local *p, unsigned number)
{
	list_for_each (at, &p->workers)
		if (worker_of(at)->number == number)
			return true;
	return false;
}

/* ---- the wish, and what is missing ---- */

static void on_retry(void *user)
{
	struct local *p = user;

	p->state = LOCAL_HOLDING;
	settle(p);
}

static void wait_for(struct local *p, msec_t pause)
{
	p->state = LOCAL_WAITING;
	loop_timer_set(p->place.loop, &p->timer, pause, on_retry, p);
}

static void on_failure(struct local *p, unsigned round, const char *how)
{
	msec_t now = loop_now(), pause;

	if (p->state != LOCAL_HOLDING || round == p->failed_round)
		return;
	if (now - p->failed_at > SOON + BACKOFF_MAX)
		p->failures = 0;
	p->failed_round = round;
	p->failed_at = now;
	p->failures++;

	if (p->failures >= FAILURES_MAX) {
		p->state = LOCAL_GIVEN_UP;
		log_error("hold=%u have=%u giving up: %u starts in a row "
			  "failed, the last one: %s",
			  p->wish, count(p), p->failures, how);
		return;
	}
	pause = rpc_backoff(p->failures - 1, BACKOFF, BACKOFF_MAX);
	log_warn("hold=%u have=%u failures=%u next start in %lld ms: %s",
		 p->wish, count(p), p->failures, (long long)pause, how);
	wait_for(p, pause);
}

static void on_gone(void *user, const struct worker *worker)
{
	struct local *p = user;
	char how[32];

	if (p->state == LOCAL_ENDING) {
		if (list_is_empty(&p->workers))
			loop_stop(p->place.loop, 0);
		return;
	}

	worker_describe_end(worker, how, sizeof(how));
	p->base.events->lost(p->base.user, worker->name, how, count(p));
	if (worker->ended - worker->started >= SOON)
		p->failures = 0;
	else if (count(p) < p->wish)
		on_failure(p, worker->round, how);
	/* One that was released may be faster than the news of it. */
	if (worker->status == 0 && p->state == LOCAL_HOLDING)
		wait_for(p, BACKOFF);
	settle(p);
}

static int start(struct local *p, unsigned number, struct error *err)
{
	struct worker *worker;
	int r = worker_start(&worker, &p->place, number, err);

	if (r < 0)
		return r;
	worker->round = p->round;
	list_append(&p->workers, &worker->link);
	p->base.events->started(p->base.user, worker->name, count(p));
	return 0;
}

static void settle(struct local *p)
{
	unsigned have = count(p);
	char names[1024] = "";
	size_t used = 0;
	struct error err;
	int r = 0;

	if (p->state != LOCAL_HOLDING || have >= p->wish)
		return;

	p->round++;
	for (unsigned i = 0; r == 0 && count(p) < p->wish; i++) {
		if (is_number_used(p, i))
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

	if (p->state == LOCAL_GIVEN_UP && executors != p->wish) {
		p->failures = 0;
		p->state = LOCAL_HOLDING;
	}
	p->wish = executors;
	settle(p);
	return 0;
}

/* ---- the beginning ---- */

static int local_adopt(struct provider *base, struct error *err)
{
	struct local *p = CONTAINER(base, struct local, base);
	DIR *dir = opendir(p->place.dir);
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return error_errno(err, "%s", p->place.dir);
	while (r == 0 && (entry = readdir(dir)))
		if (worker_is_name(entry->d_name))
			r = worker_clear(&p->place, entry->d_name, err);
	closedir(dir);
	return r;
}

/* Whoever else could write there could have other things removed. */
static int open_state(struct worker_place *place, const char *state,
		      struct error *err)
{
	struct stat st;

	if (!realpath(state, place->dir))
		return error_errno(err, "%s", state);
	place->fd = open(place->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->fd < 0)
		return error_errno(err, "%s", place->dir);
	if (fstat(place->fd, &st) < 0)
		return error_errno(err, "%s", place->dir);
	if (st.st_uid != geteuid() || (st.st_mode & 022) != 0)
		return error_set(err, -EPERM,
				 "%s: others than this user may write there",
				 place->dir);
	if (flock(place->fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	return errno == EWOULDBLOCK
		       ? error_set(err, -EBUSY, "%s: another monitor uses it",
				   place->dir)
		       : error_errno(err, "%s", place->dir);
}

static void local_free(struct local *p)
{
	if (!p)
		return;

	loop_timer_clear(&p->timer);
	if (p->place.fd >= 0)
		close(p->place.fd);
	free(p->place.coordinator);
	free(p->place.token_file);
	free(p->place.program);
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

	p->base = (struct provider){&provider_local, config->events,
				    config->user};
	p->grace = config->grace;
	list_init(&p->workers);
	p->place.loop = config->loop;
	p->place.slots = config->slots;
	p->place.adapters = config->adapters;
	p->place.gone = on_gone;
	p->place.user = p;
	p->place.fd = -1;
	p->place.coordinator = strdup(config->coordinator);
	p->place.program = strdup(config->program);
	if (config->token_file)
		p->place.token_file = strdup(config->token_file);
	if (!p->place.coordinator || !p->place.program ||
	    (config->token_file && !p->place.token_file))
		return error_set(err, -ENOMEM, "out of memory");

	if (access(p->place.program, X_OK) < 0)
		return error_errno(err, "cannot run %s", p->place.program);
	r = open_state(&p->place, config->state, err);
	if (r < 0)
		return r;

	*out = &STEAL(p)->base;
	return 0;
}

/* ---- the end ---- */

static void on_abandon(void *user)
{
	struct local *p = user;

	p->state = LOCAL_ABANDONING;
	loop_stop(p->place.loop, 0);
}

static void on_force(void *user)
{
	struct local *p = user;

	list_for_each (at, &p->workers) {
		if (worker_of(at)->pid > 0)
			log_warn("executor=%s did not leave, killing it",
				 worker_of(at)->name);
		worker_signal_group(worker_of(at), SIGKILL);
	}
	loop_timer_set(p->place.loop, &p->timer, AFTER_KILL, on_abandon, p);
}

static void local_destroy(struct provider *base)
{
	struct local *p = CONTAINER(base, struct local, base);

	p->state = LOCAL_ENDING;
	list_for_each (at, &p->workers)
		worker_signal(worker_of(at), SIGTERM);
	loop_timer_set(p->place.loop, &p->timer, p->grace, on_force, p);
	while (!list_is_empty(&p->workers) && p->state == LOCAL_ENDING)
		if (loop_run(p->place.loop) < 0)
			break;

	list_for_each (at, &p->workers) {
		log_error("executor=%s pid=%d cannot be ended",
			  worker_of(at)->name, (int)worker_of(at)->pid);
		worker_destroy(worker_of(at));
	}
	local_free(p);
}

const struct provider_ops provider_local = {
	.name = "local",
	.create = local_create,
	.adopt = local_adopt,
	.hold = local_hold,
	.destroy = local_destroy,
};
