/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "tests/unit/lammps_files.h"
#include "tests/unit/unreadable.h"

#include <sys/stat.h>

static void the_newest_complete_file_is_the_checkpoint(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	struct checkpoint found;

	CHECK(here && look(by_step, &found) == 1);
	CHECK(put_whole("melt.900.restart", 900));
	CHECK(put_whole("melt.1000.restart", 1000));
	CHECK(put_whole("other.5000.restart", 5000));
	CHECK(put_whole("melt.5000.restart.old", 5000));
	CHECK(put_whole("melt.05000.restart", 5000));
	CHECK(put_whole("melt.base.restart", 5000));
	CHECK(put_whole("melt..restart", 5000));
	CHECK(look(by_step, &found) == 0);
	CHECK(found.step == 1000 && found.files == 1);
	CHECK(found.bytes == WHOLE && found.mark != 0);
}

/* Otherwise the newest file would count as a new one later. */
static void a_file_that_cannot_be_read_is_not_skipped(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	struct checkpoint found;
	char path[64];

	CHECK(here && put_whole("melt.200.restart", 200));
	CHECK(put_whole("a", 200));
	unreadable = EIO;
	CHECK(look(by_step, &found) == -EIO);
	CHECK(says("cannot read ") && says(folder));
	unreadable = 0;
	snprintf(path, sizeof(path), "%s/melt.300.restart", folder);
	CHECK(symlink("melt.300.restart", path) == 0);
	CHECK(look(by_step, &found) == -ELOOP && says("melt.300.restart"));
	snprintf(path, sizeof(path), "%s/b", folder);
	CHECK(look(in_turn, &found) == 0);
	CHECK(symlink("b", path) == 0);
	CHECK(look(in_turn, &found) == -ELOOP && says("/b"));
}

static void a_file_that_is_cut_anywhere_is_skipped(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	struct checkpoint found;
	char file[WHOLE];

	CHECK(here && put_whole("melt.200.restart", 200));
	whole_file(file, 300);
	for (size_t n = 0; n < WHOLE; n++) {
		CHECK(put("melt.300.restart", file, n));
		CHECK(look(by_step, &found) == 0 && found.step == 200);
	}
	CHECK(put("melt.300.restart", file, WHOLE));
	CHECK(look(by_step, &found) == 0 && found.step == 300);
}

static void a_file_that_is_cut_and_no_other_is_an_error(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	struct checkpoint found;
	char file[WHOLE];

	CHECK(here);
	whole_file(file, 300);
	for (size_t n = 0; n < WHOLE; n++) {
		CHECK(put("melt.300.restart", file, n));
		CHECK(look(by_step, &found) == -EBADMSG);
		CHECK(says("/melt.300.restart is "));
	}
	CHECK(says("is not complete: the mark at its end is missing"));
	CHECK(put("melt.200.restart", file, 10));
	CHECK(look(by_step, &found) == -EBADMSG);
	CHECK(says("/melt.300.restart is not complete"));
}

/* The marks and the step. */
static bool is_guarded(off_t at)
{
	return at < MAGIC_SIZE || (at >= STEP_AT && at < STEP_END) ||
	       at >= HEAD + BODY;
}

static void no_byte_that_is_wrong_makes_another_step(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	CLEANUP(close) int fd = -1;
	struct checkpoint found;
	char file[WHOLE];

	CHECK(here && put_whole("melt.300.restart", 300));
	fd = open(below("melt.300.restart"), O_WRONLY);
	CHECK(fd >= 0);
	whole_file(file, 300);
	for (off_t at = 0; at < WHOLE; at++) {
		for (int flip = 1; flip < 256; flip++) {
			char byte = (char)(file[at] ^ flip);
			int r;

			CHECK(pwrite(fd, &byte, 1, at) == 1);
			r = look(by_step, &found);
			CHECK(is_guarded(at) ? r == -EBADMSG
					     : r != 0 || found.step == 300);
		}
		CHECK(pwrite(fd, &file[at], 1, at) == 1);
	}
	CHECK(look(by_step, &found) == 0 && found.step == 300);
}

