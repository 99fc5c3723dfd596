/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TLS_IDENTITY_H
#define TLS_IDENTITY_H

/*
 * The identity of a program, and the authority that it believes
 *
 * Three texts in PEM, called as Kubernetes and cert-manager call them:
 *
 *     ca.crt    the authority that signs the certificates of all
 *     tls.crt   this program's certificate; behind it those that lead to ca.crt
 *     tls.key   its private key, without a password
 *
 * An identity is either empty or whole: what could not serve to connect,
 * because it is no PEM, does not fit together or is not valid now, is refused
 * when it is read, with a sentence that names the file.
 */

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { TLS_NAME_MAX = 65, TLS_TEXT_MAX = 64 << 10 };

struct tls_identity {
	char *ca, *cert, *key;   /* NULL: there is none */
	char name[TLS_NAME_MAX]; /* the common name of its certificate */
	time_t until;            /* its certificate is valid */
};

bool tls_identity_is_there(const struct tls_identity *id);

/* Wipes the key; id is then empty. */
void tls_identity_fini(struct tls_identity *id);

static inline void tls_identity_fini_at(struct tls_identity *id)
{
	tls_identity_fini(id);
}

/* Copies the texts and checks them for the time now.  where: the folder that
 * they are of, for sentences.  id is empty before, and after a failure. */
int tls_identity_set(struct tls_identity *id, const char *ca, const char *cert,
		     const char *key, const char *where, time_t now,
		     struct error *err);

/* Whether a client would take it for the server of this name: 0 or -EINVAL. */
int tls_identity_serves(const struct tls_identity *id, const char *name,
			const char *where, struct error *err);

/* ---- files ---- */

/* Reads the three files of a folder; tls.key must be private (base/secret.h).
 * "-": what tls_identity_print() has written, on standard input up to its end;
 * it is waited for 10 s at the most after each part of it. */
int tls_identity_read(struct tls_identity *id, const char *folder,
		      struct error *err);

/* When the newest of the three was changed, in nanoseconds; 0 if one is not
 * there. */
int64_t tls_identity_changed(const char *folder);

/* Makes the folder, 0700, and the three files in it, 0600.  -EEXIST if it is
 * there. */
int tls_identity_write(const struct tls_identity *id, const char *folder,
		       struct error *err);

/* All three as one text, private key and all. */
void tls_identity_print(const struct tls_identity *id, FILE *to);

#endif
