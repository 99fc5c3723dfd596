/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_FIELDS_H
#define RPC_FIELDS_H

/*
 * The fields of a message as it is on the wire
 *
 * For what needs no message made of it: protobuf's encoding, a field at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	const uint8_t *at;
	size_t size;
};

struct field {
	unsigned number;
	bool has_bytes; /* else it is a number, which is not kept */
	struct span bytes;
};

/* Takes the next one off in: 1; 0 if there is none; -EBADMSG if the rest is no
 * field. */
int fields_next(struct span *in, struct field *field);

#endif
