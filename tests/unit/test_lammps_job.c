/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "tests/unit/lammps_files.h"

#include <limits.h>

#define EXAMPLE "[lmp, -in, in.restart, -var, from, \"{checkpoint}\"]"

/* ---- commands ---- */

static void the_restart_command_gets_the_path_of_that_step(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	struct adapter_app app = app_with(by_step);
	const struct checkpoint from = {.step = 300};
	const char *argv[ADAPTER_ARGS_MAX];
	char text[PATH_MAX], wanted[PATH_MAX];

	CHECK(here && put_whole("melt.300.restart", 300));
	CHECK(put_whole("melt.400.restart", 400));
	CHECK(adapter_lammps.command(&app, &from, argv, text, sizeof(text),
				     &err) == 0);
	CHECK_TEXT(argv[5], below("melt.300.restart"));
	snprintf(wanted, sizeof(wanted), "%ss", below("melt.300.restart"));
	CHECK_TEXT(argv[7], wanted);
	CHECK(argv[0] == restart[0] && !argv[8]);
	CHECK(adapter_lammps.command(&app, NULL, argv, text, sizeof(text),
				     &err) == 0);
	CHECK(argv[2] == start[2] && !argv[3]);
	CHECK(adapter_lammps.command(&app, &from, argv, text, 20, &err) ==
	      -E2BIG);
	CHECK_TEXT(err.text, "lammps: the command is too long");
}

static void the_restart_command_gets_the_right_one_of_two(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	struct adapter_app app = app_with(in_turn);
	const struct checkpoint from = {.step = 300};
	const char *argv[ADAPTER_ARGS_MAX];
	char text[PATH_MAX];

	CHECK(here && put_whole("a", 200) && put_whole("b", 300));
	CHECK(adapter_lammps.command(&app, &from, argv, text, sizeof(text),
				     &err) == 0);
	CHECK_TEXT(argv[5], below("b"));
}

static void a_checkpoint_that_is_gone_is_an_error(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	const char *const *settings[] = {by_step, in_turn};
	const struct checkpoint from = {.step = 300};
	const char *argv[ADAPTER_ARGS_MAX];
	char text[PATH_MAX];

	CHECK(here && put_whole("a", 200) &&
	      put_whole("melt.200.restart", 200));
	for (size_t i = 0; i < LENGTH(settings); i++) {
		const struct adapter_app app = app_with(settings[i]);

		CHECK(adapter_lammps.command(&app, &from, argv, text,
					     sizeof(text), &err) == -ENOENT);
		CHECK(says("the restart file of step 300 is gone from /tmp/"));
	}
}

static void it_writes_when_it_likes_at_multiples(void)
{
	const struct adapter_app app = app_with(by_step);
	int signo = -1;

	CHECK(adapter_lammps.save(&app, &signo) == SAVE_WATCH && signo == 0);
	CHECK(adapter_lammps.next(&app, 0) == 100);
	CHECK(adapter_lammps.next(&app, 99) == 100);
	CHECK(adapter_lammps.next(&app, 100) == 200);
}

/* ---- what is refused ---- */

static void two_commands_are_needed(void)
{
	static const char *const blind[] = {"lmp", "-in", "in.melt", NULL};
	struct adapter_app app = app_with(by_step);

	CHECK(adapter_lammps.check(&app, &err) == 0);
	app.command = restart;
	CHECK(adapter_lammps.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text, "lammps: command has {checkpoint}, but there is "
			     "none to begin with; only restart has it");
	app = app_with(by_step);
	app.restart = blind;
	CHECK(adapter_lammps.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text,
		   "lammps: restart has no {checkpoint}, the newest complete "
		   "restart file, to read; as " EXAMPLE);
	app.restart = NULL;
	CHECK(adapter_lammps.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text, "lammps: there is no restart; a command whose "
			     "input begins with read_restart, as " EXAMPLE);
}

