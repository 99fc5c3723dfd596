/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/adapters.h"
#include "base/list.h"
#include "jobfile/jobfile.h"
#include "tests/check.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

/* Lines 1 to 5 of a job file that is right; more may follow. */
#define GOOD_BUT_RANKS                                                         \
	"name: heat\n"                                                         \
	"app: parint\n"                                                        \
	"command: [parint, --nloop, 4]\n"                                      \
	"checkpoint: {dir: ckpt}\n"
#define GOOD GOOD_BUT_RANKS "ranks: {initial: 2, max: 6}\n"
#define GENERIC                                                                \
	"name: md\n"                                                           \
	"app: generic\n"                                                       \
	"command: md\n"                                                        \
	"checkpoint: {dir: ckpt}\n"                                            \
	"ranks: {initial: 2, max: 6}\n"

static struct jobfile *job;
static struct error err;

static int parse(const char *text)
{
	job = jobfile_destroy(job);
	err.text[0] = '\0';
	return jobfile_parse(&job, "t.yaml", text, strlen(text), "/home/me",
			     &err);
}

static void a_short_file_gets_the_defaults(void)
{
	CHECK(parse(GOOD) == 0);
	CHECK_TEXT(job->name, "heat");
	CHECK_TEXT(job->text, GOOD);
	CHECK(job->adapter == &adapter_parint);
	CHECK_TEXT(job->app.command[2], "4");
	CHECK(!job->app.command[3]);
	CHECK_TEXT(job->app.dir, "/home/me");
	CHECK_TEXT(job->app.checkpoint_dir, "/home/me/ckpt");
	CHECK(job->ranks.min == 1 && job->ranks.max == 6);
	CHECK(job->ranks_per_executor == 1 && job->restarts == 3);
	CHECK(job->checkpoint_deadline == SECONDS(60));
	CHECK(job->scale_deadline == MINUTES(5));
	CHECK(job->wait_deadline == MINUTES(5));
	CHECK(job->start_deadline == SECONDS(60));
	CHECK(job->policy == SCALE_MANUAL && job->n_schedule == 0);
	CHECK(job->network == NETWORK_AUTO);
	CHECK(job->checkpoint_interval == CHECKPOINT_AUTO);
	CHECK(job->checkpoint_mtbf == MINUTES(60 * 8760));
	CHECK(!job->checkpoint_keep_one && !job->begins_anew);
	CHECK(job->stall_after == 0 && !job->restarts_stalled);
	CHECK(!job->environment[0] && !job->mpi_arguments[0]);
	CHECK(!job->app.restart && !job->app.files && !job->app.progress);
	CHECK(!job->app.accepts && job->app.save_signal == 0);
	CHECK(parse(GOOD_BUT_RANKS "ranks: {initial: 2}\n") == 0);
	CHECK(job->ranks.max == 2);
}

static void what_gives_rights_away_is_asked_for_by_name(void)
{
	CHECK(parse(GOOD "mpi: {launcher: ssh}\nkub: true\n") == 0);
	CHECK(job->kub && !job->kub_private_key && !job->keep_rights);
	CHECK(parse(GOOD "mpi: {launcher: ssh}\nkub: true\n"
			 "kub_private_key: true\nrights: keep\n") == 0);
	CHECK(job->kub_private_key && job->keep_rights);
	CHECK(parse(GOOD "kub_private_key: true\n") == -EINVAL);
	CHECK_TEXT(err.text, "t.yaml:6: kub_private_key: is for kub: true; "
			     "with that, or false");
	CHECK(parse(GOOD "rights: all\n") == -EINVAL);
	CHECK_TEXT(err.text, "t.yaml:6: rights: 'all' is unknown; one of drop, "
			     "keep");
}

