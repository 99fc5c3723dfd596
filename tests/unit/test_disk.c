/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/disk.h"
#include "coordinator/checkpoint/disk.h"
#include "tests/check.h"
#include "tests/unit/run_loop.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { PATIENCE = 60000, LOOK_EVERY = 5 };

static char dir[64];

static const char *below(const char *name)
{
	static char path[2][128];
	static int at;

	at = !at;
	snprintf(path[at], sizeof(path[at]), "%s/%s", dir, name);
	return path[at];
}

static bool set_up(void)
{
	strcpy(dir, "/tmp/disk-XXXXXX");
	return mkdtemp(dir) != NULL;
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command) != 0)
		printf("# cannot remove %s\n", dir);
}

/* ---- a directory ---- */

static int count_files(void)
{
	DIR *list = opendir(dir);
	int n = -2; /* . and .. */

	while (list && readdir(list))
		n++;
	closedir(list);
	return n;
}

static void a_directory_that_takes_a_file_is_well(void)
{
	CHECK(set_up());
	CHECK(disk_try(dir, 0, true, NULL) == 0);
	CHECK(disk_try(dir, 4096, false, NULL) == 0);
	CHECK(count_files() == 0);
	tear_down();
}

static void what_is_wrong_is_said_with_its_path(void)
{
	struct error err;

	CHECK(disk_try("/no/such", 0, true, &err) == -ENOENT);
	CHECK_TEXT(err.text, "/no/such: No such file or directory");
	CHECK(disk_try("/proc", 0, true, &err) < 0);
	CHECK(strncmp(err.text, "/proc: ", 7) == 0);
}

static void room_that_is_not_there_is_a_full_disk(void)
{
	struct error err;

	CHECK(set_up());
	CHECK(disk_try(dir, UINT64_MAX / 2, true, &err) == -ENOSPC);
	CHECK(strncmp(err.text, dir, strlen(dir)) == 0);
	CHECK(strstr(err.text, ": No space left on device: ") != NULL);
	tear_down();
}

static void a_directory_is_one_that_takes_files(void)
{
	struct error err;

	CHECK(set_up());
	CHECK(disk_check_directory(dir, &err) == 0);
	CHECK(count_files() == 0);
	tear_down();
	CHECK(disk_check_directory("/nowhere", &err) == -ENOENT);
	CHECK(disk_check_directory("/proc", &err) < 0);
	CHECK(strncmp(err.text, "/proc: ", 7) == 0);
	CHECK(disk_check_directory("/etc/passwd", &err) == -ENOTDIR);
	CHECK(strstr(err.text, "it is no directory"));
}

/* ---- those of a job ---- */

static char told[512];
static struct loop *loop;
static struct disk *disk;
static struct loop_timer timer;
static msec_t until;
static const char *awaited;

static void on_told(void *user, const char *text, bool well)
{
	size_t n = strlen(told);

	snprintf(told + n, sizeof(told) - n, "%s%s\n", well ? "" : "! ", text);
}

/* What bellows-launch answers about a directory that has such a name. */
static void answer(const char *name, const char *command)
{
	FILE *f = fopen(below(name), "w");

	if (!f || fprintf(f, "%s\n", command) < 0 || fclose(f) != 0)
		printf("# cannot write %s\n", name);
}

static bool begin(void)
{
	static struct jobfile job;
	FILE *f;

	told[0] = '\0';
	job.app.checkpoint_dir = "/jobs/ck";
	if (!set_up())
		return false;
	f = fopen(below("bellows-launch"), "w");
	if (!f || fprintf(f, "#!/bin/sh\n. %s/${2##*/}\n", dir) < 0 ||
	    fclose(f) != 0 || chmod(below("bellows-launch"), 0700) < 0)
		return false;
	answer("ck", "exit 0");
	answer("st", "exit 0");
	return loop_create(&loop, NULL) == 0 &&
	       disk_create(&disk, loop, &job, "/jobs/st", dir, on_told, NULL,
			   NULL) == 0;
}

static void end(void)
{
	disk_destroy(disk);
	loop_destroy(loop);
	tear_down();
}

static void await(void *user)
{
	bool is = strcmp(disk_trouble(disk), awaited) == 0;

	if (is || loop_now() > until)
		loop_stop(loop, is);
	else
		loop_timer_set(loop, &timer, LOOK_EVERY, await, NULL);
}

static bool comes(const char *trouble)
{
	awaited = trouble;
	until = loop_now() + PATIENCE;
	loop_timer_set(loop, &timer, LOOK_EVERY, await, NULL);
	return loop_run(loop) == 1;
}

