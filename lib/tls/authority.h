/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TLS_AUTHORITY_H
#define TLS_AUTHORITY_H

/*
 * An authority that lives in memory and signs the certificates of one job
 *
 * Its key is written nowhere and is gone with it: nobody can add a certificate
 * later.  Keys are ECDSA on P-256, which every TLS library takes.  Certificates
 * say what they are for: one with a DNS name is a server's and nothing else,
 * one without is a client's and nothing else.
 */

#include "tls/identity.h"

struct tls_authority;

/* unit: what the certificates belong to, for people: "bellows:heat", at most 64
 * bytes.  They are valid for life seconds from now on, and for five minutes
 * before, as clocks differ. */
int tls_authority_create(struct tls_authority **out, const char *unit,
			 time_t now, time_t life, struct error *err);

/* An identity with the common name `name`; dns: of a server, or NULL.  id is
 * empty before. */
int tls_authority_issue(const struct tls_authority *authority, const char *name,
			const char *dns, struct tls_identity *id,
			struct error *err);

/* Returns NULL. */
struct tls_authority *tls_authority_destroy(struct tls_authority *authority);

#endif
