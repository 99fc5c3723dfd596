/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "tests/unit/cm1_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define PARTS "xsuvw"

/* Of 60 x 60 x 40 */
static const off_t full[] = {43788, 11188800, 585600, 585600, 1180800};

static void put_part(int set, int part, off_t size)
{
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "cm1rst_%06d_%c.dat", set, PARTS[part]);
	fd = open(below(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || ftruncate(fd, size) < 0)
		printf("# cannot write %s\n", name);
	close(fd);
}

static void put_set(int set)
{
	for (int i = 0; i < 5; i++)
		put_part(set, i, full[i]);
}

/* ---- checkpoints ---- */

static int newest(struct checkpoint *out)
{
	struct adapter_app app = app_here();
	struct error err;

	return adapter_cm1.checkpoint(&app, out, &err);
}

static void the_newest_complete_set_counts(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct checkpoint first, second;

	CHECK(dir);
	put("namelist.input", good);
	put("cm1rst_000009_x.dat.gz", "x");
	put("cm1rst_00000a_x.dat", "x");
	put("cm1rst_x.dat", "x");
	CHECK(newest(&first) == 1);
	put_set(1);
	CHECK(newest(&first) == 0 && first.step == 600000);
	CHECK(first.files == 5 && first.bytes == 13584588);
	put_set(2);
	CHECK(newest(&second) == 0 && second.step == 1200000);
	CHECK(first.mark != second.mark);
}

static void a_torn_set_is_passed_over(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct checkpoint at;

	CHECK(dir);
	put("namelist.input", good);
	for (int part = 0; part < 5; part++) {
		put_set(4);
		put_set(5);
		CHECK(newest(&at) == 0 && at.step == 3000000);
		put_part(5, part, full[part] / 2);
		CHECK(newest(&at) == 0 && at.step == 2400000);
		put_part(5, part, full[part] - 14400);
		CHECK(newest(&at) == 0 && at.step == 2400000);
		put_part(5, part, 0);
		CHECK(newest(&at) == 0 && at.step == 2400000);
	}
}

static void a_first_set_smaller_than_the_grid_is_torn(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct checkpoint at;

	CHECK(dir);
	put("namelist.input", good);
	for (int part = 0; part < 5; part++) {
		put_set(1);
		put_part(1, part, part == 0 ? 0 : 14400 * 39);
		CHECK(newest(&at) == 1);
	}
	put_set(1);
	put_part(1, 1, full[1] - 1);
	CHECK(newest(&at) == 1);
}

static void a_part_that_is_written_again_makes_another_checkpoint(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	const struct timespec times[] = {{5, 0}, {5, 1}};
	struct checkpoint before, after;

	CHECK(dir);
	put("namelist.input", good);
	put_set(1);
	CHECK(newest(&before) == 0);
	CHECK(utimensat(-1, below("cm1rst_000001_v.dat"), times, 0) == 0);
	CHECK(newest(&after) == 0 && after.mark != before.mark);
}

static void the_next_one_is_a_period_later(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();

	put("namelist.input", changed(good, "  600.0", "0.3"));
	CHECK(dir && adapter_cm1.next(&app, 0) == 300);
	CHECK(adapter_cm1.next(&app, 299) == 300);
	CHECK(adapter_cm1.next(&app, 300) == 600);
	CHECK(adapter_cm1.next(&app, 899) == 900);
	CHECK(adapter_cm1.next(&app, 900) == 1200);
}

/* ---- to go on ---- */

static void it_goes_on_from_the_number_and_not_from_the_switch(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	const struct checkpoint fifth = {.step = 3000000};
	struct adapter_app app = app_here();
	struct error err;

	CHECK(dir);
	put("namelist.input", good);
	CHECK(adapter_cm1.prepare(&app, &fifth, &err) == 0);
	CHECK_TEXT(content("namelist.input"),
		   changed(changed(good, "irst   =  0", "irst   =  1"),
			   "rstnum =  1", "rstnum =  5"));
	CHECK(adapter_cm1.prepare(&app, NULL, &err) == 0);
	CHECK_TEXT(content("namelist.input"),
		   changed(good, "rstnum =  1", "rstnum =  5"));
}

static void a_set_written_while_the_ranks_were_ended_counts_too(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	const struct checkpoint third = {.step = 1800000};
	struct adapter_app app = app_here();
	struct error err;

	CHECK(dir);
	put("namelist.input", good);
	put_set(2);
	CHECK(adapter_cm1.prepare(&app, &third, &err) == 0);
	CHECK(strstr(content("namelist.input"), "rstnum =  3,"));
	put_set(4);
	CHECK(adapter_cm1.prepare(&app, &third, &err) == 0);
	CHECK(strstr(content("namelist.input"), "rstnum =  4,"));
}

static void the_file_keeps_its_mode_and_its_link(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	const struct checkpoint first = {.step = 600000};
	struct adapter_app app = app_here();
	struct stat before, after;
	struct error err;

	CHECK(dir);
	put("real", good);
	CHECK(chmod(below("real"), 0640) == 0);
	CHECK(geteuid() != 0 || chown(below("real"), 12, 34) == 0);
	CHECK(symlink("real", below("namelist.input")) == 0);
	CHECK(stat(below("real"), &before) == 0);
	CHECK(adapter_cm1.prepare(&app, &first, &err) == 0);
	CHECK(lstat(below("namelist.input"), &after) == 0);
	CHECK(S_ISLNK(after.st_mode));
	CHECK(lstat(below("real"), &after) == 0 && S_ISREG(after.st_mode));
	CHECK((after.st_mode & 07777) == 0640);
	CHECK(after.st_uid == before.st_uid && after.st_gid == before.st_gid);
	CHECK(after.st_ino != before.st_ino);
	CHECK(strstr(content("real"), "irst   =  1,"));
	CHECK(access(below("real.bellows"), F_OK) < 0);
}

