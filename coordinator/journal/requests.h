/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOURNAL_REQUESTS_H
#define COORDINATOR_JOURNAL_REQUESTS_H

/*
 * The last Scale requests that were accepted and had an identifier
 *
 * A request that comes again, because its answer was lost or its sender was
 * restarted, is answered as it was the first time and changes nothing.
 */

#include <stddef.h>

enum { REQUEST_MAX = 64, REQUESTS_MAX = 256 };

struct request {
	char id[REQUEST_MAX];
	unsigned from, to; /* ranks */
};

struct requests {
	struct request entries[REQUESTS_MAX]; /* a ring */
	size_t n;                             /* added so far */
};

/* The request with that identifier, or NULL; "" identifies none. */
const struct request *requests_find(const struct requests *requests,
				    const char *id);

/* The oldest request is forgotten when there is no room.  One without an
 * identifier is not kept. */
void requests_add(struct requests *requests, const struct request *request);

#endif
