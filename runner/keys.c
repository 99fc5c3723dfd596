/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/keys.h"

#include "base/cleanup.h"
#include "proto/coordinator.h"
#include "tls/authority.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIFETIME (MINUTES(60) * 24 * 365)

DEFINE_CLEANUP(struct tls_authority, tls_authority_destroy)

int keys_make(struct keys *keys, const char *job, msec_t lifetime,
	      struct error *err)
{
	CLEANUP(tls_authority_destroy) struct tls_authority *authority = NULL;
	char unit[64];
	int r;

	snprintf(unit, sizeof(unit), "bellows:%s", job);
	r = tls_authority_create(&authority, unit, time(NULL),
				 (lifetime ? lifetime : LIFETIME) / 1000, err);
	for (enum role role = 0; r == 0 && role < ROLES; role++)
		r = tls_authority_issue(
			authority, role_name(role),
			role == ROLE_COORDINATOR ? COORDINATOR_TLS_NAME : NULL,
			&keys->of[role], err);
	if (r < 0)
		keys_fini(keys);
	return r;
}

int keys_folder(char path[PATH_MAX], const char *dir, enum role role,
		struct error *err)
{
	if (snprintf(path, PATH_MAX, "%s/%s", dir, role_name(role)) < PATH_MAX)
		return 0;
	return error_set(err, -ENAMETOOLONG, "%s: path too long", dir);
}

int keys_read(struct keys *keys, const char *dir, struct error *err)
{
	char path[PATH_MAX];
	int r = 0;

	for (enum role role = 0; r == 0 && role < ROLES; role++) {
		r = keys_folder(path, dir, role, err);
		/* keys of an older version have none for a scheduler */
		if (role == ROLE_SCHEDULER && r == 0 && access(path, F_OK) < 0)
			continue;
		if (r == 0)
			r = tls_identity_read(&keys->of[role], path, err);
	}
	if (r < 0)
		keys_fini(keys);
	return r;
}

int keys_read_client(struct tls_identity *id, const char *dir,
		     struct error *err)
{
	char path[PATH_MAX];
	int r = keys_folder(path, dir, ROLE_CLIENT, err);

	if (r < 0)
		return r;
	return tls_identity_read(id, access(path, F_OK) == 0 ? path : dir, err);
}

int keys_write(const struct keys *keys, const char *dir, struct error *err)
{
	char path[PATH_MAX];
	int r = 0;

	if (mkdir(dir, 0700) < 0)
		return error_errno(err, "cannot make %s", dir);
	for (enum role role = 0; r == 0 && role < ROLES; role++) {
		r = keys_folder(path, dir, role, err);
		if (r == 0)
			r = tls_identity_write(&keys->of[role], path, err);
	}
	return r;
}

void keys_fini(struct keys *keys)
{
	for (enum role role = 0; role < ROLES; role++)
		tls_identity_fini(&keys->of[role]);
}
