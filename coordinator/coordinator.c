/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/coordinator.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/service/doors.h"
#include "coordinator/service/figures.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>

enum { STOP_PATIENCE = 30000 };

/* ---- signals ---- */

static void on_terminate(void *user, int signo, pid_t sender)
{
	struct coordinator *c = user;

	if (c->suspending) {
		coordinator_post(c, JOB_EV_CANCEL, 0, 0, strsignal(signo));
		return;
	}
	c->suspending = true;
	coordinator_post(c, JOB_EV_SUSPEND, 0, 0, strsignal(signo));
}

static void on_forward(void *user, int signo, pid_t sender)
{
	struct coordinator *c = user;
	struct launch *now = launches_now(c->launches);

	if (now && job_computes(&c->job))
		launch_signal(now, signo);
}

static int catch_signals(struct coordinator *c, struct error *err)
{
	static const int forwarded[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGWINCH};
	int r = loop_signal_add(c->loop, SIGTERM, on_terminate, c, err);

	if (r == 0)
		r = loop_signal_add(c->loop, SIGINT, on_terminate, c, err);
	for (size_t i = 0; r == 0 && i < LENGTH(forwarded); i++)
		r = loop_signal_add(c->loop, forwarded[i], on_forward, c, err);
	return r;
}

/* ---- life ---- */

static void on_room(void *user)
{
	output_hold_back(user, false);
}

static void on_file(void *user, const char *text)
{
	struct coordinator *c = user;

	storage_on_output(c->storage, text);
}

/* The job as the journal has it, with the patience of this job file. */
static void take_over(struct coordinator *c,
		      const struct job_patience *patience)
{
	const struct past *past = c->past;

	log_warn("taking over at %u ranks, %s, after start %u", past->job.begun,
		 job_state_name(past->job.state), past->job.starts);
	c->job = past->job;
	c->job.patience = *patience;
	if (c->job.starts < c->former->starts)
		c->job.starts = c->former->starts;
	c->former_starts = c->job.starts;
	c->saved_after = past->saved_after;
	record_go_on(c->record, past, &c->job, &c->former->end);
}

/* The want and the grant of the job before this life, as far as this job file
 * allows them. */
static void restate(struct coordinator *c, const struct job *before,
		    const char *reason)
{
	unsigned want = jobfile_largest(c->jobfile, before->want);
	unsigned grant = jobfile_largest(c->jobfile, before->grant);

	if (want > 0 && want != c->job.want)
		coordinator_post(c, JOB_EV_SCALE, 0, want, reason);
	if (grant > 0 && before->grant != JOB_NO_GRANT && grant != c->job.grant)
		coordinator_post(c, JOB_EV_GRANT, 0, grant, reason);
}

/* The same job was suspended, and its job file begins it at the same size. */
static bool was_suspended(const struct coordinator *c)
{
	const struct past *past = c->former->past;

	return past && past->job.state == JOB_SUSPENDED &&
	       strcmp(past->name, c->jobfile->name) == 0 &&
	       past->initial == c->jobfile->ranks.initial;
}

static void begin_anew(struct coordinator *c,
		       const struct job_patience *patience, bool found)
{
	if (found) {
		snprintf(c->reason, sizeof(c->reason),
			 "resuming from the checkpoint of step %llu",
			 (unsigned long long)storage_newest(c->storage)->step);
		log_warn("%s in %s", c->reason, c->jobfile->app.checkpoint_dir);
	}
	job_init(&c->job, c->jobfile->ranks.initial, patience, found,
		 loop_now());
	c->job.starts = c->former_starts = c->former->starts;
	record_begin(c->record, &c->job, c->jobfile->name);
	if (found && was_suspended(c))
		restate(c, &c->former->past->job,
			"as stated before the job was suspended");
}

int coordinator_begin(struct coordinator *c, struct error *err)
{
	const struct jobfile *file = c->jobfile;
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
	enum keep_state state;
	bool found;
	int r = storage_mend(c->storage, c->past != NULL, &state, err);

	if (r < 0)
		return r;
	found = storage_find(c->storage);
	if (c->past) {
		c->fence = loop_now() + members_lease(c->members);
		take_over(c, &patience);
		coordinator_post(c, JOB_EV_RESTARTED, 0, found,
				 "the coordinator was started again");
		restate(c, &c->past->job, "the job file has changed");
	} else {
		begin_anew(c, &patience, found);
	}
	storage_on_begun(c->storage, state);
	coordinator_post_executors(c); /* how many are to be held */
	coordinator_settle(c);
	return 0;
}

