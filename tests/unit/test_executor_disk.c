/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/disk.h"
#include "executor/tmpdir.h"
#include "tests/check.h"
#include "tests/unit/hanging_open.h"
#include "tests/unit/run_loop.h"

#include <stdlib.h>
#include <sys/stat.h>

#define LONG SECONDS(60)

static struct executor ex;
static struct disk *disk;
static char told[512];   /* a word for each report */
static unsigned awaited; /* reports */

void executor_report(struct executor *of, Bellows__V1__Report *r)
{
	if (r->what_case == BELLOWS__V1__REPORT__WHAT_PROGRAM_ENDED)
		strcat(told, "ended ");
	else
		strcat(told, *r->disk->trouble ? "trouble " : "well ");
	if (--awaited == 0)
		loop_stop(ex.loop, 0);
}

/* ---- what a look asks for; nothing was removed ---- */

int tmpdir_restore(struct executor *of, struct error *err)
{
	return 0;
}

bool tmpdir_is_lost(int failure)
{
	return false;
}

bool executor_ask_for_release(struct executor *of, const char *why)
{
	return false;
}

/* Until so many reports have come; false if they do not. */
static bool run(unsigned reports)
{
	awaited = reports;
	return run_loop(ex.loop, LONG) == 0;
}

static void begin(void)
{
	hanging_open_begin();
	*told = '\0';
	ex.session = SESSION_ATTACHED;
	loop_create(&ex.loop, NULL);
	snprintf(ex.tmpdir.path, sizeof(ex.tmpdir.path), "/tmp/disk-XXXXXX");
	CHECK(mkdtemp(ex.tmpdir.path) && disk_create(&disk, &ex, NULL) == 0);
}

static void end(void)
{
	disk = disk_destroy(disk);
	ex.loop = loop_destroy(ex.loop);
	rmdir(ex.tmpdir.path);
}

static void report(void)
{
	Bellows__V1__ProgramEnded ended = BELLOWS__V1__PROGRAM_ENDED__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	ended.text = "its last words";
	r.what_case = BELLOWS__V1__REPORT__WHAT_PROGRAM_ENDED;
	r.program_ended = &ended;
	disk_report(disk, &r);
}

/* A look that hangs. */
static void hang(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LONG / 1000;
	hangs = true;
	disk_look(disk, true);
	CHECK(sem_timedwait(&looking, &until) == 0);
}

static void what_changes_is_told_once(void)
{
	begin();
	CHECK(rmdir(ex.tmpdir.path) == 0);
	disk_look(disk, true);
	CHECK(run(1));
	disk_look(disk, true);
	report();
	CHECK(run(1));
	CHECK(mkdir(ex.tmpdir.path, 0700) == 0);
	disk_look(disk, true);
	CHECK(run(1));
	CHECK_TEXT(told, "trouble ended well ");
	end();
}

static void a_failure_is_reported_after_what_may_be_its_reason(void)
{
	begin();
	CHECK(rmdir(ex.tmpdir.path) == 0);
	report();
	CHECK_TEXT(told, "");
	CHECK(run(2));
	CHECK_TEXT(told, "trouble ended ");
	end();
}

static void a_look_that_began_before_a_failure_does_not_count(void)
{
	begin();
	hang();
	report();
	answer();
	CHECK(run(1) && looks == 2);
	CHECK_TEXT(told, "ended ");
	end();
}

static void a_failure_is_reported_without_an_answer_too(void)
{
	begin();
	hang();
	report();
	report();
	CHECK(run(2));
	CHECK_TEXT(told, "ended ended ");
	answer();
	end();
	CHECK_TEXT(told, "ended ended ");
}

static void what_waits_is_forgotten(void)
{
	begin();
	hang();
	report();
	disk_forget(disk);
	answer();
	CHECK(rmdir(ex.tmpdir.path) == 0);
	disk_look(disk, true);
	CHECK(run(1));
	CHECK_TEXT(told, "trouble ");
	end();
}

RUN_TESTS(TEST(what_changes_is_told_once),
	  TEST(a_failure_is_reported_after_what_may_be_its_reason),
	  TEST(a_look_that_began_before_a_failure_does_not_count),
	  TEST(a_failure_is_reported_without_an_answer_too),
	  TEST(what_waits_is_forgotten))
