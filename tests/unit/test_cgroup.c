/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "cgroup/cgroup.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct cgroup_base base;
static struct cgroup group;
static struct cgroup_usage usage;
static struct error err;

/* Trees that are folders; test_cgroup_kernel.c has the kernel's. */

static void put(const char *name, const char *text)
{
	char command[600];
	FILE *file;

	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"",
		 below(name));
	file = system(command) == 0 ? fopen(below(name), "w") : NULL;
	if (!file)
		return;
	fputs(text, file);
	fclose(file);
}

static const char *got(const char *name)
{
	static char text[200];
	FILE *file = fopen(below(name), "r");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[n] = '\0';
	if (file)
		fclose(file);
	return text;
}

static int find(const char *name)
{
	return cgroup_base_find(&base, name, folder, &err);
}

static const char *within(enum cgroup_tree tree)
{
	return base.dirs[tree] + strlen(folder);
}

static const char *const mounts_v1 =
	"30 1 0:1 / /sys/fs/cgroup ro - tmpfs tmpfs rw\n"
	"31 30 0:2 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup "
	"rw,cpu,cpuacct\n"
	"32 30 0:3 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	"33 30 0:4 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

static void trees_of_version_1_may_be_one(void)
{
	CLEANUP(folder_remove) char *path = folder_create("cgroup");

	put("proc/self/mountinfo", mounts_v1);
	put("proc/self/cgroup",
	    "3:memory:/m\n2:cpu,cpuacct:/a/b\n0::/user.slice\n");
	CHECK(path && find(NULL) == 0 && base.version == 1);
	CHECK_TEXT(within(CGROUP_CPU), "/sys/fs/cgroup/cpu,cpuacct/a/b");
	CHECK_TEXT(within(CGROUP_ACCOUNT), "/sys/fs/cgroup/cpu,cpuacct/a/b");
	CHECK_TEXT(within(CGROUP_MEMORY), "/sys/fs/cgroup/memory/m");
	CHECK(find("/lab") == 0);
	CHECK_TEXT(within(CGROUP_MEMORY), "/sys/fs/cgroup/memory/lab");
}

static void a_container_sees_its_part_of_a_tree(void)
{
	CLEANUP(folder_remove) char *path = folder_create("cgroup");

	put("proc/self/mountinfo",
	    "31 30 0:2 /docker/7 /sys/fs/cgroup/cpu rw - cgroup cgroup "
	    "rw,cpu\n");
	put("proc/self/cgroup", "2:cpu:/docker/7/x\n");
	CHECK(path && find(NULL) == 0);
	CHECK_TEXT(within(CGROUP_CPU), "/sys/fs/cgroup/cpu/x");
	CHECK_TEXT(base.dirs[CGROUP_MEMORY], "");
}

static const char *const mount_v2 =
	"31 30 0:2 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

static void processes_of_version_2_move_into_a_group_of_their_own(void)
{
	CLEANUP(folder_remove) char *path = folder_create("cgroup");

	put("proc/self/mountinfo", mount_v2);
	put("proc/self/cgroup", "0::/lab/job\n");
	put("sys/fs/cgroup/lab/job/cgroup.controllers", "cpuset cpu memory\n");
	put("sys/fs/cgroup/lab/job/cgroup.type", "domain\n");
	put("sys/fs/cgroup/lab/job/cgroup.procs", "17\n");
	put("sys/fs/cgroup/lab/job/cgroup.subtree_control", "");
	CHECK(path && find(NULL) == 0 && base.version == 2);
	CHECK_TEXT(within(CGROUP_CPU), "/sys/fs/cgroup/lab/job");
	CHECK_TEXT(within(CGROUP_MEMORY), "/sys/fs/cgroup/lab/job");
	CHECK_TEXT(got("sys/fs/cgroup/lab/job/bellows-ranks/cgroup.procs"),
		   "17\n");
	/* the next program of the job is there already */
	put("proc/self/cgroup", "0::/lab/job/bellows-ranks\n");
	put("sys/fs/cgroup/lab/job/bellows-ranks/cgroup.controllers",
	    "cpu memory\n");
	CHECK(find(NULL) == 0);
	CHECK_TEXT(within(CGROUP_CPU), "/sys/fs/cgroup/lab/job");
}

