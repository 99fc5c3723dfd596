/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/adapters.h"
#include "base/cleanup.h"
#include "base/list.h"
#include "tests/check.h"
#include "tests/unit/folder.h"
#include "tests/unit/unreadable.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

/* A name that would match others if it were taken for a pattern. */
#define PATTERN "gen[er]ic*"

static struct error err;

static void put(const char *name, const char *text)
{
	int fd = open(below(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		printf("# cannot write %s\n", name);
	close(fd);
}

static int look(const char *const *files, struct checkpoint *out)
{
	const struct adapter_app app = {.checkpoint_dir = folder,
					.files = files};

	return adapter_generic.checkpoint(&app, out, &err);
}

static void it_is_complete_when_every_pattern_has_a_file(void)
{
	CLEANUP(folder_remove) char *here = folder_create(PATTERN);
	const char *files[] = {"*.dat", "sub/state", NULL};
	struct checkpoint found;

	CHECK(here && look(files, &found) == 1);
	put("a.dat", "1234");
	put("b.dat", "56");
	CHECK(look(files, &found) == 1);
	CHECK(mkdir(below("sub"), 0700) == 0);
	CHECK(look(files, &found) == 1);
	put("sub/state", "");
	CHECK(look(files, &found) == 1);
	put("sub/state", "789");
	CHECK(look(files, &found) == 0);
	CHECK(found.files == 3 && found.bytes == 9 && found.step == 0);
}

static void only_files_with_something_in_them_count(void)
{
	CLEANUP(folder_remove) char *here = folder_create(PATTERN);
	const char *files[] = {"*", NULL};
	struct checkpoint found;

	CHECK(here && mkdir(below("folder"), 0700) == 0);
	CHECK(mkfifo(below("fifo"), 0600) == 0);
	CHECK(symlink("nowhere", below("link")) == 0);
	put("empty", "");
	CHECK(look(files, &found) == 1);
	put("full", "x");
	CHECK(look(files, &found) == 0);
	CHECK(found.files == 1 && found.bytes == 1);
}

static void every_change_is_another_mark(void)
{
	CLEANUP(folder_remove) char *here = folder_create(PATTERN);
	const char *files[] = {"*", NULL};
	struct timespec later[2] = {{.tv_nsec = UTIME_OMIT}, {1000, 1}};
	struct checkpoint is[5];
	char a[256];

	CHECK(here);
	put("a", "1");
	CHECK(utimensat(AT_FDCWD, below("a"), later, 0) == 0);
	CHECK(look(files, &is[0]) == 0 && look(files, &is[1]) == 0);
	CHECK(is[0].mark == is[1].mark);
	later[1].tv_nsec = 2;
	CHECK(utimensat(AT_FDCWD, below("a"), later, 0) == 0);
	CHECK(look(files, &is[1]) == 0);
	put("a", "12");
	CHECK(utimensat(AT_FDCWD, below("a"), later, 0) == 0);
	CHECK(look(files, &is[2]) == 0);
	strcpy(a, below("a"));
	CHECK(rename(a, below("b")) == 0);
	CHECK(look(files, &is[3]) == 0);
	put("c", "1");
	CHECK(look(files, &is[4]) == 0);
	for (int i = 0; i < 5; i++)
		for (int j = 0; j < i; j++)
			CHECK(is[i].mark != is[j].mark);
}

static int join(void *user, const char *name)
{
	strcat(strcat(user, name), " ");
	return strcmp(name, "stop") == 0 ? 7 : 0;
}

static void its_files_are_what_the_patterns_match(void)
{
	CLEANUP(folder_remove) char *here = folder_create(PATTERN);
	const char *files[] = {"*", "*/*", NULL};
	const struct adapter_app app = {.checkpoint_dir = folder,
					.files = files};
	struct checkpoint found;
	char names[128] = "";

	CHECK(here && mkdir(below("sub"), 0700) == 0);
	CHECK(mkdir(below(ADAPTER_KEPT), 0700) == 0);
	CHECK(mkdir(below(ADAPTER_OWNER), 0700) == 0);
	CHECK(mkdir(below(ADAPTER_JOURNAL), 0700) == 0);
	put("a", "1");
	put("b", "");
	put("sub/c", "1");
	put(ADAPTER_KEPT "/a", "1");
	put(ADAPTER_OWNER "/owner-1", "1");
	put(ADAPTER_JOURNAL "/journal", "1");
	CHECK(adapter_generic.files(&app, NULL, join, names, &err) == 0);
	CHECK_TEXT(names, "a b sub/c ");
	CHECK(look(files, &found) == 0 && found.files == 2);
	put("stop", "1");
	CHECK(adapter_generic.files(&app, &found, join, names, &err) == 7);
}

/* Otherwise the checkpoint that is there would count as a new one later. */
static void what_cannot_be_looked_at_is_no_missing_file(void)
{
	static const char *const any[] = {"state", "parts/*", NULL};
	static const char *const some[] = {"st?te", NULL};
	static const char *const one[] = {"loop", NULL};
	CLEANUP(folder_remove) char *here = folder_create(PATTERN);
	struct checkpoint found;

	CHECK(here && mkdir(below("parts"), 0700) == 0);
	put("state", "1");
	put("parts/a", "1");
	CHECK(look(any, &found) == 0 && found.files == 2);
	CHECK(look(some, &found) == 0 && found.files == 1);
	unreadable = EIO;
	CHECK(look(any, &found) == -EIO);
	CHECK(look(some, &found) == -EIO);
	unreadable = 0;
	CHECK(symlink("loop", below("loop")) == 0);
	CHECK(look(one, &found) == -ELOOP);
	CHECK(symlink("../loop", below("parts/b")) == 0);
	CHECK(look(any, &found) == -ELOOP);
}

static void a_missing_directory_is_named(void)
{
	const char *files[] = {"*", NULL};
	const struct adapter_app app = {.checkpoint_dir = "/no/such",
					.files = files};
	struct checkpoint found;

	CHECK(adapter_generic.checkpoint(&app, &found, &err) == -ENOENT);
	CHECK_TEXT(err.text, "cannot read /no/such: No such file or directory");
}

static void patterns_stay_below_the_checkpoint_directory(void)
{
	static const char *const bad[] = {"",     "/a",      "..",
					  "../a", "a/../b",  "a/..",
					  "./..", "*/../..", "a//../b"};
	static const char *const good[] = {"..a", "a..", "a/..b/c", "*", "a/b"};
	const char *files[] = {"ok", NULL, NULL};
	const struct adapter_app app = {.files = files, .unproven = true};

	for (size_t i = 0; i < LENGTH(bad); i++) {
		files[1] = bad[i];
		CHECK(adapter_generic.check(&app, &err) == -EINVAL);
	}
	CHECK_TEXT(err.text, "generic.files: 'a//../b' is not below the "
			     "checkpoint directory; a pattern without a "
			     "leading / and without ..");
	for (size_t i = 0; i < LENGTH(good); i++) {
		files[1] = good[i];
		CHECK(adapter_generic.check(&app, &err) == 0);
	}
	files[0] = NULL;
	CHECK(adapter_generic.check(&app, &err) == -EINVAL);
}

static void an_expression_that_is_wrong_is_refused_with_the_reason(void)
{
	const char *files[] = {"*", NULL};
	struct adapter_app app = {.files = files, .progress = "step ([0-9+"};

	CHECK(adapter_generic.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text, "generic.progress: the expression 'step ([0-9+' "
			     "is wrong: missing terminating ] for "
			     "character class");
	app.progress = "step [0-9]+";
	CHECK(adapter_generic.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text, "generic.progress: the expression 'step [0-9]+' "
			     "has no group; (...) around the step and, if it "
			     "is there, around the total");
	app.progress = "step ([0-9]+)";
	CHECK(adapter_generic.check(&app, &err) == 0);
}

static void an_expression_that_costs_too_much_is_refused(void)
{
	static char open[200001], nested[70];
	const char *files[] = {"*", NULL};
	struct adapter_app app = {.files = files, .progress = open};

	memset(open, '(', sizeof(open) - 1);
	CHECK(adapter_generic.check(&app, &err) == -EINVAL);
	CHECK(strstr(err.text, "((' is longer than 1024 bytes"));
	app.progress = nested;
	memset(nested, '(', 33);
	memset(nested + 33, ')', 33);
	CHECK(adapter_generic.check(&app, &err) == -EINVAL);
	CHECK(strstr(err.text, " is wrong: parentheses are too deeply nested"));
	app.progress = "((((a{1,999}){1,999}){1,999}){1,999})";
	CHECK(adapter_generic.check(&app, &err) == -EINVAL);
	CHECK(strstr(err.text, " is wrong: regular expression is too large"));
}

static void a_last_word_is_what_the_job_file_says(void)
{
	struct adapter_app app = {.progress = "step ([0-9]+)"};
	struct line_facts facts = {0};

	CHECK(!adapter_generic.says_end(&app));
	app.finished = "^all done";
	CHECK(adapter_generic.says_end(&app));
	CHECK(adapter_generic.on_line(&app, "all done", &facts) ==
	      LINE_FINISHED);
	CHECK(adapter_generic.on_line(&app, "step 3: all done", &facts) ==
	      LINE_PROGRESS);
}

static void a_line_that_takes_too_long_is_passed_over(void)
{
	const struct adapter_app app = {.progress = "^(([0-9]+)*)*x"};
	struct line_facts facts;

	for (int i = 0; i < 100; i++)
		CHECK(adapter_generic.on_line(
			      &app,
			      "1111111111111111111111111111111111111111-x",
			      &facts) == LINE_OTHER);
}

static void something_must_prove_that_it_went_on(void)
{
	const char *files[] = {"*", NULL};
	struct adapter_app app = {.files = files};

	CHECK(adapter_generic.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text,
		   "generic.proof: nothing would prove that the application "
		   "goes on "
		   "from its checkpoint; a pattern of a line that it prints: "
		   "progress or resumed, or else proof: none");
	app.resumed = "^restarting";
	CHECK(adapter_generic.check(&app, &err) == 0);
	app.resumed = "(";
	CHECK(adapter_generic.check(&app, &err) == -EINVAL);
	app.resumed = NULL;
	app.unproven = true;
	CHECK(adapter_generic.check(&app, &err) == 0);
}

static void a_line_may_say_that_it_went_on(void)
{
	struct adapter_app app = {.progress = "step ([0-9]+)",
				  .resumed = "^from step ([0-9]+)"};
	struct line_facts facts = {0};

	CHECK(adapter_generic.on_line(&app, "from step 7", &facts) ==
	      LINE_RESUMED);
	CHECK(facts.step == 7);
	CHECK(adapter_generic.on_line(&app, "step 8", &facts) == LINE_PROGRESS);
	app.resumed = "^going on";
	facts = (struct line_facts){0};
	CHECK(adapter_generic.on_line(&app, "going on", &facts) ==
	      LINE_RESUMED);
	CHECK(facts.step == 0);
}

static void progress_is_read_by_the_expression(void)
{
	static const struct {
		const char *progress, *line;
		enum line_kind kind;
		uint64_t step, total;
	} cases[] = {
		{"^step +([0-9]+)/([0-9]+)", "step  7/20 ok", LINE_PROGRESS, 7,
		 20},
		{"^step +([0-9]+)/([0-9]+)", "a step 7/20", LINE_OTHER, 0, 0},
		{"t=([0-9]+)", "at t=12 s", LINE_PROGRESS, 12, 0},
		{"([0-9.]+)%", "12.5% done", LINE_PROGRESS, 12, 100},
		{"([0-9.]+) *%", "12.5 % done", LINE_PROGRESS, 12, 0},
		{"([0-9.]+)% of ([0-9]+)", "5% of 90", LINE_PROGRESS, 5, 90},
		{"step(.*)", "step  42", LINE_PROGRESS, 42, 0},
		{"step(.*)", "step 4 2", LINE_OTHER, 0, 0},
		{"step(.*)", "step -4", LINE_OTHER, 0, 0},
		{"step(.*)", "step", LINE_OTHER, 0, 0},
		{"step(.*)", "step 99999999999999999999", LINE_OTHER, 0, 0},
		{"(a)|b", "b", LINE_OTHER, 0, 0},
		{"([0-9]+)( of [0-9]+)?", "4", LINE_OTHER, 0, 0},
		{"step ([[:digit:]]+)", "step 4", LINE_PROGRESS, 4, 0},
		{"step (\\d+)", "step 4", LINE_PROGRESS, 4, 0},
		{"(?i)step\\s+(\\d+?)\\b", " STEP\t42 ", LINE_PROGRESS, 42, 0},
		{"([0-9", "4", LINE_OTHER, 0, 0},
		{NULL, "4", LINE_OTHER, 0, 0},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct adapter_app app = {.progress = cases[i].progress};
		struct line_facts facts = {0};

		CHECK(adapter_generic.on_line(&app, cases[i].line, &facts) ==
		      cases[i].kind);
		CHECK(facts.step == cases[i].step);
		CHECK(facts.total == cases[i].total);
	}
}

static void the_restart_command_may_name_the_checkpoint(void)
{
	const char *start[] = {"md", "--out={checkpoint}", NULL};
	const char *restart[] = {"md", "{checkpoint}/a:{checkpoint}", "{}",
				 NULL};
	struct adapter_app app = {.command = start, .checkpoint_dir = "/c"};
	const struct checkpoint from = {.step = 0};
	const char *argv[ADAPTER_ARGS_MAX];
	char text[16];

	CHECK(adapter_generic.command(&app, &from, argv, text, sizeof(text),
				      &err) == 0);
	CHECK_TEXT(argv[1], "--out=/c");
	app.restart = restart;
	CHECK(adapter_generic.command(&app, &from, argv, text, 8, &err) == 0);
	CHECK(argv[0] == restart[0] && argv[2] == restart[2] && !argv[3]);
	CHECK_TEXT(argv[1], "/c/a:/c");
	CHECK(adapter_generic.command(&app, &from, argv, text, 7, &err) ==
	      -E2BIG);
	CHECK_TEXT(err.text, "generic: the command is too long");
	CHECK(adapter_generic.command(&app, NULL, argv, text, sizeof(text),
				      &err) == 0);
	CHECK_TEXT(argv[1], "--out=/c");
}

static void a_name_that_stands_for_nothing_is_refused(void)
{
	const char *files[] = {"*", NULL};
	const char *command[] = {"md",    "{}",     "${HOME}",
				 "{1,3}", "{a: 1}", "{checkpoint}/x",
				 NULL};
	const char *restart[] = {"md", "-o{checkpoint}/{chekpoint}", NULL};
	struct adapter_app app = {
		.command = command, .files = files, .unproven = true};

	CHECK(adapter_generic.check(&app, &err) == 0);
	app.restart = restart;
	CHECK(adapter_generic.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text,
		   "restart: nothing is put in place of '{chekpoint}'; "
		   "{checkpoint}, which becomes the checkpoint directory, is "
		   "the only such name");
	command[1] = "{ranks}";
	CHECK(adapter_generic.check(&app, &err) == -EINVAL);
	CHECK(strncmp(err.text, "command: ", 9) == 0);
}

static void saving_is_by_a_signal_or_by_waiting(void)
{
	struct adapter_app app = {.save_first = true};
	int signo = -1;

	CHECK(adapter_generic.save(&app, &signo) == SAVE_WATCH && signo == 0);
	app.save_signal = SIGTERM;
	CHECK(adapter_generic.save(&app, &signo) == SAVE_SIGNAL_FIRST);
	CHECK(signo == SIGTERM);
	app.save_first = false;
	CHECK(adapter_generic.save(&app, &signo) == SAVE_SIGNAL_ALL);
}

static void it_runs_on_what_the_job_file_lists(void)
{
	const unsigned sizes[] = {1, 4, 9, 0};
	struct adapter_app app = {.accepts = NULL};

	CHECK(adapter_generic.accepts(&app, 4096, &err) == 0);
	app.accepts = sizes;
	CHECK(adapter_generic.accepts(&app, 9, &err) == 0);
	CHECK(adapter_generic.accepts(&app, 8, &err) == -EINVAL);
	CHECK_TEXT(err.text, "it runs on 1, 4, 9 ranks, not on 8");
}

RUN_TESTS(TEST(it_is_complete_when_every_pattern_has_a_file),
	  TEST(only_files_with_something_in_them_count),
	  TEST(every_change_is_another_mark),
	  TEST(its_files_are_what_the_patterns_match),
	  TEST(what_cannot_be_looked_at_is_no_missing_file),
	  TEST(a_missing_directory_is_named),
	  TEST(patterns_stay_below_the_checkpoint_directory),
	  TEST(an_expression_that_is_wrong_is_refused_with_the_reason),
	  TEST(an_expression_that_costs_too_much_is_refused),
	  TEST(a_last_word_is_what_the_job_file_says),
	  TEST(a_line_that_takes_too_long_is_passed_over),
	  TEST(something_must_prove_that_it_went_on),
	  TEST(a_line_may_say_that_it_went_on),
	  TEST(progress_is_read_by_the_expression),
	  TEST(the_restart_command_may_name_the_checkpoint),
	  TEST(a_name_that_stands_for_nothing_is_refused),
	  TEST(saving_is_by_a_signal_or_by_waiting),
	  TEST(it_runs_on_what_the_job_file_lists))
