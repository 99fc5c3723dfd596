/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tree.h"
#include "cli/session_internal.h"
#include "rpc/server.h"
#include "runner/keys.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static int put_path(char path[PATH_MAX], const struct session *session,
		    struct error *err)
{
	if (snprintf(path, PATH_MAX, "%s/tls", session->config->dir->path) <
	    PATH_MAX)
		return 0;
	return error_set(err, -ENAMETOOLONG, "%s: path too long",
			 session->config->dir->path);
}

/* Of all roles, in the state directory. */
static int make(struct session *session, const char *dir, struct error *err)
{
	CLEANUP(keys_fini) struct keys keys = {0};
	int r = keys_make(&keys, session->config->job->name,
			  session->config->args->lifetime, err);

	if (r == 0)
		r = keys_write(&keys, dir, err);
	if (r == 0)
		snprintf(session->tls, sizeof(session->tls), "%s", dir);
	return r;
}

/* They are somewhere else, and may be renewed there.  A link leads to a
 * client's from where `bellows status` and the like look for it. */
static int take(struct session *session, const char *dir, struct error *err)
{
	CLEANUP(keys_fini) struct keys keys = {0};
	const char *from = session->config->args->lookup.tls;
	char path[PATH_MAX], place[PATH_MAX];
	int r;

	if (!realpath(from, session->tls))
		return error_errno(err, "--tls: %s", from);
	r = keys_read(&keys, session->tls, err);
	if (r < 0)
		return error_wrap(err, r, "--tls");
	if (mkdir(dir, 0700) < 0)
		return error_errno(err, "cannot make %s", dir);
	r = keys_folder(path, session->tls, ROLE_CLIENT, err);
	if (r == 0)
		r = keys_folder(place, dir, ROLE_CLIENT, err);
	if (r == 0 && symlink(path, place) < 0)
		r = error_errno(err, "cannot make %s", place);
	return r;
}

int session_tls_init(struct session *session, struct error *err)
{
	const struct args *args = session->config->args;
	const char *listen = session->config->listen;
	char dir[PATH_MAX];
	int r = put_path(dir, session, err);

	session->client.unencrypted = args->lookup.unencrypted;
	if (r == 0) /* of a session that was killed */
		r = tree_remove_path(dir, err);
	if (r < 0)
		return r;
	if (args->lookup.tls)
		r = take(session, dir, err);
	else if (listen && !rpc_is_local(listen) && !args->lookup.unencrypted)
		r = make(session, dir, err);
	return r < 0 ? r
		     : statedir_identity(session->config->dir,
					 &session->client.tls, err);
}

void session_tls_fini(struct session *session)
{
	char dir[PATH_MAX];

	if (put_path(dir, session, NULL) == 0)
		tree_remove_path(dir, NULL);
}

void session_tls_add(struct session *session, enum role role,
		     const char *option, const char ***end)
{
	char *path = session->tls_of[role];

	if (!*session->tls)
		return;
	snprintf(path, sizeof(session->tls_of[role]), "%s/%s", session->tls,
		 role_name(role));
	*(*end)++ = option;
	*(*end)++ = path;
}
