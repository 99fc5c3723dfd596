/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/supply_pods.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void supply_init(struct supply *s, const struct supply_config *config)
{
	*s = (struct supply){.config = *config};
}

void supply_fini(struct supply *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->pods[i]);
	free(s->pods);
	s->pods = NULL;
	s->n = s->room = 0;
}

/* ---- failures ---- */

static void on_failure(struct supply *s, msec_t now)
{
	msec_t pause = SUPPLY_PAUSE << (s->failures < 5 ? s->failures : 5);

	/* those that end together are one */
	if (now < s->not_before)
		return;
	s->failures++;
	s->not_before =
		now + (pause < SUPPLY_PAUSE_MAX ? pause : SUPPLY_PAUSE_MAX);
}

static void on_end(struct supply *s, const struct supply_pod *pod, msec_t now)
{
	bool soon = now - pod->since < SUPPLY_SOON && !pod->joined;

	if (pod->removed != 0)
		return;
	if (pod->phase == SUPPLY_FAILED || soon) {
		snprintf(s->failure, sizeof(s->failure), "%s ended: %.150s",
			 pod->name, *pod->why ? pod->why : "it left at once");
		on_failure(s, now);
	} else if (s->not_before < now + SUPPLY_NEWS) {
		s->not_before = now + SUPPLY_NEWS;
	}
}

/* ---- what is so ---- */

void supply_hold(struct supply *s, unsigned executors)
{
	if (executors != s->wish) {
		s->failures = 0;
		s->not_before = 0;
		s->refusal[0] = s->failure[0] = '\0';
	}
	s->wish = executors;
	s->held = true;
}

void supply_own(struct supply *s, unsigned replicas, unsigned floor,
		const char *objection)
{
	s->owned = true;
	s->replicas = replicas;
	s->floor = floor;
	snprintf(s->objection, sizeof(s->objection), "%s", objection);
}

static void on_joined(struct supply *s, struct supply_pod *pod)
{
	if (!pod->joined && pod->ours) {
		s->failures = 0;
		s->failure[0] = '\0';
	}
	pod->joined = true;
	pod->parted = 0;
}

void supply_join(struct supply *s, const struct supply_member *members,
		 size_t n, msec_t now)
{
	s->members = 0;
	for (size_t i = 0; i < s->n; i++)
		s->pods[i]->seen = false;
	for (size_t i = 0; i < n; i++) {
		struct supply_pod *pod = pods_find(s, members[i].name);

		s->members += !members[i].leaving;
		if (!pod)
			continue;
		on_joined(s, pod);
		pod->seen = true;
		pod->leaving = members[i].leaving;
	}
	for (size_t i = 0; i < s->n; i++)
		if (s->pods[i]->joined && !s->pods[i]->seen &&
		    s->pods[i]->parted == 0)
			s->pods[i]->parted = now;
	if (s->members >= s->wish)
		s->failure[0] = '\0';
}

static bool is_name(const char *name)
{
	return *name && strlen(name) < SUPPLY_NAME_MAX;
}

int supply_see(struct supply *s, const struct pod_view *view, msec_t now,
	       enum supply_news *news, struct error *err)
{
	struct supply_pod *pod = pods_find(s, view->name);
	bool was_here, ended, same;

