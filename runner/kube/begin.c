/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/begin.h"

#include "runner/kube/make.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct beginning {
	const struct begin_config *config;
	struct kube_wish *wish;
	struct kube_previous previous;
	struct kube_patience patience;
};

static void say(const struct beginning *beginning, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct beginning *beginning, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	beginning->config->say(beginning->config->user, text);
}

static void tell_waiting(void *user)
{
	const struct beginning *beginning = user;

	say(beginning,
	    "the former run of %s is still ending: waiting for that, %d s at "
	    "most",
	    beginning->wish->job->name, (int)(KUBE_PATIENCE / 1000));
}

/* With Volcano, or without it. */
static int choose(struct beginning *beginning, struct error *err)
{
	struct kube_wish *wish = beginning->wish;

	if (wish->plain || beginning->previous.volcano)
		return 0;
	if (strcmp(wish->mode, "replicas") == 0)
		return error_set(err, -EINVAL,
				 "--mode replicas is of Volcano's Job, which "
				 "this cluster does not have");
	wish->plain = true;
	say(beginning,
	    "the cluster has no Volcano Jobs: a Job of Kubernetes alone is "
	    "made, as with --plain");
	return 0;
}

/* What was cut off behind the making of the Job is done. */
static int go_on(const struct beginning *beginning,
		 struct kube_objects *objects, struct error *err)
{
	say(beginning, "the Job of this run is there already");
	return kube_own(beginning->config->reach, objects,
			beginning->previous.uid, err);
}

static int clear(const struct beginning *beginning,
		 const struct kube_objects *objects, struct error *err)
{
	const struct begin_config *config = beginning->config;

	if (!beginning->previous.kind)
		return 0;
	say(beginning,
	    "the former run of %s is over: its Job is replaced, its data stay",
	    beginning->wish->job->name);
	return kube_clear(config->reach, &beginning->previous, objects,
			  config->stop, err);
}

int kube_begin(struct kube_objects **out, const struct begin_config *config,
	       struct kube_wish *wish, struct error *err)
{
	struct beginning beginning = {.config = config, .wish = wish};
	CLEANUP(kube_objects_destroy) struct kube_objects *objects = NULL;
	int r;

	beginning.patience.tell = tell_waiting;
	beginning.patience.user = &beginning;
	beginning.patience.stop = config->stop;
	r = kube_survey(&beginning.previous, config->reach, wish->job->name,
			wish->run_id, &beginning.patience, err);
	if (r == 0)
		r = choose(&beginning, err);
	wish->namespace = reach_namespace(config->reach);
	if (r == 0)
		r = kube_objects_create(&objects, wish, err);
	if (r == 0 && beginning.previous.is_same) {
		r = go_on(&beginning, objects, err);
	} else if (r == 0) {
		r = clear(&beginning, objects, err);
		if (r == 0)
			r = kube_make(config->reach, objects, wish->run_id,
				      &beginning.patience, err);
	}
	if (r == 0)
		*out = STEAL(objects);
	return r;
}
