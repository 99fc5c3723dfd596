/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/cores.h"

#include "base/cleanup.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSORS_MAX = 65536 };

static unsigned lesser(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned by_affinity(void)
{
	size_t size = CPU_ALLOC_SIZE(PROCESSORS_MAX);
	cpu_set_t *set = CPU_ALLOC(PROCESSORS_MAX);
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	int n = 0;

	if (set && sched_getaffinity(0, size, set) == 0)
		n = CPU_COUNT_S(size, set);
	if (set)
		CPU_FREE(set);
	if (n <= 0)
		n = (int)online;
	return n > 0 ? (unsigned)n : 1;
}

/* One or two numbers of a file; "max" is none. */
static int read_numbers(const char *dir, const char *name, long long *a,
			long long *b)
{
	char path[PATH_MAX];
	CLEANUP(fclose) FILE *f = NULL;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >=
	    (int)sizeof(path))
		return 0;
	f = fopen(path, "re");
	return f ? fscanf(f, "%lld %lld", a, b) : 0;
}

static unsigned by_quota(const char *dir)
{
	long long quota = 0, period = 0, none;

	if (read_numbers(dir, "cpu.max", &quota, &period) != 2 &&
	    (read_numbers(dir, "cpu.cfs_quota_us", &quota, &none) < 1 ||
	     read_numbers(dir, "cpu.cfs_period_us", &period, &none) < 1))
		return UINT_MAX;
	if (quota <= 0 || period <= 0)
		return UINT_MAX;
	quota /= period;
	return quota < 1                ? 1
	       : quota > PROCESSORS_MAX ? PROCESSORS_MAX
					: (unsigned)quota;
}

/* The least of a group and those above it, up to the mount, which is the group
 * itself where a container sees no other. */
static unsigned by_group(const char *mount, const char *group)
{
	char dir[PATH_MAX];
	size_t top = strlen(mount);
	unsigned cores = UINT_MAX;
	char *slash;

	if (snprintf(dir, sizeof(dir), "%s%s", mount, group) >=
	    (int)sizeof(dir))
		return cores;
	do {
		cores = lesser(cores, by_quota(dir));
		slash = strrchr(dir + top, '/');
		if (slash)
			*slash = '\0';
	} while (slash);
	return cores;
}

static bool has_cpu(const char *controllers)
{
	while (*controllers) {
		size_t n = strcspn(controllers, ",");

		if (n == 3 && strncmp(controllers, "cpu", 3) == 0)
			return true;
		controllers += n + (controllers[n] == ',');
	}
	return false;
}

/* "0::/group" in version 2, "4:cpu,cpuacct:/group" in version 1. */
static unsigned by_line(const char *mount, char *line)
{
	char *controllers = strchr(line, ':');
	char *group = controllers ? strchr(controllers + 1, ':') : NULL;
	char own[PATH_MAX];

	if (!group)
		return UINT_MAX;
	*controllers++ = *group++ = '\0';
	group[strcspn(group, "\n")] = '\0';
	if (*controllers == '\0')
		return by_group(mount, group);
	if (!has_cpu(controllers) ||
	    snprintf(own, sizeof(own), "%s/cpu", mount) >= (int)sizeof(own))
		return UINT_MAX;
	return by_group(own, group);
}

unsigned cores_available(const char *groups, const char *mount)
{
	CLEANUP(fclose) FILE *f = fopen(groups, "re");
	unsigned cores = by_affinity();
	char line[PATH_MAX + 256];

	while (f && fgets(line, sizeof(line), f))
		cores = lesser(cores, by_line(mount, line));
	return cores;
}
