/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/adapters.h"
#include "apps/gromacs/log_parser.h"
#include "apps/gromacs/trial.h"
#include "base/cleanup.h"
#include "base/list.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

enum { WORDS = 32 };

static bool put(const char *name, const char *text)
{
	char path[128];
	CLEANUP(fclose) FILE *f = NULL;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "we");
	return f && fputs(text, f) >= 0;
}

/* A command of one line, split at blanks; of the last call. */
static struct adapter_app app_of(const char *line)
{
	static char text[256];
	static const char *words[WORDS + 1];
	size_t n = 0;

	snprintf(text, sizeof(text), "%s", line);
	for (char *at = strtok(text, " "); at && n < WORDS;
	     at = strtok(NULL, " "))
		words[n++] = at;
	words[n] = NULL;
	return (struct adapter_app){
		.command = words, .dir = "/job", .checkpoint_dir = "/ck"};
}

static const char *joined(const char *const *argv)
{
	static char text[512];

	*text = '\0';
	for (; *argv; argv++) {
		strcat(text, *text ? " " : "");
		strcat(text, *argv);
	}
	return text;
}

static void commands_that_go_with_rescales_are_accepted(void)
{
	static const char *const good[] = {
		"gmx_mpi mdrun",
		"gmx_mpi -quiet mdrun -s md.tpr -ntomp 1 -v",
		"mdrun_mpi -deffnm md -append -cpt 5",
		"/opt/bin/mdrun -nsteps 500",
		"./wrap.sh gmx_mpi mdrun -nsteps -1 -noconfout",
		"gmx_mpi mdrun -append yes -dd 2 1 1 -npme 0",
	};

	for (size_t i = 0; i < LENGTH(good); i++) {
		const struct adapter_app app = app_of(good[i]);

		CHECK(adapter_gromacs.check(&app, NULL) == 0);
	}
}

static void what_does_not_go_with_rescales_is_refused(void)
{
	static const struct {
		const char *command, *reason;
	} bad[] = {
		{"gmx_mpi energy", "has no mdrun"},
		{"gmx mdrun -s md.tpr", "gmx is not built for MPI"},
		{"/usr/bin/gmx -quiet mdrun", "gmx is not built for MPI"},
		{"gmx_mpi mdrun -cpi", "has -cpi; leave it out"},
		{"gmx_mpi mdrun --cpo x.cpt", "has -cpo; leave it out"},
		{"gmx_mpi mdrun -noappend", "under one name"},
		{"gmx_mpi mdrun -append no", "under one name"},
		{"gmx_mpi mdrun -maxh 0.5", "taken for done"},
		{"gmx_mpi mdrun -multidir a b", "several simulations"},
		{"gmx_mpi mdrun -cpnum", "keep its name"},
		{"gmx_mpi mdrun -cpt -1", "no checkpoint is ever written"},
		{"gmx_mpi mdrun -rerun a.xtc", "a rerun"},
		{"gmx_mpi mdrun -ntmpi 2", "those of MPI"},
	};

	for (size_t i = 0; i < LENGTH(bad); i++) {
		const struct adapter_app app = app_of(bad[i].command);
		struct error err = {""};

		CHECK(adapter_gromacs.check(&app, &err) == -EINVAL);
		if (!strstr(err.text, bad[i].reason))
			note(bad[i].command, err.text);
		CHECK(strstr(err.text, bad[i].reason));
	}
}

static void a_grid_that_is_given_fixes_the_size(void)
{
	struct adapter_app app = app_of("gmx_mpi mdrun -dd 2 2 1 -npme 2");
	struct error err;

	CHECK(adapter_gromacs.accepts(&app, 6, &err) == 0);
	CHECK(adapter_gromacs.accepts(&app, 4, &err) == -EINVAL);
	CHECK_TEXT(err.text, "-dd 2 2 1 is for 6 ranks, not for 4");
	CHECK(adapter_gromacs.accepts(&app, 2, &err) == -EINVAL);
	CHECK_TEXT(err.text, "-npme 2 leaves no rank of 2 for the rest");
	app = app_of("gmx_mpi mdrun -dd 0 0 1");
	CHECK(adapter_gromacs.accepts(&app, 5, &err) == 0);
	app = app_of("gmx_mpi mdrun -npme -1");
	CHECK(adapter_gromacs.accepts(&app, 1, &err) == 0);
}

