/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_EVENTS_H
#define MONITOR_EVENTS_H

/*
 * Announcements, posted as Events of one object, one after the other and in
 * their order
 *
 * While the API is away they wait; of too many the oldest are dropped.  One
 * that is refused is dropped too; if we may not write any, all are.
 */

#include "kube/kube.h"
#include "monitor/status_build.h"

enum { EVENTS_MAX = 64 };

/* Embedded in its owner; all borrowed.  rest: nothing waits any more; may come
 * from within events_add(). */
struct events {
	struct loop *loop;
	struct kube *kube;
	struct kube_target regarding; /* a single object */
	void (*rest)(void *user);
	void *user;

	struct status_event queue[EVENTS_MAX];
	size_t n;
	cJSON *object; /* NULL: not read yet */
	bool busy;     /* it is read, or queue[0] goes out */
	bool mute;     /* we may not */
	struct loop_timer again;
};

void events_add(struct events *events, const struct status_event *new);
bool events_rest(const struct events *events);
/* After its kube was destroyed. */
void events_fini(struct events *events);

#endif
