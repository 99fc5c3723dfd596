/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/place.h"

#include "base/file.h"
#include "base/random.h"
#include "runner/kube/coordinator_pod.h"
#include "runner/kube/job.h"
#include "runner/kube/manifests.h"
#include "scheduler/scheduler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_DIGITS = 16 }; /* of the ID of a run */

static int check_kube(const struct scheduler_kube *kube, struct error *err)
{
	const struct kube_wish wish = {
		.image = kube->image,
		.cpu = kube->cpu,
		.memory = kube->memory,
		.claim = kube->claim,
		.storage = kube->storage,
		.storage_class = kube->storage_class,
		.plain = kube->plain,
	};

	return kube_wish_check(&wish, err) < 0 ? -EACCES : 0;
}

int place_open(struct place *place, struct loop *loop,
	       const struct scheduler_config *config,
	       const struct state_dir *dir, struct error *err)
{
	int r;

	place->config = config;
	snprintf(place->name, sizeof(place->name), "%s",
		 config->hosts ? config->hosts : "this machine");
	if (config->hosts)
		return hosts_read(&place->hosts, config->hosts, err);
	if (!config->lookup.on)
		return 0;
	r = check_kube(&config->kube, err);
	if (r < 0)
		return r;
	snprintf(place->sockets, sizeof(place->sockets), "%s/sockets",
		 dir->path);
	place->lookup = config->lookup;
	place->lookup.is_scheduler = true;
	place->lookup.sockets = place->sockets;
	r = reach_create(&place->reach, loop, &place->lookup, err);
	if (r == 0)
		r = kube_runs_create(&place->runs, place->reach, err);
	if (r == 0)
		snprintf(place->name, sizeof(place->name), "namespace %s",
			 reach_namespace(place->reach));
	return r;
}

void place_close(struct place *place)
{
	place->hosts = hosts_destroy(place->hosts);
	place->runs = kube_runs_destroy(place->runs);
	place->reach = reach_destroy(place->reach);
}

const char *place_name(const struct place *place)
{
	return place->name;
}

/* Whether the executors can have what the job asks for. */
static int check_pods(const struct scheduler_kube *kube,
		      const struct jobfile *job, struct error *err)
{
	const struct kube_wish wish = {
		.job = job,
		.cpu = kube->cpu,
		.memory = kube->memory,
	};
	int r = kube_wish_check_job(&wish, err);

	return r < 0 ? error_wrap(err, r, "bellows-scheduler") : 0;
}

int place_check(const struct place *place, const char *path, const char *text,
		struct error *err)
{
	struct kube_job job = {0};
	int r = place->reach ? kube_job_parse(&job, path, text, err) : 0;

	if (r == 0 && place->reach)
		r = check_pods(&place->config->kube, job.job, err);
	kube_job_fini(&job);
	return r;
}

void place_tell_output(const struct queued *queued, char *text, size_t n)
{
	const struct place *place = &queued->scheduler->place;

	if (place->reach)
		snprintf(text, n,
			 "'kubectl -n %s logs -l " KUBE_JOB "=%s," KUBE_ROLE
			 "=coordinator' shows its output",
			 reach_namespace(place->reach), queued->record.name);
	else
		snprintf(text, n, "its output goes to %.200s/output",
			 queued->programs.dir);
}

/* ---- for `bellows run` ---- */

static void path_of_hosts(const struct queued *queued, char path[PATH_MAX + 16])
{
	snprintf(path, PATH_MAX + 16, "%s/hosts", queued->programs.dir);
}

/* value: NULL: not given. */
static void put(struct programs_order *order, const char *option,
		const char *value)
{
	if (!value)
		return;
	order->words[order->n_words++] = option;
	order->words[order->n_words++] = value;
}

static void put_kube(const struct queued *queued, struct programs_order *order)
{
	const struct place *place = &queued->scheduler->place;
	const struct scheduler_kube *kube = &place->config->kube;
	const struct lookup *lookup = &place->config->lookup;

	put(order, "--on", "kube");
	put(order, "--run-id", queued->record.run);
	put(order, "--namespace", reach_namespace(place->reach));
	put(order, "--kubeconfig", lookup->kubeconfig);
	put(order, "--context", lookup->context);
	put(order, "--image", kube->image);
	put(order, "--cpu", kube->cpu);
	put(order, "--memory", kube->memory);
	put(order, "--claim", kube->claim);
	put(order, "--storage", kube->storage);
	put(order, "--storage-class", kube->storage_class);
	if (kube->plain)
		order->words[order->n_words++] = "--plain";
	order->words[order->n_words++] = "--detach";
}

void place_put_words(const struct queued *queued, struct programs_order *order)
{
	const struct place *place = &queued->scheduler->place;

	if (place->reach) {
		put_kube(queued, order);
		return;
	}
	put(order, "--folder", queued->record.folder);
	for (size_t i = 0; i < place->config->adapters.n; i++)
		put(order, "--adapter", place->config->adapters.at[i]);
	if (!place->hosts)
		return;
	path_of_hosts(queued, order->hosts);
	put(order, "--hosts", order->hosts);
}

/* "": none */
static const char *namespace_of(const struct place *place)
{
	return place->reach ? reach_namespace(place->reach) : "";
}

int place_check_begun(const struct place *place, const struct record *record,
		      struct error *err)
{
	const struct queue_job *life = &record->life;

	if (life->over || !(life->runs || life->began) ||
	    strcmp(record->namespace, namespace_of(place)) == 0)
		return 0;
	if (*record->namespace)
		return error_set(err, -EACCES,
				 "job %s of this queue has begun in a cluster: "
				 "start with --on kube --namespace %s, or with "
				 "another --state DIR",
				 record->name, record->namespace);
	return error_set(err, -EACCES,
			 "job %s of this queue has begun outside of a cluster: "
			 "start without --on kube, or with another --state DIR",
			 record->name);
}

int place_name_run(struct queued *queued, struct error *err)
{
	const struct place *place = &queued->scheduler->place;
	struct record *record = &queued->record;

	*record->run = '\0';
	snprintf(record->namespace, sizeof(record->namespace), "%s",
		 namespace_of(place));
	return place->reach ? random_hex(record->run, RUN_DIGITS + 1, err) : 0;
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

	if (!hosts)
		return 0;
	path_of_hosts(queued, path);
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

	if (!all)
		return;
	path_of_hosts(queued, path);
	if (hosts_read(&own, path, NULL) < 0)
		return;
	/* of another hosts file than today's: its load is not known */
	for (size_t i = 0; i < own->n; i++)
		if (own->n != all->n || find(all, own->at[i].name) == all->n)
			return;
	queued->hosts = calloc(all->n, sizeof(*queued->hosts));
	for (size_t i = 0; queued->hosts && i < all->n; i++)
		queued->hosts[i] = (unsigned)find(all, own->at[i].name);
}
