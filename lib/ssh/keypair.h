/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SSH_KEYPAIR_H
#define SSH_KEYPAIR_H

/*
 * A key pair: made in memory, of type ed25519, or read, of any type
 */

#include "base/error.h"

/* As long as those of RSA with 8192 bits. */
enum { KEYPAIR_PUBLIC_MAX = 2048, KEYPAIR_PRIVATE_MAX = 8192 };

struct keypair {
	char public_key[KEYPAIR_PUBLIC_MAX];   /* "ssh-ed25519 AAAA... name" */
	char private_key[KEYPAIR_PRIVATE_MAX]; /* of OpenSSH's or PEM format */
};

/* name: a word for people, at the end of the public key; "" for none. */
int keypair_make(struct keypair *pair, const char *name, struct error *err);

/* Reads the private key in the file path, which has no passphrase.  -EINVAL if
 * it is no private key, or -errno. */
int keypair_read(struct keypair *pair, const char *path, struct error *err);

/* Writes the private key to path (mode 0600) and the public one to path.pub
 * (0644), each whole or not at all. */
int keypair_write(const struct keypair *pair, const char *path,
		  struct error *err);

/* Overwrites it, beyond what a compiler would leave out. */
void keypair_forget(struct keypair *pair);

#endif
