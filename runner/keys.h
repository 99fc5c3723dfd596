/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KEYS_H
#define RUNNER_KEYS_H

/*
 * The certificates of a job: one for each role, by an authority that is
 * forgotten once it has signed them
 *
 *     DIR/coordinator/{ca.crt,tls.crt,tls.key}
 *     DIR/executor/...   DIR/monitor/...   DIR/client/...
 */

#include "base/time.h"
#include "jobfile/role.h"
#include "tls/identity.h"

#include <limits.h>

struct keys {
	struct tls_identity of[ROLES];
};

/* lifetime: 0 is a year.  keys is empty before, and after a failure. */
int keys_make(struct keys *keys, const char *job, msec_t lifetime,
	      struct error *err);

int keys_read(struct keys *keys, const char *dir, struct error *err);

/* The client's identity of such a dir, or dir itself if it is one. */
int keys_read_client(struct tls_identity *id, const char *dir,
		     struct error *err);

/* Makes dir and all that is in it.  -EEXIST if it is there. */
int keys_write(const struct keys *keys, const char *dir, struct error *err);

void keys_fini(struct keys *keys);

static inline void keys_fini_at(struct keys *keys)
{
	keys_fini(keys);
}

/* The folder of one role within dir; -ENAMETOOLONG with a sentence. */
int keys_folder(char path[PATH_MAX], const char *dir, enum role role,
		struct error *err);

#endif
