/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_FAKE_KUBE_H
#define TESTS_UNIT_FAKE_KUBE_H

/*
 * A client of the Kubernetes API in place of the real one: what is asked is
 * written into a trace, and waits until the test answers.  Reading objects is
 * the real one's.
 */

#include "kube/kube.h"
#include "tests/check.h"

#include <errno.h>
#include <string.h>

struct kube {
	int alive;
};

static struct kube the_kube;
static char trace[8192];
static cJSON *patched; /* the last patch */
static struct {
	kube_answer_f fn;
	void *user;
} asked[8];
static size_t n_asked;

static void say(const char *word, const char *what)
{
	size_t used = strlen(trace);

	snprintf(trace + used, sizeof(trace) - used, "%s %s\n", word, what);
}

static int ask(kube_answer_f fn, void *user)
{
	if (n_asked == sizeof(asked) / sizeof(asked[0]))
		return -ENOSPC;
	asked[n_asked].fn = fn;
	asked[n_asked++].user = user;
	return 0;
}

/* Answers the oldest question: 0 and JSON, or -errno and a sentence. */
static bool answer(int r, const char *text)
{
	cJSON *object = r == 0 ? cJSON_Parse(text) : NULL;
	const struct kube_answer is = {
		.r = r, .object = object, .text = r < 0 ? text : ""};
	kube_answer_f fn = asked[0].fn;
	void *user = asked[0].user;

	if (n_asked == 0 || (r == 0 && !object))
		return false;
	memmove(asked, asked + 1, --n_asked * sizeof(asked[0]));
	fn(user, &is);
	cJSON_Delete(object);
	return true;
}

/* ---- what kube.h promises ---- */

int kube_create(struct kube **out, struct loop *loop,
		const struct kube_config *config, struct error *err)
{
	the_kube.alive++;
	*out = &the_kube;
	return 0;
}

struct kube *kube_destroy(struct kube *kube)
{
	if (kube)
		kube->alive--;
	n_asked = 0;
	return NULL;
}

int kube_get(struct kube *kube, struct kube_call **out,
	     const struct kube_target *target, msec_t deadline,
	     kube_answer_f fn, void *user, struct error *err)
{
	char what[512];

	snprintf(what, sizeof(what), "%s %s/%s?%s", target->kind->plural,
		 target->namespace, target->name ? target->name : "",
		 target->query ? target->query : "");
	say("get", what);
	return ask(fn, user);
}

int kube_patch(struct kube *kube, struct kube_call **out,
	       const struct kube_target *target, const cJSON *patch,
	       msec_t deadline, kube_answer_f fn, void *user, struct error *err)
{
	char what[512];

	snprintf(what, sizeof(what), "%s %s/%s/%s", target->kind->plural,
		 target->namespace, target->name, target->subresource);
	say("patch", what);
	cJSON_Delete(patched);
	patched = cJSON_Duplicate(patch, true);
	return ask(fn, user);
}

int kube_post_event(struct kube *kube, const struct kube_event *event,
		    kube_answer_f fn, void *user, struct error *err)
{
	char what[1024];

	snprintf(what, sizeof(what), "%s %s %s: %s",
		 kube_text(event->regarding, "metadata.uid"), event->type,
		 event->reason, event->note);
	say("tell", what);
	return ask(fn, user);
}

#endif
