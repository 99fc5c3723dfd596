/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/shm.h"
#include "tests/check.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

#define VARIABLE "OMPI_MCA_btl_vader_backing_directory"

static bool is_there(const char *dir, const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static void put(const char *dir, const char *name)
{
	char path[256];
	CLEANUP(close) int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
}

static void a_rank_alone_needs_none(void)
{
	struct shm shm;

	CHECK(shm_has_room("/nowhere", 1, NULL));
	CHECK(shm_has_room("/nowhere", 0, NULL));
	CHECK(shm_begin(&shm, 1, "/nowhere", NULL) == 0);
	CHECK(!*shm.word && !*shm.dir.path);
	shm_end(&shm);
}

static void what_is_not_there_has_no_room(void)
{
	struct error err;

	CHECK(!shm_has_room("/nowhere", 2, &err));
	CHECK(strstr(err.text, "/nowhere"));
}

static void room_is_five_mebibytes_for_each_rank(void)
{
	struct statvfs fs;
	unsigned long long mib;
	struct error err;
	char text[64];

	CHECK(statvfs("/dev/shm", &fs) == 0);
	mib = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
	if (mib >= 20)
		CHECK(shm_has_room("/dev/shm", 2, &err));
	CHECK(!shm_has_room("/dev/shm", (unsigned)(mib / 5) + 1000, &err));
	snprintf(text, sizeof(text), "ranks need %llu", (mib / 5 + 1000) * 5);
	CHECK(strstr(err.text, text));
}

static void ranks_have_a_directory_that_goes_with_their_segments(void)
{
	struct shm shm;
	struct stat st;
	char dir[64], word[128];

	CHECK(shm_begin(&shm, 2, "/nowhere", NULL) == 0);
	snprintf(dir, sizeof(dir), "%.63s", shm.dir.path);
	snprintf(word, sizeof(word), VARIABLE "=%s", dir);
	CHECK(strcmp(shm.word, word) == 0);
	CHECK(stat(dir, &st) == 0 && (st.st_mode & 07777) == 0700);
	put(dir, "vader_segment.host.0.56260001.0");
	shm_end(&shm);
	CHECK(!is_there(dir, "."));
	shm_end(&shm);
}

static void where_there_is_no_room_the_caller_s_is_taken(void)
{
	struct shm shm;
	struct error err;

	CHECK(shm_begin(&shm, 1u << 30, "/tmp/mine", &err) == 1);
	CHECK(strstr(err.text, "/dev/shm has "));
	CHECK(strcmp(shm.word, VARIABLE "=/tmp/mine") == 0);
	shm_end(&shm);
}

static void what_the_user_has_set_holds(void)
{
	struct shm shm;

	setenv(VARIABLE, "/tmp", 1);
	CHECK(shm_begin(&shm, 2, "/nowhere", NULL) == 0);
	CHECK(!*shm.word && !*shm.dir.path);
	unsetenv(VARIABLE);
}

static void what_a_killed_one_left_goes_when_another_begins(void)
{
	struct shm shm;
	char left[64];
	int fds[2], status;
	pid_t pid;

	CHECK(pipe2(fds, O_CLOEXEC) == 0);
	pid = fork();
	if (pid == 0) {
		shm_begin(&shm, 2, "/nowhere", NULL);
		put(shm.dir.path, "vader_segment.x.1");
		_exit(write(fds[1], shm.dir.path, 64) != 64);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(read(fds[0], left, 64) == 64);
	close(fds[0]);
	close(fds[1]);
	CHECK(is_there(left, "vader_segment.x.1"));
	CHECK(shm_begin(&shm, 2, "/nowhere", NULL) == 0);
	CHECK(!is_there(left, "."));
	shm_end(&shm);
}

RUN_TESTS(TEST(a_rank_alone_needs_none), TEST(what_is_not_there_has_no_room),
	  TEST(room_is_five_mebibytes_for_each_rank),
	  TEST(ranks_have_a_directory_that_goes_with_their_segments),
	  TEST(where_there_is_no_room_the_caller_s_is_taken),
	  TEST(what_the_user_has_set_holds),
	  TEST(what_a_killed_one_left_goes_when_another_begins))
