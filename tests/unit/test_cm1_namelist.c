/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "tests/unit/cm1_folder.h"

#include <errno.h>

static const char *refusal(const char *text)
{
	static struct error err;
	struct adapter_app app = app_here();
	size_t n = strlen(folder) + 1;

	put("namelist.input", text);
	if (adapter_cm1.check(&app, &err) != -EINVAL)
		return "";
	return strncmp(err.text, folder, n - 1) == 0 ? err.text + n : err.text;
}

static void a_good_namelist_is_taken(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	struct error err;

	put("namelist.input", good);
	CHECK(dir && adapter_cm1.check(&app, &err) == 0);
	CHECK_TEXT(content("namelist.input"), good);
}

static void restarts_that_are_off_are_refused(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");

	CHECK(dir);
	CHECK_TEXT(refusal(changed(good, "  600.0", "-3600.0")),
		   "namelist.input:9: rstfrq is -3600, so that CM1 writes no "
		   "restart files; rstfrq = 600.0");
	CHECK_TEXT(
		refusal(changed(good, "rstfrq =   600.0",
				"tapfrq = 900, rstfrq = -1")),
		"namelist.input:9: rstfrq is -1, so that CM1 writes no restart "
		"files; rstfrq = 900.0");
	CHECK(strstr(refusal(changed(good, "  600.0", "0")), "rstfrq is 0,"));
	CHECK(strstr(refusal(changed(good, "rstfrq", "frstfrq")),
		     "namelist.input: &param1 does not say rstfrq: "));
}

static void restarts_that_cannot_be_resized_are_refused(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");

	CHECK(dir);
	CHECK_TEXT(
		refusal(changed(good, "type = 2", "type = 3")),
		"namelist.input:17: restart_filetype is 3, one file for each "
		"node, from which other numbers of ranks cannot go on; "
		"restart_filetype = 2");
	CHECK_TEXT(refusal(changed(good, "type = 2", "type = 1")),
		   "namelist.input:17: restart_filetype is 1, and a set of "
		   "files for each restart (2) is needed; restart_filetype = "
		   "2");
	CHECK_TEXT(refusal(changed(good, "format   = 1", "format   = 2")),
		   "namelist.input:16: restart_format is 2, and only binary "
		   "files (1) are understood; restart_format = 1");
	CHECK(strstr(refusal(changed(good, "timax", "run_time = 60, timax")),
		     "namelist.input:8: run_time is 60, which CM1 counts anew "
		     "from each restart; run_time = -999.9 ("));
}

static int check_with(const char *setting, struct error *err)
{
	const char *settings[] = {setting, NULL};
	struct adapter_app app = app_here();

	app.settings = settings;
	return adapter_cm1.check(&app, err);
}

static void clocks_that_begin_anew_are_the_job_files_choice(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct error err;

	CHECK(dir);
	CHECK_TEXT(
		refusal(changed(good, ".false.", ".TRUE.")),
		"namelist.input:18: restart_reset_frqtim is .true., so that "
		"CM1 counts tapfrq, statfrq and rstfrq from each restart, and "
		"output is lost (settings: {restart_reset_frqtim: false} has "
		".false. written before starts); restart_reset_frqtim = "
		".false.");
	CHECK(check_with("restart_reset_frqtim=false", &err) == 0);
	CHECK(check_with("restart_reset_frqtim=true", &err) == 0);
	CHECK(check_with("restart_reset_frqtim=maybe", &err) == -EINVAL);
	CHECK_TEXT(err.text, "settings.restart_reset_frqtim: 'maybe' is "
			     "neither false, which has CM1 keep its clocks, "
			     "nor true");
	CHECK(strstr(
		refusal(changed(good, "_frqtim = .false.", "_use_theta=F")),
		"input: &param16 does not say restart_reset_frqtim: "));
	CHECK(strstr(refusal(changed(good, ".false.", "1")),
		     "input:18: restart_reset_frqtim is '1'; .true. or "
		     ".false."));
}

