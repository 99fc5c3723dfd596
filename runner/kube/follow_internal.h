/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_FOLLOW_INTERNAL_H
#define RUNNER_KUBE_FOLLOW_INTERNAL_H

#include "kube/log.h"
#include "runner/kube/follow.h"
#include "runner/run_kind.h"

struct following {
	struct run run;
	struct follow_config config;
	struct kube_watch *pods;
	struct kube_log *log;
	struct kube_call *deletion;
	struct loop_timer drain, report;
	bool drained;
	bool reported;               /* by the API: its container has ended */
	char told[256];              /* of the pod, before it runs */
	char failure[512];           /* "": none */
	int failure_code, exit_code; /* exit_code: of the pod; negative: none */
};

static inline struct following *following_of(struct run *run)
{
	return CONTAINER(run, struct following, run);
}

/* follow_end.c: what STOP_END and a run that is late do. */
void follow_delete(struct run *run);
void follow_late(struct run *run);

/* output.c: lines of the coordinator's log. */
void follow_on_lines(void *user, const char *text, size_t n);

/* Waits for the rest of the log alone. */
void follow_leave(struct following *following);

#endif
