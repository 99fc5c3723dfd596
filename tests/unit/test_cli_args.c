/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/args.h"
#include "cli/commands/help.h"
#include "cli/commands/jobfile_from_args.h"
#include "jobfile/jobfile.h"
#include "runner/state_dir.h"
#include "tests/check.h"

#include <errno.h>
#include <sys/stat.h>

static struct args args;
static struct error err;

static int read_words(const char *command, const char *const *argv)
{
	static const char *kept[64]; /* args goes on pointing into it */
	int argc = 0;

	args_fini(&args);
	memset(&args, 0, sizeof(args));
	err.text[0] = '\0';
	for (; argv[argc]; argc++)
		kept[argc] = argv[argc];
	kept[argc] = NULL;
	return args_read(&args, command_find(command), argc, kept, &err);
}

#define READ(command, ...)                                                     \
	read_words(command, (const char *[]){__VA_ARGS__, NULL})

static void options_may_stand_anywhere(void)
{
	CHECK(READ("scale", "--wait", "heat", "--deadline=5min", "-1",
		   "--reason", "night") == 0);
	CHECK(args.wait && args.deadline == MINUTES(5));
	CHECK_TEXT(args.reason, "night");
	CHECK(args.words.n == 2);
	CHECK_TEXT(args.words.at[1], "-1");
}

static void what_follows_two_dashes_is_the_command(void)
{
	CHECK(READ("run", "--name", "heat", "--", "parint", "--name", "x") ==
	      0);
	CHECK_TEXT(args.name, "heat");
	CHECK_TEXT(args.command[1], "--name");
	CHECK(!args.command[3]);
	CHECK(READ("status", "heat", "--", "x") == -EINVAL);
}

static void mistakes_are_told_in_a_sentence(void)
{
	CHECK(READ("run", "--speed", "9") == -EINVAL);
	CHECK_TEXT(err.text, "unknown option '--speed'; 'bellows help run' "
			     "lists the options");
	CHECK(READ("run", "--ranks", "two") == -EINVAL);
	CHECK_TEXT(err.text, "--ranks: 'two' is not a number of at least 1");
	CHECK(READ("run", "--ranks", "0") == -EINVAL);
	CHECK(READ("run", "--ranks") == -EINVAL);
	CHECK_TEXT(err.text, "--ranks needs a value: N");
	CHECK(READ("run", "--quiet=yes") == -EINVAL);
	CHECK_TEXT(err.text, "--quiet takes no value");
	CHECK(READ("scale", "heat", "4", "--deadline", "5") == -EINVAL);
	CHECK_TEXT(err.text, "--deadline: '5' is not a duration such as 500ms, "
			     "30s, 5min or 2h");
	CHECK(READ("watch", "a", "b") == -EINVAL);
	CHECK_TEXT(err.text, "'b' is one word too many; usage: bellows watch "
			     "JOB");
	CHECK(READ("cancel", "--json") == -EINVAL);
	CHECK(READ("cancel", "-x") == -EINVAL);
	CHECK(READ("cancel", "--connect", "unix:/x") == 0);
	CHECK(READ("cancel", "--help") == 0 && args.help);
}

static void a_queue_does_not_stand_for_its_job(void)
{
	CHECK(READ("hold", "--state", "/s") == -EINVAL);
	CHECK_TEXT(err.text, "usage: bellows hold JOB");
	CHECK(READ("priority", "heat", "--connect", "unix:/x") == -EINVAL);
	CHECK(READ("queue", "--connect", "unix:/x") == 0);
	CHECK(READ("submit", "a", "b", "c", "--after", "x", "--after=y") == 0);
	CHECK(args.words.n == 3 && args.after.n == 2);
	CHECK(READ("explain", "heat", "--at", "-10min") == 0);
	CHECK_TEXT(args.instant, "-10min");
	CHECK(READ("top", "heat") == -EINVAL);
}

