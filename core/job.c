/* SPDX-License-Identifier: Apache-2.0 */
#include "core/job.h"

#include "base/list.h"
#include "core/job_goal.h"
#include "core/job_resolve.h"

#include <stddef.h>

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

/* clang-format off */
static const struct {
	const char *name;
	enum job_effect effect;
	size_t patience; /* offset in struct job_patience; FOREVER */
} states[] = {
#define FOREVER	   ((size_t)-1)
#define FOR(field) offsetof(struct job_patience, field)
	[JOB_WAITING]   = { "waiting",   JOB_DO_WAIT,    FOR(executors) },
	[JOB_STARTING]  = { "starting",  JOB_DO_START,   FOR(start)     },
	[JOB_RESUMING]  = { "resuming",  JOB_DO_START,   FOR(resume)    },
	[JOB_RUNNING]   = { "running",   JOB_DO_COMPUTE, FOREVER        },
	[JOB_GROWING]   = { "growing",   JOB_DO_GATHER,  FOR(grow)      },
	[JOB_PREPARING] = { "preparing", JOB_DO_PREPARE, FOR(start)     },
	[JOB_SAVING]    = { "saving",    JOB_DO_SAVE,    FOR(save)      },
	[JOB_STOPPING]  = { "stopping",  JOB_DO_STOP,    FOR(stop)      },
	[JOB_REPLACING] = { "replacing", JOB_DO_WAIT,    FOR(replace)   },
	[JOB_DONE]      = { "done",      JOB_DO_END,     FOREVER        },
	[JOB_FAILED]    = { "failed",    JOB_DO_END,     FOREVER        },
	[JOB_CANCELLED] = { "cancelled", JOB_DO_END,     FOREVER        },
	[JOB_SUSPENDED] = { "suspended", JOB_DO_END,     FOREVER        },
};

static const char *const event_names[] = {
	[JOB_EV_EXECUTORS]  = "executors",
	[JOB_EV_UNFIT]      = "unfit",
	[JOB_EV_SCALE]      = "scale",
	[JOB_EV_GRANT]      = "grant",
	[JOB_EV_PREPARED]   = "prepared",
	[JOB_EV_UNPREPARED] = "unprepared",
	[JOB_EV_SAVED]      = "saved",
	[JOB_EV_UNSAVED]    = "unsaved",
	[JOB_EV_KEPT]       = "kept",
	[JOB_EV_STOPPED]    = "stopped",
	[JOB_EV_REPLACED_SOON] = "replaced soon",
	[JOB_EV_RANKS_UP]   = "ranks up",
	[JOB_EV_RESUMED]    = "resumed",
	[JOB_EV_RESTARTED_CLEAN]     = "afresh",
	[JOB_EV_STEP]       = "step",
	[JOB_EV_UNREADABLE] = "unreadable",
	[JOB_EV_NO_CHECKPOINT] = "no checkpoint",
	[JOB_EV_DUE]        = "due",
	[JOB_EV_FINISHED]   = "finished",
	[JOB_EV_CRASHED]    = "crashed",
	[JOB_EV_UNSTARTED]  = "unstarted",
	[JOB_EV_LOST]       = "lost",
	[JOB_EV_STALLED]    = "stalled",
	[JOB_EV_LEAVE]      = "leave",
	[JOB_EV_RESTARTED]  = "restarted",
	[JOB_EV_TIMEOUT]    = "timeout",
	[JOB_EV_HAND_OVER]  = "hand over",
	[JOB_EV_CANCEL]     = "cancel",
	[JOB_EV_SUSPEND]    = "suspend",
};
/* clang-format on */

static void aim(struct job *job, const struct job_event *event)
{
	job->target = job_goal(job);
}

static void aim_and_prepare(struct job *job, const struct job_event *event)
{
	job->target = job_goal(job);
	job->next = ++job->starts;
}

/* Fewer than the goal, and more than it has. */
static void prepare_some(struct job *job, const struct job_event *event)
{
	job->target = event->size;
	job->next = ++job->starts;
}

