/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_KUBE_FOLLOW_INTERNAL_H
#define CLI_KUBE_FOLLOW_INTERNAL_H

#include "cli/kube_follow.h"
#include "cli/views/show.h"
#include "client/job.h"
#include "client/watch.h"
#include "kube/log.h"
#include "runner/local/pump.h"

enum follow_phase {
	FOLLOW_COMING,   /* until the coordinator's pod runs */
	FOLLOW_WATCHING, /* the route is there, or on its way */
	FOLLOW_LEAVING,  /* the job is over, or its pod gone: the log drains */
};

/* How hard it is tried to end it; only goes up. */
enum follow_stop {
	FOLLOW_GO_ON,
	FOLLOW_SAVE,   /* Cancel with save was sent */
	FOLLOW_CANCEL, /* Cancel without */
	FOLLOW_DELETE, /* the Job was deleted */
};

struct following {
	const struct kube_follow_config *config;
	struct client *client;
	struct show *show;
	struct watch watch;
	struct kube_watch *pods;
	struct kube_log *log;
	struct kube_call *deletion;
	struct loop_timer patience, drain, report;
	enum follow_phase phase;
	enum follow_stop stop;
	bool asked; /* by a signal, to stop */
	bool over;  /* the job is, as WatchJob told */
	bool drained;
	bool reported; /* by the API: its container has ended */
	msec_t stop_at;
	char told[256];              /* of the pod, before it runs */
	char failure[512];           /* "": none */
	int failure_code, exit_code; /* exit_code: of the pod; negative: none */
};

/* kube_stop.c: signals, and what follows from them. */
int follow_stop_init(struct following *following, struct error *err);
void follow_set_patience(struct following *following, msec_t patience);

/* kube_output.c: lines of the coordinator's log. */
void follow_on_lines(void *user, const char *text, size_t n);

/* Nothing more will come but what the log still has. */
void follow_leave(struct following *following);

#endif
