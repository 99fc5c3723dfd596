/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/cores.h"
#include "tests/check.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/test-cores-XXXXXX";

static void set_up(void)
{
	strcpy(root + strlen(root) - 6, "XXXXXX");
	CHECK(mkdtemp(root));
}

static void tear_down(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", root);
	CHECK(system(command) == 0);
}

static void put(const char *name, const char *text)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "mkdir -p $(dirname %s/%s) && printf %%s '%s' >%s/%s", root,
		 name, text, root, name);
	CHECK(system(command) == 0);
}

static unsigned look(void)
{
	char groups[64];

	snprintf(groups, sizeof(groups), "%s/groups", root);
	return cores_available(groups, root);
}

/* What this machine has; a quota tells nothing if it is more. */
static unsigned all(void)
{
	return cores_available("/nowhere", "/nowhere");
}

static void without_limits_all_count(void)
{
	set_up();
	CHECK(all() >= 1);
	CHECK(look() == all());
	put("groups", "0::/a/b\n");
	CHECK(look() == all());
	put("a/b/cpu.max", "max 100000\n");
	CHECK(look() == all());
	tear_down();
}

static void the_affinity_counts(void)
{
	cpu_set_t before, one;
	int first = 0;

	CHECK(sched_getaffinity(0, sizeof(before), &before) == 0);
	while (!CPU_ISSET(first, &before))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	CHECK(sched_setaffinity(0, sizeof(one), &one) == 0);
	CHECK(all() == 1);
	CHECK(sched_setaffinity(0, sizeof(before), &before) == 0);
}

static void a_quota_of_version_2_counts_in_whole_processors(void)
{
	static const struct {
		const char *text;
		unsigned cores;
	} rows[] = {
		{"100000 100000\n", 1},  {"199999 100000\n", 1},
		{"30000 100000\n", 1},   {"400000000 1000\n", 400000},
		{"0 0\n", 400000},       {"nonsense\n", 400000},
		{"-1 100000\n", 400000},
	};

	set_up();
	put("groups", "0::/pod/one\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put("pod/one/cpu.max", rows[i].text);
		CHECK(look() ==
		      (rows[i].cores < all() ? rows[i].cores : all()));
	}
	tear_down();
}

static void a_quota_of_a_group_above_counts_too(void)
{
	set_up();
	put("groups", "0::/pod/one\n");
	put("pod/one/cpu.max", "max 100000\n");
	put("pod/cpu.max", "100000 100000\n");
	CHECK(look() == 1);
	tear_down();
}

static void a_quota_of_version_1_counts(void)
{
	set_up();
	put("groups", "7:memory:/pod\n4:cpu,cpuacct:/pod\n0::/\n");
	put("cpu/pod/cpu.cfs_quota_us", "150000\n");
	put("cpu/pod/cpu.cfs_period_us", "100000\n");
	CHECK(look() == 1);
	put("cpu/pod/cpu.cfs_quota_us", "-1\n");
	CHECK(look() == all());
	tear_down();
}

static void a_container_that_sees_its_group_at_the_mount_finds_it(void)
{
	set_up();
	put("groups", "4:cpuacct,cpu:/kubepods/pod1/abc\n");
	put("cpu/cpu.cfs_quota_us", "100000\n");
	put("cpu/cpu.cfs_period_us", "100000\n");
	CHECK(look() == 1);
	put("groups", "0::/\n");
	put("cpu.max", "100000 100000\n");
	CHECK(look() == 1);
	tear_down();
}

static void other_controllers_do_not_count(void)
{
	set_up();
	put("groups", "4:cpuset:/pod\n3:cpuacct:/pod\n");
	put("cpu/pod/cpu.cfs_quota_us", "100000\n");
	put("cpu/pod/cpu.cfs_period_us", "100000\n");
	CHECK(look() == all());
	tear_down();
}

RUN_TESTS(TEST(without_limits_all_count), TEST(the_affinity_counts),
	  TEST(a_quota_of_version_2_counts_in_whole_processors),
	  TEST(a_quota_of_a_group_above_counts_too),
	  TEST(a_quota_of_version_1_counts),
	  TEST(a_container_that_sees_its_group_at_the_mount_finds_it),
	  TEST(other_controllers_do_not_count))