static void prepare_same(struct job *job, const struct job_event *event)
{
	job->target = job->size;
	job->next = ++job->starts;
}

/* A pause of the rescale to the goal is over. */
static void rest(struct job *job, const struct job_event *event)
{
	job->again = 0;
	job->deadline = 0;
}

static void unprepare(struct job *job, const struct job_event *event)
{
	job->next = 0;
}

/* A rescale to the goal is tried again after a pause.  A checkpoint that was
 * due is not: it becomes due again by itself. */
static void give_up(struct job *job, const struct job_event *event)
{
	bool was_due = job->target == job->size;
	bool is_refused = event->type == JOB_EV_UNPREPARED && event->size > 0;

	if (is_refused)
		job_count_failure(job, job->target, true, event->now);
	job->target = job->size;
	job->next = 0;
	if (!was_due && !is_refused && job_goal(job) != job->size)
		job_postpone(job, event->now);
}

/* The job moves to the size that the executors that stay can run; if that is
 * none, it waits for others. */
static void move_off(struct job *job, const struct job_event *event)
{
	if (job->leave == 0 || event->leave < job->leave)
		job->leave = event->leave;
	job->next = 0;
	if (job->target == 0)
		return;
	job->target = event->size ? event->size : job->begun;
}

static void move_off_and_prepare(struct job *job, const struct job_event *event)
{
	move_off(job, event);
	job->next = ++job->starts;
}

/* At the size that it has; a rescale that was ordered to save is carried out by
 * the next coordinator. */
static void hand_over(struct job *job, const struct job_event *event)
{
	if (job_computes(job) && job->state != JOB_SAVING)
		job->target = job->begun;
	if (job->leave == 0 || event->leave < job->leave)
		job->leave = event->leave;
	job->next = 0;
	job->hands_over = true;
}

static void empty(struct job *job, const struct job_event *event)
{
	job->target = 0;
	job->next = 0;
}

/* At the target, or at what the executors that are left can run. */
static void begin_at(struct job *job, const struct job_event *event)
{
	bool fewer = event->size < job->target;

	if (fewer) {
		job->target = event->size;
		job->next = 0;
	}
	if ((fewer || job->leave) && job->proven > event->size)
		job->proven = 0; /* no way back to it */
	job->epoch = job->next ? job->next : ++job->starts;
	job->begun = job->target;
	job->next = 0;
	job->leave = 0;
	job->stepped = false;
	job->resumed = !job->has_checkpoint || job->patience.resume == 0;
}

static void settle(struct job *job, const struct job_event *event)
{
	job->size = job->target;
}

static void resume(struct job *job, const struct job_event *event)
{
	job->resumed = true;
}

static void prove(struct job *job, const struct job_event *event)
{
	job->resumed = job->stepped = job->worked = true;
	job->proven = job->begun;
	job_count_success(job);
}

/* Ranks that wrote a checkpoint have computed, even if no step was seen. */
static void keep(struct job *job, const struct job_event *event)
{
	prove(job, event);
	job->has_checkpoint = true;
	job->retries_left = job->patience.retries;
}

static void go_back(struct job *job, const struct job_event *event)
{
	job_count_failure(job, job->begun,
			  event->type == JOB_EV_RESTARTED_CLEAN, event->now);
	job->next = 0;
	if (job->target > 0)
		job->target = job->proven;
}

static void retry(struct job *job, const struct job_event *event)
{
	job->retries_left--;
	job->next = 0;
	if (job->target > 0 && job->size > 0)
		job->target = MIN(job->proven ? job->proven : job->size,
				  job_goal(job));
}

static void wait_again(struct job *job, const struct job_event *event)
{
	job->next = 0;
	job->leave = 0;
	job->again = 0;
	job->hands_over = false;
	job->has_checkpoint |= event->size != 0;
}

static void fall_back(struct job *job, const struct job_event *event)
{
	wait_again(job, event);
	job->target = job->begun;
}

/* At the size it was to have: it is not for that that it failed. */
static void read_older(struct job *job, const struct job_event *event)
{
	job->retries_left--;
	job->next = 0;
}

