/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which of two checkpoints of GROMACS counts
 */

#include "apps/adapters.h"
#include "apps/gromacs/start.h"
#include "base/cleanup.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <errno.h>
#include <sys/stat.h>

static const char *const command[] = {"gmx_mpi", "mdrun", NULL};
static struct error err;

static void word(FILE *f, uint32_t value)
{
	for (int i = 24; i >= 0; i -= 8)
		fputc((int)(value >> i & 0xff), f);
}

static void words(FILE *f, size_t n, uint32_t value)
{
	while (n-- > 0)
		word(f, value);
}

/* One atom, six texts without length, no output files; torn: without the mark
 * at its end. */
static bool put(const char *name, uint32_t step, bool torn)
{
	CLEANUP(fclose) FILE *f = fopen(below(name), "we");

	if (!f)
		return false;
	word(f, 171817);
	words(f, 6, 0);
	word(f, 22); /* format */
	words(f, 2, 0);
	word(f, 1); /* atoms */
	words(f, 5, 0);
	word(f, 1); /* part */
	word(f, 0);
	word(f, step);
	words(f, 40, 0x3f800000);
	word(f, torn ? 0 : 171819);
	return true;
}

static struct adapter_app app_here(void)
{
	return (struct adapter_app){
		.command = command, .dir = folder, .checkpoint_dir = folder};
}

static int look(struct checkpoint *out)
{
	const struct adapter_app app = app_here();

	return adapter_gromacs.checkpoint(&app, out, &err);
}

static bool is_same(const char *one, const char *two)
{
	struct stat a, b;

	return stat(below(one), &a) == 0 && stat(below(two), &b) == 0 &&
	       a.st_ino == b.st_ino;
}

static void the_newest_counts_if_it_is_whole(void)
{
	CLEANUP(folder_remove) char *here = folder_create("gromacs");
	struct checkpoint found;

	CHECK(here && look(&found) == 1);
	CHECK(put("state_prev.cpt", 100, false));
	CHECK(put("state.cpt", 200, false));
	CHECK(look(&found) == 0 && found.step == 200);
	CHECK(put("state_prev.cpt", 100, true));
	CHECK(look(&found) == 0 && found.step == 200);
}

static void or_else_the_one_before(void)
{
	CLEANUP(folder_remove) char *here = folder_create("gromacs");
	struct checkpoint found;

	CHECK(here && put("state_prev.cpt", 100, false));
	CHECK(look(&found) == 0 && found.step == 100);
	CHECK(put("state.cpt", 200, true));
	CHECK(look(&found) == 0 && found.step == 100);
	CHECK(put("state_prev.cpt", 100, true));
	CHECK(look(&found) == -EBADMSG);
	CHECK(strstr(err.text, "/state.cpt is damaged"));
}

static void what_is_gone_on_from_is_where_mdrun_writes(void)
{
	CLEANUP(folder_remove) char *here = folder_create("gromacs");
	const struct adapter_app app = app_here();
	struct checkpoint found, again;

	CHECK(here && put("state_prev.cpt", 100, false));
	CHECK(put("state.cpt", 200, true));
	CHECK(look(&found) == 0);
	for (int i = 0; i < 2; i++) {
		CHECK(start_prepare(&app, &found, &err) == 0);
		CHECK(is_same("state.cpt", "state_prev.cpt"));
		CHECK(look(&again) == 0 && again.mark == found.mark);
	}
	CHECK(access(below("state_damaged.cpt"), F_OK) == 0);
	/* as mdrun does it with the next one: the whole one is kept */
	CHECK(put("next", 300, false));
	CHECK(rename(below("state.cpt"), below("state_prev.cpt")) == 0);
	CHECK(rename(below("next"), below("state.cpt")) == 0);
	CHECK(look(&found) == 0 && found.step == 300);
	CHECK(unlink(below("state.cpt")) == 0);
	CHECK(look(&found) == 0 && found.step == 100);
}

static int note_name(void *user, const char *name)
{
	snprintf(user, 32, "%s", name);
	return 0;
}

static void the_file_of_a_checkpoint_is_told_by_its_mark(void)
{
	CLEANUP(folder_remove) char *here = folder_create("gromacs");
	const struct adapter_app app = app_here();
	struct checkpoint found;
	char name[32] = "";

	CHECK(here && put("state_prev.cpt", 100, false) && look(&found) == 0);
	CHECK(adapter_gromacs.files(&app, &found, note_name, name, &err) == 0);
	CHECK_TEXT(name, "state_prev.cpt");
	CHECK(put("state.cpt", 200, false) && look(&found) == 0);
	CHECK(adapter_gromacs.files(&app, &found, note_name, name, &err) == 0);
	CHECK_TEXT(name, "state.cpt");
	*name = '\0';
	found.mark++;
	CHECK(adapter_gromacs.files(&app, &found, note_name, name, &err) == 0);
	CHECK(adapter_gromacs.files(&app, NULL, note_name, name, &err) == 0);
	CHECK_TEXT(name, "");
}

RUN_TESTS(TEST(the_newest_counts_if_it_is_whole), TEST(or_else_the_one_before),
	  TEST(what_is_gone_on_from_is_where_mdrun_writes),
	  TEST(the_file_of_a_checkpoint_is_told_by_its_mark))
