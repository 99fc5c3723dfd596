/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TLS_INSPECT_H
#define TLS_INSPECT_H

/*
 * What the TLS servers of this process receive, before they do
 *
 * A library that speaks TLS reads by SSL_read(), which this room defines in the
 * library's place: it reads, shows what was read, and fails if that is refused.
 * What is read as a client is not shown.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tls_inspector {
	size_t state_size; /* of a connection's own state, zeroed at first */
	/* The next bytes of a connection.  name: common name of the peer's
	 * certificate, or "".  False: the connection fails. */
	bool (*take)(void *state, const char *name, const uint8_t *bytes,
		     size_t n);
};

/* For all servers, from now on.  The inspector is borrowed, and called by
 * threads of the library. */
void tls_inspect(const struct tls_inspector *inspector);

#endif
