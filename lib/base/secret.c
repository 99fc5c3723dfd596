/* SPDX-License-Identifier: Apache-2.0 */
#include "base/secret.h"

#include "base/cleanup.h"
#include "base/list.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

bool secret_is_private(const struct stat *st, uid_t user, const gid_t *groups,
		       size_t n)
{
	if (st->st_uid != user && st->st_uid != 0)
		return false;
	if ((st->st_mode & 077) == 0)
		return true;
	if (st->st_uid != 0 || (st->st_mode & 07777 & ~0440))
		return false;
	for (size_t i = 0; i < n; i++)
		if (groups[i] == st->st_gid)
			return true;
	return false;
}

/* The groups of this process, the effective one among them; that one alone if
 * there are more than room. */
static size_t own_groups(gid_t *groups, size_t room)
{
	int n = getgroups((int)room - 1, groups);
	size_t count = n < 0 ? 0 : (size_t)n;

	groups[count] = getegid();
	return count + 1;
}

static int check(int fd, const char *path, const char *what, struct error *err)
{
	gid_t groups[256];
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_errno(err, "%s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "%s: no file with %s", path,
				 what);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return error_set(err, -EPERM,
				 "%s: belongs to somebody else (user %u)", path,
				 (unsigned)st.st_uid);
	if (secret_is_private(&st, geteuid(), groups,
			      own_groups(groups, LENGTH(groups))))
		return 0;
	return error_set(err, -EPERM,
			 "%s: others can read it (mode %04o); chmod 600", path,
			 (unsigned)st.st_mode & 07777);
}

void secret_free(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

int secret_open(const char *path, const char *what, struct error *err)
{
	CLEANUP(close)
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int r;

	if (fd < 0)
		return error_errno(err, "%s", path);
	r = check(fd, path, what, err);
	return r < 0 ? r : STEAL_FD(fd);
}
