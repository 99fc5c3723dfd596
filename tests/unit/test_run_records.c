/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/run_records.h"
#include "tests/check.h"
#include "tests/unit/synced.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/test-state-XXXXXX", dir[64];

static void set_up(void)
{
	strcpy(root + strlen(root) - 6, "XXXXXX");
	CHECK(mkdtemp(root));
	snprintf(dir, sizeof(dir), "%s/job", root);
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", root);
	CHECK(system(command) == 0);
}

static void it_is_made_for_its_user_alone(void)
{
	struct stat st;
	int lock;

	set_up();
	lock = run_records_lock(dir, NULL);
	CHECK(lock >= 0 && stat(dir, &st) == 0);
	CHECK((st.st_mode & 0777) == 0700);
	close(lock);
	tear_down();
}

static void a_second_coordinator_is_refused_while_the_first_lives(void)
{
	struct error err;
	char text[128];
	int lock;

	set_up();
	lock = run_records_lock(dir, NULL);
	CHECK(run_records_lock(dir, &err) == -EBUSY);
	snprintf(text, sizeof(text), "%s: another coordinator runs this job",
		 dir);
	CHECK_TEXT(err.text, text);
	run_records_mark_ending(dir);
	CHECK(read(lock, text, sizeof(text)) == 6);
	CHECK(memcmp(text, "ending", 6) == 0);
	close(lock);
	lock = run_records_lock(dir, NULL);
	CHECK(lock >= 0 && read(lock, text, sizeof(text)) == 0);
	close(lock);
	tear_down();
}

static void a_directory_others_can_write_to_is_refused(void)
{
	set_up();
	CHECK(mkdir(dir, 0700) == 0 && chmod(dir, 0777) == 0);
	CHECK(run_records_lock(dir, NULL) == -EPERM);
	tear_down();
}

static void a_symbolic_link_is_refused(void)
{
	set_up();
	CHECK(symlink("/tmp", dir) == 0);
	CHECK(run_records_lock(dir, NULL) < 0);
	tear_down();
}

static void the_address_is_told_and_taken_back(void)
{
	char path[96], text[32] = "";
	int lock;
	FILE *f;

	set_up();
	lock = run_records_lock(dir, NULL);
	synced_forget();
	CHECK(run_records_tell(dir, "unix:/x", NULL) == 0 && synced_has(dir));
	snprintf(path, sizeof(path), "%s/address", dir);
	f = fopen(path, "r");
	CHECK(f && fgets(text, sizeof(text), f));
	fclose(f);
	CHECK_TEXT(text, "unix:/x\n");
	run_records_clear(dir);
	CHECK(access(path, F_OK) < 0 && errno == ENOENT);
	close(lock);
	tear_down();
}

static void records_of_the_run_before_are_set_aside_once(void)
{
	char path[96];
	int lock;

	set_up();
	lock = run_records_lock(dir, NULL);
	for (int run = 1; run <= 2; run++) {
		snprintf(path, sizeof(path), "%s/epoch-%d.stdout", dir, run);
		CHECK(mknod(path, S_IFREG | 0600, 0) == 0);
		CHECK(run_records_set_aside(dir, NULL) == 0);
		CHECK(access(path, F_OK) < 0);
	}
	snprintf(path, sizeof(path), "%s/previous/epoch-2.stdout", dir);
	CHECK(access(path, F_OK) == 0);
	snprintf(path, sizeof(path), "%s/previous/epoch-1.stdout", dir);
	CHECK(access(path, F_OK) < 0);
	close(lock);
	tear_down();
}

static void put(const char *name)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	CHECK(f);
	fclose(f);
}

static bool is_aside(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/previous/%s", dir, name);
	return access(path, F_OK) == 0;
}

static void starts_of_one_that_was_killed_are_counted(void)
{
	int lock;

	set_up();
	CHECK(run_records_former_starts(dir) == 0);
	lock = run_records_lock(dir, NULL);
	put("hostfile-7");
	put("rankfile-7");
	put("epoch-12.stdout");
	put("epoch-x");
	CHECK(run_records_former_starts(dir) == 0); /* it ended by itself */
	put("address");
	CHECK(run_records_former_starts(dir) == 12);

	/* killed again, before it made a start */
	CHECK(run_records_set_aside(dir, NULL) == 0);
	CHECK(is_aside("rankfile-7"));
	CHECK(run_records_former_starts(dir) == 12);
	put("hostfile-13");
	CHECK(run_records_former_starts(dir) == 13);
	run_records_clear(dir);
	CHECK(run_records_former_starts(dir) == 0);
	close(lock);
	tear_down();
}

RUN_TESTS(TEST(it_is_made_for_its_user_alone),
	  TEST(a_second_coordinator_is_refused_while_the_first_lives),
	  TEST(a_directory_others_can_write_to_is_refused),
	  TEST(a_symbolic_link_is_refused),
	  TEST(records_of_the_run_before_are_set_aside_once),
	  TEST(the_address_is_told_and_taken_back),
	  TEST(starts_of_one_that_was_killed_are_counted))