static void clocks_are_kept_if_the_job_file_says_so(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	const char *settings[] = {"restart_reset_frqtim=false", NULL};
	struct adapter_app app = app_here();
	struct error err;

	CHECK(dir);
	app.settings = settings;
	put("namelist.input", changed(good, ".false.", ".true."));
	CHECK(adapter_cm1.prepare(&app, NULL, &err) == 0);
	CHECK_TEXT(content("namelist.input"), good);
	settings[0] = "restart_reset_frqtim=true";
	put("namelist.input", changed(good, ".false.", ".true."));
	CHECK(adapter_cm1.prepare(&app, NULL, &err) == 0);
	CHECK_TEXT(content("namelist.input"),
		   changed(good, ".false.", ".true."));
}

/* diagfrq and azimavgfrq are counted from each restart in any case. */
static void restarts_are_at_multiples_of_what_is_counted_from_them(void)
{
	static const struct {
		const char *clocks, *sentence;
	} cases[] = {
		{"&param14 dodomaindiag=.false., diagfrq=7 /", ""},
		{"&param14 dodomaindiag=.true., diagfrq=0 /", ""},
		{"&param14 dodomaindiag=.true., diagfrq=60 /", ""},
		{"&param14 dodomaindiag=.true., diagfrq=3600 /",
		 "namelist.input:9: rstfrq is 600, which is no multiple of "
		 "diagfrq = 3600, and CM1 counts that from each restart; "
		 "rstfrq = 3600.0"},
		{"&param15 doazimavg=T, azimavgfrq=250 /",
		 "namelist.input:9: rstfrq is 600, which is no multiple of "
		 "azimavgfrq = 250, and CM1 counts that from each restart; "
		 "rstfrq = 750.0"},
		{"&param14 dodomaindiag=T, diagfrq=400 / &param15 doazimavg=T, "
		 "azimavgfrq=250 /",
		 "namelist.input:9: rstfrq is 600, which is no multiple of "
		 "diagfrq = 400, and CM1 counts that from each restart; "
		 "rstfrq = 2000.0"},
		{"&param19 do_lsnudge=T /", ""},
	};
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	char text[2048];

	CHECK(dir);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		snprintf(text, sizeof(text), "%s%s\n", good, cases[i].clocks);
		CHECK_TEXT(refusal(text), cases[i].sentence);
	}
}

/* Over which CM1 writes those of the restart. */
static void restarts_are_at_multiples_of_statistics(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");

	CHECK(dir);
	CHECK_TEXT(refusal(changed(good, "timax", "statfrq = 60, timax")), "");
	CHECK_TEXT(refusal(changed(good, "timax", "statfrq = -60, timax")), "");
	CHECK_TEXT(refusal(changed(good, "timax", "statfrq = 250, timax")),
		   "namelist.input:9: rstfrq is 600, which is no multiple of "
		   "statfrq = 250, and CM1 writes over the last statistics at "
		   "each restart; rstfrq = 750.0");
}

/* A step that is no part of rstfrq puts a restart behind its time. */
static void a_fixed_step_is_part_of_the_period_if_a_clock_counts_from_it(void)
{
	static const char clocks[] = "&param14 dodomaindiag=T, diagfrq=60 /\n";
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	const char *odd = changed(good, " timax", " dtl = 7.0, timax");
	char text[2048];
	struct error err;

	CHECK(dir);
	CHECK_TEXT(refusal(odd), "");
	CHECK(check_with("restart_reset_frqtim=true", &err) == -EINVAL);
	snprintf(text, sizeof(text), "%s%s", odd, clocks);
	CHECK_TEXT(refusal(text),
		   "namelist.input:9: rstfrq is 600, which is no multiple of "
		   "dtl = 7, and a restart is behind its time, and what CM1 "
		   "counts from it; rstfrq = 840.0");
	snprintf(text, sizeof(text), "%s%s",
		 changed(odd, "irst ", "adapt_dt = 1, irst "), clocks);
	CHECK_TEXT(refusal(text), "");
}

