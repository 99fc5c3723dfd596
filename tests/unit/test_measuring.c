/* SPDX-License-Identifier: Apache-2.0 */
#include "supersteps/measuring.h"

#include "base/file.h"
#include "supersteps/application_files.h"
#include "tests/check.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static struct error err;
static char path[] = "/tmp/bellows-measuring-XXXXXX";
static double steps[] = {10, 30, 20, 50};
static struct supersteps_task tasks[] = {
	{.name = "a", .series = steps, .n = 4},
	{.name = "b", .series = steps, .n_past = 1, .n = 2},
};
static const struct supersteps application = {
	.rules = {.tasks = 2,
		  .least = 100,
		  .increment = 100,
		  .increments = 20,
		  .level_max = 1000},
	.tasks = tasks,
};
static const struct measuring_wish few = {
	.repeat = 2,
	.axes = {.workloads = {1, 2},
		 .n_workloads = 2,
		 .shares = {100, 200},
		 .n_shares = 2},
};

static void fresh(void)
{
	strcpy(strrchr(path, '-') + 1, "XXXXXX");
	close(mkstemp(path));
}

static int begin(struct measuring *measuring, const struct measuring_wish *wish)
{
	return measuring_begin(measuring, &application, wish, path, &err);
}

static void measure(struct measuring *measuring, double seconds)
{
	measuring_add(measuring, measuring_next(measuring), seconds, 0, 0,
		      &err);
}

static void put(const char *text)
{
	fresh();
	file_replace(path, 0644, text, strlen(text), &err);
}

static void axes_go_from_the_fewest_to_the_most(void)
{
	const struct measuring_wish wish = {.repeat = 1, .processors = 2};
	struct measuring measuring;
	const struct measured_cell *last;

	fresh();
	CHECK(begin(&measuring, &wish) == 0);
	CHECK(measuring.cells[0].workload == 10);
	CHECK(measuring.cells[0].shares == 100);
	CHECK(measuring.cells[1].shares == 200);
	last = &measuring.cells[measuring.n - 1];
	/* of b, whose two steps and past are 10 to 30; of two processors */
	CHECK(last->task == 1 && last->workload == 30 && last->shares == 2000);
	measuring_fini(&measuring);
	unlink(path);
}

static void each_cell_is_measured_once_before_any_is_twice(void)
{
	struct measuring measuring;

	fresh();
	CHECK(begin(&measuring, &few) == 0);
	CHECK(measuring.n == 8 && measuring_left(&measuring) == 16);
	for (unsigned i = 0; i < 16; i++) {
		CHECK(measuring_next(&measuring) == &measuring.cells[i % 8]);
		measure(&measuring, 1 + i);
	}
	CHECK(!measuring_next(&measuring) && measuring_left(&measuring) == 0);
	CHECK(measuring.cells[0].mean == 5 && measuring.cells[0].most == 9);
	measuring_fini(&measuring);
	unlink(path);
}

static void what_was_measured_is_not_measured_again(void)
{
	struct measuring measuring;

	fresh();
	CHECK(begin(&measuring, &few) == 0);
	for (unsigned i = 0; i < 3; i++)
		measure(&measuring, 4);
	measuring_fini(&measuring);
	CHECK(begin(&measuring, &few) == 0);
	CHECK(measuring_next(&measuring) == &measuring.cells[3]);
	CHECK(measuring_left(&measuring) == 13);
	CHECK(measuring.cells[2].mean == 4);
	measuring_fini(&measuring);
	unlink(path);
}

static void a_line_that_is_torn_is_measured_again(void)
{
	struct measuring measuring;
	char text[400];
	size_t size;

	put("task,workload,shares,seconds\na,1,100,4\na,1,200,3");
	CHECK(begin(&measuring, &few) == 0);
	CHECK(measuring_next(&measuring) == &measuring.cells[1]);
	measure(&measuring, 2);
	measuring_fini(&measuring);
	CHECK(file_read(path, text, sizeof(text) - 1, &size, &err) == 0);
	text[size] = '\0';
	CHECK_TEXT(text, "task,workload,shares,seconds\na,1,100,4\n"
			 "a,1,200,2.000000,0.000000,0.000000\n");
	unlink(path);
}

static void two_programs_do_not_measure_into_one_file(void)
{
	struct measuring first, second;

	fresh();
	CHECK(begin(&first, &few) == 0);
	CHECK(begin(&second, &few) == -EAGAIN);
	CHECK(strncmp(err.text, "another program measures into /tmp/", 35) ==
	      0);
	measuring_fini(&second);
	measuring_fini(&first);
	unlink(path);
}

static void a_line_of_other_cells_is_refused(void)
{
	struct measuring measuring;

	put("b,1,100,4\na,3,100,4\n");
	CHECK(begin(&measuring, &few) == -EINVAL);
	CHECK_TEXT(err.text + strlen(path),
		   ":2: the task a was measured with a workload of 3 and "
		   "100 shares, which are not measured now: the same "
		   "numbers, or another file");
	measuring_fini(&measuring);
	put("b,1,100,4\na,1,100,x\n");
	CHECK(begin(&measuring, &few) == -EINVAL);
	measuring_fini(&measuring);
	put("b,1,100,4\na,1\n");
	CHECK(begin(&measuring, &few) == -EINVAL);
	measuring_fini(&measuring);
	unlink(path);
}

static void a_wish_that_cannot_be_is_refused(void)
{
	struct measuring_wish wish = few;
	struct measuring measuring;

	fresh();
	unlink(path);
	wish.axes.shares[0] = 200;
	wish.axes.shares[1] = 300;
	CHECK(begin(&measuring, &wish) == -EINVAL);
	CHECK_TEXT(err.text, "shares are measured from 200 on, and a task may "
			     "have 100 ('least')");
	measuring_fini(&measuring);
	wish.axes.shares[1] = 200;
	CHECK(begin(&measuring, &wish) == -EINVAL);
	CHECK_TEXT(err.text, "shares are to ascend, and 200 follows 200");
	measuring_fini(&measuring);
	CHECK(access(path, F_OK) < 0);
	unlink(path);
}

static void what_is_written_is_a_profile(void)
{
	struct supersteps_task copies[] = {tasks[0], tasks[1]};
	struct supersteps copy = application;
	struct measuring measuring;

	fresh();
	copy.tasks = copies;
	CHECK(begin(&measuring, &few) == 0);
	while (measuring_next(&measuring))
		measure(&measuring, 0.5);
	measuring_fini(&measuring);
	CHECK(supersteps_read_profile(&copy, path, &err) == 0);
	CHECK(share_profile_seconds(&copies[1].profile, 1.5, 150) == 0.5);
	free(copies[0].numbers);
	free(copies[1].numbers);
	unlink(path);
}

static void noise_is_the_range_of_the_measurements(void)
{
	CHECK(measured_noise(&(struct measured_cell){.n = 1, .mean = 4}) < 0);
	CHECK(measured_noise(&(struct measured_cell){
		      .n = 2, .mean = 4, .least = 3, .most = 5}) == 0.5);
}

RUN_TESTS(TEST(axes_go_from_the_fewest_to_the_most),
	  TEST(each_cell_is_measured_once_before_any_is_twice),
	  TEST(what_was_measured_is_not_measured_again),
	  TEST(a_line_that_is_torn_is_measured_again),
	  TEST(two_programs_do_not_measure_into_one_file),
	  TEST(a_line_of_other_cells_is_refused),
	  TEST(a_wish_that_cannot_be_is_refused),
	  TEST(what_is_written_is_a_profile),
	  TEST(noise_is_the_range_of_the_measurements))
