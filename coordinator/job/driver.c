/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

#define STOP_PATIENCE SECONDS(30)

/* ---- the beginning ---- */

/* The job as the journal has it, with the patience of this job file. */
static void take_over(struct driver *driver,
		      const struct job_patience *patience)
{
	const struct journal_replay *replay = driver->replay;

	log_warn("taking over at %u ranks, %s, after start %u",
		 replay->job.begun, job_state_name(replay->job.state),
		 replay->job.starts);
	driver->job = replay->job;
	driver->job.patience = *patience;
	if (driver->job.starts < driver->config.former->starts)
		driver->job.starts = driver->config.former->starts;
	driver->former_starts = driver->job.starts;
	driver->progress.saved_after = replay->saved_after;
	journal_writer_go_on(driver->writer, replay, &driver->job,
			     &driver->config.former->end);
}

/* given: on the command line; former: of the job before this life; 0: none. */
static void state_number(struct driver *driver, enum job_event_type type,
			 unsigned now, unsigned given, unsigned former,
			 const char *reason)
{
	unsigned limit = given > 0 ? given : former;
	unsigned ranks = jobfile_largest(driver->jobfile, limit);

	/* the same number, too: a job that was handed over may aim at another
	 */
	if (ranks > 0 && (given > 0 || ranks != now))
		driver_post(driver, type, 0, ranks,
			    given > 0 ? "stated on the command line" : reason);
}

/* The want and the grant that the command line states; else those of the job
 * before this life, as far as this job file allows them.  before: NULL for
 * none.  The grant goes first: the job never has more than that. */
static void restate(struct driver *driver, const struct job *before,
		    const char *reason)
{
	const struct driver_config *config = &driver->config;
	bool had_grant = before && before->grant != JOB_NO_GRANT;

	state_number(driver, JOB_EV_GRANT, driver->job.grant, config->grant,
		     had_grant ? before->grant : 0, reason);
	state_number(driver, JOB_EV_SCALE, driver->job.want, config->want,
		     before ? before->want : 0, reason);
}

/* The same job was suspended, and its job file begins it at the same size. */
static bool was_suspended(const struct driver *driver)
{
	const struct journal_replay *replay = driver->config.former->replay;

	return replay && replay->job.state == JOB_SUSPENDED &&
	       strcmp(replay->name, driver->jobfile->name) == 0 &&
	       replay->initial == driver->jobfile->ranks.initial;
}

static void begin_anew(struct driver *driver,
		       const struct job_patience *patience, bool found)
{
	uint64_t step = checkpoint_recovery_newest(driver->recovery)->step;

	if (found) {
		snprintf(driver->reason, sizeof(driver->reason),
			 "resuming from the checkpoint%s%.80s",
			 step > 0 ? " of " : "",
			 step > 0 ? text_step(step,
					      jobfile_unit(driver->jobfile))
					    .s
				  : "");
		log_warn("%s in %s", driver->reason,
			 driver->jobfile->app.checkpoint_dir);
	}
	job_init(&driver->job, driver->jobfile->ranks.initial, patience, found,
		 loop_now());
	driver->job.starts = driver->former_starts =
		driver->config.former->starts;
	journal_writer_begin(driver->writer, &driver->job,
			     driver->jobfile->name);
	restate(driver,
		found && was_suspended(driver)
			? &driver->config.former->replay->job
			: NULL,
		"as stated before the job was suspended");
}

int driver_begin(struct driver *driver, struct error *err)
{
	const struct jobfile *file = driver->jobfile;
	const struct job_patience patience = {
		.executors = file->wait_deadline,
		.grow = file->scale_deadline,
		.start = file->start_deadline,
		.resume = file->app.unproven || !file->adapter->on_line
				  ? 0
				  : file->resume_deadline,
		.save = file->checkpoint_deadline,
		.stop = STOP_PATIENCE,
		.replace = file->replacement_wait,
		.retries = file->restarts,
	};
	enum checkpoint_found state;
	bool found;
	int r = checkpoint_recovery_repair(driver->recovery,
					   driver->replay != NULL, &state, err);

	if (r < 0)
		return r;
	found = checkpoint_recovery_find(driver->recovery);
	if (driver->replay) {
		/* of a job that was handed over, no rank is left */
		if (job_effect(&driver->replay->job) != JOB_DO_HAND_OVER)
			driver_fence(driver);
		take_over(driver, &patience);
		driver_post(driver, JOB_EV_RESTARTED, 0, found,
			    "the coordinator was started again");
		restate(driver, &driver->replay->job,
			"the job file has changed");
	} else {
		begin_anew(driver, &patience, found);
	}
	stall_watch_begin(driver);
	checkpoint_recovery_on_begun(driver->recovery, state);
	driver_arm_deadline(driver);
	driver_post_executors(driver); /* how many are to be held */
	driver_settle(driver);
	return 0;
}

bool driver_goes_on(const struct driver *driver)
{
	return driver->replay != NULL;
}

msec_t driver_fence(struct driver *driver)
{
	msec_t lease = members_lease(driver->members);

	driver->fence.until = loop_now() + lease;
	return lease;
}

static bool goes_on(const struct jobfile *jobfile,
		    const struct journal_replay *replay)
{
	return replay && !job_is_over(&replay->job) &&
	       strcmp(replay->name, jobfile->name) == 0 &&
	       (replay->job.target == 0 ||
		jobfile_accepts(jobfile, replay->job.target, NULL) == 0);
}

/* ---- what is asked of it ---- */

void driver_cancel(struct driver *driver, bool save, const char *reason)
{
	driver_post(driver, save ? JOB_EV_SUSPEND : JOB_EV_CANCEL, 0, 0,
		    reason);
}