static void a_namelist_that_is_none_is_refused(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	struct error err;

	CHECK(dir && adapter_cm1.check(&app, &err) == -EINVAL);
	CHECK(strstr(err.text, "/namelist.input; CM1 reads it where it runs, "
			       "which is dir of the job file"));
	CHECK_TEXT(refusal(changed(good, "&param2", "&param3")),
		   "namelist.input:20: the text ends without a group &param2; "
		   "the lines '&param2' and '/'");
	CHECK_TEXT(refusal(changed(good, "60", "'")),
		   "namelist.input:2: a text begins here that has no end; the "
		   "same quote behind it");
	CHECK_TEXT(refusal(changed(good, "60", "6.5")),
		   "namelist.input:2: nx is 6.5; a whole number from 1 to "
		   "1000000");
	CHECK(check_with("namelist=fine.input", &err) == -EINVAL);
	CHECK_TEXT(err.text, "settings: there is no 'namelist'; "
			     "restart_reset_frqtim");
}

static void a_checkpoint_folder_that_cm1_does_not_use_is_refused(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	struct error err;

	put("namelist.input", good);
	app.checkpoint_dir = "/tmp";
	CHECK(dir && adapter_cm1.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text, "cm1: checkpoint.dir is /tmp, but CM1 writes "
			     "restart files where it runs: checkpoint: {dir: "
			     ".}");
}

static void ppnode_divides_the_number_of_ranks(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	struct error err;

	put("namelist.input", good);
	CHECK(dir && adapter_cm1.accepts(&app, 4, &err) == 0);
	CHECK(adapter_cm1.accepts(&app, 3, &err) == -EINVAL);
	CHECK_TEXT(err.text, "its ppnode is 2, of which 3 is no multiple");
	put("namelist.input", changed(good, " ppnode =       2,\n", ""));
	CHECK(adapter_cm1.accepts(&app, 3, &err) == 0);
}

static void a_ppnode_above_the_number_of_ranks_is_accepted(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	struct error err;

	put("namelist.input", changed(good, "     2,", "   128,"));
	CHECK(dir && adapter_cm1.accepts(&app, 3, &err) == 0);
	CHECK(adapter_cm1.accepts(&app, 128, &err) == 0);
	CHECK(adapter_cm1.accepts(&app, 129, &err) == -EINVAL);
	CHECK(adapter_cm1.accepts(&app, 256, &err) == 0);
}

/* nx and ny of the good namelist are 60. */
static const char *grid(const char *nx, const char *ny)
{
	return changed(changed(changed(good, "60,", nx), "60,", ny), " 2,",
		       "128,");
}

/* As CM1 itself, run on so many ranks, shares them and accepts or refuses. */
static void a_rank_has_three_points_in_either_direction(void)
{
	static const struct {
		const char *nx, *ny;
		unsigned ranks;
		const char *sentence;
	} cases[] = {
		{"24,", "24,", 12, ""},
		{"24,", "24,", 13,
		 "both ni and nj must be >= 3, and 13 ranks share its 24 x 24 "
		 "points as 13 x 1"},
		{"24,", "24,", 16, ""},
		{"60,", "12,", 16, ""},
		{"12,", "60,", 13, ""},
		{"96,", "7,", 16, ""},
	};
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();

	CHECK(dir);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct error err = {""};

		put("namelist.input", grid(cases[i].nx, cases[i].ny));
		CHECK(adapter_cm1.accepts(&app, cases[i].ranks, &err) ==
		      (*cases[i].sentence ? -EINVAL : 0));
		CHECK_TEXT(err.text, cases[i].sentence);
	}
}

