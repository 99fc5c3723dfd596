/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/internal.h"
#include "tests/unit/desk_crew.h"

/*
 * What is told of a loss: its cause, and what is computed again
 */

#define JOB                                                                    \
	"name: heat\napp: generic\ncommand: [md]\n"                            \
	"ranks: {initial: 2, max: 4}\ncheckpoint: {dir: ck}\n"                 \
	"generic: {files: [state], progress: '^step ([0-9]+)', "               \
	"resumed: '^from ?([0-9]*)'}\n"

static struct driver *driver;

static void says(const char *text)
{
	prints_text("w0", 10, driver->job.epoch, 0, text);
}

static const struct rescale *last(void)
{
	return &driver->history->rescales[driver->history->n_rescales - 1];
}

/* The job is a second old, for an instant of 0 is one that was not reached. */
static void begin(struct desk *at)
{
	driver = at->c->driver;
	driver->history->began -= SECONDS(1);
	starts(at, 2);
}

static void come_up(unsigned epoch)
{
	for (unsigned i = 0; i < 2; i++)
		arrives((int)i, epoch, i);
	for (unsigned i = 0; i < 2; i++)
		is_up((int)i, epoch, i, 1);
}

static void write_checkpoint(void)
{
	char path[4200];
	FILE *file;

	snprintf(path, sizeof(path), "%s/state",
		 driver->jobfile->app.checkpoint_dir);
	file = fopen(path, "w");
	CHECK(file && fputs("state", file) >= 0 && fclose(file) == 0);
}

/* Start 1 has shown steps up to 310; its rank 1 is killed, and start 2 is up.
 */
static void is_killed(struct desk *at, bool has_checkpoint)
{
	begin(at);
	says("step 300\nstep 310\n");
	if (has_checkpoint)
		write_checkpoint();
	CHECK(desk_end_run((128 + 9) << 8,
			   "mpiexec noticed that process rank 1 with PID 7 on "
			   "node w1 exited on signal 9 (Killed).\n"));
	driver_settle(driver);
	CHECK(driver->job.state == JOB_STOPPING && last()->recovery);
	CHECK_TEXT(last()->reason, "rank 1 was killed by signal 9");
	for (int i = 0; i < 2; i++)
		is_gone(i, 1);
	come_up(2);
}

static void tells_its_step(struct desk *at, void *user)
{
	is_killed(at, true);
	CHECK(driver->job.state == JOB_RESUMING && last()->repeated == 0);
	says("from 250\nstep 260\n");
	CHECK(driver->job.state == JOB_RUNNING);
	CHECK(last()->repeated == 60 && last()->checkpoint == 250);
	CHECK_TEXT(last()->result, "done");
	CHECK(driver->history->tally.repeated == 60);
}

static void a_line_tells_from_where_it_is_computed_again(void)
{
	CHECK(desk_run(JOB, tells_its_step, NULL));
}

static void shows_a_step(struct desk *at, void *user)
{
	is_killed(at, true);
	says("from\nstep 260\nstep 270\n");
	CHECK(last()->repeated == 50 && last()->checkpoint == 0);
}

static void its_first_step_tells_if_nothing_else_does(void)
{
	CHECK(desk_run(JOB, shows_a_step, NULL));
}

/* The coordinator was stopped for longer than it waits for a step, and its
 * timer is due before it reads what ranks have printed. */
static void reads_late(struct desk *at, void *user)
{
	struct loop_timer *proof;

	is_killed(at, true);
	says("from 250\n");
	proof = &driver->progress.proof;
	CHECK(loop_timer_is_set(proof) && last()->stepped == 0);
	loop_timer_clear(proof);
	proof->fn(proof->user);
	driver_settle(driver);
	CHECK(driver->job.state == JOB_RUNNING && last()->stepped != 0);
	CHECK_TEXT(last()->result, "done");
}

static void a_step_that_is_read_late_is_still_a_step(void)
{
	CHECK(desk_run(JOB, reads_late, NULL));
}

static void begins_anew(struct desk *at, void *user)
{
	is_killed(at, false);
	says("step 1\n");
	CHECK(last()->repeated == 310 && last()->checkpoint == 0);
}

static void without_a_checkpoint_all_is_computed_again(void)
{
	CHECK(desk_run(JOB, begins_anew, NULL));
}

static void saves(struct desk *at, void *user)
{
	begin(at);
	says("step 300\n");
	scale(1);
	arrives(0, 2, 0);
	CHECK(driver->job.state == JOB_SAVING);
	says("step 310\n");
	write_checkpoint();
	judges("w0", 10, 1);
	CHECK(driver->job.state == JOB_STOPPING);
	is_gone(0, 1);
	is_gone(1, 1);
	is_up(0, 2, 0, 1);
	says("from 300\n");
	CHECK(last()->checkpoint == 300 && last()->repeated == 10);
	says("step 320\n");
	CHECK(last()->repeated == 10 && last()->from == 2 && last()->to == 1);
}

static void what_was_computed_after_the_checkpoint_is_computed_again(void)
{
	CHECK(desk_run(JOB, saves, NULL));
}

RUN_TESTS(TEST(a_line_tells_from_where_it_is_computed_again),
	  TEST(its_first_step_tells_if_nothing_else_does),
	  TEST(a_step_that_is_read_late_is_still_a_step),
	  TEST(without_a_checkpoint_all_is_computed_again),
	  TEST(what_was_computed_after_the_checkpoint_is_computed_again))