/* What the former starts computed is lost, at any size. */
static void begin_anew(struct job *job, const struct job_event *event)
{
	job->has_checkpoint = false;
	job->next = 0;
}

#define IN(state)     (1u << JOB_##state)
#define COMPUTING     (IN(RUNNING) | IN(GROWING) | IN(PREPARING) | IN(SAVING))
#define COMING_UP     (IN(STARTING) | IN(RESUMING))
#define WITH_RANKS    (COMPUTING | COMING_UP)
#define UNORDERED     (IN(RUNNING) | IN(GROWING) | IN(PREPARING)) /* to save */
#define WITHOUT_RANKS (IN(WAITING) | IN(REPLACING))
#define ALIVE         (WITH_RANKS | WITHOUT_RANKS | IN(STOPPING))

enum { STAY = -1 }; /* in the state, with its deadline */

/* clang-format off */
static const struct rule {
	unsigned from; /* set of states */
	enum job_trigger on;
	int to; /* state, or STAY */
	void (*then)(struct job *, const struct job_event *);
} rules[] = {
	{ WITHOUT_RANKS,              ON_AIM,        STAY,          aim       },
	{ WITHOUT_RANKS,              ON_ENOUGH,     JOB_STARTING,  begin_at  },
	{ WITHOUT_RANKS,              ON_SOME,       JOB_STARTING,  begin_at  },
	{ IN(REPLACING),              ON_TIMEOUT,    JOB_WAITING,   NULL      },
	{ IN(WAITING),                ON_TIMEOUT,    JOB_FAILED,    NULL      },
	{ IN(WAITING),                ON_UNFIT,      JOB_FAILED,    NULL      },
	{ IN(STARTING),               ON_RANKS_UP,   JOB_RUNNING,   settle    },
	{ IN(STARTING),               ON_RANKS_ONLY, JOB_RESUMING,  settle    },
	{ IN(RESUMING),               ON_RESUMED,    JOB_RUNNING,   resume    },
	{ IN(RESUMING),               ON_STEP,       JOB_RUNNING,   prove     },
	/* Each may be heard before it is known that the ranks are up. */
	{ IN(STARTING),               ON_RESUMED,    STAY,          resume    },
	{ WITH_RANKS,                 ON_STEP,       STAY,          prove     },
	{ WITH_RANKS,                 ON_FINISHED,   JOB_DONE,      unprepare },

	/* The job computes on until all it needs is there. */
	{ IN(RUNNING) | IN(GROWING),  ON_GROW,       JOB_GROWING,   aim       },
	{ IN(RUNNING) | IN(GROWING),  ON_SHRINK,     JOB_PREPARING, aim_and_prepare },
	{ IN(RUNNING) | IN(GROWING),  ON_ENOUGH,     JOB_PREPARING, aim_and_prepare },
	{ IN(GROWING),                ON_SOME,       JOB_PREPARING, prepare_some },
	{ IN(GROWING),                ON_SETTLED,    JOB_RUNNING,   give_up   },
	{ IN(RUNNING),                ON_TIMEOUT,    STAY,          rest      },
	{ IN(RUNNING) | IN(GROWING),  ON_DUE,        JOB_PREPARING, prepare_same },
	{ IN(PREPARING),              ON_PREPARED,   JOB_SAVING,    NULL      },
	{ IN(SAVING),                 ON_SAVED,      JOB_STOPPING,  keep      },
	{ IN(STOPPING),               ON_STOPPED,    JOB_STARTING,  begin_at  },
	{ IN(STOPPING),               ON_STOPPED_ALONE, JOB_WAITING, unprepare },
	{ IN(STOPPING),               ON_REPLACED_SOON, JOB_REPLACING, unprepare },
	{ IN(STOPPING),               ON_SUSPENDED,  JOB_SUSPENDED, NULL      },

	/* A rescale that cannot be is dropped. */
	{ IN(GROWING) | IN(PREPARING) | IN(SAVING),
	                              ON_TIMEOUT,    JOB_RUNNING,   give_up   },
	{ IN(PREPARING),              ON_UNPREPARED, JOB_RUNNING,   give_up   },
	{ IN(SAVING),                 ON_UNSAVED,    JOB_RUNNING,   give_up   },
	/* Past the order to save, the start can still be made afresh. */
	{ IN(SAVING) | IN(STOPPING),  ON_UNPREPARED, STAY,          unprepare },

	/* A checkpoint that comes after its deadline ends the ranks too. */
	{ UNORDERED,                  ON_SAVED,      JOB_STOPPING,  keep      },

	/* A checkpoint that the application wrote unasked resets the count of
	 * losses. */
	{ COMPUTING | IN(STARTING) | IN(STOPPING),
	                              ON_KEPT,       STAY,          keep      },

	/* The ranks may end after they wrote the checkpoint and before its
	 * report arrives. */
	{ IN(STOPPING),               ON_SAVED,      STAY,          keep      },

	/* The checkpoint outlives the ranks: a loss goes on from it. */
	{ WITH_RANKS,                 ON_UNREADABLE, JOB_STOPPING,  read_older },
	{ WITH_RANKS,                 ON_ANEW,       JOB_STOPPING,  begin_anew },
	{ WITH_RANKS,                 ON_BAD_SIZE,   JOB_STOPPING,  go_back   },
	{ WITH_RANKS,                 ON_LOSS,       JOB_STOPPING,  retry     },
	{ WITH_RANKS | IN(STOPPING),  ON_LAST_LOSS,  JOB_FAILED,    unprepare },

	/* Whose executor leaves saves before, and goes on without it. */
	{ UNORDERED,                  ON_LEAVE,      JOB_PREPARING, move_off_and_prepare },
	{ UNORDERED,                  ON_LEAVE_ALONE, JOB_SAVING,   move_off  },
	{ IN(SAVING),                 ON_LEAVE,      JOB_SAVING,    move_off  },
	{ COMING_UP,                  ON_LEAVE,      JOB_STOPPING,  move_off  },
	{ IN(STOPPING),               ON_LEAVE,      STAY,          move_off  },
	{ IN(PREPARING),              ON_HASTE,      JOB_SAVING,    unprepare },
	{ IN(SAVING),                 ON_BREAK,      JOB_STOPPING,  NULL      },

	/* What was not saved is dropped; the rest goes on where it was. */
	{ COMPUTING,                  ON_RESTARTED,  JOB_WAITING,   fall_back },
	{ COMING_UP | IN(STOPPING) | WITHOUT_RANKS,
	                              ON_RESTARTED,  JOB_WAITING,   wait_again },
	{ WITH_RANKS,                 ON_SUSPENDED,  JOB_SUSPENDED, unprepare },

	/* So is a coordinator that leaves, which ends once no rank is left. */
	{ COMPUTING,                  ON_HAND_OVER,  JOB_SAVING,    hand_over },
	{ COMING_UP,                  ON_HAND_OVER,  JOB_STOPPING,  hand_over },
	{ IN(STOPPING),               ON_HAND_OVER,  STAY,          hand_over },
	{ WITHOUT_RANKS,              ON_HAND_OVER,  JOB_WAITING,   hand_over },

	{ COMPUTING,                  ON_SUSPEND,    JOB_SAVING,    empty     },
	{ COMING_UP | IN(STOPPING),   ON_SUSPEND,    JOB_STOPPING,  empty     },
	{ WITHOUT_RANKS,              ON_SUSPEND,    JOB_SUSPENDED, empty     },
	{ ALIVE,                      ON_CANCEL,     JOB_CANCELLED, unprepare },
};
/* clang-format on */

