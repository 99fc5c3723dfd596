/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_MEMBERS_MEMBERS_H
#define COORDINATOR_MEMBERS_MEMBERS_H

/*
 * Executors as the coordinator sees them: the ledger, and a stream to each
 *
 * An executor that joined is probed over its stream; when it answers that it
 * can run the job (on probed), the launcher admits it, and it is ready, or
 * refuses it.  An order is kept until the executor has confirmed it, and is
 * sent again when the executor attaches again; an executor that confirms too
 * few of them is lost (rpc/unconfirmed.h has the bounds).
 *
 * When the ledger is full, the entries of executors that are gone or lost are
 * given to others, unless a start still refers to them.
 */

#include "core/member.h"
#include "loop/loop.h"
#include "proto/bellows.pb-c.h"
#include "rpc/server.h"

struct members;

/* So long is one waited for that is released and had ranks: their output may be
 * on its way. */
#define MEMBERS_LAST_WORDS SECONDS(15)

struct members_events {
	/* It can run this job: to be admitted or refused.  May come again. */
	void (*probed)(void *user, int member);
	void (*ready)(void *user, int member);
	/* It cannot run this job; it has been released. */
	void (*unfit)(void *user, int member, const char *failure,
		      int exit_code);
	void (*lost)(void *user, int member, const char *reason);
	void (*left)(void *user, int member); /* as it was told to */
	/* It will leave, and keeps its ranks for grace if it is not released
	 * before. */
	void (*draining)(void *user, int member, msec_t grace);
	/* Something still refers to the index of this one, which is gone or
	 * lost: it must not become another executor's. */
	bool (*is_referred_to)(void *user, int member);
	/* What the room does not handle itself. */
	void (*reported)(void *user, int member,
			 const Bellows__V1__Report *report);
	/* This program was stopped for so long: what executors have sent
	 * meanwhile is not read yet. */
	void (*paused)(void *user, msec_t pause);
};

/* lost_after: how long an executor may be silent before it is lost, at least a
 * second; the key of that name in the job file (jobfile/schema.c). */
int members_create(struct members **out, struct loop *loop, msec_t lost_after,
		   const struct members_events *events, void *user,
		   struct error *err);
struct members *members_destroy(struct members *members); /* returns NULL */

struct ledger *members_ledger(struct members *members);

/* Told to executors: between reports, and for how long after one that was
 * answered their ranks may compute.  The second is shorter than lost_after by a
 * third, so an executor that is lost has no rank that computes. */
msec_t members_heartbeat(const struct members *members);
msec_t members_lease(const struct members *members);

/* From then on no heartbeat is answered, so that all leases run out and the
 * ranks stand still; at first: never. */
void members_answer_until(struct members *members, msec_t until);

/* An executor introduces itself, again or anew: 0 and its index, or with a
 * sentence -EINVAL (what is wrong), -EEXIST (another one of that name is
 * there), -ESTALE (it was given up), -EXDEV (the executors of this job are of
 * the other kind), -ENOSPC (too many at one time). */
int members_join(struct members *members, const struct introduction *executor,
		 int *member, struct error *err);

/* One that is polled (polled.h) has called. */
void members_heard(struct members *members, int member);
/* It says good-bye, or is given up. */
void members_part(struct members *members, int member, const char *reason);

/* The call JobInit, and the stream ActiveServer. */
void members_on_join(struct members *members, struct rpc_call *call,
		     const Bellows__V1__JobInitRequest *request,
		     const Bellows__V1__JobInitReply *welcome);
void members_on_report(struct members *members, struct rpc_call *call,
		       const Bellows__V1__Report *report);
void members_on_stream_gone(struct members *members, struct rpc_call *call);
void members_on_end(struct members *members,
		    const Bellows__V1__EndExecRequest *request);

/* Sent at once, or when the executor attaches; sets its number.  To one that is
 * lost or gone nothing is ordered. */
void members_order(struct members *members, int member,
		   Bellows__V1__Order *order);
/* What the launcher found out about one that was probed; of no effect on one
 * that is ready already, or leaves. */
void members_admit(struct members *members, int member);
void members_refuse(struct members *members, int member, const char *failure,
		    int exit_code);

void members_release(struct members *members, int member, const char *reason);

/* It has said what cannot be: its stream is ended with that sentence, and it
 * has to attach again. */
void members_refute(struct members *members, int member, const char *lie);

/* The living member of that name and incarnation, or NO_MEMBER. */
int members_find(const struct members *members, const char *name,
		 uint64_t incarnation);

/* Executors that are neither lost nor gone. */
unsigned members_alive(const struct members *members);

#endif