static void options_that_hide_or_bind_are_refused(void)
{
	static const char *const silent[] = {"lmp", "-screen", "none", NULL};
	static const char *const bound[] = {"lmp", "-p", "2x1", NULL};
	struct adapter_app app = app_with(by_step);

	app.command = silent;
	CHECK(adapter_lammps.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text, "lammps: -screen none hides what tells where "
			     "LAMMPS is; leave it out");
	app.command = bound;
	CHECK(adapter_lammps.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text, "lammps: -p shares the ranks out by hand; leave "
			     "it out, or their number could not change");
}

static void a_path_that_lammps_would_cut_is_refused(void)
{
	struct adapter_app app = app_with(by_step);

	app.checkpoint_dir = "/a b/ck";
	CHECK(adapter_lammps.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text, "lammps: checkpoint.dir: '/a b/ck' has a blank, "
			     "where LAMMPS would cut it; a path without");
}

static void settings_are_checked(void)
{
	static const struct {
		const char *settings[3], *says;
	} cases[] = {
		{{"every=5"}, "settings: files is missing; the restart files"},
		{{"files=a.*"}, "settings: every is missing; how often the "},
		{{"files=a.*", "every=0"}, "settings: every: '0' is not a"},
		{{"files=a.*", "every=-1"}, "settings: every: '-1' is not a"},
		{{"files=a.*", "every=1e3"}, "every: '1e3' is not a number"},
		{{"files=a.*", "every=99999999999999999999"}, "is not a numb"},
		{{"files=a.*", "steps=x"}, "settings: every is missing"},
		{{"files=a.*", "evry=1"}, "lammps: settings: there is no 'ev"},
		{{"files="}, "'' is not one name with * for the step, or two"},
		{{"files=a b c"}, "'a b c' is not one name with * for the"},
		{{"files=a* b"}, "'a* b' is not one name with * for the step"},
		{{"files=a a"}, "'a a' is not one name"},
		{{"files=a.*.*"}, "'a.*.*' has more than one *; one name"},
		{{"files=a.%.*"}, "has a %, with which LAMMPS writes one file"},
		{{"files=a.*.mpiio"}, "nothing would tell whether it is comp"},
		{{"files=c/a.*"}, "'c/a.*' is not a name of a file in the "},
		{{"files=a .."}, "'..' is not a name of a file in the check"},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct adapter_app app = app_with(cases[i].settings);

		CHECK(adapter_lammps.check(&app, &err) == -EINVAL);
		CHECK(says(cases[i].says));
	}
}

static void names_are_as_in_the_command_restart(void)
{
	static const char *const settings[] = {"files= melt.restart ",
					       "every=5", NULL};
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	const struct adapter_app app = app_with(settings);
	struct checkpoint found;
	char name[NAME_MAX + 20], files[sizeof(name) + 8];
	const char *const lengthy[] = {files, "every=5", NULL};

	CHECK(here && adapter_lammps.check(&app, &err) == 0);
	CHECK(put_whole("melt.restart.70", 70));
	CHECK(look(settings, &found) == 0 && found.step == 70);
	memset(name, 'x', sizeof(name));
	name[NAME_MAX] = '\0';
	snprintf(files, sizeof(files), "files=%s", name);
	CHECK(look(lengthy, &found) == -EINVAL);
	CHECK(says("is too long for the name of a file"));
	files[6 + NAME_MAX - 1] = '\0';
	CHECK(look(lengthy, &found) == 1);
}

static int only(void *user, const char *name)
{
	return strcmp(name, user) == 0 ? 0 : -EINVAL;
}

static void the_file_of_a_checkpoint_is_that_of_its_step(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	const struct adapter_app numbered = app_with(by_step);
	const struct adapter_app turned = app_with(in_turn);
	const struct checkpoint of = {.step = 200};

	CHECK(here && put_whole("a", 200) && put_whole("b", 300));
	CHECK(put_whole("melt.200.restart", 200));
	CHECK(put_whole("melt.300.restart", 300));
	CHECK(adapter_lammps.files(&numbered, &of, only, "melt.200.restart",
				   &err) == 0);
	CHECK(adapter_lammps.files(&turned, &of, only, "b", &err) < 0);
	CHECK(adapter_lammps.files(&numbered, NULL, only, "", &err) == 0);
}

/* ---- lines ---- */

