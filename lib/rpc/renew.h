/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_RENEW_H
#define RPC_RENEW_H

/*
 * Certificates that are replaced while a program runs
 *
 * An issuer of short-lived certificates, as cert-manager is, replaces them
 * before they expire.  So a folder that an identity was read from is
 * looked at every RENEW_EACH, and read again if a file in it has changed; else
 * each RENEW_ANYWAY-th time, for they may be over.  What is new in it is handed
 * on once it is whole; what is wrong with it is told once, and the former one
 * stays in use.
 */

#include "loop/loop.h"
#include "tls/identity.h"

#define RENEW_EACH SECONDS(5)

enum { RENEW_ANYWAY = 12 };

/* now: borrowed, NULL if err says why there is none. */
typedef void (*renew_f)(void *user, const struct tls_identity *now,
			const struct error *err);

struct renew {
	struct loop *loop;
	struct loop_timer timer;
	const char *folder;
	int64_t changed;    /* what is in the folder, when it was read last */
	unsigned passed;    /* looks since */
	char *ca, *cert;    /* the last that was handed on */
	struct error fault; /* the last that was told; "": none since */
	renew_f fn;
	void *user;
};

/* in_use: what was read from folder, which is borrowed until the end; of "-",
 * standard input, nothing else comes. */
void renew_begin(struct renew *renew, struct loop *loop, const char *folder,
		 const struct tls_identity *in_use, renew_f fn, void *user);

/* Reads the folder, whose time will come besides. */
void renew_now(struct renew *renew);

/* Also of one that was zeroed and never begun. */
void renew_end(struct renew *renew);

#endif
