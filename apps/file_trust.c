/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/file_trust.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An access list that lets others write shows in the group's bits. */
static int trust(const char *path, const struct stat *st, struct error *err)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return error_set(err, -EPERM,
				 "%s belongs to user %u; it must be root's or "
				 "this user's own",
				 path, (unsigned)st->st_uid);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return error_set(err, -EPERM,
				 "others can write to %s (mode %04o): chmod "
				 "go-w it",
				 path, (unsigned)st->st_mode & 07777);
	return 0;
}

int file_trust(const char *path, struct error *err)
{
	char folder[PATH_MAX];
	struct stat st;
	char *slash;
	int r;

	if (stat(path, &st) < 0)
		return error_errno(err, "cannot be read");
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "is not a file");
	r = trust("it", &st, err);
	if (r < 0)
		return r;
	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	if (!slash || stat(folder, &st) < 0)
		return error_errno(err, "its folder %s cannot be read", folder);
	return trust(folder, &st, err);
}
