/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/world.h"

#include <string.h>

static msec_t after(const struct world *world, msec_t delay)
{
	return delay > 0 ? world->now + delay : 0;
}

/* Largest size that the ready executors can run. */
static unsigned ready_size(const struct world *world)
{
	unsigned n = 0;

	for (unsigned i = 0; i < world->executors; i++)
		n += world->ready[i] != 0 && world->ready[i] <= world->now;
	return n - n % world->model.granule;
}

static void hold(struct world *world, unsigned wanted)
{
	const struct world_model *model = &world->model;
	msec_t delay = model->join;

	if (wanted > model->stock)
		wanted = model->stock;
	for (; world->executors < wanted; delay += model->stagger)
		world->ready[world->executors++] = after(world, delay);
	world->executors = wanted;
}

static unsigned wanted(const struct world *world)
{
	return job_executors_wanted(&world->job, 1, world->leaving);
}

static void start(struct world *world)
{
	const struct world_model *model = &world->model;
	unsigned epoch = world->job.epoch;
	bool waits = world->gated.epoch == epoch && !world->due[TIMER_GATE];

	if (world->run.epoch == epoch)
		return;
	if (world->run.epoch != 0)
		world->overlapped = true;
	world->run = (struct world_start){epoch, world->job.target};
	world->gated = (struct world_start){0};
	world->saving = false;
	memset(world->due, 0, sizeof(world->due));
	world->due[TIMER_UP] = after(world, waits ? model->open : model->up);
}

static void gate(struct world *world)
{
	unsigned next = world->job.next;

	if (world->gated.epoch == next)
		return;
	world->gated = (struct world_start){next, world->job.target};
	world->due[TIMER_GATE] = next ? after(world, world->model.gate) : 0;
}

static void save(struct world *world)
{
	if (!world->saving)
		world->due[TIMER_SAVE] = after(world, world->model.save);
	world->saving = true;
}

static void stop(struct world *world)
{
	if (!world->stopping)
		world->due[TIMER_STOP] = after(world, world->model.stop);
	world->stopping = true;
}

/* May be repeated without harm, as the job demands. */
static void bring_about(struct world *world)
{
	hold(world, wanted(world));

	switch (job_effect(&world->job)) {
	case JOB_DO_START:
		start(world);
		break;
	case JOB_DO_SAVE:
		gate(world);
		save(world);
		break;
	case JOB_DO_STOP:
		gate(world);
		stop(world);
		break;
	case JOB_DO_WAIT:
	case JOB_DO_COMPUTE:
	case JOB_DO_GATHER:
	case JOB_DO_PREPARE:
	case JOB_DO_HAND_OVER:
		gate(world);
		break;
	case JOB_DO_END:
		world->run = world->gated = (struct world_start){0};
		memset(world->due, 0, sizeof(world->due));
		break;
	}
}

static void print(struct world *world, const struct job_event *event)
{
	const struct job *job = &world->job;

	fprintf(world->trace, "[%5.1f] %s -> %s, %u of %u ranks",
		(double)world->now / 1000, job_event_name(event->type),
		job_state_name(job->state), job->size, job->target);
	if (job->state == JOB_RUNNING && job_goal(job) != job->size)
		fprintf(world->trace, ", goal %u", job_goal(job));
	if (job->epoch > 0)
		fprintf(world->trace, ", epoch %u", job->epoch);
	if (job->next > 0)
		fprintf(world->trace, " next %u", job->next);
	if (job->retries_left < job->patience.retries)
		fprintf(world->trace, ", %u lost",
			job->patience.retries - job->retries_left);
	fprintf(world->trace, "\n");
}

static bool feed(struct world *world, const struct job_event *event)
{
	if (!job_step(&world->job, event))
		return false;
	print(world, event);
	bring_about(world);
	return true;
}

static bool step(struct world *world, enum job_event_type type, unsigned epoch,
		 unsigned size)
{
	const struct job_event event = {
		.type = type, .now = world->now, .epoch = epoch, .size = size};

	return feed(world, &event);
}

/* A job that waits for executors is told of those that are ready. */
static void announce(struct world *world)
{
	if (job_ranks_awaited(&world->job) > 0)
		step(world, JOB_EV_EXECUTORS, 0, ready_size(world));
}

/* Executors that are on their way count if the job may wait for them. */
static void on_stopped(struct world *world)
{
	unsigned ready = ready_size(world), epoch = world->run.epoch;
	bool soon = world->model.joining && ready < world->job.target &&
		    world->executors > ready;

	world->run = (struct world_start){0};
	world->saving = world->stopping = false;
	world->leaving = 0;
	world->due[TIMER_UP] = world->due[TIMER_STEP] = 0;
	world->due[TIMER_SAVE] = 0;
	step(world, soon ? JOB_EV_REPLACED_SOON : JOB_EV_STOPPED, epoch, ready);
}

static void on_up(struct world *world)
{
	const struct world_start run = world->run;

	if (world->model.unstarted > 0) {
		world->model.unstarted--;
		step(world, JOB_EV_UNSTARTED, run.epoch, 0);
	} else if (run.ranks == world->model.bad_size) {
		step(world, JOB_EV_CRASHED, run.epoch, 0);
	} else {
		world->due[TIMER_STEP] = after(world, world->model.step);
		step(world, JOB_EV_RANKS_UP, run.epoch, 0);
	}
}

/* What is heard of ranks that are up. */
static enum job_event_type first_word(struct world *world)
{
	struct world_model *model = &world->model;

	if (!world->job.has_checkpoint)
		return JOB_EV_STEP;
	if (model->unreadable > 0) {
		model->unreadable--;
		return JOB_EV_UNREADABLE;
	}
	return world->run.ranks == model->afresh ? JOB_EV_RESTARTED_CLEAN
						 : JOB_EV_STEP;
}