static void a_file_that_says_so_already_is_left_alone(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	const struct checkpoint first = {.step = 600000};
	struct adapter_app app = app_here();
	struct stat before, after;
	struct error err;

	CHECK(dir);
	put("namelist.input", changed(good, "irst   =  0", "irst   =  1"));
	CHECK(stat(below("namelist.input"), &before) == 0);
	CHECK(adapter_cm1.prepare(&app, &first, &err) == 0);
	CHECK(stat(below("namelist.input"), &after) == 0);
	CHECK(after.st_ino == before.st_ino);
	CHECK(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec);
}

static void the_command_is_the_users(void)
{
	struct adapter_app app = app_here();
	const char *argv[ADAPTER_ARGS_MAX], *many[ADAPTER_ARGS_MAX + 1];
	char text[8];
	struct error err;
	int signo = 1;

	CHECK(adapter_cm1.command(&app, NULL, argv, text, 8, &err) == 0);
	CHECK(argv[0] == command[0] && argv[1] == command[1] && !argv[2]);
	for (int i = 0; i < ADAPTER_ARGS_MAX; i++)
		many[i] = "x";
	many[ADAPTER_ARGS_MAX] = NULL;
	app.command = many;
	CHECK(adapter_cm1.command(&app, NULL, argv, text, 8, &err) == -E2BIG);
	CHECK(adapter_cm1.save(&app, &signo) == SAVE_WATCH && signo == 0);
}

/* ---- lines ---- */

static void lines_tell_the_model_time(void)
{
	static const char *const others[] = {"",
					     "min",
					     "1 min",
					     "12 x min",
					     "12 1.0 week",
					     "12 1.0 minutes",
					     "12 -1.0 min",
					     "x 12 1.0 min",
					     "12 1.0 min left",
					     "12 nan min",
					     "12 1e99 min",
					     "  Writing to restart file!"};
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	struct line_facts facts = {0};

	CHECK(dir);
	put("namelist.input", good);
	CHECK(adapter_cm1.on_line(&app, "        61      6.100000 min",
				  &facts) == LINE_PROGRESS);
	CHECK(facts.step == 366000 && facts.total == 3600000);
	CHECK(adapter_cm1.on_line(&app, "1 0.05 min\r", &facts) ==
	      LINE_PROGRESS);
	CHECK(facts.step == 3000);
	for (size_t i = 0; i < LENGTH(others); i++)
		CHECK(adapter_cm1.on_line(&app, others[i], &facts) ==
		      LINE_OTHER);
	CHECK(adapter_cm1.on_line(&app, " Program terminated normally",
				  &facts) == LINE_FINISHED);
	facts = (struct line_facts){0};
	CHECK(adapter_cm1.on_line(&app, "  This is a restart.", &facts) ==
	      LINE_RESUMED);
	CHECK(facts.step == 0);
}

static void times_have_the_units_of_timeformat(void)
{
	static const struct {
		const char *line;
		uint64_t step;
	} cases[] = {
		{"  0  0.000000 sec ", 0},
		{"  1  7.500000  sec", 7500},
		{"  1  7.500000 sec ", 7500},
		{"  1  0.125000 min ", 7500},
		{"  1  0.500000 hour", 1800000},
		{"  1  1.500000 day ", 129600000},
	};
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	struct line_facts facts;

	CHECK(dir);
	put("namelist.input", good);
	for (size_t i = 0; i < LENGTH(cases); i++) {
		CHECK(adapter_cm1.on_line(&app, cases[i].line, &facts) ==
		      LINE_PROGRESS);
		CHECK(facts.step == cases[i].step);
	}
}

/* Single precision, six decimals and a tenth of a step: 7200 s are shown as
 * 0.083333 days, which are 7199.97 s. */
static void a_time_that_may_be_a_checkpoints_is_taken_for_it(void)
{
	static const struct {
		const char *line;
		uint64_t step;
	} cases[] = {
		{"1 0.083333 day", 7200000},
		{"1 0.083321 day", 7198934},
		{"1 100.000008 day", 8640000000},
		{"1 7199.000000 sec", 7200000},
		{"1 7198.900000 sec", 7198900},
		{"1 7201.100000 sec", 7201100},
	};
	CLEANUP(folder_remove) char *dir = folder_create("cm1");
	struct adapter_app app = app_here();
	struct line_facts facts;

	CHECK(dir);
	put("namelist.input",
	    changed(good, "rstfrq =   600.0", "dtl = 10.0, rstfrq = 7200.0"));
	for (size_t i = 0; i < LENGTH(cases); i++) {
		CHECK(adapter_cm1.on_line(&app, cases[i].line, &facts) ==
		      LINE_PROGRESS);
		CHECK(facts.step == cases[i].step);
	}
}

RUN_TESTS(TEST(the_newest_complete_set_counts), TEST(a_torn_set_is_passed_over),
	  TEST(a_first_set_smaller_than_the_grid_is_torn),
	  TEST(a_part_that_is_written_again_makes_another_checkpoint),
	  TEST(the_next_one_is_a_period_later),
	  TEST(it_goes_on_from_the_number_and_not_from_the_switch),
	  TEST(a_set_written_while_the_ranks_were_ended_counts_too),
	  TEST(the_file_keeps_its_mode_and_its_link),
	  TEST(a_file_that_says_so_already_is_left_alone),
	  TEST(the_command_is_the_users), TEST(lines_tell_the_model_time),
	  TEST(times_have_the_units_of_timeformat),
	  TEST(a_time_that_may_be_a_checkpoints_is_taken_for_it))
