/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tree.h"
#include "rpc/server.h"
#include "runner/keys.h"
#include "runner/local/internal.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static int put_path(char path[PATH_MAX], const struct local *local,
		    struct error *err)
{
	if (snprintf(path, PATH_MAX, "%s/tls", local->config.dir->path) <
	    PATH_MAX)
		return 0;
	return error_set(err, -ENAMETOOLONG, "%s: path too long",
			 local->config.dir->path);
}

/* Makes the certificates of all roles, in the state directory. */
static int make(struct local *local, const char *dir, struct error *err)
{
	CLEANUP(keys_fini) struct keys keys = {0};
	int r = keys_make(&keys, local->config.job->name,
			  local->config.lifetime, err);

	if (r == 0)
		r = keys_write(&keys, dir, err);
	if (r == 0)
		snprintf(local->tls, sizeof(local->tls), "%s", dir);
	return r;
}

/* They are somewhere else, and may be renewed there.  A link leads to a
 * client's from where `bellows status` and the like look for it. */
static int use_given(struct local *local, const char *dir, struct error *err)
{
	CLEANUP(keys_fini) struct keys keys = {0};
	const char *from = local->config.lookup->tls;
	char path[PATH_MAX], place[PATH_MAX];
	int r;

	if (!realpath(from, local->tls))
		return error_errno(err, "--tls: %s", from);
	r = keys_read(&keys, local->tls, err);
	if (r < 0)
		return error_wrap(err, r, "--tls");
	if (mkdir(dir, 0700) < 0)
		return error_errno(err, "cannot make %s", dir);
	r = keys_folder(path, local->tls, ROLE_CLIENT, err);
	if (r == 0)
		r = keys_folder(place, dir, ROLE_CLIENT, err);
	if (r == 0 && symlink(path, place) < 0)
		r = error_errno(err, "cannot make %s", place);
	return r;
}

int local_tls_init(struct local *local, struct error *err)
{
	const struct lookup *lookup = local->config.lookup;
	const char *listen = local->config.listen;
	char dir[PATH_MAX];
	int r = put_path(dir, local, err);

	local->run.client.unencrypted = lookup->unencrypted;
	if (r == 0) /* of a run that was killed */
		r = tree_remove_path(dir, err);
	if (r < 0)
		return r;
	if (lookup->tls)
		r = use_given(local, dir, err);
	else if (listen && !rpc_is_local(listen) && !lookup->unencrypted)
		r = make(local, dir, err);
	return r < 0 ? r
		     : state_dir_identity(local->config.dir, ROLE_CLIENT,
					  &local->run.client.tls, err);
}

void local_tls_fini(struct local *local)
{
	char dir[PATH_MAX];

	if (put_path(dir, local, NULL) == 0)
		tree_remove_path(dir, NULL);
}

void local_tls_add(struct local *local, enum role role, const char *option,
		   const char ***end)
{
	char *path = local->tls_of[role];

	if (!*local->tls)
		return;
	snprintf(path, sizeof(local->tls_of[role]), "%s/%s", local->tls,
		 role_name(role));
	*(*end)++ = option;
	*(*end)++ = path;
}
