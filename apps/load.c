/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/load.h"

#include "apps/abi_check.h"
#include "apps/file_trust.h"
#include "apps/fork_probe.h"
#include "base/cleanup.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define SYMBOL   "bellows_adapter"
#define PATIENCE SECONDS(5)

/* dlopen() would call a script an "invalid ELF header". */
static int check_elf(const char *path, struct error *err)
{
	CLEANUP(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	unsigned char ident[EI_NIDENT + sizeof(Elf64_Half)] = {0};
	Elf64_Half type;
	ssize_t n;

	if (fd < 0)
		return error_errno(err, "cannot be read");
	n = read(fd, ident, sizeof(ident));
	memcpy(&type, ident + EI_NIDENT, sizeof(type));
	if (n == (ssize_t)sizeof(ident) && type == ET_DYN &&
	    memcmp(ident, ELFMAG, SELFMAG) == 0)
		return 0;
	return error_set(err, -ENOEXEC,
			 "is not a shared object; build one with cc -shared "
			 "-fPIC");
}

/* What the dynamic linker says, without the path. */
static const char *why_not(const char *path)
{
	const char *why = dlerror();
	size_t n = strlen(path);

	if (!why)
		return "the dynamic linker does not say why";
	return strncmp(why, path, n) == 0 && strncmp(why + n, ": ", 2) == 0
		       ? why + n + 2
		       : why;
}

static int open_and_look(const char *path, void **handle,
			 const struct adapter **out, struct error *err)
{
	int r;

	*handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!*handle)
		return error_set(err, -ELIBBAD, "cannot be loaded: %s",
				 why_not(path));
	*out = dlsym(*handle, SYMBOL);
	if (!*out)
		return error_set(err, -ENOENT,
				 "has no " SYMBOL "; it must export 'const "
				 "struct adapter " SYMBOL "', see "
				 "bellows/adapter.h");
	r = abi_check(*out, err);
	return r < 0 ? r : adapter_may_add(*out, err);
}

static int try_it(void *user, struct error *err)
{
	const struct adapter *adapter;
	void *handle;
	int r = open_and_look(user, &handle, &adapter, err);

	if (r == 0)
		dlclose(handle);
	return r;
}

static int load(char *path, struct error *err)
{
	const struct adapter *adapter;
	void *handle;
	int r = file_trust(path, err);

	if (r == 0)
		r = check_elf(path, err);
	if (r < 0)
		return r;
	r = fork_probe(try_it, path, PATIENCE, err);
	if (r == -EFAULT || r == -ETIMEDOUT || r == -ECANCELED)
		return error_wrap(err, r, "cannot be loaded");
	if (r == 0)
		r = open_and_look(path, &handle, &adapter, err);
	return r < 0 ? r : adapter_add(adapter, err);
}

int adapter_load(const char *path, struct error *err)
{
	CLEANUP(free) char *real = realpath(path, NULL);
	int r;

	if (!real)
		return error_errno(err, "adapter %s: cannot be read", path);
	r = load(real, err);
	return r < 0 ? error_wrap(err, r, "adapter %s", path) : 0;
}

int adapter_files_add(struct adapter_files *files, const char *path,
		      struct error *err)
{
	if (files->n == ADAPTERS_ADDED_MAX)
		return error_set(err, -E2BIG,
				 "--adapter %s: at most %d adapters", path,
				 ADAPTERS_ADDED_MAX);
	files->at[files->n++] = path;
	return 0;
}

int adapter_files_read(void *member, const char *path, struct error *err)
{
	return adapter_files_add(member, path, err);
}

int adapter_files_load(const struct adapter_files *files, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < files->n && r == 0; i++)
		r = adapter_load(files->at[i], err);
	return r;
}

const char **adapter_files_put(const struct adapter_files *files,
			       const char **argv)
{
	for (size_t i = 0; files && i < files->n; i++) {
		*argv++ = "--adapter";
		*argv++ = files->at[i];
	}
	*argv = NULL;
	return argv;
}
