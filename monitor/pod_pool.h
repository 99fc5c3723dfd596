/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_POD_POOL_H
#define MONITOR_POD_POOL_H

/*
 * A pool of pods: which are to be made and removed for a number of executors
 *
 * A value that is told what is wished, what pods there are, which of them is
 * a member of the job, and how what it asked for went; pod_pool_decide() then
 * says what to do.  No I/O, no clock.  Everything follows from what is there,
 * so it may begin at any time: pods that somebody made before it count like its
 * own.
 *
 *     wished ---> create --> pending --> running --> member
 *                   ^           |           |           |
 *                   |           |  failed   |  silent   | released
 *                   +--backoff--+-----------+-----------+--> ended, deleted
 *
 * Two ways to have more:
 *   pods      pods of our own, NAME-bellows-0 and so on, beside those that the
 *             owner's task makes; the lowest number that is free is taken
 *   replicas  the owner's task is told how many; its pods have the numbers from
 *             0 on, so only the highest can be given back
 *
 * A pod whose executor is a member is never removed: the coordinator releases
 * executors, and they end by themselves.  What ended is removed, if it is ours;
 * of those that failed the last few are kept, for their logs.
 */

#include "base/error.h"
#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	POD_POOL_NAME_MAX = 64, /* of an executor, as of its pod */
	POD_POOL_UID_MAX = 40,
	POD_POOL_TEXT_MAX = 240,
	POD_POOL_FLIGHTS_MAX = 16, /* what is asked for at one time */
	POD_POOL_KEPT = 2,         /* pods that failed */
	POD_POOL_EXECUTORS_MAX = 4096,
};

/* A member that is gone while its pod runs on: it may attach again, to a
 * coordinator that was away. */
#define POD_POOL_PARTED SECONDS(15)

/* Until what may pass by itself is told. */
#define POD_POOL_UNSCHEDULED SECONDS(3)
#define POD_POOL_LATE        SECONDS(20)

#define POD_POOL_REPEAT    SECONDS(30) /* of a removal that had no effect */
#define POD_POOL_SOON      SECONDS(30) /* an end within that is a failure */
#define POD_POOL_NEWS      SECONDS(1)  /* of the wish, behind a release */
#define POD_POOL_PAUSE     SECONDS(2)  /* after a failure; doubled each time */
#define POD_POOL_PAUSE_MAX SECONDS(60)

enum pod_pool_mode { POD_POOL_PODS, POD_POOL_REPLICAS };

enum pod_pool_phase {
	POD_POOL_PENDING,
	POD_POOL_RUNNING,
	POD_POOL_SUCCEEDED,
	POD_POOL_FAILED,
};

/* What keeps a pod from starting. */
enum pod_pool_hitch {
	POD_POOL_NO_HITCH,
	POD_POOL_UNPLACED, /* no node for it, now */
	POD_POOL_STUCK, /* its image or configuration: not for want of time */
};

/* A pod as the cluster shows it; borrowed.  why: in words for people, "" for
 * none: of the hitch, or how it ended. */
struct pod_view {
	const char *name, *uid, *why;
	enum pod_pool_phase phase;
	enum pod_pool_hitch hitch;
	bool ours;   /* made by a monitor of this job */
	bool ending; /* its removal has begun */
};

struct pod_pool_member {
	const char *name; /* borrowed */
	bool leaving;
};

struct pod_pool_pod {
	char name[POD_POOL_NAME_MAX], uid[POD_POOL_UID_MAX];
	char why[POD_POOL_TEXT_MAX];
	enum pod_pool_phase phase;
	enum pod_pool_hitch hitch;
	bool ours, ending;
	bool asked;     /* its creation is under way */
	bool taken;     /* the name is a stranger's */
	bool listed;    /* in the list that is being read */
	bool seen;      /* among the members that are being read */
	bool joined;    /* it was a member */
	bool leaving;   /* as such, it was released or goes */
	msec_t since;   /* in its phase, as seen from here */
	msec_t parted;  /* no member any more; 0: it is, or never was */
	msec_t removed; /* when that was asked for; 0: it was not */
};

/* All borrowed. */
struct pod_pool_config {
	enum pod_pool_mode mode;
	const char *made; /* "heat-bellows-": pods of our own */
	const char
		*task; /* "heat-worker-": of the owner's; NULL: it has none */
};

