/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_SUPPLY_H
#define MONITOR_SUPPLY_H

/*
 * Supply: which pods are to be made and removed for a number of executors
 *
 * A value that is told what is wished, what pods there are, who of them is a
 * member of the job, and how what it asked for went; supply_decide() then says
 * what to do.  No I/O, no clock.  Everything follows from what is there, so it
 * may begin at any time: pods that somebody made before it count like its own.
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
	SUPPLY_NAME_MAX = 64, /* of an executor, as of its pod */
	SUPPLY_UID_MAX = 40,
	SUPPLY_TEXT_MAX = 240,
	SUPPLY_FLIGHTS_MAX = 16, /* what is asked for at one time */
	SUPPLY_KEPT = 2,         /* pods that failed */
	SUPPLY_EXECUTORS_MAX = 4096,
};

/* A member that is gone while its pod runs on: it may attach again, to a
 * coordinator that was away. */
#define SUPPLY_PARTED SECONDS(15)

/* Until what may pass by itself is told. */
#define SUPPLY_UNSCHEDULED SECONDS(3)
#define SUPPLY_LATE        SECONDS(20)

#define SUPPLY_REPEAT    SECONDS(30) /* of a removal that had no effect */
#define SUPPLY_SOON      SECONDS(30) /* an end within that is a failure */
#define SUPPLY_NEWS      SECONDS(1)  /* of the wish, behind a release */
#define SUPPLY_PAUSE     SECONDS(2)  /* after a failure; doubled each time */
#define SUPPLY_PAUSE_MAX SECONDS(60)

enum supply_mode { SUPPLY_PODS, SUPPLY_REPLICAS };

enum supply_phase {
	SUPPLY_PENDING,
	SUPPLY_RUNNING,
	SUPPLY_SUCCEEDED,
	SUPPLY_FAILED,
};

/* What keeps a pod from starting. */
enum supply_hitch {
	SUPPLY_NO_HITCH,
	SUPPLY_UNPLACED, /* no node for it, now */
	SUPPLY_STUCK,    /* its image or configuration: not for want of time */
};

/* A pod as the cluster shows it; borrowed.  why: in words for people, "" for
 * none: of the hitch, or how it ended. */
struct pod_view {
	const char *name, *uid, *why;
	enum supply_phase phase;
	enum supply_hitch hitch;
	bool ours;   /* made by a monitor of this job */
	bool ending; /* its removal has begun */
};

struct supply_member {
	const char *name; /* borrowed */
	bool leaving;
};

struct supply_pod {
	char name[SUPPLY_NAME_MAX], uid[SUPPLY_UID_MAX];
	char why[SUPPLY_TEXT_MAX];
	enum supply_phase phase;
	enum supply_hitch hitch;
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
struct supply_config {
	enum supply_mode mode;
	const char *made; /* "heat-bellows-": pods of our own */
	const char
		*task; /* "heat-worker-": of the owner's; NULL: it has none */
};

struct supply {
	struct supply_config config;
	struct supply_pod **pods; /* by name */
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
	char away[SUPPLY_TEXT_MAX];      /* the API */
	char objection[SUPPLY_TEXT_MAX]; /* to the owner as it is */
	char refusal[SUPPLY_TEXT_MAX];   /* of the last creation or patch */
	char failure[SUPPLY_TEXT_MAX];   /* of the last pod that failed */
};

enum supply_act_kind { SUPPLY_CREATE, SUPPLY_REMOVE, SUPPLY_PATCH };

struct supply_act {
	enum supply_act_kind kind;
	char name[SUPPLY_NAME_MAX];
	char uid[SUPPLY_UID_MAX]; /* of what is removed */
	unsigned replicas;        /* of a patch */
};

struct supply_plan {
	struct supply_act acts[SUPPLY_FLIGHTS_MAX];
	size_t n;
	msec_t again; /* instant to decide at without news; 0: none */
};

enum supply_news { SUPPLY_NOTHING, SUPPLY_CAME, SUPPLY_WENT };

void supply_init(struct supply *supply, const struct supply_config *config);
void supply_fini(struct supply *supply);

/* ---- what is so ---- */

void supply_hold(struct supply *supply, unsigned executors);

/* The owner's task, and what is wrong with the owner, "" for nothing: then no
 * replicas are asked for.  Without a task replicas are 0. */
void supply_own(struct supply *supply, unsigned replicas, unsigned floor,
		const char *objection);

/* Members that are attached now. */
void supply_join(struct supply *supply, const struct supply_member *members,
		 size_t n, msec_t now);

/* *news: whether an executor came or went.  -ENOMEM; a pod whose name is none
 * for an executor is passed over. */
int supply_see(struct supply *supply, const struct pod_view *view, msec_t now,
	       enum supply_news *news, struct error *err);
enum supply_news supply_miss(struct supply *supply, const char *name,
			     msec_t now);

/* Begins and ends a list of all pods: gone() is called for each executor that
 * was there before and is not in it. */
void supply_list_begin(struct supply *supply);
void supply_list_end(struct supply *supply, msec_t now,
		     void (*gone)(void *user, const char *name), void *user);

/* The API cannot be reached, or "". */
void supply_away(struct supply *supply, const char *why);

/* ---- what became of an act ---- */

/* r as of struct kube_answer; of a creation that went well supply_see() comes
 * before.  -EEXIST: the name is a stranger's.  -ECANCELED: it was broken off
 * from here and may have been done all the same; that is no refusal, and a
 * removal counts as not asked for. */
void supply_done(struct supply *supply, const struct supply_act *act, int r,
		 const char *text, msec_t now);

/* ---- what to do ---- */

/* Each act is to be tried and its end told by supply_done(). */
void supply_decide(struct supply *supply, msec_t now, struct supply_plan *plan);

/* Pods that have not ended, whoever made them. */
unsigned supply_alive(const struct supply *supply);

/* Why executors that are wished have not come, in one sentence; "" if all have,
 * or it is too early to say.  Does not change with the time that passes.
 * *again: as of a plan. */
void supply_trouble(const struct supply *supply, msec_t now,
		    char text[SUPPLY_TEXT_MAX], msec_t *again);

/* The number in PREFIX-number; -1: there is none. */
long supply_number(const char *name, const char *prefix);

#endif