static void what_ranks_are_bound_to_is_asked_for(void)
{
	CHECK(parse(GOOD) == 0);
	CHECK(job->bind == BIND_NONE && !job->bind_strict);
	CHECK(parse(GOOD "placement: {bind: numa, strict: true}\n") == 0);
	CHECK(job->bind == BIND_NUMA && job->bind_strict);
	CHECK(parse(GOOD "placement: {bind: cores}\n") == -EINVAL);
	CHECK_TEXT(err.text, "t.yaml:6: placement.bind: 'cores' is unknown; "
			     "one of none, core, socket, numa");
	CHECK(parse(GOOD "placement: {strict: true}\n") == -EINVAL);
	CHECK_TEXT(err.text, "t.yaml:6: placement.strict: nothing says what "
			     "ranks are bound to; true with placement.bind, "
			     "or false");
	CHECK(parse(GOOD "placement: {bind: core}\nmpi: {launcher: ssh}\n"
			 "kub: true\n") == -EINVAL);
	CHECK_TEXT(err.text, "t.yaml:6: placement.bind: Kub's executors do not "
			     "tell what ranks are bound to; none, or without "
			     "kub: true");
}

static void every_key_reaches_its_member(void)
{
	CHECK(parse("name: md-1\n"
		    "app: generic\n"
		    "command: [md, '', \"a b\"]\n"
		    "dir: work\n"
		    "environment: {A: 1, _b2: 'x = y', C: ''}\n"
		    "restarts: 0\n"
		    "wait_deadline: 1.5min\n"
		    "start_deadline: 250ms\n"
		    "resume_deadline: 3min\n"
		    "restart: md --from '{checkpoint}/a b'\n"
		    "ranks: {initial: 2, min: 2, max: 8}\n"
		    "ranks_per_executor: 4\n"
		    "checkpoint: {dir: /ckpt, deadline: 2h}\n"
		    "scale:\n"
		    "  policy: manual\n"
		    "  deadline: 90s\n"
		    "  schedule: [{at: 12.5%, ranks: 4}, {at: 0s, ranks: 8}]\n"
		    "mpi:\n"
		    "  arguments: [--bind-to, none]\n"
		    "  network: tcp\n"
		    "  launcher: ssh\n"
		    "generic:\n"
		    "  save: {signal: SIGTERM, to: first}\n"
		    "  files: ['*.cpt', s/t]\n"
		    "  progress: 'step ([0-9]+)'\n"
		    "  resumed: 'from ([0-9]+)'\n"
		    "  proof: none\n"
		    "  ranks: [2, 4, 8]\n") == 0);
	CHECK_TEXT(job->app.command[1], "");
	CHECK_TEXT(job->app.command[2], "a b");
	CHECK_TEXT(job->app.dir, "/home/me/work");
	CHECK_TEXT(job->app.checkpoint_dir, "/ckpt");
	CHECK_TEXT(job->environment[0], "A=1");
	CHECK_TEXT(job->environment[1], "_b2=x = y");
	CHECK_TEXT(job->environment[2], "C=");
	CHECK(!job->environment[3] && job->restarts == 0);
	CHECK(job->wait_deadline == SECONDS(90) && job->start_deadline == 250);
	CHECK(job->resume_deadline == MINUTES(3));
	CHECK(job->ranks.min == 2 && job->ranks_per_executor == 4);
	CHECK(job->checkpoint_deadline == MINUTES(120));
	CHECK(job->policy == SCALE_MANUAL && job->n_schedule == 2);
	CHECK(job->scale_deadline == SECONDS(90));
	CHECK(job->schedule[0].progress == 0.125);
	CHECK(job->schedule[0].ranks == 4);
	CHECK(job->schedule[1].progress < 0 && job->schedule[1].after == 0);
	CHECK_TEXT(job->mpi_arguments[1], "none");
	CHECK(!job->mpi_arguments[2] && job->network == NETWORK_TCP);
	CHECK(job->launcher == LAUNCHER_SSH && !job->kub);
	CHECK_TEXT(job->app.restart[2], "{checkpoint}/a b");
	CHECK(!job->app.restart[3]);
	CHECK(job->app.save_signal == SIGTERM && job->app.save_first);
	CHECK_TEXT(job->app.files[1], "s/t");
	CHECK_TEXT(job->app.progress, "step ([0-9]+)");
	CHECK_TEXT(job->app.resumed, "from ([0-9]+)");
	CHECK(job->app.unproven);
	CHECK(job->app.accepts[2] == 8 && job->app.accepts[3] == 0);
}

