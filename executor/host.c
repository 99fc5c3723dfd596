/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/host.h"

#include "base/disk.h"
#include "base/program.h"
#include "jobfile/exit.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

void host_node(char text[MEMBER_TEXT_MAX])
{
	CLEANUP(fclose)
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	snprintf(text, MEMBER_TEXT_MAX, "?");
	if (!f || fscanf(f, "%63s", text) != 1)
		gethostname(text, MEMBER_TEXT_MAX);
}

unsigned host_node_cores(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : 1;
}

void host_machine(char text[MEMBER_TEXT_MAX])
{
	struct stat net = {0};
	size_t n;

	host_node(text);
	n = strlen(text);
	stat("/proc/self/ns/net", &net);
	snprintf(text + n, MEMBER_TEXT_MAX - n, "/%lu",
		 (unsigned long)net.st_ino);
}

const char *host_sole_machine(const char machine[MEMBER_TEXT_MAX])
{
	bool is_sole = access("/proc/sys/kernel/random/boot_id", R_OK) == 0 &&
		       access("/proc/self/ns/net", F_OK) == 0;

	return is_sole ? machine : "";
}

bool host_has_fast_network(void)
{
	CLEANUP(closedir) DIR *dir = opendir("/sys/class/infiniband");
	struct dirent *entry;
	bool any = false;

	while (dir && (entry = readdir(dir)))
		any |= entry->d_name[0] != '.';
	return any;
}

static int check_program(const char *program, const char *dir,
			 struct error *err)
{
	char path[PATH_MAX];

	if (!strchr(program, '/'))
		return program_find(program, path, sizeof(path), err);
	snprintf(path, sizeof(path), "%s%s%s", program[0] == '/' ? "" : dir,
		 program[0] == '/' ? "" : "/", program);
	return access(path, X_OK) == 0
		       ? 0
		       : error_errno(err, "cannot run %s", program);
}

int host_check(const struct jobfile *job, int *exit_code, struct error *err)
{
	int r;

	*exit_code = EXIT_SYSTEM;
	if (access(job->app.dir, X_OK) < 0)
		return error_errno(err, "dir: %s", job->app.dir);
	*exit_code = EXIT_CHECKPOINT;
	r = disk_check_directory(job->app.checkpoint_dir, err);
	if (r < 0)
		return error_wrap(err, r, "checkpoint.dir");
	r = check_program(job->app.command[0], job->app.dir, err);
	*exit_code = r == -ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
	return r;
}
