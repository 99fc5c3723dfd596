/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_LOG_H
#define KUBE_LOG_H

/*
 * What a container prints, as it prints it
 *
 * The log is followed by the API; when that ends or breaks, it is asked for
 * again, from the last line that was seen on, and no line comes twice.  So it
 * goes on with a container that was started again in its pod.
 */

#include "kube/kube.h"

struct kube_log;

struct kube_log_events {
	/* Whole lines, of at most KUBE_LOG_LINE bytes; a longer one in pieces.
	 */
	void (*lines)(void *user, const char *text, size_t n);

	/* All that there is was told, and the API has closed the log: once the
	 * container has ended, that was its last word. */
	void (*paused)(void *user);

	/* It is refused or cannot be reached, at most once until the next
	 * success; it is tried again with backoff. */
	void (*trouble)(void *user, const struct kube_answer *answer);
};

enum { KUBE_LOG_LINE = 65536 };

/* events: borrowed; all copied else. */
int kube_log_start(struct kube_log **out, struct kube *kube,
		   const char *namespace, const char *pod,
		   const char *container, const struct kube_log_events *events,
		   void *user, struct error *err);

/* While the log is held no byte is read, and none is lost. */
void kube_log_hold(struct kube_log *log, bool hold);

/* No event comes any more.  Returns NULL; NULL is nothing. */
struct kube_log *kube_log_stop(struct kube_log *log);

#endif