static void pods_have_processors_of_their_own_if_that_is_asked_for(void)
{
	CHECK(parse(GOOD) == 0 && !job->exclusive);
	CHECK(parse(GOOD "placement: {exclusive: true}\n") == 0);
	CHECK(job->exclusive);
	CHECK(parse(GOOD "placement: {exclusive: yes}\n") == -EINVAL);
	CHECK_TEXT(err.text, "t.yaml:6: placement.exclusive: 'yes' is unknown; "
			     "one of false, true");
}

static void an_interval_needs_an_application_that_can_be_told_to_save(void)
{
#define WATCHED                                                                \
	"name: a\napp: generic\ncommand: [a]\nranks: {initial: 1}\n"           \
	"generic: {files: ['*'], proof: none}\n"

	CHECK(parse(WATCHED "checkpoint: {dir: c, interval: none}\n") == 0);
	CHECK(job->checkpoint_interval == CHECKPOINT_NONE);
	CHECK(parse(WATCHED "checkpoint: {dir: c, interval: auto}\n") == 0);
	CHECK(job->checkpoint_interval == CHECKPOINT_AUTO);
	CHECK(parse(WATCHED "checkpoint: {dir: c, interval: 1h}\n") == -EINVAL);
	CHECK_TEXT(err.text, "t.yaml:6: checkpoint.interval: this application "
			     "writes checkpoints when it likes, and cannot be "
			     "told to; auto or none");
	CHECK(parse(GOOD_BUT_RANKS "ranks: {initial: 2}\n"
				   "scale: {deadline: none}\n") == -EINVAL);
	CHECK(parse("name: a\napp: parint\ncommand: [a]\n"
		    "ranks: {initial: 1}\n"
		    "checkpoint: {dir: c, interval: 30min, mtbf: 87600h,\n"
		    "             keep: one, unreadable: begin}\n") == 0);
	CHECK(job->checkpoint_interval == MINUTES(30));
	CHECK(job->checkpoint_mtbf == MINUTES(60 * 87600));
	CHECK(job->checkpoint_keep_one && job->begins_anew);
	CHECK(parse("name: a\napp: parint\ncommand: [a]\n"
		    "ranks: {initial: 1}\n"
		    "checkpoint: {dir: c, interval: never}\n") == -EINVAL);
	CHECK_TEXT(err.text,
		   "t.yaml:5: checkpoint.interval: 'never' is not a duration; "
		   "auto, none, or a duration from 1s to 168h, with its unit: "
		   "ms, s, min or h");
}

static void a_job_may_stand_still_for_some_time_or_for_ever(void)
{
#define STALL GOOD_BUT_RANKS "ranks: {initial: 2}\n"

	CHECK(parse(STALL "stall_after: 5min\non_stall: restart\n") == 0);
	CHECK(job->stall_after == MINUTES(5) && job->restarts_stalled);
	CHECK(parse(STALL "stall_after: none\non_stall: tell\n") == 0);
	CHECK(job->stall_after == 0 && !job->restarts_stalled);
	CHECK(parse(STALL "stall_after: 3s\n") == 0);
	CHECK(parse(STALL "stall_after: 1s\nlost_after: 1s\n") == 0);
}

