/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "profiler/counters.h"
#include "tests/check.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGES = 1000, PAGE = 4096 };

/* Counted by the kernel, on machines without hardware counters, too. */
static const struct counter_event of_software[] = {
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
};

static void touch_pages(void)
{
	char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(at, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (int i = 0; at != MAP_FAILED && i < PAGES; i++)
		at[i * PAGE] = 1;
}

static void touch_pages_in_a_grandchild(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (fork() == 0) {
			touch_pages();
			_exit(0);
		}
		wait(&status);
		_exit(0);
	}
	waitpid(child, &status, 0);
}

static void what_children_of_children_do_is_counted(void)
{
	struct counters counters = COUNTERS_NONE;
	double before[2], after[2];
	struct error err;

	if (counters_open(&counters, of_software, LENGTH(of_software), &err) <
	    0) {
		printf("# skipped: %s\n", err.text);
		return;
	}
	CHECK(counters_read(&counters, before, &err) == 0);
	touch_pages_in_a_grandchild();
	CHECK(counters_read(&counters, after, &err) == 0);
	CHECK(after[0] - before[0] >= PAGES);
	CHECK(after[1] > before[1]);
	counters_close(&counters);
	CHECK(counters.n == 0);
}

static void counters_that_are_not_there_are_told_in_a_sentence(void)
{
	static const struct counter_event none[] = {
		{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
		{PERF_TYPE_SOFTWARE, 10000},
	};
	struct counters counters = COUNTERS_NONE;
	struct error err = {""};

	CHECK(counters_open(&counters, none, LENGTH(none), &err) < 0);
	CHECK(strstr(err.text, "counters"));
	CHECK(counters.n == 0);
}

RUN_TESTS(TEST(what_children_of_children_do_is_counted),
	  TEST(counters_that_are_not_there_are_told_in_a_sentence))