static void a_change_is_told_once(void)
{
	CHECK(begin());
	answer("ck", "exit 28");
	disk_look(disk);
	CHECK(comes("checkpoint directory /jobs/ck: No space left on device"));
	/* it is looked at again by itself, until it is well */
	answer("ck", "exit 0");
	answer("st", "exit 30");
	CHECK(comes("state directory /jobs/st: Read-only file system"));
	answer("st", "exit 0");
	CHECK(comes(""));
	CHECK(strstr(told, "! checkpoint directory /jobs/ck: No space left on "
			   "device\n"));
	CHECK(strstr(told, "the checkpoint directory can be written again\n"));
	CHECK(strstr(told,
		     "! state directory /jobs/st: Read-only file system\n"));
	CHECK(strstr(told, "the state directory can be written again\n"));
	end();
}

static void how_much_is_needed_is_said(void)
{
	CHECK(begin());
	answer("ck", "[ $3 = 2048 ] && exit 28");
	disk_set_room(disk, 2048);
	disk_look(disk);
	CHECK(comes("checkpoint directory /jobs/ck: No space left on device; a "
		    "checkpoint takes 2 KiB"));
	end();
}

static void one_that_never_answers_is_told_too(void)
{
	CHECK(begin());
	answer("ck", "exec sleep 600");
	disk_look(disk);
	CHECK(comes("checkpoint directory /jobs/ck: it does not answer"));
	end();
}

static void a_program_that_cannot_be_run_says_nothing_of_disks(void)
{
	CHECK(begin());
	answer("ck", "exit 127");
	answer("st", "exit 5");
	disk_look(disk);
	CHECK(comes("state directory /jobs/st: Input/output error"));
	end();
}

/* ---- who waits for an answer ---- */

static unsigned visits[DISK_PLACES];

static void on_visit(void *user)
{
	enum disk_place place = *(enum disk_place *)user;

	visits[place]++;
	loop_stop(loop, (int)place);
}

/* The place that has answered. */
static int next_answer(void)
{
	return run_loop(loop, PATIENCE);
}

static void visitors_come_once_their_place_has_answered(void)
{
	enum disk_place ck = DISK_CHECKPOINT, st = DISK_STATE;
	struct disk_visitor first = {.fn = on_visit, .user = &ck};
	struct disk_visitor other = {.fn = on_visit, .user = &st};
	char line[128];
	FILE *gate;

	CHECK(begin());
	memset(visits, 0, sizeof(visits));
	list_init(&first.link);
	list_init(&other.link);
	CHECK(mkfifo(below("gate"), 0600) == 0);
	snprintf(line, sizeof(line), "read word < %s; exit 28", below("gate"));
	answer("ck", line);
	disk_visit(disk, ck, &first);
	disk_visit(disk, ck, &first); /* again changes nothing */
	disk_visit(disk, st, &other);
	CHECK(next_answer() == DISK_STATE);
	CHECK(visits[ck] == 0);

	gate = fopen(below("gate"), "w");
	CHECK(gate && fputs("go\n", gate) >= 0 && fclose(gate) == 0);
	CHECK(next_answer() == DISK_CHECKPOINT);
	CHECK(visits[ck] == 1 && visits[st] == 1);
	CHECK(!disk_is_well(disk, DISK_CHECKPOINT)); /* an answer is one */
	end();
}

static void visitors_come_at_once_where_nothing_can_look(void)
{
	enum disk_place ck = DISK_CHECKPOINT;
	struct disk_visitor first = {.fn = on_visit, .user = &ck};

	CHECK(begin());
	memset(visits, 0, sizeof(visits));
	list_init(&first.link);
	CHECK(unlink(below("bellows-launch")) == 0);
	disk_visit(disk, ck, &first);
	CHECK(visits[ck] == 1 || next_answer() == DISK_CHECKPOINT);
	CHECK(visits[ck] == 1);
	end();
}

static void others_are_told_as_they_are_set(void)
{
	CHECK(begin());
	disk_set(disk, DISK_EXECUTORS, "w1: temporary directory /t: full");
	disk_set(disk, DISK_EXECUTORS, "w1: temporary directory /t: full");
	CHECK_TEXT(disk_trouble(disk), "w1: temporary directory /t: full");
	CHECK(!disk_is_well(disk, DISK_EXECUTORS));
	CHECK(disk_is_well(disk, DISK_CHECKPOINT));
	disk_set(disk, DISK_EXECUTORS, "");
	disk_set(disk, DISK_EXECUTORS, "");
	CHECK_TEXT(told, "! w1: temporary directory /t: full\n"
			 "the executors' directories can be written again\n");
	end();
}

RUN_TESTS(TEST(a_directory_that_takes_a_file_is_well),
	  TEST(what_is_wrong_is_said_with_its_path),
	  TEST(room_that_is_not_there_is_a_full_disk),
	  TEST(a_directory_is_one_that_takes_files),
	  TEST(a_change_is_told_once), TEST(how_much_is_needed_is_said),
	  TEST(one_that_never_answers_is_told_too),
	  TEST(a_program_that_cannot_be_run_says_nothing_of_disks),
	  TEST(visitors_come_once_their_place_has_answered),
	  TEST(visitors_come_at_once_where_nothing_can_look),
	  TEST(others_are_told_as_they_are_set))