static void a_goal_is_what_a_job_is_scaled_for(void)
{
	CHECK(parse(GOOD "scale: {policy: benefit}\n") == 0);
	CHECK(job->policy == SCALE_BENEFIT && job->goal == SCALE_SOONEST);
	CHECK(job->probes && job->efficiency == 0.5 && job->finish_by == 0);
	CHECK(parse(GOOD "scale: {policy: benefit, goal: deadline,\n"
			 "        finish_by: 8h, probe: false}\n") == 0);
	CHECK(job->goal == SCALE_FINISH_BY && job->finish_by == MINUTES(480));
	CHECK(!job->probes);
	CHECK(parse(GOOD "scale: {policy: benefit, goal: efficiency,\n"
			 "        efficiency: 72.5%}\n") == 0);
	CHECK(job->goal == SCALE_EFFICIENCY && job->efficiency == 0.725);
	CHECK(parse(GENERIC "generic: {files: ['*'], proof: none}\n"
			    "scale: {policy: benefit}\n") == -EINVAL);
	CHECK_TEXT(err.text,
		   "t.yaml:7: scale.policy: the steps of this application are "
		   "not known; benefit with generic.progress, or manual");
}

static void a_key_of_one_goal_is_refused_beside_another(void)
{
	static const struct {
		const char *keys, *refusal;
	} rows[] = {
		{"goal: cheapest",
		 "goal: is for scale.policy: benefit; with that, or leave it "
		 "out"},
		{"policy: manual, probe: false",
		 "probe: is for scale.policy: benefit; with that, or leave it "
		 "out"},
		{"policy: benefit, finish_by: 1h",
		 "finish_by: is for scale.goal: deadline; with that, or leave "
		 "it out"},
		{"policy: benefit, efficiency: 70%",
		 "efficiency: is for scale.goal: efficiency; with that, or "
		 "leave it out"},
		{"policy: benefit, goal: deadline",
		 "goal: there is no deadline; with scale.finish_by, or another "
		 "goal"},
	};
	char text[512];

	for (size_t i = 0; i < LENGTH(rows); i++) {
		snprintf(text, sizeof(text), GOOD "scale: {%s}\n",
			 rows[i].keys);
		CHECK(parse(text) == -EINVAL);
		snprintf(text, sizeof(text), "t.yaml:6: scale.%s",
			 rows[i].refusal);
		CHECK_TEXT(err.text, text);
	}
}

static void its_text_read_again_is_the_same_job(void)
{
	CLEANUP(jobfile_destroy) struct jobfile *first = NULL;

	CHECK(parse(GOOD "scale: {schedule: [{at: 3h, ranks: 4}]}\n"
			 "dir: run1\n") == 0);
	first = STEAL(job);
	CHECK(jobfile_parse(&job, "other", first->text, strlen(first->text),
			    first->folder, &err) == 0);
	CHECK_TEXT(job->text, first->text);
	CHECK_TEXT(job->app.dir, "/home/me/run1");
	CHECK_TEXT(job->app.checkpoint_dir, first->app.checkpoint_dir);
	CHECK(job->policy == SCALE_SCHEDULE && job->n_schedule == 1);
	CHECK(job->schedule[0].after == MINUTES(180));
}

static void a_key_is_looked_for_beside_the_job_file(void)
{
	CHECK(parse(GOOD "mpi: {launcher: ssh, key: keys/id}\n") == 0);
	CHECK_TEXT(job->mpi_key, "/home/me/keys/id");
	CHECK(parse(GOOD "mpi: {launcher: ssh, key: /root/.ssh/id}\n") == 0);
	CHECK_TEXT(job->mpi_key, "/root/.ssh/id");
	CHECK(parse(GOOD) == 0 && !job->mpi_key);
}

static void folders_begin_where_they_should(void)
{
	static const struct {
		const char *dir, *checkpoint, *is_dir, *is_checkpoint;
	} cases[] = {
		{".", ".", "/home/me", "/home/me"},
		{"./a", "./b/c", "/home/me/a", "/home/me/a/b/c"},
		{"/a", "b", "/a", "/a/b"},
		{"/", "b", "/", "/b"},
		{"..", "/b", "/home/me/..", "/b"},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 "name: a\napp: parint\ncommand: [a]\n"
			 "ranks: {initial: 1}\ndir: %s\n"
			 "checkpoint: {dir: %s}\n",
			 cases[i].dir, cases[i].checkpoint);
		CHECK(parse(text) == 0);
		CHECK_TEXT(job->app.dir, cases[i].is_dir);
		CHECK_TEXT(job->app.checkpoint_dir, cases[i].is_checkpoint);
	}
}

