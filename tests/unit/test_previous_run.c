/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lock.h"
#include "runner/local/previous_run.h"
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct state_dir dir = {"/tmp/test-previous-XXXXXX"};
static int lock = -1, coordinator = -1;
static unsigned told;
static struct error err;

static const char *below(const char *name)
{
	static char path[PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", dir.path, name);
	return path;
}

static void set_up(void)
{
	strcpy(dir.path + strlen(dir.path) - 6, "XXXXXX");
	CHECK(mkdtemp(dir.path));
	told = 0;
}

static void tear_down(void)
{
	unlink(below("run.lock"));
	unlink(below("lock"));
	CHECK(rmdir(dir.path) == 0);
}

/* The run before ends while the next one waits. */
static void on_told(void *user)
{
	int *fd = user;

	told++;
	if (fd && *fd >= 0)
		close(*fd);
}

static int await(int *ends)
{
	return previous_run_await(&dir, "heat", ends ? SECONDS(60) : 0, on_told,
				  ends, &err);
}

static void begin_coordinator(void)
{
	coordinator = open(below("lock"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(lock_take(coordinator) == 0);
}

static void one_that_runs_is_not_waited_for(void)
{
	set_up();
	lock = await(NULL);
	CHECK(lock >= 0);
	CHECK(await(&lock) == -EBUSY && told == 0);
	CHECK(strstr(err.text, "job heat runs already"));
	close(lock);
	lock = await(NULL);
	CHECK(lock >= 0);
	close(lock);
	tear_down();
}

static void one_that_is_ending_is_waited_for(void)
{
	int next;

	set_up();
	lock = await(NULL);
	previous_run_mark_ending(lock);
	CHECK(await(NULL) == -EBUSY);
	CHECK(strstr(err.text, "did not end within 0 s"));
	next = await(&lock);
	CHECK(next >= 0 && told == 1);
	/* what the run before has written is not said of this one */
	told = 0;
	CHECK(await(&next) == -EBUSY && told == 0);
	close(next);
	tear_down();
}

static void a_coordinator_that_outlives_its_command_is_waited_for(void)
{
	set_up();
	begin_coordinator();
	CHECK(await(&coordinator) == -EBUSY && told == 0);
	CHECK(write(coordinator, "ending", 6) == 6);
	lock = await(&coordinator);
	CHECK(lock >= 0 && told == 1);
	close(lock);
	tear_down();
}

static void a_look_tells_whether_a_run_is_alive_ending_or_over(void)
{
	set_up();
	CHECK(previous_run_look(&dir, &err) == RUN_OVER);
	lock = await(NULL);
	CHECK(previous_run_look(&dir, &err) == RUN_ALIVE);
	begin_coordinator();
	CHECK(previous_run_look(&dir, &err) == RUN_ALIVE);
	previous_run_mark_ending(lock);
	CHECK(previous_run_look(&dir, &err) == RUN_ENDING);
	close(lock); /* its coordinator outlives it */
	CHECK(previous_run_look(&dir, &err) == RUN_ALIVE);
	CHECK(write(coordinator, "ending", 6) == 6);
	CHECK(previous_run_look(&dir, &err) == RUN_ENDING);
	close(coordinator);
	CHECK(previous_run_look(&dir, &err) == RUN_OVER);
	tear_down();
}

static void a_folder_that_cannot_be_looked_into_is_an_error(void)
{
	set_up();
	CHECK(symlink("lock", below("run.lock")) == 0);
	CHECK(previous_run_look(&dir, &err) == -ELOOP);
	CHECK(strstr(err.text, "/run.lock: "));
	tear_down();
}

/* Looks until it is killed, and says when it has begun. */
static void begin_looking(pid_t *pid)
{
	int ready[2];
	char byte;

	CHECK(pipe(ready) == 0);
	*pid = fork();
	CHECK(*pid >= 0);
	while (*pid == 0) {
		previous_run_look(&dir, &err);
		close(ready[1]);
	}
	close(ready[1]);
	CHECK(read(ready[0], &byte, 1) == 0);
	close(ready[0]);
}

static void a_run_that_begins_does_not_notice_who_looks(void)
{
	pid_t pid = 0;

	set_up();
	close(await(NULL));
	begin_coordinator();
	close(coordinator);
	begin_looking(&pid);
	CHECK(pid > 0);
	for (int i = 0; i < 5000; i++) {
		lock = await(NULL);
		CHECK(lock >= 0);
		begin_coordinator();
		close(coordinator);
		close(lock);
	}
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, NULL, 0) == pid);
	tear_down();
}

RUN_TESTS(TEST(a_look_tells_whether_a_run_is_alive_ending_or_over),
	  TEST(a_folder_that_cannot_be_looked_into_is_an_error),
	  TEST(a_run_that_begins_does_not_notice_who_looks),
	  TEST(one_that_runs_is_not_waited_for),
	  TEST(one_that_is_ending_is_waited_for),
	  TEST(a_coordinator_that_outlives_its_command_is_waited_for))
