/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "base/program.h"
#include "base/tree.h"
#include "coordinator/launch/trial.h"
#include "tests/check.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

enum { PATIENCE = 60000, LOOK_EVERY = 20 };

static const char *script; /* of the trial, for sh */

static int trial(const struct adapter_app *app, unsigned ranks,
		 const char *argv[ADAPTER_ARGS_MAX], char *text,
		 size_t text_size, struct error *err)
{
	argv[0] = "sh";
	argv[1] = "-c";
	argv[2] = script;
	argv[3] = NULL;
	return 0;
}

static bool reason(const char *output, char *text, size_t text_size)
{
	const char *at = strstr(output, "because ");

	if (at)
		snprintf(text, text_size, "%.*s", (int)strcspn(at, "\n"), at);
	return at != NULL;
}

static bool passes(const char *output)
{
	return strstr(output, "so many will do") != NULL;
}

struct bed {
	char dir[64];
	struct loop *loop;
	struct trials *trials;
	struct loop_timer timer;
	msec_t until;
	pid_t pid;               /* of the trial's rank */
	unsigned passed, failed; /* ranks of the last event */
	char reason[256];
};

static void on_passed(void *user, unsigned ranks)
{
	struct bed *bed = user;

	bed->passed = ranks;
	loop_stop(bed->loop, 0);
}

static void on_failed(void *user, unsigned ranks, const char *reason)
{
	struct bed *bed = user;

	bed->failed = ranks;
	snprintf(bed->reason, sizeof(bed->reason), "%s", reason);
	loop_stop(bed->loop, 0);
}

static struct bed *bed_make(void)
{
	static const struct adapter adapter = {
		.trial = trial, .reason = reason, .passes = passes};
	static const struct trials_events events = {on_passed, on_failed};
	static const char *none[] = {NULL};
	static struct jobfile job = {.adapter = &adapter,
				     .environment = none,
				     .mpi_arguments = none};
	static struct bed bed;

	bed = (struct bed){.dir = "/tmp/trial-XXXXXX"};
	if (!mkdtemp(bed.dir) || loop_create(&bed.loop, NULL) < 0 ||
	    trials_create(&bed.trials, bed.loop, &job, bed.dir, &events, &bed,
			  NULL) < 0)
		return NULL;
	return &bed;
}

static void bed_remove(struct bed *bed)
{
	trials_destroy(bed->trials);
	loop_timer_clear(&bed->timer);
	loop_destroy(bed->loop);
	tree_remove_path(bed->dir, NULL);
}

DEFINE_CLEANUP(struct bed, bed_remove)

static void give_up(void *user)
{
	struct bed *bed = user;

	loop_stop(bed->loop, -1);
}

/* Until it has passed or failed. */
static bool await(struct bed *bed)
{
	loop_timer_set(bed->loop, &bed->timer, PATIENCE, give_up, bed);
	return loop_run(bed->loop) == 0;
}

/* Whether anything is left of it on this host. */
static bool is_clean(const struct bed *bed)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/mpi-trial", bed->dir);
	return trials_are_over(bed->trials) && access(path, F_OK) < 0 &&
	       rmdir(bed->dir) == 0 && mkdir(bed->dir, 0700) == 0;
}

static void a_size_that_passed_is_not_tried_again(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed && trials_look(bed->trials, 3, NULL) == 1);
	/* an empty folder, and nothing that makes it a rank of the job */
	script = "[ -z \"$(ls -A)\" ] && [ -z \"$BELLOWS_EPOCH\" ] && "
		 "[ \"$OMPI_COMM_WORLD_SIZE\" = 3 ]";
	CHECK(trials_begin(bed->trials, 3, NULL) == 0 && await(bed));
	CHECK(bed->passed == 3 && bed->failed == 0);
	CHECK(trials_look(bed->trials, 3, NULL) == 0);
	CHECK(trials_look(bed->trials, 2, NULL) == 1);
	trials_pass(bed->trials, 2);
	CHECK(trials_look(bed->trials, 2, NULL) == 0);
	CHECK(is_clean(bed));
}

static void a_reason_of_the_application_counts_against_a_size(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();
	struct error err;

	CHECK(bed);
	script = "echo because of its shape; exit 3";
	CHECK(trials_begin(bed->trials, 5, NULL) == 0 && await(bed));
	CHECK(bed->failed == 5 && bed->passed == 0);
	CHECK_TEXT(bed->reason, "because of its shape");
	CHECK(trials_look(bed->trials, 5, &err) == -EINVAL);
	CHECK_TEXT(err.text, "because of its shape");
	CHECK(is_clean(bed));
}