static void on_due(struct world *world, enum world_timer timer)
{
	const struct world_model *model = &world->model;
	unsigned epoch = world->run.epoch;

	switch (timer) {
	case TIMER_UP:
		on_up(world);
		break;
	case TIMER_STEP:
		step(world, first_word(world), epoch, 0);
		break;
	case TIMER_GATE:
		step(world,
		     model->gate_fails ? JOB_EV_UNPREPARED : JOB_EV_PREPARED,
		     world->gated.epoch, 0);
		break;
	case TIMER_SAVE:
		world->saving = false;
		step(world, model->cannot_save ? JOB_EV_UNSAVED : JOB_EV_SAVED,
		     epoch, 0);
		break;
	case TIMER_STOP:
		on_stopped(world);
		break;
	case TIMERS:
		break;
	}
}

static msec_t sooner(msec_t a, msec_t b)
{
	return a == 0 || (b != 0 && b < a) ? b : a;
}

static msec_t next_instant(const struct world *world)
{
	msec_t next = world->job.deadline;

	for (int i = 0; i < TIMERS; i++)
		next = sooner(next, world->due[i]);
	for (unsigned i = 0; i < world->executors; i++)
		if (world->ready[i] > world->now)
			next = sooner(next, world->ready[i]);
	return next;
}

/* What is in time comes before the end of patience. */
static void pass(struct world *world)
{
	announce(world);
	for (int i = 0; i < TIMERS; i++)
		if (world->due[i] != 0 && world->due[i] <= world->now) {
			world->due[i] = 0;
			on_due(world, (enum world_timer)i);
		}
	if (world->job.deadline != 0 && world->job.deadline <= world->now)
		step(world, JOB_EV_TIMEOUT, 0, ready_size(world));
	announce(world);
}

void world_init(struct world *world, unsigned initial)
{
	const struct job_patience patience = {.executors = SECONDS(60),
					      .grow = SECONDS(60),
					      .start = SECONDS(20),
					      .save = SECONDS(30),
					      .stop = SECONDS(10),
					      .replace = SECONDS(2),
					      .retries = 2};

	*world = (struct world){
		.model = {.join = SECONDS(5),
			  .up = SECONDS(3),
			  .step = SECONDS(1),
			  .gate = SECONDS(2),
			  .open = SECONDS(1),
			  .save = SECONDS(4),
			  .stop = SECONDS(1),
			  .stock = 8,
			  .granule = 1},
	};
	world->trace = fmemopen(world->text, sizeof(world->text), "w");
	job_init(&world->job, initial, &patience, false, 0);
}

void world_run(struct world *world, msec_t until)
{
	bring_about(world);
	announce(world);
	for (;;) {
		msec_t next = next_instant(world);

		if (next == 0 || next > until)
			break;
		world->now = next;
		pass(world);
	}
	world->now = until;
}

static void tell(struct world *world, enum job_event_type type, unsigned epoch,
		 unsigned size)
{
	if (!step(world, type, epoch, size))
		fprintf(world->trace, "[%5.1f] %s, nothing changes\n",
			(double)world->now / 1000, job_event_name(type));
	announce(world);
}

void world_tell(struct world *world, enum job_event_type type, unsigned size)
{
	tell(world, type, 0, size);
}

void world_report(struct world *world, enum job_event_type type, unsigned epoch)
{
	tell(world, type, epoch, 0);
}

void world_lose(struct world *world, unsigned executor)
{
	bool ran = executor < world->run.ranks;
	bool gated = executor < world->gated.ranks;
	unsigned left = --world->executors - executor;

	memmove(&world->ready[executor], &world->ready[executor + 1],
		left * sizeof(world->ready[0]));
	world->model.stock--;
	if (ran && world->job.state != JOB_STOPPING)
		tell(world, JOB_EV_LOST, world->run.epoch, 0);
	else if (gated)
		tell(world, JOB_EV_UNPREPARED, world->gated.epoch, 0);
	else
		fprintf(world->trace, "[%5.1f] it had no part in a start\n",
			(double)world->now / 1000);
}

void world_restock(struct world *world, unsigned more)
{
	world->model.stock += more;
	hold(world, wanted(world));
	announce(world);
}

void world_restart(struct world *world)
{
	bool has_checkpoint = world->job.has_checkpoint;

	world->run = world->gated = (struct world_start){0};
	world->saving = world->stopping = false;
	memset(world->due, 0, sizeof(world->due));
	tell(world, JOB_EV_RESTARTED, 0, has_checkpoint);
}

void world_leave(struct world *world, unsigned n, msec_t within)
{
	const struct job *job = &world->job;
	struct job_event event = {.type = JOB_EV_LEAVE,
				  .now = world->now,
				  .leave = world->now + within};

	world->executors -= n;
	world->model.stock -= n;
	world->leaving += n;
	memmove(world->ready, &world->ready[n],
		world->executors * sizeof(world->ready[0]));
	event.size = ready_size(world);
	if (event.size > job->target)
		event.size = job->target;
	if (!feed(world, &event))
		fprintf(world->trace, "[%5.1f] leave, nothing changes\n",
			(double)world->now / 1000);
	announce(world);
}

void world_begin(struct world *world, unsigned initial)
{
	world_init(world, initial);
	world_run(world, SECONDS(20));
	world_forget(world);
}

void world_forget(struct world *world)
{
	world->forgotten = ftell(world->trace);
}

const char *world_transcript(struct world *world)
{
	if (world->overlapped)
		fprintf(world->trace, "two starts ran at once\n");
	fclose(world->trace);
	return world->text + world->forgotten;
}
