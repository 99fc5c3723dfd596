/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_EXECUTOR_H
#define EXECUTOR_EXECUTOR_H

/*
 * An executor: joins the job, reports, obeys
 *
 * Where it stands with the coordinator is in session_state.h.
 *
 * It decides nothing but this: without an answer from the coordinator its ranks
 * stand still when the lease is over (lease.h), and are ended when the patience
 * is, because other executors may start from the same checkpoint.
 *
 * A report is kept until the coordinator has confirmed it, and is sent again
 * after each attachment; an order that comes again is not obeyed again
 * (rpc/unconfirmed.h).  An executor that cannot keep a report ends as one that
 * reaches no coordinator does.
 *
 * Told to end, it asks for its release: the coordinator has the job saved and
 * goes on without it.  Until then, or until its grace is over, it obeys as
 * before.  It asks as well when it can run no other start, for its temporary
 * directory is lost.  If its stream breaks meanwhile, it attaches again and
 * asks again; if it is told to end while it has no stream, it ends at once.
 *
 * This header is for the files of this room.
 */

#include "base/scratch.h"
#include "base/shm.h"
#include "core/member.h"
#include "core/processor_set.h"
#include "executor/claim.h"
#include "executor/config.h"
#include "executor/lease.h"
#include "executor/output.h"
#include "executor/program.h"
#include "executor/ranks.h"
#include "executor/save.h"
#include "executor/session_state.h"
#include "executor/tail.h"
#include "loop/loop.h"
#include "proto/bellows.pb-c.h"
#include "rpc/client.h"
#include "rpc/renew.h"
#include "rpc/unconfirmed.h"

#define EXECUTOR_CALL_TIMEOUT SECONDS(10) /* for the coordinator's answer */

struct executor {
	const struct executor_config *config;
	struct loop *loop;
	struct rpc *rpc;
	struct rpc_channel *channel;
	struct renew renew;        /* of its certificate, if it has one */
	struct rpc_stream *stream; /* NULL unless attached */
	struct unconfirmed reports;
	struct error reports_trouble; /* why one could not be kept */
	uint64_t taken;               /* number of the last order taken */
	uint64_t incarnation;
	char machine[MEMBER_TEXT_MAX], node[MEMBER_TEXT_MAX];
	Bellows__V1__Topology *topology; /* as it is told; NULL: not known */
	struct processor_set usable;     /* when it was read */
	struct claim claim;
	struct scratch tmpdir; /* its own */
	struct shm shm;
	unsigned attempts; /* to join, since its last order; */
	unsigned told;     /* what they were answered: bits of enum rpc_code */
	msec_t heartbeat;
	struct jobfile *job; /* NULL until the first JobInit */
	struct output *output;
	struct ranks *ranks;
	struct lease lease;
	struct programs *programs;
	struct probe *probe; /* see probe.h */
	struct disk *disk;   /* see disk.h */
	struct save *save;
	struct tail *tail;
	Bellows__V1__Open *opening; /* waits, see opening.h; NULL: none does */
	const char *const *env;     /* of what it runs, beside its own */
	const char *bindir;
	struct sshd *sshd; /* NULL: none; see launcher_setup.h */
	struct loop_timer beat, again, patience, kill, grace, full;
	uint64_t served; /* by this incarnation of the coordinator; 0: none */
	msec_t kill_since;
	void (*killed)(struct executor *ex);
	bool fit;         /* to run this job, as far as is seen here */
	bool is_ready;    /* as told, see ready.h */
	unsigned session; /* enum session_state */
	bool told_to_leave;
	msec_t leave_by; /* once it is draining: it ends its ranks then */
	char leave_reason[128];
	int exit_code;
	Bellows__V1__CheckpointReport judged; /* until it was delivered */
	char judged_text[512];
};

/* report.c: numbers and keeps a fact, and sends it if there is a stream. */
void executor_report(struct executor *ex, Bellows__V1__Report *r);
/* The coordinator or this executor is another incarnation: what was not
 * confirmed is nothing to it. */
void executor_begin_numbers(struct executor *ex);
extern const struct ranks_events executor_ranks_events;
extern const struct save_events executor_save_events;
extern const struct tail_events executor_tail_events;
/* The first report of a stream, which says whose it is, and then those that
 * were not confirmed. */
void executor_introduce(struct executor *ex);
void executor_beat(void *user); /* one report now, then one each heartbeat */
void executor_on_program_end(void *user, uint64_t id, int status,
			     const char *text, const char *failure);
void executor_deliver_judgement(struct executor *ex); /* if there is one */

/* Another incarnation. */
void executor_begin_life(struct executor *ex);

/* attach.c */
void executor_join(void *user);
/* The coordinator is away: the executor's patience begins. */
void executor_lose_patience(struct executor *ex);

/* kill_all_ranks.c: ends every process of a start, within a few seconds, and
 * calls when none is left, or at once; a second call takes the place of the
 * first. */
void executor_kill_ranks(struct executor *ex,
			 void (*killed)(struct executor *));

/* stale_start.c: ends what is left of another coordinator's starts, then joins.
 */
void executor_end_stale_start(struct executor *ex);

/* The job is to go on without it; it ends its ranks when its grace is over.
 * False: it has no grace, no stream, or has asked before.  why: for the log. */
bool executor_ask_for_release(struct executor *ex, const char *why);

/* Ends all ranks, sends what they printed, says good-bye and ends. */
void executor_leave(struct executor *ex, int code, const char *reason);

/* Runs until it was released or must end.  Returns the exit status. */
int executor_run(const struct executor_config *config, struct loop *loop,
		 const char *bindir);

#endif