static void a_start_has_its_checkpoint_and_a_restart_reads_it(void)
{
	const struct adapter_app app = app_of("gmx_mpi mdrun -s md.tpr");
	const struct checkpoint restart = {.step = 4};
	const char *argv[ADAPTER_ARGS_MAX];
	char text[128];
	struct error err;

	CHECK(adapter_gromacs.command(&app, NULL, argv, text, sizeof(text),
				      &err) == 0);
	CHECK_TEXT(joined(argv), "gmx_mpi mdrun -s md.tpr -cpo /ck/state.cpt");
	CHECK(adapter_gromacs.command(&app, &restart, argv, text, sizeof(text),
				      &err) == 0);
	CHECK_TEXT(joined(argv), "gmx_mpi mdrun -s md.tpr -cpo /ck/state.cpt "
				 "-cpi /ck/state.cpt -append");
	CHECK(adapter_gromacs.command(&app, NULL, argv, text, 30, &err) ==
	      -E2BIG);
}

static void nsteps_are_what_remains_on_a_restart(void)
{
	CLEANUP(folder_remove) char *here = folder_create("gromacs");
	struct adapter_app app = app_of("gmx_mpi mdrun -nsteps 500 -v");
	struct checkpoint restart = {.step = 320};
	const char *argv[ADAPTER_ARGS_MAX];
	char text[128];
	struct error err;

	app.dir = here;
	CHECK(adapter_gromacs.command(&app, NULL, argv, text, sizeof(text),
				      &err) == 0);
	CHECK_TEXT(argv[3], "500");
	CHECK(adapter_gromacs.command(&app, &restart, argv, text, sizeof(text),
				      &err) == -EINVAL);
	CHECK(strstr(err.text, "md.log does not tell it"));
	CHECK(put("md.log", "a\n   nsteps                         = 500\n"
			    "   init-step                      = 100\n"));
	CHECK(adapter_gromacs.command(&app, &restart, argv, text, sizeof(text),
				      &err) == 0);
	CHECK_TEXT(argv[3], "280");
	restart.step = 700;
	CHECK(adapter_gromacs.command(&app, &restart, argv, text, sizeof(text),
				      &err) == 0);
	CHECK_TEXT(argv[3], "0");
	app.command = (const char *[]){"mdrun_mpi", "-nsteps", "-1", NULL};
	CHECK(adapter_gromacs.command(&app, &restart, argv, text, sizeof(text),
				      &err) == 0);
	CHECK_TEXT(argv[2], "-1");
}

static void the_log_is_where_gromacs_puts_it(void)
{
	static const char *const cases[][2] = {
		{"gmx_mpi mdrun", "/job/md.log"},
		{"gmx_mpi mdrun -deffnm a.b", "/job/a.b.log"},
		{"gmx_mpi mdrun -g foo -deffnm x", "/job/foo.log"},
		{"gmx_mpi mdrun -g foo.txt", "/job/foo.txt.log"},
		{"gmx_mpi mdrun -g sub/foo.log", "/job/sub/foo.log"},
		{"gmx_mpi mdrun -g /tmp/x.log", "/tmp/x.log"},
		{"gmx_mpi mdrun -g -v", "/job/md.log"},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		const struct adapter_app app = app_of(cases[i][0]);
		char text[64];

		CHECK(adapter_gromacs.log(&app, text, sizeof(text), NULL) == 0);
		CHECK_TEXT(text, cases[i][1]);
	}
}

