/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kube_follow_internal.h"

#include "base/text.h"
#include "jobfile/exit.h"
#include "proto/coordinator.h"

#include <errno.h>
#include <signal.h>

/* Without any effect for so long, the next harder step is taken. */
#define EFFECT SECONDS(30)
#define LEAVE  SECONDS(45) /* from the deletion to the pod's end */

static void on_patience(void *user);

void follow_set_patience(struct following *following, msec_t patience)
{
	loop_timer_set(following->client->loop, &following->patience, patience,
		       on_patience, following);
}

static void on_deleted(void *user, const struct kube_answer *answer)
{
	struct following *following = user;

	following->deletion = NULL;
	if (answer->r < 0 && answer->r != -ENOENT)
		show_say(following->show, "the job stays: %s", answer->text);
	else
		show_say(following->show, "the job was deleted");
	follow_leave(following);
}

static void delete (struct following *following)
{
	const struct kube_objects *objects = following->config->objects;
	const struct kube_object *job = &objects->at[objects->owner];
	const struct reach *reach = following->config->reach;
	const struct kube_target target = {
		.kind = job->kind,
		.namespace = reach_namespace(reach),
		.name = job->name,
	};
	struct error err;

	if (following->stop == FOLLOW_DELETE)
		return;
	following->stop = FOLLOW_DELETE;
	follow_set_patience(following, LEAVE);
	if (kube_delete(reach_kube(reach), &following->deletion, &target,
			objects->uid, -1, REACH_DEADLINE, on_deleted, following,
			&err) < 0) {
		show_say(following->show, "the job stays: %s", err.text);
		follow_leave(following);
	}
}

/* A checkpoint takes what the job file allows it. */
static bool is_saving(const struct following *following)
{
	const Bellows__V1__Job *job = show_last(following->show);
	msec_t since = loop_now() - following->stop_at;

	return following->stop == FOLLOW_SAVE && job &&
	       (job->state == BELLOWS__V1__STATE__SAVING ||
		job->state == BELLOWS__V1__STATE__STOPPING) &&
	       since < following->config->job->checkpoint_deadline + EFFECT;
}

/* The coordinator did not come up, or a request to stop had no effect. */
static void on_patience(void *user)
{
	struct following *following = user;

	if (following->phase == FOLLOW_LEAVING)
		return;
	if (following->stop == FOLLOW_DELETE) {
		follow_leave(following);
		return;
	}
	if (is_saving(following)) {
		follow_set_patience(following, SECONDS(1));
		return;
	}
	if (following->phase == FOLLOW_COMING) {
		snprintf(following->failure, sizeof(following->failure),
			 "the coordinator did not come up within %s%s%s",
			 text_duration(following->config->job->wait_deadline).s,
			 following->told[0] ? ": " : "", following->told);
		following->failure_code = EXIT_UNREACHABLE;
	} else {
		show_say(following->show, "no answer: deleting the job");
	}
	delete (following);
}

static void on_cancelled(void *user, const struct rpc_status *status,
			 const ProtobufCMessage *answer)
{
	struct following *following = user;

	if (status->code != RPC_OK && following->phase == FOLLOW_WATCHING &&
	    !following->over)
		show_say(following->show, "the coordinator refused to stop: %s",
			 text_safe(status->message).s);
}

static void send_cancel(struct following *following, bool save)
{
	Bellows__V1__CancelRequest request = BELLOWS__V1__CANCEL_REQUEST__INIT;

	request.save = save;
	request.reason = "interrupted";
	rpc_call_unary(following->client->channel, CALL_CANCEL, &request.base,
		       &bellows__v1__ack__descriptor, EFFECT, on_cancelled,
		       following);
}

static void on_signal(void *user, int signo, pid_t sender)
{
	struct following *following = user;

	following->asked = true;
	if (following->phase == FOLLOW_LEAVING) {
		/* what nobody reads is not waited for a second time */
		loop_stop(following->client->loop, 0);
		return;
	}
	if (following->phase == FOLLOW_COMING || !following->client->channel ||
	    following->stop >= FOLLOW_CANCEL) {
		if (following->stop == FOLLOW_DELETE)
			follow_leave(following);
		show_say(following->show, "deleting the job");
		delete (following);
		return;
	}
	following->stop++;
	following->stop_at = loop_now();
	send_cancel(following, following->stop == FOLLOW_SAVE);
	show_say(following->show,
		 following->stop == FOLLOW_SAVE
			 ? "saving, then stopping; once more to stop at once"
			 : "stopping at once; once more to delete the job");
	follow_set_patience(following, EFFECT);
}

int follow_stop_init(struct following *following, struct error *err)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	int r = 0;

	for (size_t i = 0; r == 0 && i < LENGTH(signals); i++)
		if (signals[i] != SIGHUP || !loop_signal_is_ignored(SIGHUP))
			r = loop_signal_add(following->client->loop, signals[i],
					    on_signal, following, err);
	return r;
}
