/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "cgroup/cgroup.h"
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Control groups of the kernel; test_cgroup.c has trees that are folders. */

static struct cgroup_base base;
static struct cgroup group;
static struct cgroup_usage usage;
static struct error err;

static bool begin(void)
{
	char name[40];

	snprintf(name, sizeof(name), "bellows-test-%d", getpid());
	return cgroup_base_find(&base, NULL, "", &err) == 0 &&
	       cgroup_create(&group, &base, name, &err) == 0;
}

/* A process in the group that runs `fn`. */
static pid_t start(void (*fn)(void))
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	for (unsigned i = 0; i < group.n_joins; i++)
		if (write(group.joins[i], "0", 1) < 0)
			_exit(1);
	/* as each program that it becomes */
	close(group.lock);
	fn();
	_exit(0);
}

static void compute_for_ever(void)
{
	for (volatile unsigned i = 0;; i++)
		;
}

static void touch_64_mib(void)
{
	size_t n = 64 << 20;
	char *room = mmap(NULL, n, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; room != MAP_FAILED && i < n; i += 4096)
		room[i] = 1;
}

static void a_group_that_computes_more_than_it_may_is_held_back(void)
{
	pid_t pid;

	CHECK(begin() && cgroup_set_processors(&group, 0.05, &err) == 0);
	pid = start(compute_for_ever);
	do
		CHECK(cgroup_read(&group, &usage, &err) == 0);
	while (usage.throttled_us == 0);
	CHECK(usage.processor_us > 0);
	CHECK(cgroup_set_processors(&group, 1, &err) == 0);
	CHECK(cgroup_kill(&group, &err) == 0);
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK(cgroup_remove(&group, &err) == 0);
	CHECK(access(group.dirs[CGROUP_CPU], F_OK) < 0);
}

static void a_process_that_takes_more_memory_than_it_may_is_killed(void)
{
	int status;
	pid_t pid;

	CHECK(begin() && cgroup_set_memory(&group, 16 << 20, &err) == 0);
	pid = start(touch_64_mib);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK(cgroup_read(&group, &usage, &err) == 0);
	CHECK(usage.memory_peak > 8 << 20 && usage.memory_peak <= 16 << 20);
	CHECK(cgroup_remove(&group, &err) == 0);
}

static void what_a_former_program_left_is_killed(void)
{
	int status;
	pid_t pid;

	CHECK(begin());
	pid = start(compute_for_ever);
	while (cgroup_read(&group, &usage, &err) == 0 &&
	       usage.processor_us == 0)
		;
	cgroup_fini(&group);
	signal(SIGCHLD, SIG_IGN); /* nobody waits for it */
	CHECK(begin());
	signal(SIGCHLD, SIG_DFL);
	CHECK(waitpid(pid, &status, WNOHANG) < 0);
	CHECK(cgroup_remove(&group, &err) == 0);
}

static void what_a_living_program_has_is_left_alone(void)
{
	struct cgroup other;
	const char *name;

	CHECK(begin());
	name = strrchr(group.dirs[CGROUP_CPU], '/') + 1;
	CHECK(cgroup_clear(&base, name) == 0);
	CHECK(cgroup_create(&other, &base, name, &err) == -EBUSY);
	CHECK(strstr(err.text, " is another program's"));
	cgroup_fini(&other);
	CHECK(access(group.dirs[CGROUP_CPU], F_OK) == 0);
	cgroup_fini(&group);
	CHECK(cgroup_clear(&base, name) == 1);
	CHECK(access(group.dirs[CGROUP_CPU], F_OK) < 0);
}

/* Has that process opened the group's folder? */
static bool is_open_in(pid_t pid)
{
	char link[64], path[PATH_MAX];
	bool is_there = false;

	for (int fd = 0; fd < 64; fd++) {
		ssize_t n;

		snprintf(link, sizeof(link), "/proc/%d/fd/%d", pid, fd);
		n = readlink(link, path, sizeof(path) - 1);
		path[n < 0 ? 0 : n] = '\0';
		is_there |= strcmp(path, group.dirs[CGROUP_CPU]) == 0;
	}
	return is_there;
}

static void a_group_is_made_once_another_program_has_cleared(void)
{
	pid_t mine = getpid(), pid;
	int lock, status;

	CHECK(begin());
	cgroup_fini(&group);
	lock = open(group.dirs[CGROUP_CPU], O_RDONLY | O_CLOEXEC);
	CHECK(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0);
	pid = fork();
	if (pid == 0) {
		while (getppid() == mine && !is_open_in(mine))
			;
		_exit(rmdir(group.dirs[CGROUP_CPU]) < 0);
	}
	close(lock);
	CHECK(begin());
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(cgroup_remove(&group, &err) == 0);
}

static void what_has_no_right_is_named(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		int r = setuid(65534) < 0 ? 1 : begin();

		_exit(r || !strstr(err.text, "cannot make the control group"));
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

static const struct test tests[] = {
	TEST(a_group_that_computes_more_than_it_may_is_held_back),
	TEST(a_process_that_takes_more_memory_than_it_may_is_killed),
	TEST(what_a_former_program_left_is_killed),
	TEST(what_a_living_program_has_is_left_alone),
	TEST(a_group_is_made_once_another_program_has_cleared),
	TEST(what_has_no_right_is_named),
};

int main(void)
{
	if (!begin()) {
		printf("1..0 # SKIP %s\n", err.text);
		return 0;
	}
	cgroup_remove(&group, &err);
	return run_tests(tests, LENGTH(tests));
}