	*news = SUPPLY_NOTHING;
	if (!is_name(view->name))
		return 0;
	if (!pod)
		pod = pods_add(s, view->name, now);
	if (!pod)
		return error_set(err, -ENOMEM, "out of memory");
	same = strncmp(pod->uid, view->uid, sizeof(pod->uid) - 1) == 0;
	was_here = same && pod_is_here(pod);
	ended = same && pod_has_ended(pod);
	if (!same) {
		char name[SUPPLY_NAME_MAX];

		memcpy(name, pod->name, sizeof(name));
		*pod = (struct supply_pod){.since = now, .phase = view->phase};
		memcpy(pod->name, name, sizeof(name));
		snprintf(pod->uid, sizeof(pod->uid), "%s", view->uid);
	}
	if (pod->phase != view->phase &&
	    (view->phase == SUPPLY_PENDING || view->phase == SUPPLY_RUNNING))
		pod->since = now;
	pod->asked = pod->taken = false;
	pod->listed = true;
	pod->phase = view->phase;
	pod->hitch = view->hitch;
	pod->ours = view->ours;
	pod->ending = view->ending;
	snprintf(pod->why, sizeof(pod->why), "%s", view->why);
	if (pod_has_ended(pod) && !ended && was_here)
		on_end(s, pod, now);
	if (was_here == pod_is_here(pod))
		return 0;
	*news = was_here ? SUPPLY_WENT : SUPPLY_CAME;
	return 0;
}

enum supply_news supply_miss(struct supply *s, const char *name, msec_t now)
{
	struct supply_pod *pod = pods_find(s, name);
	bool was_here;

	if (!pod || pod->asked)
		return SUPPLY_NOTHING;
	was_here = pod_is_here(pod);
	if (was_here && pod->ours && pod->removed == 0 && !pod->leaving) {
		snprintf(s->failure, sizeof(s->failure), "%s was deleted",
			 pod->name);
		on_failure(s, now);
	}
	pods_forget(s, name);
	return was_here ? SUPPLY_WENT : SUPPLY_NOTHING;
}

void supply_list_begin(struct supply *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->pods[i]->listed = false;
}

void supply_list_end(struct supply *s, msec_t now,
		     void (*gone)(void *user, const char *name), void *user)
{
	for (size_t i = s->n; i-- > 0;) {
		char name[SUPPLY_NAME_MAX];

		if (s->pods[i]->listed || s->pods[i]->asked ||
		    s->pods[i]->taken)
			continue;
		memcpy(name, s->pods[i]->name, sizeof(name));
		if (supply_miss(s, name, now) == SUPPLY_WENT && gone)
			gone(user, name);
	}
	s->listed = true;
	s->away[0] = '\0';
}

void supply_away(struct supply *s, const char *why)
{
	snprintf(s->away, sizeof(s->away), "%s", why);
}

/* ---- what became of an act ---- */

static void refused(struct supply *s, const char *text, msec_t now)
{
	snprintf(s->refusal, sizeof(s->refusal), "%s", text);
	on_failure(s, now);
}

static void created(struct supply *s, const struct supply_act *act, int r,
		    const char *text, msec_t now)
{
	struct supply_pod *pod = pods_find(s, act->name);

	if (r == 0) {
		s->refusal[0] = '\0';
		return;
	}
	if (pod && !pod->asked)
		return;
	if (r == -EEXIST && pod) {
		pod->asked = false;
		pod->taken = true;
		snprintf(s->refusal, sizeof(s->refusal), "%s", text);
		return;
	}
	if (pod)
		pods_forget(s, act->name);
	if (r != -ECANCELED)
		refused(s, text, now);
}

static void removed(struct supply *s, const struct supply_act *act, int r,
		    msec_t now)
{
	struct supply_pod *pod = pods_find(s, act->name);

	if (!pod || strcmp(pod->uid, act->uid) != 0)
		return;
	if (r == -ENOENT)
		pods_forget(s, act->name);
	else
		pod->removed = r == -ECANCELED ? 0 : now;
}

void supply_done(struct supply *s, const struct supply_act *act, int r,
		 const char *text, msec_t now)
{
	switch (act->kind) {
	case SUPPLY_CREATE:
		s->flights--;
		created(s, act, r, text, now);
		return;
	case SUPPLY_REMOVE:
		s->flights--;
		removed(s, act, r, now);
		return;
	case SUPPLY_PATCH:
		s->patching = false;
		if (r == 0)
			s->refusal[0] = '\0';
		else if (r != -EAGAIN && r != -ECANCELED)
			refused(s, text, now);
		return;
	}
}