static const struct rule *find_rule(enum job_state from, enum job_trigger on)
{
	for (size_t i = 0; i < LENGTH(rules); i++)
		if ((rules[i].from & 1u << from) && rules[i].on == on)
			return &rules[i];
	return NULL;
}

/* Executors that leave have little time: a quarter of it is for preparing the
 * next start, the rest for the checkpoint. */
static void hurry(struct job *job, msec_t now)
{
	msec_t left = MAX(job->leave - now, 0);
	msec_t until = now + (job->state == JOB_PREPARING ? left / 4 : left);

	if (job->deadline == 0 || until < job->deadline)
		job->deadline = until;
}

static void enter(struct job *job, enum job_state state, msec_t now)
{
	size_t field = states[state].patience;
	msec_t patience = 0;

	job->state = state;
	if (field != FOREVER && job_effect(job) != JOB_DO_HAND_OVER)
		patience =
			*(const msec_t *)((const char *)&job->patience + field);
	job->deadline = patience > 0 ? now + patience : 0;
	if (job->leave && (state == JOB_PREPARING || state == JOB_SAVING))
		hurry(job, now);
	if (state == JOB_RUNNING && job_goal(job) != job->size)
		job->deadline = job->again;
}

void job_init(struct job *job, unsigned initial,
	      const struct job_patience *patience, bool has_checkpoint,
	      msec_t now)
{
	*job = (struct job){
		.patience = *patience,
		.want = initial,
		.grant = JOB_NO_GRANT,
		.target = initial,
		.retries_left = patience->retries,
		.has_checkpoint = has_checkpoint,
	};
	enter(job, JOB_WAITING, now);
}