static void a_place_decides_which_options_go(void)
{
	CHECK(READ("status", "--on", "kube", "-n", "physics") == 0);
	CHECK_TEXT(args.lookup.namespace, "physics");
	CHECK(READ("run", "-f", "heat.yaml", "--on=kube", "--cpu", "2") == 0);
	CHECK(args.words.n == 1);
	CHECK_TEXT(args.words.at[0], "heat.yaml");
	CHECK(READ("status", "--on", "moon") == -EINVAL);
	CHECK_TEXT(err.text, "--on: 'moon' is no place that a job can be in; "
			     "kube is");
	CHECK(READ("watch", "heat", "-n", "physics") == -EINVAL);
	CHECK_TEXT(err.text, "--namespace needs --on kube");
	CHECK(READ("run", "heat.yaml", "--hosts", "h", "--on", "kube") ==
	      -EINVAL);
	CHECK_TEXT(err.text, "--hosts does not go with --on kube");
	CHECK(READ("run", "heat.yaml", "--folder=/", "--on", "kube") ==
	      -EINVAL);
	CHECK_TEXT(err.text, "--folder does not go with --on kube");
	CHECK(READ("run", "heat.yaml", "--run-id", "a1") == -EINVAL);
	CHECK_TEXT(err.text, "--run-id needs --on kube");
	CHECK(READ("status", "heat", "-n") == -EINVAL);
	CHECK_TEXT(err.text, "--namespace needs a value: NAME");
	CHECK(READ("status", "-f", "heat") == -EINVAL);
}

static void no_command_is_taken_for_a_place(void)
{
	int seen = 0;

	for (const struct command *at = commands; at->name; at++) {
		CHECK(!(at->bit & (seen | WITH_KUBE | NOT_WITH_KUBE)));
		seen |= at->bit;
	}
	CHECK(seen == ON_ALL);
	CHECK(READ("run", "--state", "/s", "heat.yaml") == 0);
	CHECK(READ("history", "--state", "/s") == 0);
}

static void every_command_and_option_is_explained(void)
{
	for (const struct command *at = commands; at->name; at++) {
		CHECK(at->run && (at->usage[0] || at->max_words == 0) &&
		      at->summary[0] && at->text[0]);
		CHECK(strncmp(at->example, "bellows ", 8) == 0);
		CHECK(at->codes[0] == 0);
		CHECK(command_find(at->name) == at);
	}
	for (size_t i = 0; i < n_flags; i++) {
		CHECK(flags[i].help[0] && flags[i].set);
		CHECK(!flags[i].value == (flags[i].kind == OPTION_SWITCH));
		for (size_t k = 0; k < i; k++)
			CHECK(strcmp(flags[i].name, flags[k].name) != 0 ||
			      !(flags[i].set & flags[k].set));
	}
}

static void the_manual_names_every_option_and_command(void)
{
	CLEANUP(fclose)
	FILE *page = fopen(SOURCE_ROOT "/docs/man/bellows.1", "r");
	static char text[65536];
	char wanted[80];

	CHECK(page);
	text[fread(text, 1, sizeof(text) - 1, page)] = '\0';
	for (size_t i = 0; i < n_flags; i++) {
		char *to = stpcpy(wanted, "\\-\\-");

		for (const char *c = flags[i].name; *c; c++)
			to = *c == '-' ? stpcpy(to, "\\-") : (*to = *c, to + 1);
		*to = '\0';
		if (!strstr(text, wanted))
			note("missing in bellows.1", wanted);
		CHECK(strstr(text, wanted));
	}
	for (const struct command *at = commands; at->name; at++) {
		snprintf(wanted, sizeof(wanted), ".SS bellows %s", at->name);
		CHECK(strstr(text, wanted));
	}
}