static void a_trial_that_fails_otherwise_is_made_again(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed);
	script = "kill -KILL $$";
	CHECK(trials_begin(bed->trials, 2, NULL) == 0 && await(bed));
	CHECK(bed->failed == 2);
	CHECK(strncmp(bed->reason, "a trial on 2 ranks failed: ", 27) == 0);
	CHECK(trials_look(bed->trials, 2, NULL) == 1);
	script = "exit 0";
	CHECK(trials_begin(bed->trials, 2, NULL) == 0 && await(bed));
	CHECK(bed->passed == 2 && is_clean(bed));
}

static void look_for_pid(void *user)
{
	struct bed *bed = user;
	char path[128];

	snprintf(path, sizeof(path), "%s/pid", bed->dir);
	if (access(path, F_OK) == 0)
		loop_stop(bed->loop, 0);
	else if (loop_now() > bed->until)
		loop_stop(bed->loop, -1);
	else
		loop_timer_set(bed->loop, &bed->timer, LOOK_EVERY, look_for_pid,
			       bed);
}

static void look_for_end(void *user)
{
	struct bed *bed = user;

	if (trials_are_over(bed->trials))
		loop_stop(bed->loop, 0);
	else if (loop_now() > bed->until)
		loop_stop(bed->loop, -1);
	else
		loop_timer_set(bed->loop, &bed->timer, LOOK_EVERY, look_for_end,
			       bed);
}

/* Orphans are reaped by another process, when it gets to it. */
static void look_for_death(void *user)
{
	struct bed *bed = user;

	if (kill(bed->pid, 0) < 0 && errno == ESRCH)
		loop_stop(bed->loop, 0);
	else if (loop_now() > bed->until)
		loop_stop(bed->loop, -1);
	else
		loop_timer_set(bed->loop, &bed->timer, LOOK_EVERY,
			       look_for_death, bed);
}

static bool run_until(struct bed *bed, loop_timer_f look)
{
	bed->until = loop_now() + PATIENCE;
	look(bed);
	return loop_run(bed->loop) == 0;
}

static pid_t read_pid(const struct bed *bed)
{
	char path[128];
	CLEANUP(fclose) FILE *f = NULL;
	int pid = 0;

	snprintf(path, sizeof(path), "%s/pid", bed->dir);
	f = fopen(path, "re");
	return f && fscanf(f, "%d", &pid) == 1 ? pid : 0;
}

static void a_trial_that_is_cancelled_leaves_nobody(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();
	char text[256];

	CHECK(bed);
	snprintf(text, sizeof(text),
		 "echo $$ >%s/new && mv %s/new %s/pid && exec sleep 600",
		 bed->dir, bed->dir, bed->dir);
	script = text;
	CHECK(trials_begin(bed->trials, 1, NULL) == 0);
	CHECK(run_until(bed, look_for_pid));
	bed->pid = read_pid(bed);
	CHECK(bed->pid > 0 && kill(bed->pid, 0) == 0);
	trials_cancel(bed->trials);
	CHECK(run_until(bed, look_for_end));
	CHECK(run_until(bed, look_for_death));
	CHECK(bed->passed == 0 && bed->failed == 0);
	CHECK(trials_look(bed->trials, 1, NULL) == 1);
}

static void a_trial_that_has_told_enough_is_ended(void)
{
	CLEANUP(bed_remove) struct bed *bed = bed_make();

	CHECK(bed);
	script = "echo so many will do; exec sleep 600";
	CHECK(trials_begin(bed->trials, 2, NULL) == 0 && await(bed));
	CHECK(bed->passed == 2 && bed->failed == 0);
	CHECK(trials_look(bed->trials, 2, NULL) == 0);
	CHECK(run_until(bed, look_for_end) && is_clean(bed));
	CHECK(bed->failed == 0);
}

static void without_a_trial_every_size_passes(void)
{
	static const struct adapter adapter = {.name = "plain"};
	static const struct jobfile job = {.adapter = &adapter};
	CLEANUP(trials_destroy) struct trials *trials = NULL;

	CHECK(trials_create(&trials, NULL, &job, "/", NULL, NULL, NULL) == 0);
	CHECK(trials_look(trials, 7, NULL) == 0);
}

static const struct test tests[] = {
	TEST(a_size_that_passed_is_not_tried_again),
	TEST(a_reason_of_the_application_counts_against_a_size),
	TEST(a_trial_that_fails_otherwise_is_made_again),
	TEST(a_trial_that_is_cancelled_leaves_nobody),
	TEST(a_trial_that_has_told_enough_is_ended),
	TEST(without_a_trial_every_size_passes),
};

int main(void)
{
	char path[4096];

	if (program_find("mpiexec", path, sizeof(path), NULL) < 0) {
		printf("1..0 # SKIP mpiexec is missing\n");
		return 0;
	}
	return run_tests(tests, LENGTH(tests));
}
