/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/exit_record.h"

#include "base/cleanup.h"
#include "jobfile/exit.h"

#include <errno.h>

int exit_record_read(const char *dir)
{
	CLEANUP(fclose) FILE *file = NULL;
	char path[4200];
	int status;

	snprintf(path, sizeof(path), "%s/ended", dir);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%d", &status) != 1 || status < 0 ||
	    status > 255)
		return -ENOENT;
	return status;
}

int exit_record_write(const char *dir, int status, struct error *err)
{
	CLEANUP(fclose) FILE *file = NULL;
	char path[4200], temporary[4300];

	snprintf(path, sizeof(path), "%s/ended", dir);
	snprintf(temporary, sizeof(temporary), "%s.new", path);
	file = fopen(temporary, "we");
	if (!file || fprintf(file, "%d\n", status) < 0 || fflush(file) != 0 ||
	    rename(temporary, path) < 0)
		return error_errno(err, "%s", path);
	return 0;
}

bool exit_is_final(int status, bool told)
{
	return !told && status != EXIT_UNREACHABLE && status != EXIT_INTERNAL &&
	       status != EXIT_SYSTEM;
}