static void limits_of_version_2_are_written_as_the_kernel_reads_them(void)
{
	CLEANUP(folder_remove) char *path = folder_create("cgroup");

	put("proc/self/mountinfo", mount_v2);
	put("proc/self/cgroup", "0::/\n");
	put("sys/fs/cgroup/lab/cgroup.controllers", "cpu memory\n");
	put("sys/fs/cgroup/lab/cgroup.subtree_control", "");
	CHECK(path && find("/lab") == 0 && base.version == 2);
	group = (struct cgroup){.version = 2};
	for (int i = 0; i < CGROUP_TREES; i++)
		snprintf(group.dirs[i], PATH_MAX, "%s", base.dirs[i]);
	put("sys/fs/cgroup/lab/cpu.max", "");
	put("sys/fs/cgroup/lab/memory.max", "");
	CHECK(cgroup_set_processors(&group, 1.5, &err) == 0);
	CHECK_TEXT(got("sys/fs/cgroup/lab/cpu.max"), "15000 10000");
	CHECK(cgroup_set_processors(&group, 0.01, &err) == 0);
	CHECK_TEXT(got("sys/fs/cgroup/lab/cpu.max"), "1000 100000");
	CHECK(cgroup_set_memory(&group, 1 << 20, &err) == 0);
	CHECK_TEXT(got("sys/fs/cgroup/lab/memory.max"), "1048576");
	put("sys/fs/cgroup/lab/cpu.stat",
	    "usage_usec 700\nuser_usec 500\nthrottled_usec 30\n");
	put("sys/fs/cgroup/lab/memory.peak", "4096\n");
	CHECK(cgroup_read(&group, &usage, &err) == 0);
	CHECK(usage.processor_us == 700 && usage.throttled_us == 30);
	CHECK(usage.memory_peak == 4096);
}

static void the_base_itself_is_no_group(void)
{
	static const char *const names[] = {"", ".", "..", "a/b", "/"};

	base = (struct cgroup_base){.version = 2, .dirs = {"/no/such/base"}};
	for (size_t i = 0; i < LENGTH(names); i++) {
		CHECK(cgroup_create(&group, &base, names[i], &err) == -EINVAL);
		CHECK(strstr(err.text, "is no name of a control group"));
		cgroup_fini(&group);
	}
}

static void a_machine_without_groups_says_so(void)
{
	CLEANUP(folder_remove) char *path = folder_create("cgroup");

	put("proc/self/mountinfo", "31 30 0:2 / / rw - ext4 /dev/vda rw\n");
	put("proc/self/cgroup", "0::/\n");
	CHECK(path && find(NULL) == -ENOENT);
	CHECK_TEXT(err.text, "this machine has no control groups that limit "
			     "processors");
}

static double own(void)
{
	double processors;
	int r = cgroup_own_processors(&processors, folder, &err);

	return r < 0 ? r : processors;
}

static void the_limit_of_ones_own_group_is_read(void)
{
	CLEANUP(folder_remove) char *path = folder_create("cgroup");

	put("proc/self/mountinfo", mounts_v1);
	put("proc/self/cgroup", "2:cpu,cpuacct:/a\n");
	put("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
	put("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "150000\n");
	CHECK(path && own() == 1.5);
	put("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n");
	CHECK(isinf(own()));
	put("proc/self/mountinfo", mount_v2);
	put("proc/self/cgroup", "0::/\n");
	CHECK(isinf(own())); /* the root of the tree */
	put("sys/fs/cgroup/cpu.max", "25000 100000\n");
	CHECK(own() == 0.25);
	put("sys/fs/cgroup/cpu.max", "max 100000\n");
	CHECK(isinf(own()));
	put("proc/self/mountinfo", "");
	CHECK(cgroup_own_processors(&(double){0}, folder, &err) == -ENOENT);
}

RUN_TESTS(TEST(trees_of_version_1_may_be_one),
	  TEST(a_container_sees_its_part_of_a_tree),
	  TEST(processes_of_version_2_move_into_a_group_of_their_own),
	  TEST(limits_of_version_2_are_written_as_the_kernel_reads_them),
	  TEST(the_limit_of_ones_own_group_is_read),
	  TEST(the_base_itself_is_no_group),
	  TEST(a_machine_without_groups_says_so))
