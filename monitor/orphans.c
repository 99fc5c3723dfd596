/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/orphans.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether the process carries the mark; false if its environment cannot be
 * read, or it is gone. */
static bool carries(const char *pid, const char *mark)
{
	CLEANUP(fclose) FILE *file = NULL;
	CLEANUP(free) char *entry = NULL;
	char path[64];
	size_t size = 0;

	snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (getdelim(&entry, &size, '\0', file) > 0)
		if (strcmp(entry, mark) == 0)
			return true;
	return false;
}

unsigned orphans_kill(const char *mark)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	unsigned n = 0;

	if (!proc)
		return 0;
	while ((entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !carries(entry->d_name, mark))
			continue;
		kill((pid_t)atol(entry->d_name), SIGKILL);
		n++;
	}
	closedir(proc);
	return n;
}
