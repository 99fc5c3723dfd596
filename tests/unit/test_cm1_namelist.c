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
	CLEANUP(folder_remove) char *dir = folder_create();
	struct adapter_app app = app_here();
	struct error err;

	put("namelist.input", good);
	CHECK(dir && adapter_cm1.check(&app, &err) == 0);
	CHECK_TEXT(content("namelist.input"), good);
}

static void restarts_that_are_off_are_refused(void)
{
	CLEANUP(folder_remove) char *dir = folder_create();

	CHECK(dir);
	CHECK_TEXT(
		refusal(changed(good, "  600.0", "-3600.0")),
		"namelist.input:9: rstfrq is -3600, so CM1 writes no restart "
		"files; seconds of model time from one to the next, as "
		"rstfrq = 600.0");
	CHECK(strstr(refusal(changed(good, "  600.0", "0")), "rstfrq is 0,"));
	CHECK(strstr(refusal(changed(good, "rstfrq", "frstfrq")),
		     "namelist.input: &param1 has no rstfrq, so CM1 writes"));
}

static void restarts_that_cannot_be_resized_are_refused(void)
{
	CLEANUP(folder_remove) char *dir = folder_create();

	CHECK(dir);
	CHECK_TEXT(
		refusal(changed(good, "type = 2", "type = 3")),
		"namelist.input:17: restart_filetype is 3, one file for each "
		"rank, from which other numbers of ranks cannot go on; "
		"restart_filetype = 2");
	CHECK_TEXT(refusal(changed(good, "type = 2", "type = 1")),
		   "namelist.input:17: restart_filetype is 1, so that each "
		   "restart is written over the one before; restart_filetype = "
		   "2");
	CHECK_TEXT(refusal(changed(good, "format   = 1", "format   = 2")),
		   "namelist.input:16: restart_format is 2; only binary files "
		   "are understood: restart_format = 1");
	CHECK_TEXT(refusal(changed(good, "timax", "run_time = 60, timax")),
		   "namelist.input:8: run_time is 60, which CM1 counts anew "
		   "from each restart; the end as timax, and run_time = "
		   "-999.9");
}

static void a_namelist_that_is_none_is_refused(void)
{
	CLEANUP(folder_remove) char *dir = folder_create();
	const char *settings[] = {"namelist=fine.input", NULL};
	struct adapter_app app = app_here();
	struct error err;

	CHECK(dir && adapter_cm1.check(&app, &err) == -EINVAL);
	CHECK(strstr(err.text, "/namelist.input; CM1's namelist, or settings: "
			       "{namelist: its name}"));
	CHECK_TEXT(refusal(changed(good, "&param2", "&param3")),
		   "namelist.input:19: the text ends without a group &param2; "
		   "the lines '&param2' and '/'");
	CHECK_TEXT(refusal(changed(good, "60", "'")),
		   "namelist.input:2: a text begins here that has no end; the "
		   "same quote behind it");
	CHECK_TEXT(refusal(changed(good, "60", "6.5")),
		   "namelist.input:2: nx is 6.5; a whole number from 1 to "
		   "1000000");
	app.settings = settings;
	CHECK(adapter_cm1.check(&app, &err) == -EINVAL);
	CHECK(strstr(err.text, "there is no ") && strstr(err.text, "fine.inp"));
	put("fine.input", good);
	CHECK(adapter_cm1.check(&app, &err) == 0);
	settings[0] = "name=x";
	CHECK(adapter_cm1.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text, "settings: there is no 'name'; namelist");
}

static void a_checkpoint_folder_that_cm1_does_not_use_is_refused(void)
{
	CLEANUP(folder_remove) char *dir = folder_create();
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
	CLEANUP(folder_remove) char *dir = folder_create();
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
	CLEANUP(folder_remove) char *dir = folder_create();
	struct adapter_app app = app_here();
	struct error err;

	put("namelist.input", changed(good, "     2,", "   128,"));
	CHECK(dir && adapter_cm1.accepts(&app, 3, &err) == 0);
	CHECK(adapter_cm1.accepts(&app, 128, &err) == 0);
	CHECK(adapter_cm1.accepts(&app, 129, &err) == -EINVAL);
	CHECK(adapter_cm1.accepts(&app, 256, &err) == 0);
}

RUN_TESTS(TEST(a_good_namelist_is_taken),
	  TEST(restarts_that_are_off_are_refused),
	  TEST(restarts_that_cannot_be_resized_are_refused),
	  TEST(a_namelist_that_is_none_is_refused),
	  TEST(a_checkpoint_folder_that_cm1_does_not_use_is_refused),
	  TEST(ppnode_divides_the_number_of_ranks),
	  TEST(a_ppnode_above_the_number_of_ranks_is_accepted))