static void lines_tell_what_cannot_be_read(void)
{
	const struct adapter_app app = app_with(by_step);
	struct line_facts facts = {0};

	CHECK(adapter_lammps.on_line(&app,
				     "ERROR: Invalid flag in header section of "
				     "restart file (../read_restart.cpp:1104)",
				     &facts) == LINE_UNREADABLE);
	CHECK(adapter_lammps.on_line(&app,
				     "ERROR: Lost atoms: original 864 current "
				     "1 (../thermo.cpp:1)",
				     &facts) == LINE_OTHER);
}

static void lines_tell_the_step(void)
{
	static const struct {
		const char *line;
		enum line_kind kind;
		uint64_t step;
	} cases[] = {
		{"Total wall time: 0:00:07", LINE_FINISHED, 0},
		{"  Current step  : 300", LINE_RESUMED, 300},
		{"  Current step  : 0", LINE_PROGRESS, 0},
		{"  Current step  : x", LINE_OTHER, 0},
		{"  Current step  : 3 4", LINE_OTHER, 0},
		{"Reading restart file ...", LINE_OTHER, 0},
		{"Step Temp E_pair E_mol TotEng Press ", LINE_OTHER, 0},
		{"     300   0.75569127   -5.7576689            0    "
		 "-4.625444 ",
		 LINE_PROGRESS, 300},
		{"123456789        0   0.75047309 ", LINE_PROGRESS, 123456789},
		{"         0   1.44          -6.7733681      0             ",
		 LINE_PROGRESS, 0},
		{"20 0.623906 -5.55764 6.71838 ", LINE_PROGRESS, 20},
		{"      10 ", LINE_PROGRESS, 10},
		{"      10          nan         -inf ", LINE_PROGRESS, 10},
		{"---------------- Step       10 ----- CPU =      0.0008 (sec) "
		 "----------------",
		 LINE_PROGRESS, 10},
		{"Step     =             10 Temp     =         1.1299 ",
		 LINE_OTHER, 0},
		{"  0.37881412 123456870 ", LINE_OTHER, 0},
		{"     -5.79032504102025  -6.76234611638843  -6.768749510324",
		 LINE_OTHER, 0},
		{"1 123456880", LINE_OTHER, 0},
		{"-5 3 ", LINE_OTHER, 0},
		{"10 steps ", LINE_OTHER, 0},
		{"99999999999999999999999999 1 ", LINE_OTHER, 0},
		{"9223372036854775808 1 ", LINE_OTHER, 0},
		{"864 atoms", LINE_OTHER, 0},
		{"Loop time of 3.29296 on 2 procs for 500 steps with 864 atoms",
		 LINE_OTHER, 0},
		{"Histogram: 1 0 0 0 0 0 0 0 0 1", LINE_OTHER, 0},
		{"  1 by 2 by 2 MPI processor grid", LINE_OTHER, 0},
		{"----------------------------------------", LINE_OTHER, 0},
		{"", LINE_OTHER, 0},
		{" ", LINE_OTHER, 0},
	};
	const struct adapter_app app = app_with(by_step);

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct line_facts facts = {0};

		if (adapter_lammps.on_line(&app, cases[i].line, &facts) !=
		    cases[i].kind)
			note("read wrongly", cases[i].line);
		CHECK(adapter_lammps.on_line(&app, cases[i].line, &facts) ==
		      cases[i].kind);
		CHECK(facts.step == cases[i].step);
		CHECK(facts.total ==
		      (cases[i].kind == LINE_PROGRESS ? 20000 : 0));
	}
}

RUN_TESTS(TEST(the_restart_command_gets_the_path_of_that_step),
	  TEST(the_restart_command_gets_the_right_one_of_two),
	  TEST(a_checkpoint_that_is_gone_is_an_error),
	  TEST(it_writes_when_it_likes_at_multiples),
	  TEST(two_commands_are_needed),
	  TEST(options_that_hide_or_bind_are_refused),
	  TEST(a_path_that_lammps_would_cut_is_refused),
	  TEST(settings_are_checked), TEST(names_are_as_in_the_command_restart),
	  TEST(the_file_of_a_checkpoint_is_that_of_its_step),
	  TEST(lines_tell_what_cannot_be_read), TEST(lines_tell_the_step))