static bool goes_on(const struct jobfile *jobfile, const struct past *past)
{
	return past && !job_is_over(&past->job) &&
	       strcmp(past->name, jobfile->name) == 0 &&
	       (past->job.target == 0 ||
		jobfile_accepts(jobfile, past->job.target, NULL) == 0);
}

int coordinator_create(struct coordinator **out, struct loop *loop,
		       const struct config *config, const char *bindir,
		       const struct former *former, struct error *err)
{
	CLEANUP(coordinator_destroy)
	struct coordinator *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return error_set(err, -ENOMEM, "out of memory");
	c->config = config;
	c->loop = loop;
	c->former = former;
	if (getrandom(&c->incarnation, sizeof(c->incarnation), 0) < 0)
		c->incarnation = (uint64_t)loop_now();
	list_init(&c->events);
	list_init(&c->watchers);
	list_init(&c->outputs);
	r = jobfile_read(&c->jobfile, config->job, err);
	if (r < 0)
		return r;
	if (goes_on(c->jobfile, former->past))
		c->past = former->past;
	r = record_create(&c->record, loop, config->state, err);
	if (r < 0)
		return r;
	c->history = record_history(c->record);
	r = members_create(&c->members, loop, c->jobfile->lost_after,
			   &coordinator_members_events, c, err);
	c->reach = (struct launcher_room){
		.loop = loop,
		.members = c->members,
		.dir = config->state,
		.bindir = bindir,
		.key = c->jobfile->mpi_key,
	};
	if (r == 0)
		r = launcher_create(&c->launcher, c->jobfile->launcher,
				    &c->reach, err);
	if (r == 0)
		r = storage_create(&c->storage, loop, c->jobfile, config->state,
				   bindir, &coordinator_storage_events, c, err);
	if (r == 0)
		r = sink_create(&c->sink, loop, config->state, on_room, on_file,
				c, err);
	if (r == 0)
		r = trials_create(&c->trials, loop, c->jobfile, config->state,
				  &coordinator_trials_events, c, err);
	if (r == 0)
		r = launches_create(
			&c->launches,
			&(const struct launch_room){
				.loop = loop,
				.members = c->members,
				.launcher = c->launcher,
				.job = c->jobfile,
				.dir = config->state,
				.address = "",
				.events = &coordinator_launch_events,
				.user = c,
			},
			err);
	if (r == 0)
		r = catch_signals(c, err);
	if (r < 0)
		return r;
	*out = STEAL(c);
	return 0;
}

static void print_figures(void *user, FILE *to)
{
	struct coordinator *c = user;
	const struct figures figures = {
		.jobfile = c->jobfile,
		.job = &c->job,
		.history = c->history,
		.ledger = members_ledger(c->members),
		.executors_wanted = c->held,
		.now = loop_now(),
	};

	figures_print(&figures, to);
}

int coordinator_show_metrics(struct coordinator *c, const char *address,
			     struct error *err)
{
	int r = metrics_create(&c->metrics, c->loop, address, print_figures, c,
			       err);

	if (r == 0)
		log_info("metrics at http://%s/metrics",
			 metrics_address(c->metrics));
	return r;
}

static void after_each(void *user)
{
	coordinator_settle(user);
}

int coordinator_run(struct coordinator *c)
{
	coordinator_arm_deadline(c);
	loop_after_each(c->loop, after_each, c);
	return loop_run(c->loop);
}

struct coordinator *coordinator_destroy(struct coordinator *c)
{
	if (!c)
		return NULL;
	loop_after_each(c->loop, NULL, NULL);
	events_clear(&c->events);
	loop_timer_clear(&c->publish);
	metrics_destroy(c->metrics);
	doors_close(c);
	launches_destroy(c->launches);
	trials_destroy(c->trials);
	launcher_destroy(c->launcher);
	sink_destroy(c->sink);
	periodic_fini(&c->periodic);
	storage_destroy(c->storage);
	members_destroy(c->members);
	record_destroy(c->record);
	jobfile_destroy(c->jobfile);
	loop_timer_clear(&c->deadline);
	loop_timer_clear(&c->proof);
	loop_timer_clear(&c->verdict);
	loop_timer_clear(&c->end);
	loop_timer_clear(&c->fenced);
	free(c);
	return NULL;
}
