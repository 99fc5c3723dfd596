/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/exit_record.h"

#include "base/cleanup.h"
#include "base/file.h"
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
	char path[4200], text[16];
	int n = snprintf(text, sizeof(text), "%d\n", status);

	snprintf(path, sizeof(path), "%s/ended", dir);
	return file_keep(path, 0600, text, (size_t)n, err);
}

bool exit_is_final(int status, bool told)
{
	return !told && status != EXIT_UNREACHABLE && status != EXIT_INTERNAL &&
	       status != EXIT_SYSTEM;
}
