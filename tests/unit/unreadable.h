/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_UNREADABLE_H
#define TESTS_UNIT_UNREADABLE_H

/*
 * readdir() of the C library is replaced in this program: it may fail, as on a
 * disk that cannot be read
 */

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

static int unreadable; /* errno of readdir(); 0: it works */

struct dirent *readdir(DIR *dir)
{
	const char *name = sizeof(off_t) == 8 ? "readdir64" : "readdir";
	void *symbol = dlsym(RTLD_NEXT, name);
	struct dirent *(*real)(DIR * dir);

	if (unreadable != 0) {
		errno = unreadable;
		return NULL;
	}
	memcpy(&real, &symbol, sizeof(real));
	return real(dir);
}

#endif