struct pod_pool {
	struct pod_pool_config config;
	struct pod_pool_pod **pods; /* by name */
	size_t n, room;

	unsigned wish;
	unsigned members;         /* of the job, that stay */
	bool held, listed, owned; /* wish, pods and owner are known */
	unsigned replicas, floor; /* of the owner's task */
	bool patching;
	unsigned flights; /* creations and removals under way */
	unsigned free;    /* names with numbers below it are taken */

	unsigned failures;  /* in a row */
	msec_t not_before;  /* for the next creation */
	msec_t short_since; /* more are wished than there are members; 0: no */
	/* "" or why there are too few: */
	char away[POD_POOL_TEXT_MAX];      /* the API */
	char objection[POD_POOL_TEXT_MAX]; /* to the owner as it is */
	char refusal[POD_POOL_TEXT_MAX];   /* of the last creation or patch */
	char failure[POD_POOL_TEXT_MAX];   /* of the last pod that failed */
};

enum pod_pool_act_kind { POD_POOL_CREATE, POD_POOL_REMOVE, POD_POOL_PATCH };

struct pod_pool_act {
	enum pod_pool_act_kind kind;
	char name[POD_POOL_NAME_MAX];
	char uid[POD_POOL_UID_MAX]; /* of what is removed */
	unsigned replicas;          /* of a patch */
};

struct pod_pool_plan {
	struct pod_pool_act acts[POD_POOL_FLIGHTS_MAX];
	size_t n;
	msec_t again; /* instant to decide at without news; 0: none */
};

enum pod_pool_news { POD_POOL_NOTHING, POD_POOL_CAME, POD_POOL_WENT };

void pod_pool_init(struct pod_pool *pool, const struct pod_pool_config *config);
void pod_pool_fini(struct pod_pool *pool);

/* ---- what is so ---- */

void pod_pool_set_wish(struct pod_pool *pool, unsigned executors);

/* The owner's task, and what is wrong with the owner, "" for nothing: then no
 * replicas are asked for.  Without a task replicas are 0. */
void pod_pool_set_owner(struct pod_pool *pool, unsigned replicas,
			unsigned floor, const char *objection);

/* Members that are attached now. */
void pod_pool_set_members(struct pod_pool *pool,
			  const struct pod_pool_member *members, size_t n,
			  msec_t now);

/* *news: whether an executor came or went.  -ENOMEM; a pod whose name is none
 * for an executor is passed over. */
int pod_pool_on_pod(struct pod_pool *pool, const struct pod_view *view,
		    msec_t now, enum pod_pool_news *news, struct error *err);
enum pod_pool_news pod_pool_on_missing(struct pod_pool *pool, const char *name,
				       msec_t now);

/* Begins and ends a list of all pods: gone() is called for each executor that
 * was there before and is not in it. */
void pod_pool_list_begin(struct pod_pool *pool);
void pod_pool_list_end(struct pod_pool *pool, msec_t now,
		       void (*gone)(void *user, const char *name), void *user);

/* The API cannot be reached, or "". */
void pod_pool_set_api_error(struct pod_pool *pool, const char *why);

/* ---- what became of an act ---- */

/* r as of struct kube_answer; of a creation that went well pod_pool_on_pod()
 * comes before.  -EEXIST: the name is a stranger's.  -ECANCELED: it was broken
 * off from here and may have been done all the same; that is no refusal, and a
 * removal counts as not asked for. */
void pod_pool_on_act_done(struct pod_pool *pool, const struct pod_pool_act *act,
			  int r, const char *text, msec_t now);

/* ---- what to do ---- */

/* Each act is to be tried and its end told by pod_pool_on_act_done(). */
void pod_pool_decide(struct pod_pool *pool, msec_t now,
		     struct pod_pool_plan *plan);

/* One of the job's pods that is in the cluster has that name. */
bool pod_pool_has(const struct pod_pool *pool, const char *name);

/* Pods that have not ended, also those that others made. */
unsigned pod_pool_alive(const struct pod_pool *pool);

/* Why executors that are wished have not come, in one sentence; "" if all have,
 * or it is too early to say.  Does not change with the time that passes.
 * *again: as of a plan. */
void pod_pool_error(const struct pod_pool *pool, msec_t now,
		    char text[POD_POOL_TEXT_MAX], msec_t *again);

/* The number in PREFIX-number; -1: there is none. */
long pod_pool_number(const char *name, const char *prefix);

#endif
