/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session_internal.h"

#include "base/text.h"
#include "proto/coordinator.h"

#include <signal.h>

/* Without any effect for so long, the next harder step is taken. */
#define EFFECT    SECONDS(30)
#define TERMINATE SECONDS(5)
#define KILL      SECONDS(3)

static void on_patience(void *user);

void session_set_patience(struct session *session, msec_t patience)
{
	loop_timer_set(session->client.loop, &session->patience, patience,
		       on_patience, session);
}

void session_terminate(struct session *session)
{
	if (session->stop >= STOP_TERMINATE)
		return;
	session->stop = STOP_TERMINATE;
	process_signal(&session->coordinator, SIGTERM);
	process_signal(&session->monitor, SIGTERM);
	session_set_patience(session, TERMINATE);
}

static void finish_off(struct session *session)
{
	session->stop = STOP_KILL;
	process_kill(&session->coordinator);
	process_kill(&session->monitor);
	session_set_patience(session, KILL);
}

/* A checkpoint takes what the job file allows it. */
static bool is_saving(const struct session *session)
{
	const Bellows__V1__Job *job = show_last(session->show);
	msec_t since = loop_now() - session->stop_at;

	return session->stop == STOP_SAVE && job &&
	       (job->state == BELLOWS__V1__STATE__SAVING ||
		job->state == BELLOWS__V1__STATE__STOPPING) &&
	       since < session->config->job->checkpoint_deadline + EFFECT;
}

static void on_patience(void *user)
{
	struct session *session = user;

	switch (session->stop) {
	case STOP_NOT:
	case STOP_SAVE:
	case STOP_CANCEL:
		if (is_saving(session) ||
		    (show_is_full(session->show) && !session->asked)) {
			session_set_patience(session, SECONDS(1));
			return;
		}
		if (session->phase != SESSION_LEAVING)
			show_say(session->show,
				 "no answer: ending the programs");
		session_terminate(session);
		return;
	case STOP_TERMINATE:
		finish_off(session);
		return;
	case STOP_KILL:
		loop_stop(session->client.loop, 0);
		return;
	}
}

static void on_cancelled(void *user, const struct rpc_status *status,
			 const ProtobufCMessage *answer)
{
	struct session *session = user;

	if (status->code != RPC_OK && session->phase == SESSION_WATCHING &&
	    !session->over)
		show_say(session->show, "the coordinator refused to stop: %s",
			 text_safe(status->message).s);
}

static void send_cancel(struct session *session, bool save)
{
	Bellows__V1__CancelRequest request = BELLOWS__V1__CANCEL_REQUEST__INIT;

	request.save = save;
	request.reason = "interrupted";
	rpc_call_unary(session->client.channel, CALL_CANCEL, &request.base,
		       &bellows__v1__ack__descriptor, EFFECT, on_cancelled,
		       session);
}

static void on_signal(void *user, int signo, pid_t sender)
{
	struct session *session = user;

	session->asked = true;
	if (session->phase == SESSION_LEAVING) {
		/* what nobody reads is not waited for a second time */
		if (!session->coordinator.running && !session->monitor.running)
			loop_stop(session->client.loop, 0);
		session_terminate(session);
		return;
	}
	if (session->phase == SESSION_STARTING || session->over ||
	    session->stop >= STOP_CANCEL) {
		show_say(session->show, "ending the programs");
		if (session->stop == STOP_TERMINATE)
			finish_off(session);
		session_terminate(session);
		return;
	}
	session->stop++;
	session->stop_at = loop_now();
	send_cancel(session, session->stop == STOP_SAVE);
	show_say(session->show,
		 session->stop == STOP_SAVE
			 ? "saving, then stopping; once more to stop at once"
			 : "stopping at once; once more to end the programs");
	session_set_patience(session, EFFECT);
}

int session_stop_init(struct session *session, struct error *err)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	int r = 0;

	for (size_t i = 0; r == 0 && i < LENGTH(signals); i++) {
		if (signals[i] == SIGHUP && loop_signal_is_ignored(SIGHUP))
			continue;
		r = loop_signal_add(session->client.loop, signals[i], on_signal,
				    session, err);
	}
	return r;
}