static void a_command_may_be_written_as_a_text(void)
{
	CHECK(parse("name: a\napp: parint\n"
		    "command: >\n  a  'b \"c' d\"e 'f\"\n  ''\n"
		    "ranks: {initial: 1}\ncheckpoint: {dir: c}\n") == 0);
	CHECK_TEXT(job->app.command[0], "a");
	CHECK_TEXT(job->app.command[1], "b \"c");
	CHECK_TEXT(job->app.command[2], "de 'f");
	CHECK_TEXT(job->app.command[3], "");
	CHECK(!job->app.command[4]);
}

#define SOME_SIZES                                                             \
	GENERIC "generic: {files: ['*'], proof: none, ranks: [2, 4, 8]}\n"

static void sizes_are_those_of_the_range_and_of_the_adapter(void)
{
	struct error why;

	CHECK(parse(SOME_SIZES) == 0);
	CHECK(jobfile_accepts(job, 4, &why) == 0);
	CHECK(jobfile_accepts(job, 3, &why) == -EINVAL);
	CHECK_TEXT(why.text, "it runs on 2, 4, 8 ranks, not on 3");
	CHECK(jobfile_accepts(job, 8, &why) == -EINVAL);
	CHECK_TEXT(why.text, "8 is more than ranks.max, which is 6");
	CHECK(jobfile_accepts(job, 0, &why) == -EINVAL);
	CHECK_TEXT(why.text, "0 is less than ranks.min, which is 1");
	CHECK(jobfile_largest(job, 4096) == 4);
	CHECK(jobfile_largest(job, 3) == 2);
	CHECK(jobfile_largest(job, 1) == 0);
	CHECK(jobfile_largest(job, 0) == 0);
	CHECK(parse(GOOD) == 0);
	CHECK(jobfile_largest(job, 4096) == 6);
	CHECK(jobfile_largest(job, 5) == 5);
}

static void numbers_that_a_job_cannot_begin_with_are_refused(void)
{
	CHECK(parse(SOME_SIZES) == 0);
	CHECK(jobfile_check_stated(job, 0, 0, &err) == 0);
	CHECK(jobfile_check_stated(job, 4, 3, &err) == 0);
	CHECK(jobfile_check_stated(job, 2, 4096, &err) == 0);
	CHECK(jobfile_check_stated(job, 8, 2, &err) == -EINVAL);
	CHECK_TEXT(err.text, "--want: 8 is more than ranks.max, which is 6");
	CHECK(jobfile_check_stated(job, 3, 2, &err) == -EINVAL);
	CHECK_TEXT(err.text, "--want: it runs on 2, 4, 8 ranks, not on 3");
	CHECK(jobfile_check_stated(job, 2, 1, &err) == -EINVAL);
	CHECK_TEXT(err.text, "--grant: it runs on 2, 4, 8 ranks, not on 1");
}

static void a_file_takes_folders_from_its_own(void)
{
	char folder[] = "/tmp/jobfile-XXXXXX", path[64], expected[128];
	FILE *file;

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/job.yaml", folder);
	file = fopen(path, "we");
	CHECK(file && fputs(GOOD, file) >= 0 && fclose(file) == 0);
	job = jobfile_destroy(job);
	CHECK(jobfile_read(&job, path, NULL, &err) == 0);
	snprintf(expected, sizeof(expected), "%s/ckpt", folder);
	CHECK_TEXT(job->app.checkpoint_dir, expected);
	CHECK(truncate(path, (2 << 20) + 1) == 0);
	job = jobfile_destroy(job);
	CHECK(jobfile_read(&job, path, NULL, &err) == -EINVAL);
	snprintf(expected, sizeof(expected), "%s:1: larger than 1 MiB", path);
	CHECK(strncmp(err.text, expected, strlen(expected)) == 0);
	CHECK(unlink(path) == 0);
	CHECK(jobfile_read(&job, path, NULL, &err) == -ENOENT);
	snprintf(expected, sizeof(expected),
		 "cannot read %s: No such file or directory", path);
	CHECK_TEXT(err.text, expected);
	CHECK(jobfile_read(&job, folder, NULL, &err) == -EINVAL);
	snprintf(expected, sizeof(expected), "%s is not a file", folder);
	CHECK_TEXT(err.text, expected);
	CHECK(rmdir(folder) == 0 && !job);
}