void driver_visit(struct driver *driver, struct driver_visitor *visitor)
{
	list_append(&driver->visitors, &visitor->link);
}

void driver_hand_over(struct driver *driver, msec_t within, const char *reason)
{
	const struct job_event event = {
		.type = JOB_EV_HAND_OVER,
		.now = loop_now(),
		.leave = loop_now() + within,
	};

	driver_post_event(driver, &event, reason);
	driver_settle(driver);
}

void driver_signal(struct driver *driver, int signo)
{
	struct launch *now = launches_now(driver->launches);

	if (now && job_computes(&driver->job))
		launch_signal(now, signo);
}

bool driver_has_no_rank(const struct driver *driver)
{
	const struct launch *now = launches_now(driver->launches);

	if (job_effect(&driver->job) == JOB_DO_HAND_OVER)
		return true;
	return loop_now() >= driver->fence.until &&
	       members_alive(driver->members) == 0 &&
	       (!now || launch_is_gone(now));
}

void driver_set_trouble(struct driver *driver, const char *text)
{
	if (strcmp(driver->trouble, text) == 0)
		return;
	snprintf(driver->trouble, sizeof(driver->trouble), "%s", text);
	log_info("trouble=\"%s\"", driver->trouble);
	driver_publish(driver, PUBLISH_SOON);
}

/* ---- what there is to show ---- */

const struct job *driver_job(const struct driver *driver)
{
	return &driver->job;
}

const struct history *driver_history(const struct driver *driver)
{
	return driver->history;
}

const char *driver_reason(const struct driver *driver)
{
	return driver->reason;
}

const char *driver_trouble(const struct driver *driver)
{
	return driver->trouble;
}

unsigned driver_held(const struct driver *driver)
{
	return driver->held;
}

int driver_exit_code(const struct driver *driver)
{
	return driver->exit_code;
}

struct journal_writer *driver_journal_writer(const struct driver *driver)
{
	return driver->writer;
}

struct members *driver_members(const struct driver *driver)
{
	return driver->members;
}

struct launcher *driver_launcher(const struct driver *driver)
{
	return driver->launcher;
}

struct launches *driver_launches(const struct driver *driver)
{
	return driver->launches;
}

struct checkpoint_recovery *driver_recovery(const struct driver *driver)
{
	return driver->recovery;
}

/* ---- life ---- */

static int create_launches(struct driver *driver, struct error *err)
{
	const struct driver_config *config = &driver->config;
	const struct launch_room room = {
		.loop = config->loop,
		.members = driver->members,
		.launcher = driver->launcher,
		.job = config->jobfile,
		.dir = config->state_dir,
		.address = "",
		.events = &driver_launch_events,
		.user = driver,
	};

	return launches_create(&driver->launches, &room, err);
}

static int create_launcher(struct driver *driver, struct error *err)
{
	const struct driver_config *config = &driver->config;

	driver->reach = (struct launcher_room){
		.loop = config->loop,
		.members = driver->members,
		.dir = config->state_dir,
		.bindir = config->bindir,
		.key = config->jobfile->mpi_key,
	};
	return launcher_create(&driver->launcher, config->jobfile->launcher,
			       &driver->reach, err);
}

static int create_parts(struct driver *driver, struct error *err)
{
	const struct driver_config *config = &driver->config;
	int r = journal_writer_create(&driver->writer, config->loop,
				      config->journal_dir, driver_on_written,
				      driver, err);

	if (r < 0)
		return r;
	driver->history = journal_writer_history(driver->writer);
	r = members_create(&driver->members, config->loop,
			   config->jobfile->lost_after, &driver_members_events,
			   driver, err);
	if (r == 0)
		r = create_launcher(driver, err);
	if (r == 0)
		r = checkpoint_recovery_create(
			&driver->recovery, config->loop, config->jobfile,
			config->state_dir, config->bindir,
			&driver_recovery_events, driver, err);
	if (r == 0)
		r = trials_create(&driver->trials, config->loop,
				  config->jobfile, config->state_dir,
				  &driver_trials_events, driver, err);
	return r < 0 ? r : create_launches(driver, err);
}

int driver_create(struct driver **out, const struct driver_config *config,
		  struct error *err)
{
	CLEANUP(driver_destroy)
	struct driver *driver = calloc(1, sizeof(*driver));
	int r;

	if (!driver)
		return error_set(err, -ENOMEM, "out of memory");
	driver->config = *config;
	driver->loop = config->loop;
	driver->jobfile = config->jobfile;
	driver->fence.owned_until = INT64_MAX;
	list_init(&driver->events);
	list_init(&driver->visitors);
	driver->settled = true;
	if (goes_on(config->jobfile, config->former->replay))
		driver->replay = config->former->replay;
	r = create_parts(driver, err);
	if (r < 0)
		return r;
	*out = STEAL(driver);
	return 0;
}

struct driver *driver_destroy(struct driver *driver)
{
	if (!driver)
		return NULL;
	events_clear(&driver->events);
	launches_destroy(driver->launches);
	trials_destroy(driver->trials);
	launcher_destroy(driver->launcher);
	periodic_fini(&driver->periodic);
	stall_watch_fini(&driver->stall);
	match_watch_fini(&driver->match);
	checkpoint_recovery_destroy(driver->recovery);
	members_destroy(driver->members);
	journal_writer_destroy(driver->writer);
	loop_timer_clear(&driver->deadline);
	loop_timer_clear(&driver->surplus);
	loop_timer_clear(&driver->fence.timer);
	loop_timer_clear(&driver->save.overdue);
	loop_timer_clear(&driver->progress.proof);
	loop_timer_clear(&driver->end.timer);
	free(driver);
	return NULL;
}