static void a_restart_without_its_checkpoint_is_not_prepared(void)
{
	CLEANUP(folder_remove) char *here = folder_create("gromacs");
	struct adapter_app app = app_of("gmx_mpi mdrun");
	const struct checkpoint restart = {.step = 4};
	struct checkpoint found;
	struct error err;

	app.dir = app.checkpoint_dir = here;
	CHECK(adapter_gromacs.checkpoint(&app, &found, &err) == 1);
	CHECK(adapter_gromacs.prepare(&app, NULL, &err) == 0);
	CHECK(adapter_gromacs.prepare(&app, &restart, &err) == -ENOENT);
	CHECK(strstr(err.text, "mdrun would begin at step 0: cannot read"));
	CHECK(put("state_prev.cpt", "x"));
	CHECK(adapter_gromacs.checkpoint(&app, &found, &err) == 1);
	CHECK(put("state.cpt", "torn"));
	CHECK(adapter_gromacs.checkpoint(&app, &found, &err) == -EBADMSG);
	CHECK(adapter_gromacs.prepare(&app, &restart, &err) == -EBADMSG);
	CHECK(adapter_gromacs.prepare(&app, NULL, &err) == -EBADMSG);
	CHECK(strstr(err.text, "it would be overwritten"));
}

static void one_signal_to_the_first_rank_saves(void)
{
	int signo = 0;

	CHECK(adapter_gromacs.save(NULL, &signo) == SAVE_SIGNAL_FIRST);
	CHECK(signo == SIGTERM && adapter_gromacs.signal_once);
}

static void lines_of_mdrun_are_understood(void)
{
	static const struct {
		const char *line;
		enum line_kind kind;
		uint64_t step, total;
	} cases[] = {
		{"            150        0.30000", LINE_PROGRESS, 150, 0},
		{"              0        0.00000", LINE_PROGRESS, 0, 0},
		{"   123456789012   246913578.02400", LINE_PROGRESS,
		 123456789012, 0},
		{"   1234567890123   2469135780.24600", LINE_PROGRESS,
		 1234567890123, 0},
		{"Finished mdrun on rank 0 Thu Nov 26 12:00:00 2026",
		 LINE_FINISHED, 0, 0},
		{"4000 steps,      8.0 ps.", LINE_AFRESH, 0, 4000},
		{"-1 steps,     infinite ps.", LINE_AFRESH, 0, 0},
		{"4000 steps,      8.0 ps (continuing from step 150,      0.3 "
		 "ps).",
		 LINE_RESUMED, 150, 4000},
		{"149 steps,     infinite ps (continuing from step 150,     "
		 " 0.3 ps).",
		 LINE_RESUMED, 150, 0},
		{"  step:                  150", LINE_RESUMED, 150, 0},
		{"Restarting from checkpoint, appending to previous log file.",
		 LINE_RESUMED, 0, 0},
		{"WARNING: Checkpoint file is corrupted or truncated",
		 LINE_UNREADABLE, 0, 0},
		{"The checkpoint file is corrupted or not a checkpoint file",
		 LINE_UNREADABLE, 0, 0},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct line_facts facts = {0};
		enum line_kind kind = log_parser_read(cases[i].line, &facts);

		if (kind != cases[i].kind)
			note("line", cases[i].line);
		CHECK(kind == cases[i].kind);
		CHECK(facts.step == cases[i].step);
		CHECK(facts.total == cases[i].total);
	}
}

static void other_lines_of_mdrun_are_passed_over(void)
{
	static const char *const lines[] = {
		"           Step           Time",
		"    2.20239e+04   -1.76848e+05",
		" 150 0.30000",
		"            150        0.3000",
		"            150        0.30000 ",
		"            150        0.30000   1.0",
		"   99999999999999999999   1999999999.00000",
		"0 steps, 0 ps",
		"Overriding nsteps with value passed on the command line: 100 "
		"steps, 0.2 ps",
		"  step: 15x",
		"step 20 Turning on dynamic load balancing",
		"DD  step 199  vol min/aver 0.936  load imb.: force 22.4%",
		"",
	};

	for (size_t i = 0; i < LENGTH(lines); i++) {
		struct line_facts facts = {0};

		if (log_parser_read(lines[i], &facts) != LINE_OTHER)
			note("line", lines[i]);
		CHECK(log_parser_read(lines[i], &facts) == LINE_OTHER);
	}
}

