/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/crew.h"

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

unsigned crew_count(const struct crew *crew)
{
	unsigned n = 0;

	list_for_each (at, &crew->workers)
		n++;
	return n;
}

struct worker *crew_find(const struct crew *crew, unsigned number)
{
	list_for_each (at, &crew->workers)
		if (worker_of(at)->number == number)
			return worker_of(at);
	return NULL;
}

int crew_start(struct crew *crew, unsigned number, struct worker **out,
	       struct error *err)
{
	int r = worker_start(out, &crew->place, number, err);

	if (r == 0)
		list_append(&crew->workers, &(*out)->link);
	return r;
}

/* ---- the beginning ---- */

int crew_adopt(struct crew *crew, struct error *err)
{
	DIR *dir = opendir(crew->place.dir);
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return error_errno(err, "%s", crew->place.dir);
	while (r == 0 && (entry = readdir(dir)))
		if (worker_is_name(entry->d_name))
			r = worker_clear(&crew->place, entry->d_name, err);
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

static void on_gone(void *user, const struct worker *worker)
{
	struct crew *crew = user;

	if (!crew->ending)
		crew->gone(crew->user, worker);
	else if (list_is_empty(&crew->workers))
		loop_stop(crew->place.loop, 0);
}

int crew_init(struct crew *crew, const struct provider_config *config,
	      void (*gone)(void *user, const struct worker *worker), void *user,
	      struct error *err)
{
	*crew = (struct crew){
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
				.user = crew,
				.fd = -1,
			},
	};
	list_init(&crew->workers);
	crew->place.coordinator = strdup(config->coordinator);
	crew->place.program = strdup(config->program);
	if (config->token_file)
		crew->place.token_file = strdup(config->token_file);
	if (config->tls)
		crew->place.tls = strdup(config->tls);
	if (!crew->place.coordinator || !crew->place.program ||
	    (config->token_file && !crew->place.token_file) ||
	    (config->tls && !crew->place.tls))
		return error_set(err, -ENOMEM, "out of memory");
	if (access(crew->place.program, X_OK) < 0)
		return error_errno(err, "cannot run %s", crew->place.program);
	return open_state(&crew->place, config->state, err);
}

/* ---- the end ---- */

static void on_abandon(void *user)
{
	struct crew *crew = user;

	crew->abandoned = true;
	loop_stop(crew->place.loop, 0);
}

static void on_force(void *user)
{
	struct crew *crew = user;

	list_for_each (at, &crew->workers) {
		if (worker_of(at)->pid > 0)
			log_warn("executor=%s did not leave, killing it",
				 worker_of(at)->name);
		worker_signal_group(worker_of(at), SIGKILL);
	}
	loop_timer_set(crew->place.loop, &crew->timer, AFTER_KILL, on_abandon,
		       crew);
}

void crew_end(struct crew *crew)
{
	crew->ending = true;
	list_for_each (at, &crew->workers)
		worker_signal(worker_of(at), SIGTERM);
	loop_timer_set(crew->place.loop, &crew->timer, crew->grace, on_force,
		       crew);
	while (!list_is_empty(&crew->workers) && !crew->abandoned)
		if (loop_run(crew->place.loop) < 0)
			break;

	list_for_each (at, &crew->workers) {
		log_error("executor=%s pid=%d cannot be ended",
			  worker_of(at)->name, (int)worker_of(at)->pid);
		worker_destroy(worker_of(at));
	}
}

void crew_fini(struct crew *crew)
{
	loop_timer_clear(&crew->timer);
	if (crew->place.fd >= 0)
		close(crew->place.fd);
	free(crew->place.coordinator);
	free(crew->place.program);
	free(crew->place.token_file);
	free(crew->place.tls);
}
