/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/place.h"

#include "base/file.h"
#include "scheduler/scheduler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int place_open(struct place *place, const char *path, struct error *err)
{
	place->path = path;
	return path ? hosts_read(&place->hosts, path, err) : 0;
}

void place_close(struct place *place)
{
	place->hosts = hosts_destroy(place->hosts);
}

const char *place_name(const struct place *place)
{
	return place->hosts ? place->path : "this machine";
}

bool place_file(const struct queued *queued, char *path, size_t n)
{
	snprintf(path, n, "%s/hosts", queued->programs.dir);
	return queued->scheduler->place.hosts != NULL;
}

/* ---- how much runs on each host ---- */

/* The ranks of a job are on the first hosts of its file. */
static void add_load(const struct queued *queued, unsigned *load)
{
	unsigned each = queued->record.each, ranks = queued_slots(queued);

	if (!queued->hosts || each == 0)
		return;
	for (size_t i = 0; ranks > 0 && i < queued->scheduler->place.hosts->n;
	     i++) {
		load[queued->hosts[i]] += ranks < each ? ranks : each;
		ranks -= ranks < each ? ranks : each;
	}
}

static int compare_load(const void *a, const void *b, void *load)
{
	unsigned one = *(const unsigned *)a, other = *(const unsigned *)b;
	const unsigned *of = load;

	if (of[one] != of[other])
		return of[one] < of[other] ? -1 : 1;
	return one < other ? -1 : 1;
}

static int order(struct queued *queued)
{
	const struct scheduler *scheduler = queued->scheduler;
	size_t n = scheduler->place.hosts->n;
	unsigned *load = calloc(n, sizeof(*load));

	if (!queued->hosts)
		queued->hosts = calloc(n, sizeof(*queued->hosts));
	if (!load || !queued->hosts) {
		free(load);
		return -ENOMEM;
	}
	list_for_each (at, &scheduler->jobs)
		if (at != &queued->link)
			add_load(CONTAINER(at, struct queued, link), load);
	for (unsigned i = 0; i < n; i++)
		queued->hosts[i] = i;
	qsort_r(queued->hosts, n, sizeof(*queued->hosts), compare_load, load);
	free(load);
	return 0;
}

/* ---- the job's hosts file ---- */

static void print_host(FILE *to, const struct host *host)
{
	fprintf(to, "%s %s", host->name, host->address);
	for (const char *const *word = host->words; *word; word++)
		fprintf(to, " %s", *word);
	fputc('\n', to);
}

int place_choose(struct queued *queued, struct error *err)
{
	const struct hosts *hosts = queued->scheduler->place.hosts;
	CLEANUP(free) char *text = NULL;
	char path[PATH_MAX + 16];
	size_t size = 0;
	FILE *to;

	if (!place_file(queued, path, sizeof(path)))
		return 0;
	if (order(queued) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	to = open_memstream(&text, &size);
	if (!to)
		return error_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < hosts->n; i++)
		print_host(to, &hosts->at[queued->hosts[i]]);
	if (fclose(to) != 0)
		return error_set(err, -ENOMEM, "out of memory");
	return file_replace(path, 0600, text, size, err);
}

static size_t find(const struct hosts *hosts, const char *name)
{
	size_t i = 0;

	while (i < hosts->n && strcmp(hosts->at[i].name, name) != 0)
		i++;
	return i;
}

void place_adopt(struct queued *queued)
{
	const struct hosts *all = queued->scheduler->place.hosts;
	CLEANUP(hosts_destroy) struct hosts *own = NULL;
	char path[PATH_MAX + 16];

	if (!place_file(queued, path, sizeof(path)) ||
	    hosts_read(&own, path, NULL) < 0)
		return;
	/* of another hosts file than today's: its load is not known */
	for (size_t i = 0; i < own->n; i++)
		if (own->n != all->n || find(all, own->at[i].name) == all->n)
			return;
	queued->hosts = calloc(all->n, sizeof(*queued->hosts));
	for (size_t i = 0; queued->hosts && i < all->n; i++)
		queued->hosts[i] = (unsigned)find(all, own->at[i].name);
}