static void options_become_a_job_file(void)
{
	char *text = NULL;

	CHECK(READ("run", "--name", "heat", "--app", "parint", "--ranks", "2",
		   "--min=1", "--max", "6", "--checkpoint-dir", "my \"ckpt\"",
		   "--at", "30%=4", "--at", "10min=3", "--env", "A=b=c\n", "--",
		   "parint", "--array-size", "1000000") == 0);
	CHECK(jobfile_from_args(&text, &args, "/home/me", &err) == 0);
	CHECK_TEXT(text, "name: \"heat\"\n"
			 "app: \"parint\"\n"
			 "command:\n"
			 "  - \"parint\"\n"
			 "  - \"--array-size\"\n"
			 "  - \"1000000\"\n"
			 "dir: \"/home/me\"\n"
			 "ranks:\n"
			 "  initial: 2\n"
			 "  min: 1\n"
			 "  max: 6\n"
			 "checkpoint:\n"
			 "  dir: \"my \\\"ckpt\\\"\"\n"
			 "scale:\n"
			 "  schedule:\n"
			 "    - {at: \"30%\", ranks: 4}\n"
			 "    - {at: \"10min\", ranks: 3}\n"
			 "environment:\n"
			 "  \"A\": \"b=c\\x0a\"\n");
	free(text);
}

static void a_composed_job_file_is_understood(void)
{
	CLEANUP(jobfile_destroy) struct jobfile *job = NULL;
	CLEANUP(free) char *text = NULL;

	CHECK(READ("run", "--name", "heat", "--app", "parint", "--ranks", "2",
		   "--max", "6", "--checkpoint-dir", "/tmp", "--at", "30%=4",
		   "--at", "10min=3", "--env", "A=b c", "--env",
		   "B=\\x41 \"' #: {}", "--env", "C=\xc3\xa4\t", "--",
		   "/a \"b\"/parint", "--array-size", "1000000") == 0);
	CHECK(jobfile_from_args(&text, &args, "/tmp", &err) == 0);
	if (jobfile_parse(&job, "text", text, strlen(text), "/tmp", &err) < 0)
		note("refused", err.text);
	CHECK(job);
	CHECK_TEXT(job->name, "heat");
	CHECK_TEXT(job->adapter->name, "parint");
	CHECK_TEXT(job->app.command[0], "/a \"b\"/parint");
	CHECK_TEXT(job->app.command[2], "1000000");
	CHECK_TEXT(job->environment[0], "A=b c");
	CHECK_TEXT(job->environment[1], "B=\\x41 \"' #: {}");
	CHECK_TEXT(job->environment[2], "C=\xc3\xa4\t");
	CHECK(job->ranks.initial == 2 && job->ranks.max == 6);
	CHECK(job->n_schedule == 2 && job->schedule[0].ranks == 4);
	CHECK(job->schedule[1].after == MINUTES(10));
}

static void an_incomplete_description_is_refused(void)
{
	char *text = NULL;

	CHECK(READ("run", "--name", "heat", "--app", "parint", "--", "x") == 0);
	CHECK(jobfile_from_args(&text, &args, "/", &err) == -EINVAL);
	CHECK_TEXT(err.text, "without a job file, run needs --ranks N");
	CHECK(READ("run", "--name", "heat", "--app", "parint", "--ranks", "2",
		   "--checkpoint-dir", "d") == 0);
	CHECK(jobfile_from_args(&text, &args, "/", &err) == -EINVAL);
	CHECK_TEXT(err.text, "the command is missing: -- COMMAND ...");
	CHECK(READ("run", "--name", "heat", "--app", "parint", "--ranks", "2",
		   "--checkpoint-dir", "d", "--at", "4", "--", "x") == 0);
	CHECK(jobfile_from_args(&text, &args, "/", &err) == -EINVAL);
	CHECK_TEXT(err.text, "--at: '4' is not of the form 30%=4 or 10min=4");
	CHECK(READ("run", "--name", "heat", "--app", "parint", "--ranks", "2",
		   "--checkpoint-dir", "d", "--", "\xff") == 0);
	CHECK(jobfile_from_args(&text, &args, "/", &err) == -EINVAL);
	CHECK(!text);
}

