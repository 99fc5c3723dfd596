/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/exit_record.h"
#include "jobfile/exit.h"
#include "tests/check.h"
#include "tests/unit/synced.h"

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
	CHECK(exit_record_read(room) == -ENOENT);
	CHECK(exit_record_read("/nowhere") == -ENOENT);
}

static void the_status_of_one_that_has_is_found_again(void)
{
	synced_forget();
	CHECK(exit_record_write(room, 130, NULL) == 0 && synced_has(room) &&
	      exit_record_read(room) == 130);
	CHECK(exit_record_write(room, 75, NULL) == 0 &&
	      exit_record_read(room) == 75);
}

static void what_is_no_status_is_none(void)
{
	CHECK(put("") && exit_record_read(room) == -ENOENT);
	CHECK(put("yes\n") && exit_record_read(room) == -ENOENT);
	CHECK(put("-1\n") && exit_record_read(room) == -ENOENT);
	CHECK(put("256\n") && exit_record_read(room) == -ENOENT);
}

static void a_directory_that_is_not_there_is_named(void)
{
	struct error err;

	CHECK(exit_record_write("/nowhere", 3, &err) == -ENOENT);
	CHECK_TEXT(err.text, "/nowhere/ended: No such file or directory");
}

static void only_what_would_end_so_again_is_for_good(void)
{
	CHECK(exit_is_final(EXIT_CANCELLED, false));
	CHECK(exit_is_final(EXIT_SUSPENDED, false));
	CHECK(exit_is_final(3, false));
	CHECK(!exit_is_final(EXIT_SUSPENDED, true));
	CHECK(!exit_is_final(EXIT_UNREACHABLE, false));
	CHECK(!exit_is_final(EXIT_SYSTEM, false));
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