static void a_copy_of_a_file_takes_folders_from_the_one_that_is_named(void)
{
	char folder[] = "/tmp/jobfile-XXXXXX", path[64], expected[128];
	FILE *file;

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/copy.yaml", folder);
	file = fopen(path, "we");
	CHECK(file && fputs(GOOD, file) >= 0 && fclose(file) == 0);
	job = jobfile_destroy(job);
	CHECK(jobfile_read(&job, path, "/usr/../usr", &err) == 0);
	CHECK_TEXT(job->folder, "/usr");
	CHECK_TEXT(job->app.dir, "/usr");
	CHECK_TEXT(job->app.checkpoint_dir, "/usr/ckpt");
	job = jobfile_destroy(job);
	CHECK(jobfile_read(&job, path, "/none", &err) == -ENOENT);
	CHECK_TEXT(err.text, "the folder /none: No such file or directory");
	CHECK(jobfile_read(&job, path, path, &err) == -EINVAL);
	snprintf(expected, sizeof(expected), "the folder %s is no directory",
		 path);
	CHECK_TEXT(err.text, expected);
	CHECK(unlink(path) == 0 && rmdir(folder) == 0 && !job);
}

static void a_relative_folder_of_the_file_is_refused(void)
{
	job = jobfile_destroy(job);
	CHECK(jobfile_parse(&job, "t.yaml", GOOD, strlen(GOOD), "me", &err) ==
	      -EINVAL);
	CHECK_TEXT(err.text, "t.yaml: its folder 'me' is not an absolute path");
}

static void a_shared_job_is_there_until_each_owner_has_destroyed_it(void)
{
	struct jobfile *shared;

	CHECK(parse(GOOD) == 0);
	shared = jobfile_share(job);
	CHECK(shared == job);
	job = jobfile_destroy(job);
	CHECK_TEXT(shared->text, GOOD);
	CHECK_TEXT(shared->name, "heat");
	jobfile_destroy(shared);
}

RUN_TESTS(TEST(a_short_file_gets_the_defaults),
	  TEST(what_gives_rights_away_is_asked_for_by_name),
	  TEST(what_ranks_are_bound_to_is_asked_for),
	  TEST(every_key_reaches_its_member),
	  TEST(pods_have_processors_of_their_own_if_that_is_asked_for),
	  TEST(an_interval_needs_an_application_that_can_be_told_to_save),
	  TEST(a_job_may_stand_still_for_some_time_or_for_ever),
	  TEST(a_goal_is_what_a_job_is_scaled_for),
	  TEST(a_key_of_one_goal_is_refused_beside_another),
	  TEST(its_text_read_again_is_the_same_job),
	  TEST(a_key_is_looked_for_beside_the_job_file),
	  TEST(folders_begin_where_they_should),
	  TEST(a_command_may_be_written_as_a_text),
	  TEST(sizes_are_those_of_the_range_and_of_the_adapter),
	  TEST(numbers_that_a_job_cannot_begin_with_are_refused),
	  TEST(a_file_takes_folders_from_its_own),
	  TEST(a_copy_of_a_file_takes_folders_from_the_one_that_is_named),
	  TEST(a_relative_folder_of_the_file_is_refused),
	  TEST(a_shared_job_is_there_until_each_owner_has_destroyed_it))
