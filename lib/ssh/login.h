/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SSH_LOGIN_H
#define SSH_LOGIN_H

/*
 * Is that sshd alive, and does it let us in?
 *
 *     connecting -> greeting -> entering -> asking -> hearing -> known
 *
 * A login connects, compares the host's key with the one that is expected,
 * proves that it has the private key and has one command run.  It never waits:
 * it goes on when its socket has something for it, and ends after its patience
 * at the latest.  No name is looked up: addresses are numbers.
 */

#include "base/error.h"
#include "base/time.h"
#include "loop/loop.h"

enum { SSH_ADDRESS_MAX = 64, SSH_USER_MAX = 64, SSH_HOST_KEY_MAX = 1024 };

/* How a user on a host is reached by ssh. */
struct ssh_peer {
	char address[SSH_ADDRESS_MAX]; /* of IPv4 or IPv6; "": not known */
	unsigned port;
	char user[SSH_USER_MAX];
	/* "ssh-ed25519 AAAA..."; "": not known, and any is taken. */
	char host_key[SSH_HOST_KEY_MAX];
};

struct login;

/*
 * code: 0; -EACCES: the key is not let in; -ENOEXEC: the command ended with
 * something else than 0; another -errno: it may go better the next time.
 * failure: the sentence of those, or NULL.  host_key: of the sshd that let us
 * in, as in struct ssh_peer; NULL on failure.  The login is freed after the
 * call.
 */
typedef void (*login_f)(void *user, int code, const char *failure,
			const char *host_key);

/*
 * private_key in OpenSSH's format; command: has to end with 0.  All are
 * borrowed for the call only.  fn is called once, never from within this; not
 * at all after a failure: -EINVAL if address or key is none, or -errno of an
 * attempt to connect that fails at once.
 */
int login_start(struct login **out, struct loop *loop,
		const struct ssh_peer *peer, const char *private_key,
		const char *command, msec_t patience, login_f fn, void *user,
		struct error *err);

/* Gives up without a call.  Returns NULL. */
struct login *login_destroy(struct login *login);

#endif
