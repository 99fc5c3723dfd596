/* SPDX-License-Identifier: Apache-2.0 */
#include "core/job.h"
#include "tests/check.h"

/*
 * Random walks: whatever happens, in whatever order, these stay true
 */

enum { EVENTS = JOB_EV_SUSPEND + 1, RANKS_MAX = 6 };

static const struct job_patience patience = {.executors = 100,
					     .grow = 200,
					     .start = 300,
					     .resume = 350,
					     .save = 400,
					     .stop = 500,
					     .replace = 550,
					     .retries = 3};

static unsigned dice = 1;

static unsigned roll(unsigned n)
{
	dice = dice * 1103515245u + 12345u;
	return (dice >> 16) % n;
}

static const char *wrong_size(const struct job *job)
{
	switch (job->state) {
	case JOB_WAITING:
	case JOB_REPLACING:
	case JOB_STARTING:
		return job->target > 0 ? NULL : "starts without ranks";
	case JOB_RESUMING:
		return job->resumed ? "resumes what is proven" : NULL;
	case JOB_RUNNING:
		return job->target == job->size ? NULL : "runs to another size";
	case JOB_GROWING:
		return job->target > job->size ? NULL : "grows to no more";
	case JOB_PREPARING:
		return job->target > 0 ? NULL : "prepares a start of no rank";
	case JOB_SAVING:
	case JOB_STOPPING:
		return job->target > 0 || job->next == 0
			       ? NULL
			       : "next start without ranks";
	case JOB_DONE:
	case JOB_FAILED:
	case JOB_CANCELLED:
	case JOB_SUSPENDED:
		return NULL;
	}
	return "no state";
}

static bool has_ranks(const struct job *job)
{
	return job_computes(job) || job->state == JOB_STARTING ||
	       job->state == JOB_RESUMING || job->state == JOB_STOPPING;
}

/* What is wrong with a job as it is, or NULL. */
static const char *wrong(const struct job *job)
{
	bool may_prepare = job->state == JOB_PREPARING ||
			   job->state == JOB_SAVING ||
			   job->state == JOB_STOPPING;
	bool hands_over = job_effect(job) == JOB_DO_HAND_OVER;
	bool waits =
		!job_is_over(job) && !hands_over && job->state != JOB_RUNNING;

	if (job->next != 0 && !may_prepare)
		return "next start in a state without one";
	if (job->next != 0 && job->next != job->starts)
		return "next is not the last number given out";
	if (job->epoch > job->starts)
		return "number that was not given out";
	if (job->state == JOB_PREPARING && job->next == 0)
		return "prepares nothing";
	if (job->leave != 0 &&
	    (job->state == JOB_RUNNING || job->state == JOB_GROWING ||
	     job->state == JOB_STARTING))
		return "an executor that leaves is not acted on";
	if (job->retries_left > patience.retries)
		return "more retries than allowed";
	if (job->state == JOB_RUNNING
		    ? job->deadline != 0 && job->deadline != job->again
		    : (job->deadline != 0) != waits)
		return "deadline";
	if (job->want == 0 || job->grant == 0)
		return "a number that was stated is lost";
	if (job->failures > JOB_FAILURES_MAX)
		return "a size that always fails is tried again";
	if (job_computes(job) && (job->size == 0 || job->epoch == 0))
		return "computes without ranks";
	if (job_computes(job) && !job->resumed)
		return "computes without proof that it resumed";
	if (job_computes(job) && job->stepped && job->proven != job->size)
		return "proven at another size";
	if ((job->stepped || job->proven > 0) && !job->worked)
		return "proven but never worked";
	if (has_ranks(job) && job_ranks_held(job) < job->begun)
		return "executors of ranks that run are let go";
	if (job_computes(job) && job->begun != job->size)
		return "computes at another size than it began";
	if (!job_is_over(job) && job_ranks_held(job) < job->target)
		return "executors of ranks to come are let go";
	if (job_is_over(job) != (job_ranks_held(job) == 0))
		return "executors held by what is over";
	return wrong_size(job);
}

/* What is wrong with the way from one to the other, or NULL. */
static const char *wrong_step(const struct job *from, const struct job *to,
			      const struct job_event *event)
{
	bool started = to->epoch != from->epoch;

	if (job_is_over(from))
		return "moved though it is over";
	if (to->epoch < from->epoch || to->starts < from->starts)
		return "numbers fell";
	if (started && (to->epoch <= from->epoch || to->state != JOB_STARTING))
		return "number changed without a start";
	if (!started && to->state == JOB_STARTING && from->state != to->state)
		return "start without a number of its own";
	if (started && from->hands_over)
		return "start of a job that was to be handed over";
	if (started && from->state == JOB_STOPPING &&
	    event->type != JOB_EV_STOPPED)
		return "start before the last one has ended";
	if (started && from->state != JOB_STOPPING &&
	    from->state != JOB_WAITING && from->state != JOB_REPLACING)
		return "start on top of another one";
	if (started && (to->target > event->size || to->stepped))
		return "start beyond its executors";
	if (to->retries_left > from->retries_left &&
	    event->type != JOB_EV_SAVED && event->type != JOB_EV_KEPT)
		return "losses forgiven without a checkpoint";
	if (from->has_checkpoint && !to->has_checkpoint &&
	    event->type != JOB_EV_NO_CHECKPOINT)
		return "checkpoint forgotten";
	if (from->worked && !to->worked)
		return "success forgotten";
	if ((to->want != from->want && event->type != JOB_EV_SCALE) ||
	    (to->grant != from->grant && event->type != JOB_EV_GRANT))
		return "a number changed that was not stated";
	if (to->state == JOB_GROWING && to->target != job_goal(to))
		return "grows past its goal";
	if (to->state == from->state && to->deadline < from->deadline &&
	    event->type != JOB_EV_LEAVE && event->type != JOB_EV_HAND_OVER &&
	    from->state != JOB_RUNNING)
		return "deadline fell";
	return NULL;
}

