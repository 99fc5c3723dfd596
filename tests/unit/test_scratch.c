/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/scratch.h"
#include "base/tree.h"
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define PREFIX "bx-"

enum { ANOTHER = 12345 };

static char room[] = "/tmp/scratch-XXXXXX";

static void begin(void)
{
	strcpy(room + strlen(room) - 6, "XXXXXX");
	CHECK(mkdtemp(room));
}

static void end(void)
{
	tree_remove_path(room, NULL);
}

static bool is_there(const char *dir, const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static void put(const char *dir, const char *name, const char *text)
{
	char path[PATH_MAX + 64];
	CLEANUP(close) int fd = -1;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(fd >= 0 && write(fd, text, strlen(text)) >= 0);
}

/* What a process that is killed has made: a file in a directory. */
static void leave_behind(char path[PATH_MAX])
{
	struct scratch left;
	char below[PATH_MAX + 64];
	int fds[2], status;
	pid_t pid;

	CHECK(pipe2(fds, O_CLOEXEC) == 0);
	pid = fork();
	if (pid == 0) {
		if (scratch_make(&left, room, PREFIX, NULL) < 0 ||
		    write(fds[1], left.path, PATH_MAX) != PATH_MAX)
			_exit(1);
		raise(SIGKILL);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	CHECK(read(fds[0], path, PATH_MAX) == PATH_MAX);
	close(fds[0]);
	close(fds[1]);
	snprintf(below, sizeof(below), "%s/ompi", path);
	CHECK(mkdir(below, 0700) == 0);
	put(below, "segment", "1");
}

static void a_directory_of_the_user_alone_is_made_and_removed(void)
{
	struct scratch scratch;
	struct stat st;
	char path[PATH_MAX];

	begin();
	CHECK(scratch_make(&scratch, room, PREFIX, NULL) == 0);
	memcpy(path, scratch.path, sizeof(path));
	CHECK(strncmp(path, room, strlen(room)) == 0);
	CHECK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0700);
	put(path, "file", "1");
	CHECK(scratch_remove(&scratch, NULL) == 0);
	CHECK(!is_there(path, "."));
	CHECK(scratch_remove(&scratch, NULL) == 0);
	end();
}

static void one_that_a_killed_process_has_left_is_swept(void)
{
	struct scratch living;
	char left[PATH_MAX];

	begin();
	CHECK(scratch_make(&living, room, PREFIX, NULL) == 0);
	leave_behind(left);
	scratch_sweep(room, PREFIX);
	CHECK(!is_there(left, "."));
	CHECK(is_there(living.path, "."));
	scratch_remove(&living, NULL);
	end();
}

static void one_of_another_name_stays(void)
{
	char left[PATH_MAX];

	begin();
	leave_behind(left);
	scratch_sweep(room, "by-");
	CHECK(is_there(left, "ompi/segment"));
	end();
}

/* Of another program, of an older version, or about to be locked. */
static void one_without_a_mark_stays(void)
{
	char left[PATH_MAX], mark[PATH_MAX + 64];

	begin();
	leave_behind(left);
	snprintf(mark, sizeof(mark), "%s/.bellows", left);
	CHECK(unlink(mark) == 0);
	scratch_sweep(room, PREFIX);
	CHECK(is_there(left, "ompi/segment"));
	end();
}

static void one_of_another_host_stays(void)
{
	char left[PATH_MAX];

	begin();
	leave_behind(left);
	put(left, ".bellows", "another boot\n");
	scratch_sweep(room, PREFIX);
	CHECK(is_there(left, "ompi/segment"));
	end();
}

static void what_a_link_leads_to_stays(void)
{
	char left[PATH_MAX], moved[PATH_MAX], link[PATH_MAX];

	begin();
	leave_behind(left);
	snprintf(moved, sizeof(moved), "%s/elsewhere", room);
	snprintf(link, sizeof(link), "%s/bx-link12", room);
	CHECK(rename(left, moved) == 0 && symlink(moved, link) == 0);
	scratch_sweep(room, PREFIX);
	CHECK(is_there(moved, "ompi/segment"));
	end();
}

static void without_its_parent_it_cannot_be_made(void)
{
	struct scratch scratch;
	struct error err;

	begin();
	end();
	CHECK(scratch_make(&scratch, room, PREFIX, &err) == -ENOENT);
	CHECK(strstr(err.text, room) && !*scratch.path);
}

static bool make(struct scratch *scratch)
{
	begin();
	return scratch_make(scratch, room, PREFIX, NULL) == 0;
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 ? st.st_mode & 07777 : 0;
}

static void one_that_was_removed_is_made_again_and_kept(void)
{
	struct scratch scratch;

	CHECK(make(&scratch));
	CHECK(scratch_restore(&scratch, NULL) == 0);
	CHECK(tree_remove_path(scratch.path, NULL) == 0);
	CHECK(scratch_restore(&scratch, NULL) == 1);
	CHECK(mode_of(scratch.path) == 0700);
	CHECK(is_there(scratch.path, ".bellows"));
	scratch_sweep(room, PREFIX);
	CHECK(scratch_restore(&scratch, NULL) == 0);
	scratch_remove(&scratch, NULL);
	end();
}

static void its_parent_is_made_again_as_well(void)
{
	struct scratch scratch;
	char below[PATH_MAX];

	begin();
	snprintf(below, sizeof(below), "%s/a", room);
	CHECK(mkdir(below, 0700) == 0);
	strcat(below, "/b");
	CHECK(mkdir(below, 0700) == 0);
	CHECK(scratch_make(&scratch, below, PREFIX, NULL) == 0);
	end();
	CHECK(scratch_restore(&scratch, NULL) == 1);
	CHECK(mode_of(below) == 0700 && mode_of(scratch.path) == 0700);
	end();
}

/* As an MPI daemon does. */
static void one_that_another_program_made_again_is_taken(void)
{
	struct scratch scratch;

	CHECK(make(&scratch));
	CHECK(tree_remove_path(scratch.path, NULL) == 0);
	CHECK(mkdir(scratch.path, 0755) == 0);
	CHECK(chmod(scratch.path, 0755) == 0);
	CHECK(scratch_restore(&scratch, NULL) == 1);
	CHECK(mode_of(scratch.path) == 0700);
	CHECK(is_there(scratch.path, ".bellows"));
	CHECK(scratch_restore(&scratch, NULL) == 0);
	scratch_remove(&scratch, NULL);
	end();
}

static void a_file_that_has_its_name_stays(void)
{
	struct scratch scratch;
	struct error err;

	CHECK(make(&scratch));
	CHECK(tree_remove_path(scratch.path, NULL) == 0);
	CHECK(symlink(room, scratch.path) == 0);
	CHECK(scratch_restore(&scratch, &err) == -EEXIST);
	CHECK(strstr(err.text, scratch.path));
	CHECK(unlink(scratch.path) == 0);
	put(room, strrchr(scratch.path, '/') + 1, "1");
	CHECK(scratch_restore(&scratch, &err) == -EEXIST);
	CHECK(mode_of(scratch.path) == 0600);
	end();
}

/* Root takes the part of another user. */
static void what_another_user_has_made_meanwhile_is_not_taken(void)
{
	struct scratch scratch;
	struct error err;

	if (geteuid() != 0) {
		printf("# not root: nothing can be made another user's\n");
		return;
	}
	CHECK(make(&scratch));
	CHECK(tree_remove_path(scratch.path, NULL) == 0);
	CHECK(chown(room, ANOTHER, -1) == 0);
	CHECK(scratch_restore(&scratch, &err) == -EPERM);
	CHECK(strstr(err.text, room));
	CHECK(chown(room, 0, -1) == 0 && mkdir(scratch.path, 0700) == 0);
	CHECK(chown(scratch.path, ANOTHER, -1) == 0);
	CHECK(scratch_restore(&scratch, &err) == -EPERM);
	CHECK(strstr(err.text, scratch.path));
	end();
}

RUN_TESTS(TEST(a_directory_of_the_user_alone_is_made_and_removed),
	  TEST(one_that_a_killed_process_has_left_is_swept),
	  TEST(one_of_another_name_stays), TEST(one_without_a_mark_stays),
	  TEST(one_of_another_host_stays), TEST(what_a_link_leads_to_stays),
	  TEST(without_its_parent_it_cannot_be_made),
	  TEST(one_that_was_removed_is_made_again_and_kept),
	  TEST(its_parent_is_made_again_as_well),
	  TEST(one_that_another_program_made_again_is_taken),
	  TEST(a_file_that_has_its_name_stays),
	  TEST(what_another_user_has_made_meanwhile_is_not_taken))