static void a_trial_has_the_inputs_and_none_of_the_outputs(void)
{
	struct adapter_app app = app_of(
		"./w.sh gmx_mpi mdrun -s md -deffnm md -dd 2 0 0 -v -table a "
		"-x o.xtc -reprod");
	const char *argv[ADAPTER_ARGS_MAX];
	char text[256];
	struct error err;

	CHECK(adapter_gromacs.trial(&app, 4, argv, text, sizeof(text), &err) ==
	      0);
	CHECK_TEXT(joined(argv),
		   "/job/./w.sh gmx_mpi mdrun -dd 2 0 0 -table /job/a -reprod "
		   "-nsteps 0 -deffnm trial -noconfout -s /job/md.tpr");
	app = app_of("gmx_mpi mdrun -deffnm md -nsteps 9");
	CHECK(adapter_gromacs.trial(&app, 4, argv, text, sizeof(text), &err) ==
	      0);
	CHECK_TEXT(joined(argv), "gmx_mpi mdrun -nsteps 0 -deffnm trial "
				 "-noconfout -s /job/md.tpr");
	CHECK(adapter_gromacs.trial(&app, 4, argv, text, 8, &err) == -E2BIG);
}

static void the_reason_of_a_failed_trial_is_one_line(void)
{
	char text[256], few[12];
	const char output[] =
		"Reading file\n\nFatal error:\nThere is no domain "
		"decomposition\nfor 7 ranks.\n\nFor more "
		"information\n\nFatal error:\nagain\n\n";

	CHECK(trial_reason(output, text, sizeof(text)));
	CHECK_TEXT(text, "There is no domain decomposition for 7 ranks.");
	CHECK(trial_reason(output, few, sizeof(few)));
	CHECK_TEXT(few, "There is no");
	CHECK(!trial_reason("mpiexec: no such host\n", text, sizeof(text)));
	CHECK(!trial_reason("Fatal error:\n", text, sizeof(text)));
}

static void a_trial_has_told_enough_once_the_box_is_divided(void)
{
	CHECK(adapter_gromacs.passes(
		"Reading file\n\nUsing 4 MPI processes\n"));
	CHECK(adapter_gromacs.passes("\nUsing 1 MPI process\n"));
	CHECK(adapter_gromacs.passes("\nUsing 0 separate PME ranks\n"
				     "\nUsing 2 MPI processes\n"));
	CHECK(!adapter_gromacs.passes("Reading file\n"));
	CHECK(!adapter_gromacs.passes("\nUsing 4 MPI processes\n"
				      "\nFatal error:\nThe grid of PME\n"));
	CHECK(!adapter_gromacs.passes("\nUsing 4 OpenMP threads\n"));
}

RUN_TESTS(TEST(commands_that_go_with_rescales_are_accepted),
	  TEST(what_does_not_go_with_rescales_is_refused),
	  TEST(a_grid_that_is_given_fixes_the_size),
	  TEST(a_start_has_its_checkpoint_and_a_restart_reads_it),
	  TEST(nsteps_are_what_remains_on_a_restart),
	  TEST(the_log_is_where_gromacs_puts_it),
	  TEST(a_restart_without_its_checkpoint_is_not_prepared),
	  TEST(one_signal_to_the_first_rank_saves),
	  TEST(lines_of_mdrun_are_understood),
	  TEST(other_lines_of_mdrun_are_passed_over),
	  TEST(a_trial_has_the_inputs_and_none_of_the_outputs),
	  TEST(the_reason_of_a_failed_trial_is_one_line),
	  TEST(a_trial_has_told_enough_once_the_box_is_divided))