static struct job_event any_event(const struct job *job, msec_t now)
{
	const unsigned epochs[] = {0, 0, job->epoch, job->next, roll(20)};
	struct job_event event = {
		.type = (enum job_event_type)roll(EVENTS),
		.now = now,
		.epoch = epochs[roll(5)],
		.size = roll(RANKS_MAX + 1),
		.leave = now + roll(500),
	};

	/* Rarely, or no walk would get far. */
	if (event.type >= JOB_EV_HAND_OVER && roll(8) > 0)
		event.type = JOB_EV_STEP;
	if (event.type == JOB_EV_FINISHED && roll(8) > 0)
		event.type = JOB_EV_RANKS_UP;
	return event;
}

static void any_sequence_of_events_keeps_the_invariants(void)
{
	unsigned seen[JOB_SUSPENDED + 1] = {0};
	msec_t now = 1000;
	struct job job;

	job_init(&job, 2, &patience, false, now);
	for (int i = 0; i < 200000; i++) {
		const struct job before = job;
		struct job_event event = any_event(&job, now);
		bool moved = job_step(&job, &event);
		const char *lie = wrong(&job);

		if (!moved)
			CHECK(memcmp(&job, &before, sizeof(job)) == 0);
		else if (!lie)
			lie = wrong_step(&before, &job, &event);
		if (lie)
			printf("# %s: %s -> %s, %s\n",
			       job_state_name(before.state),
			       job_event_name(event.type),
			       job_state_name(job.state), lie);
		CHECK(!lie);

		seen[job.state]++;
		now += roll(50);
		if (job_is_over(&job) && roll(8) == 0)
			job_init(&job, 1 + roll(RANKS_MAX), &patience, roll(2),
				 now);
	}
	for (int state = 0; state <= JOB_SUSPENDED; state++)
		CHECK(seen[state] > 100);
}

/* Of everything that can go wrong, and of what starts and stops ranks. */
static struct job_event mishap(bool steps)
{
	static const enum job_event_type types[] = {
		JOB_EV_CRASHED,  JOB_EV_UNSTARTED,  JOB_EV_LOST,
		JOB_EV_TIMEOUT,  JOB_EV_STOPPED,    JOB_EV_EXECUTORS,
		JOB_EV_PREPARED, JOB_EV_UNPREPARED, JOB_EV_UNSAVED,
		JOB_EV_RANKS_UP, JOB_EV_UNREADABLE, JOB_EV_STALLED,
		JOB_EV_STEP,
	};

	return (struct job_event){.type = types[roll(steps ? 13 : 12)],
				  .now = 1000,
				  .size = roll(RANKS_MAX + 1)};
}

static void walk_to_any_place(struct job *job)
{
	job_init(job, 1 + roll(RANKS_MAX), &patience, false, 1000);
	for (unsigned n = roll(60); n > 0; n--) {
		struct job_event event = any_event(job, 1000);

		if (event.type != JOB_EV_CANCEL &&
		    event.type != JOB_EV_HAND_OVER)
			job_step(job, &event);
	}
}

/* A failed start at a new size is free, the one that goes back is not. */
static void mishaps_without_a_checkpoint_come_to_an_end(void)
{
	for (int run = 0; run < 5000; run++) {
		bool steps = run % 2;
		struct job job;
		unsigned starts;

		walk_to_any_place(&job);
		starts = job.starts;
		for (int i = 0; i < 2000 && !job_is_over(&job); i++) {
			struct job_event event = mishap(steps);

			job_step(&job, &event);
		}
		CHECK(job_is_over(&job));
		CHECK(job.starts - starts <= 2 * (patience.retries + 1) + 1);
	}
}

/* Only time passes: no order is answered. */
static void silence_comes_to_an_end(void)
{
	for (int run = 0; run < 5000; run++) {
		struct job job;

		walk_to_any_place(&job);
		for (int i = 0; i < 5 && job.deadline != 0; i++)
			job_step(&job,
				 &(struct job_event){.type = JOB_EV_TIMEOUT,
						     .now = job.deadline});
		CHECK(job.deadline == 0);
		CHECK(job_is_over(&job) || job.state == JOB_RUNNING);
	}
}

RUN_TESTS(TEST(any_sequence_of_events_keeps_the_invariants),
	  TEST(mishaps_without_a_checkpoint_come_to_an_end),
	  TEST(silence_comes_to_an_end))