static void what_is_no_restart_file_is_told(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	static const struct {
		size_t at;
		char byte;
		const char *says;
	} cases[] = {
		{0, 'l', "is none of LAMMPS"},
		{16, 0, "is of a machine of another byte order"},
		{20, 0,
		 "is of a LAMMPS so old that nothing tells whether it "
		 "is complete"},
		{28, 99, "is damaged: its head has no step"},
		{28, 0, "is damaged: its head has no step"},
		{31, -1, "is damaged: its head has no step"},
		{72, 5, "is damaged: its head has no step"},
		{STEP_AT, 0, "was renamed: it says that it is of step 256"},
		{STEP_END - 1, -1, "is damaged: its head has no step"},
		{WHOLE - 2, 0, "is not complete"},
	};
	struct checkpoint found;
	char file[WHOLE];

	CHECK(here);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		whole_file(file, 300);
		file[cases[i].at] = cases[i].byte;
		CHECK(put("melt.300.restart", file, WHOLE));
		CHECK(look(by_step, &found) == -EBADMSG);
		CHECK(says(cases[i].says));
	}
	whole_file(file, 300);
	memset(file + WHOLE - MAGIC_SIZE - 4, 0xff, 4);
	CHECK(put("melt.300.restart", file, WHOLE));
	CHECK(look(by_step, &found) == -EBADMSG);
	CHECK(says("is the base of many; have one file written, without %"));
}

static void what_is_no_file_is_told(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	struct checkpoint found;
	const struct adapter_app app = {.checkpoint_dir = "/no/such",
					.settings = by_step};

	CHECK(here && mkfifo(below("melt.1.restart"), 0600) == 0);
	CHECK(look(by_step, &found) == -EBADMSG);
	CHECK(says("/melt.1.restart is not a file"));
	CHECK(symlink("nowhere", below("melt.2.restart")) == 0);
	CHECK(look(by_step, &found) == -EBADMSG);
	CHECK(adapter_lammps.checkpoint(&app, &found, &err) == -ENOENT);
	CHECK_TEXT(err.text, "cannot read /no/such: No such file or directory");
}

static void a_step_may_have_four_bytes(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	struct checkpoint found;
	char file[WHOLE];

	CHECK(here);
	whole_file(file, 300);
	file[72] = 4;
	memset(file + STEP_AT + 4, 0x33, 4);
	CHECK(put("melt.300.restart", file, WHOLE));
	CHECK(look(by_step, &found) == 0 && found.step == 300);
}

static void of_two_files_the_one_of_the_later_step_counts(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	struct checkpoint found;

	CHECK(here && look(in_turn, &found) == 1);
	CHECK(put_whole("b", 200));
	CHECK(look(in_turn, &found) == 0 && found.step == 200);
	CHECK(put_whole("a", 300));
	CHECK(look(in_turn, &found) == 0 && found.step == 300);
	CHECK(put_whole("b", 400));
	CHECK(look(in_turn, &found) == 0 && found.step == 400);
	CHECK(put("b", real_head, HEAD));
	CHECK(look(in_turn, &found) == 0 && found.step == 300);
	CHECK(put("a", real_head, HEAD));
	CHECK(look(in_turn, &found) == -EBADMSG && says("/a is not complete"));
	CHECK(unlink(below("a")) == 0);
	CHECK(look(in_turn, &found) == -EBADMSG && says("/b is not complete"));
}

static void a_file_written_again_has_another_mark(void)
{
	CLEANUP(folder_remove) char *here = folder_create("lammps");
	struct timespec at[2] = {{.tv_nsec = UTIME_OMIT}, {1000, 1}};
	struct checkpoint is[3];

	CHECK(here && put_whole("melt.300.restart", 300));
	for (int i = 0; i < 3; i++) {
		at[1].tv_nsec = 1 + i / 2;
		CHECK(utimensat(AT_FDCWD, below("melt.300.restart"), at, 0) ==
		      0);
		CHECK(look(by_step, &is[i]) == 0);
	}
	CHECK(is[0].mark == is[1].mark && is[1].mark != is[2].mark);
}

RUN_TESTS(TEST(the_newest_complete_file_is_the_checkpoint),
	  TEST(a_file_that_cannot_be_read_is_not_skipped),
	  TEST(a_file_that_is_cut_anywhere_is_skipped),
	  TEST(a_file_that_is_cut_and_no_other_is_an_error),
	  TEST(no_byte_that_is_wrong_makes_another_step),
	  TEST(what_is_no_restart_file_is_told), TEST(what_is_no_file_is_told),
	  TEST(a_step_may_have_four_bytes),
	  TEST(of_two_files_the_one_of_the_later_step_counts),
	  TEST(a_file_written_again_has_another_mark))