static void what_cm1_does_not_compute_with_mpi_is_refused(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");

	CHECK(dir);
	CHECK_TEXT(refusal(grid("192,", "1,")),
		   "namelist.input:3: ny is 1, which CM1 does not compute with "
		   "MPI; 3 or more");
	CHECK_TEXT(refusal(grid("1,", "1,")),
		   "namelist.input:2: nx is 1, which CM1 does not compute with "
		   "MPI; 3 or more");
	CHECK_TEXT(
		refusal(changed(good, "irst ", "axisymm = 1, irst ")),
		"namelist.input:12: axisymm is 1, which CM1 does not compute "
		"with MPI; 0");
	CHECK_TEXT(
		refusal(changed(good, "irst ", "psolver = 4, irst ")),
		"namelist.input:12: psolver is 4, which CM1 does not compute "
		"with MPI; another one than 4 and 5");
}

static void all_changes_are_printed_at_once_as_a_patch(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	struct error err;
	char text[4096] = "";
	FILE *to = fmemopen(text, sizeof(text), "w");
	const char *at;

	put("namelist.input",
	    changed(changed(changed(good, "  600.0", "-3600.0"),
			    "timax  =  ", "run_time = 60.0, timax = "),
		    " restart_reset_frqtim = .false.,\n", ""));
	CHECK(dir && to && adapter_cm1.check(&app, &err) == -EINVAL);
	CHECK(strstr(err.text, "rstfrq = 600.0 (the first of 4 changes, which "
			       "'bellows validate' prints as a patch)"));
	adapter_cm1.mend(&app, to);
	fclose(to);
	at = strstr(text, "\n---");
	CHECK(strncmp(text, "# /tmp/cm1-", 11) == 0 && at);
	CHECK(strstr(text, "/namelist.input: &param16 does not say "
			   "restart_reset_frqtim: restart_reset_frqtim is "
			   ".true., "));
	CHECK_TEXT(at ? at + 1 : text, "--- namelist.input\n"
				       "+++ namelist.input\n"
				       "@@ -8 +8 @@\n"
				       "- run_time = 60.0, timax = 3600.0,\n"
				       "+ run_time = -999.9, timax = 60.0,\n"
				       "@@ -9 +9 @@\n"
				       "- rstfrq = -3600.0,\n"
				       "+ rstfrq = 600.0,\n"
				       "@@ -17,0 +18,1 @@\n"
				       "+ restart_reset_frqtim = .false.,\n");
}

static void nothing_is_printed_if_nothing_has_to_be_changed(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	char text[64] = "";
	FILE *to = fmemopen(text, sizeof(text), "w");

	put("namelist.input", good);
	CHECK(dir && to);
	adapter_cm1.mend(&app, to);
	fclose(to);
	CHECK_TEXT(text, "");
}

RUN_TESTS(TEST(a_good_namelist_is_taken),
	  TEST(restarts_that_are_off_are_refused),
	  TEST(restarts_that_cannot_be_resized_are_refused),
	  TEST(clocks_that_begin_anew_are_the_job_files_choice),
	  TEST(clocks_are_kept_if_the_job_file_says_so),
	  TEST(restarts_are_at_multiples_of_what_is_counted_from_them),
	  TEST(restarts_are_at_multiples_of_statistics),
	  TEST(a_fixed_step_is_part_of_the_period_if_a_clock_counts_from_it),
	  TEST(a_namelist_that_is_none_is_refused),
	  TEST(a_checkpoint_folder_that_cm1_does_not_use_is_refused),
	  TEST(ppnode_divides_the_number_of_ranks),
	  TEST(a_ppnode_above_the_number_of_ranks_is_accepted),
	  TEST(a_rank_has_three_points_in_either_direction),
	  TEST(what_cm1_does_not_compute_with_mpi_is_refused),
	  TEST(all_changes_are_printed_at_once_as_a_patch),
	  TEST(nothing_is_printed_if_nothing_has_to_be_changed))
