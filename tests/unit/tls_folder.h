/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_TLS_FOLDER_H
#define TESTS_UNIT_TLS_FOLDER_H

/*
 * Identities of a test, made by an authority of its own
 */

#include "tls/authority.h"

#define SERVER "server.test"
#define HOUR   3600

static struct error err;

/* An identity by an authority of its own, or by `by`; at: when it is made. */
static __attribute__((unused)) bool make_by(struct tls_identity *id,
					    const struct tls_authority *by,
					    const char *name, const char *dns)
{
	return tls_authority_issue(by, name, dns, id, &err) == 0;
}

static __attribute__((unused)) struct tls_authority *make_authority(time_t at)
{
	struct tls_authority *authority = NULL;

	tls_authority_create(&authority, "bellows:test", at, HOUR, &err);
	return authority;
}

#endif
