/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "jobfile/exit.h"
#include "runner/kube/follow_internal.h"

#include <errno.h>
#include <stdio.h>

#define LEAVE SECONDS(45) /* from the deletion to the pod's end */

static void on_deleted(void *user, const struct kube_answer *answer)
{
	struct following *following = user;

	following->deletion = NULL;
	if (answer->r < 0 && answer->r != -ENOENT)
		run_say(&following->run, "the job stays: %s", answer->text);
	else
		run_say(&following->run, "the job was deleted");
	follow_leave(following);
}

void follow_delete(struct run *run)
{
	struct following *following = following_of(run);
	const struct kube_objects *objects = following->config.objects;
	const struct kube_object *job = &objects->at[objects->owner];
	const struct reach *reach = following->config.reach;
	const struct kube_target target = {
		.kind = job->kind,
		.namespace = reach_namespace(reach),
		.name = job->name,
	};
	struct error err;

	run_set_patience(run, LEAVE);
	if (kube_delete(reach_kube(reach), &following->deletion, &target,
			objects->uid, -1, REACH_DEADLINE, on_deleted, following,
			&err) < 0) {
		run_say(run, "the job stays: %s", err.text);
		follow_leave(following);
	}
}

void follow_late(struct run *run)
{
	struct following *following = following_of(run);
	msec_t deadline = following->config.job->wait_deadline;

	if (run->phase != RUN_STARTING) {
		run_say(run, "no answer: deleting the job");
		return;
	}
	snprintf(following->failure, sizeof(following->failure),
		 "the coordinator did not come up within %s%s%s",
		 text_duration(deadline).s, following->told[0] ? ": " : "",
		 following->told);
	following->failure_code = EXIT_UNREACHABLE;
}
