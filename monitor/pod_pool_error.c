/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Why executors have not come, the first of these that holds:
 *
 *   the API is away, or refuses what it takes
 *   a pod cannot start: its image, its configuration, no node for it
 *   the last one that started has failed
 *   nothing is known, but it takes long
 */

#include "monitor/pod_pool_list.h"

#include <stdio.h>
#include <string.h>

/* What the pods that are not members have in common, told by the first. */
struct tally {
	const struct pod_pool_pod *first;
	unsigned n;
	msec_t from; /* when it is worth telling; the earliest of them */
};

static bool is_awaited(const struct pod_pool_pod *pod)
{
	return !pod->taken && !pod->asked && !pod->ending && !pod->joined &&
	       pod->removed == 0 &&
	       (pod->phase == POD_POOL_PENDING ||
		pod->phase == POD_POOL_RUNNING);
}

static void count(struct tally *tally, const struct pod_pool_pod *pod,
		  msec_t delay)
{
	if (tally->n++ == 0)
		tally->first = pod;
	if (tally->n == 1 || pod->since + delay < tally->from)
		tally->from = pod->since + delay;
}

static void add_again(msec_t *again, msec_t at)
{
	if (*again == 0 || at < *again)
		*again = at;
}

/* True if there is something to tell now. */
static bool is_due(const struct tally *tally, msec_t now, msec_t *again)
{
	if (tally->n == 0)
		return false;
	if (tally->from > now) {
		add_again(again, tally->from);
		return false;
	}
	return true;
}

static void describe_pods(char text[POD_POOL_TEXT_MAX],
			  const struct tally *tally, const char *what,
			  const char *why)
{
	char more[24] = "";

	if (tally->n > 1)
		snprintf(more, sizeof(more), " and %u more", tally->n - 1);
	snprintf(text, POD_POOL_TEXT_MAX, "%s%s%s%s%.150s", tally->first->name,
		 more, what, *why ? ": " : "", why);
}

static bool tell_pods(const struct pod_pool *s, msec_t now,
		      char text[POD_POOL_TEXT_MAX], msec_t *again)
{
	struct tally stuck = {0}, unplaced = {0};

	for (size_t i = 0; i < s->n; i++) {
		const struct pod_pool_pod *pod = s->pods[i];

		if (!is_awaited(pod))
			continue;
		if (pod->hitch == POD_POOL_STUCK)
			count(&stuck, pod, 0);
		else if (pod->hitch == POD_POOL_UNPLACED)
			count(&unplaced, pod, POD_POOL_UNSCHEDULED);
	}
	if (is_due(&stuck, now, again))
		describe_pods(text, &stuck, "", stuck.first->why);
	else if (is_due(&unplaced, now, again))
		describe_pods(text, &unplaced, " cannot be scheduled",
			      unplaced.first->why);
	else
		return false;
	return true;
}

static void tell_late(const struct pod_pool *s, msec_t now,
		      char text[POD_POOL_TEXT_MAX], msec_t *again)
{
	struct tally pending = {0}, silent = {0};

	for (size_t i = 0; i < s->n; i++) {
		const struct pod_pool_pod *pod = s->pods[i];

		if (is_awaited(pod) && pod->hitch == POD_POOL_NO_HITCH)
			count(pod->phase == POD_POOL_PENDING ? &pending
							     : &silent,
			      pod, POD_POOL_LATE);
	}
	if (is_due(&pending, now, again))
		describe_pods(text, &pending, " is still pending",
			      pending.first->why);
	else if (is_due(&silent, now, again))
		describe_pods(text, &silent,
			      " runs, but its executor has not reached the "
			      "coordinator; "
			      "its log may say why",
			      "");
}

/* The owner's task has not made pods that it is to make. */
static void tell_promised(const struct pod_pool *s, msec_t now,
			  char text[POD_POOL_TEXT_MAX], msec_t *again)
{
	unsigned missing = pods_promised(s);

	if (missing == 0 || s->short_since == 0)
		return;
	if (now < s->short_since + POD_POOL_LATE) {
		add_again(again, s->short_since + POD_POOL_LATE);
		return;
	}
	snprintf(text, POD_POOL_TEXT_MAX,
		 "%u of %u pods %s... are not made by their Job; its events "
		 "say why",
		 missing, s->replicas, s->config.task);
}

void pod_pool_error(const struct pod_pool *s, msec_t now,
		    char text[POD_POOL_TEXT_MAX], msec_t *again)
{
	*again = 0;
	text[0] = '\0';
	if (!s->held || s->members >= s->wish)
		return;
	if (*s->away)
		snprintf(text, POD_POOL_TEXT_MAX, "%s", s->away);
	else if (*s->objection)
		snprintf(text, POD_POOL_TEXT_MAX, "%s", s->objection);
	else if (*s->refusal)
		snprintf(text, POD_POOL_TEXT_MAX, "%s", s->refusal);
	else if (tell_pods(s, now, text, again))
		return;
	else if (*s->failure)
		snprintf(text, POD_POOL_TEXT_MAX, "%s", s->failure);
	else
		tell_late(s, now, text, again);
	if (!*text)
		tell_promised(s, now, text, again);
}