/* Only PREPARED and UNPREPARED tell of the start in preparation. */
static bool is_stale(const struct job *job, const struct job_event *event)
{
	bool of_next = event->type == JOB_EV_PREPARED ||
		       event->type == JOB_EV_UNPREPARED;

	return event->epoch != 0 &&
	       event->epoch != (of_next ? job->next : job->epoch);
}

bool job_step(struct job *job, const struct job_event *event)
{
	const struct rule *rule;
	bool stated;

	if (is_stale(job, event) || job_is_over(job))
		return false;

	stated = job_state_number(job, event);
	rule = find_rule(job->state, job_resolve(job, event));
	if (!rule)
		return stated;

	if (rule->then)
		rule->then(job, event);
	if (rule->to != STAY)
		enter(job, (enum job_state)rule->to, event->now);
	return true;
}

enum job_effect job_effect(const struct job *job)
{
	if (job->hands_over && job->state == JOB_WAITING)
		return JOB_DO_HAND_OVER;
	return states[job->state].effect;
}

unsigned job_ranks_held(const struct job *job)
{
	switch (job_effect(job)) {
	case JOB_DO_END:
		return 0;
	case JOB_DO_WAIT:
	case JOB_DO_HAND_OVER:
		return job->target;
	case JOB_DO_START:
	case JOB_DO_COMPUTE:
	case JOB_DO_GATHER:
	case JOB_DO_PREPARE:
	case JOB_DO_SAVE:
	case JOB_DO_STOP:
		return MAX(MAX(job->begun, job->target),
			   job->stepped ? 0 : job->proven);
	}
	return 0;
}

unsigned job_ranks_awaited(const struct job *job)
{
	switch (job_effect(job)) {
	case JOB_DO_WAIT:
	case JOB_DO_GATHER:
		return job->target;
	case JOB_DO_COMPUTE:
		return job_goal(job) == job->size ? 0 : job_goal(job);
	case JOB_DO_START:
	case JOB_DO_PREPARE:
	case JOB_DO_SAVE:
	case JOB_DO_STOP:
	case JOB_DO_HAND_OVER:
	case JOB_DO_END:
		return 0;
	}
	return 0;
}

bool job_is_over(const struct job *job)
{
	return job_effect(job) == JOB_DO_END;
}

bool job_computes(const struct job *job)
{
	return COMPUTING & 1u << job->state;
}

bool job_has_dropped(const struct job *job, const struct job *before)
{
	return job->state == JOB_RUNNING &&
	       (before->state == JOB_PREPARING || before->state == JOB_SAVING);
}

const char *job_state_name(enum job_state state)
{
	return states[state].name;
}

const char *job_event_name(enum job_event_type type)
{
	return event_names[type];
}
