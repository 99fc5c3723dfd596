/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/ended.h"
#include "jobfile/exit.h"
#include "tests/check.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static char room[] = "/tmp/bellows-ended-XXXXXX";

static bool put(const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/ended", room);
	file = fopen(path, "we");
	return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

static void a_job_that_has_not_ended_has_no_status(void)
{
	CHECK(ended_read(room) == -ENOENT);
	CHECK(ended_read("/nowhere") == -ENOENT);
}

static void the_status_of_one_that_has_is_found_again(void)
{
	CHECK(ended_write(room, 130, NULL) == 0 && ended_read(room) == 130);
	CHECK(ended_write(room, 75, NULL) == 0 && ended_read(room) == 75);
}

static void what_is_no_status_is_none(void)
{
	CHECK(put("") && ended_read(room) == -ENOENT);
	CHECK(put("yes\n") && ended_read(room) == -ENOENT);
	CHECK(put("-1\n") && ended_read(room) == -ENOENT);
	CHECK(put("256\n") && ended_read(room) == -ENOENT);
}

static void a_directory_that_is_not_there_is_named(void)
{
	struct error err;

	CHECK(ended_write("/nowhere", 3, &err) == -ENOENT);
	CHECK_TEXT(err.text, "/nowhere/ended: No such file or directory");
}

static void only_what_would_end_so_again_is_for_good(void)
{
	CHECK(ended_for_good(EXIT_CANCELLED, false));
	CHECK(ended_for_good(EXIT_SUSPENDED, false));
	CHECK(ended_for_good(3, false));
	CHECK(!ended_for_good(EXIT_SUSPENDED, true));
	CHECK(!ended_for_good(EXIT_UNREACHABLE, false));
	CHECK(!ended_for_good(EXIT_SYSTEM, false));
}

static const struct test tests[] = {
	TEST(a_job_that_has_not_ended_has_no_status),
	TEST(the_status_of_one_that_has_is_found_again),
	TEST(what_is_no_status_is_none),
	TEST(a_directory_that_is_not_there_is_named),
	TEST(only_what_would_end_so_again_is_for_good),
};

int main(void)
{
	char path[128];
	int r;

	if (!mkdtemp(room))
		return 1;
	r = run_tests(tests, sizeof(tests) / sizeof(tests[0]));
	snprintf(path, sizeof(path), "%s/ended", room);
	unlink(path);
	rmdir(room);
	return r;
}