static void names_of_jobs_are_checked(void)
{
	struct state_dir dir;

	CHECK(state_dir_is_name("heat-2"));
	CHECK(!state_dir_is_name("") && !state_dir_is_name("..") &&
	      !state_dir_is_name("a/b") && !state_dir_is_name("Heat"));
	CHECK(!state_dir_is_name("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
	memset(&args, 0, sizeof(args));
	CHECK(state_dir_of(&dir, &args.lookup, "../x", &err) == -EINVAL);
	args.lookup.runtime_dir = "/run/user/7";
	CHECK(state_dir_of(&dir, &args.lookup, "heat", &err) == 0);
	CHECK_TEXT(dir.path, "/run/user/7/bellows/heat");
	args.lookup.state_root = "/s";
	CHECK(state_dir_of(&dir, &args.lookup, "heat", &err) == 0);
	CHECK_TEXT(dir.path, "/s/heat");
}

static void unsafe_state_directories_are_refused(void)
{
	char base[] = "/tmp/bellows-test-XXXXXX", command[256];
	struct state_dir dir;

	CHECK(mkdtemp(base));
	snprintf(dir.path, sizeof(dir.path), "%s/a/b", base);
	CHECK(state_dir_make(&dir, &err) == 0);
	CHECK(state_dir_make(&dir, &err) == 0);
	CHECK(chmod(dir.path, 0755) == 0);
	CHECK(state_dir_make(&dir, &err) == -EPERM);
	CHECK(strstr(err.text, "is open to others (mode 0755): chmod 700 it"));
	snprintf(dir.path, sizeof(dir.path), "%s/link", base);
	CHECK(symlink("a", dir.path) == 0);
	CHECK(state_dir_make(&dir, &err) == -EPERM);
	CHECK(strstr(err.text, "a symbolic link or a file is not trusted"));
	snprintf(dir.path, sizeof(dir.path), "%s/none", base);
	CHECK(state_dir_check(dir.path, &err) == -ENOENT);
	snprintf(command, sizeof(command), "rm -r %s", base);
	CHECK(system(command) == 0);
}

static void a_folder_of_jobs_that_others_can_change_is_refused(void)
{
	char base[] = "/tmp/bellows-test-XXXXXX", root[64], command[64];
	struct lookup lookup = {.state_root = root};
	struct state_dir dir;

	CHECK(mkdtemp(base));
	snprintf(root, sizeof(root), "%s/jobs", base);
	CHECK(state_dir_of(&dir, &lookup, "heat", &err) == 0);
	CHECK(mkdir(root, 0700) == 0);
	CHECK(state_dir_of(&dir, &lookup, "heat", &err) == 0);
	CHECK(chmod(root, 0755) == 0);
	CHECK(state_dir_of(&dir, &lookup, "heat", &err) == 0);
	CHECK(chmod(root, 0775) == 0);
	CHECK(state_dir_of(&dir, &lookup, "heat", &err) == -EPERM);
	CHECK(strstr(err.text, "/jobs can be written by others (mode 0775)"));
	CHECK(chmod(root, 0700) == 0);
	if (geteuid() == 0) {
		CHECK(chown(root, 12345, -1) == 0);
		CHECK(state_dir_of(&dir, &lookup, "heat", &err) == -EPERM);
		CHECK(strstr(err.text,
			     "/jobs belongs to another user (12345)"));
	}
	CHECK(rmdir(root) == 0 && symlink(".", root) == 0);
	CHECK(state_dir_root(&dir, &lookup, &err) == -EPERM);
	CHECK(strstr(err.text, "/jobs is not a folder of its own"));
	snprintf(command, sizeof(command), "rm -r %s", base);
	CHECK(system(command) == 0);
}

RUN_TESTS(TEST(options_may_stand_anywhere),
	  TEST(what_follows_two_dashes_is_the_command),
	  TEST(mistakes_are_told_in_a_sentence),
	  TEST(a_queue_does_not_stand_for_its_job),
	  TEST(a_place_decides_which_options_go),
	  TEST(no_command_is_taken_for_a_place),
	  TEST(every_command_and_option_is_explained),
	  TEST(the_manual_names_every_option_and_command),
	  TEST(options_become_a_job_file),
	  TEST(a_composed_job_file_is_understood),
	  TEST(an_incomplete_description_is_refused),
	  TEST(names_of_jobs_are_checked),
	  TEST(unsafe_state_directories_are_refused),
	  TEST(a_folder_of_jobs_that_others_can_change_is_refused))
