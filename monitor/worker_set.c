/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/worker_set.h"

#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#define AFTER_KILL SECONDS(2)

static struct worker *worker_of(struct list *link)
{
	return CONTAINER(link, struct worker, link);
}

unsigned worker_set_count(const struct worker_set *set)
{
	unsigned n = 0;

	list_for_each (at, &set->workers)
		n++;
	return n;
}

struct worker *worker_set_find(const struct worker_set *set, unsigned number)
{
	list_for_each (at, &set->workers)
		if (worker_of(at)->number == number)
			return worker_of(at);
	return NULL;
}

int worker_set_start(struct worker_set *set, unsigned number,
		     struct worker **out, struct error *err)
{
	int r = worker_start(out, &set->place, number, err);

	if (r == 0)
		list_append(&set->workers, &(*out)->link);
	return r;
}

/* ---- the beginning ---- */

int worker_set_adopt(struct worker_set *set, struct error *err)
{
	DIR *dir = opendir(set->place.dir);
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return error_errno(err, "%s", set->place.dir);
	while (r == 0 && (entry = readdir(dir)))
		if (worker_is_name(entry->d_name))
			r = worker_clear(&set->place, entry->d_name, err);
	closedir(dir);
	return r;
}

/* The folder must be writable by this user alone: another user could put names
 * there that would then be removed. */
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

static void on_gone(void *user, const struct worker *worker)
{
	struct worker_set *set = user;

	if (!set->ending)
		set->gone(set->user, worker);
	else if (list_is_empty(&set->workers))
		loop_stop(set->place.loop, 0);
}

int worker_set_init(struct worker_set *set,
		    const struct provider_config *config,
		    void (*gone)(void *user, const struct worker *worker),
		    void *user, struct error *err)
{
	*set = (struct worker_set){
		.grace = config->grace,
		.gone = gone,
		.user = user,
		.place =
			{
				.loop = config->loop,
				.hosts = config->hosts,
				.adapters = config->adapters,
				.slots = config->slots,
				.keep_rights = config->keep_rights,
				.unencrypted = config->unencrypted,
				.gone = on_gone,
				.user = set,
				.fd = -1,
			},
	};
	list_init(&set->workers);
	set->place.coordinator = strdup(config->coordinator);
	set->place.program = strdup(config->program);
	if (config->token_file)
		set->place.token_file = strdup(config->token_file);
	if (config->tls)
		set->place.tls = strdup(config->tls);
	if (!set->place.coordinator || !set->place.program ||
	    (config->token_file && !set->place.token_file) ||
	    (config->tls && !set->place.tls))
		return error_set(err, -ENOMEM, "out of memory");
	if (access(set->place.program, X_OK) < 0)
		return error_errno(err, "cannot run %s", set->place.program);
	return open_state(&set->place, config->state, err);
}

/* ---- the end ---- */

static void on_abandon(void *user)
{
	struct worker_set *set = user;

	set->abandoned = true;
	loop_stop(set->place.loop, 0);
}

static void on_force(void *user)
{
	struct worker_set *set = user;

	list_for_each (at, &set->workers) {
		if (worker_of(at)->pid > 0)
			log_warn("executor=%s did not leave, killing it",
				 worker_of(at)->name);
		worker_signal_group(worker_of(at), SIGKILL);
	}
	loop_timer_set(set->place.loop, &set->timer, AFTER_KILL, on_abandon,
		       set);
}

void worker_set_end(struct worker_set *set)
{
	set->ending = true;
	list_for_each (at, &set->workers)
		worker_signal(worker_of(at), SIGTERM);
	loop_timer_set(set->place.loop, &set->timer, set->grace, on_force, set);
	while (!list_is_empty(&set->workers) && !set->abandoned)
		if (loop_run(set->place.loop) < 0)
			break;

	list_for_each (at, &set->workers) {
		log_error("executor=%s pid=%d cannot be ended",
			  worker_of(at)->name, (int)worker_of(at)->pid);
		worker_destroy(worker_of(at));
	}
}

void worker_set_fini(struct worker_set *set)
{
	loop_timer_clear(&set->timer);
	if (set->place.fd >= 0)
		close(set->place.fd);
	free(set->place.coordinator);
	free(set->place.program);
	free(set->place.token_file);
	free(set->place.tls);
}
