/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_UNCONFIRMED_H
#define RPC_UNCONFIRMED_H

/*
 * Messages that the peer has not confirmed, so that none is lost with a stream
 *
 * The sender numbers its messages 1, 2, ... and keeps each one until the peer
 * has confirmed its number.  After a stream has broken, it sends all that it
 * has kept on the next stream, in their order and before anything new.  The
 * receiver remembers the highest number that it has taken, and takes no message
 * twice.  Numbers belong to one incarnation of the sender and one of the
 * receiver: when either begins anew, both sides begin with 1 again.
 *
 * The list is bounded.  A sender whose message was not kept sends no later one
 * either, and gives its peer up.
 */

#include "base/error.h"
#include "base/list.h"

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stdint.h>

#define UNCONFIRMED_MAX       16384      /* messages */
#define UNCONFIRMED_BYTES_MAX (8u << 20) /* all of them, as they are packed */

struct unconfirmed {
	struct list kept; /* the oldest first */
	size_t n, bytes;
	uint64_t last; /* number of the newest message; 0: there was none */
	bool is_full;  /* a message was not kept, and none is until the end */
};

void unconfirmed_init(struct unconfirmed *list);

/* Frees what is kept; the next number is 1. */
void unconfirmed_clear(struct unconfirmed *list);

/* The number that the next message must carry. */
uint64_t unconfirmed_next(const struct unconfirmed *list);

/* Keeps a copy of that message: 0; or -ENOBUFS or -ENOMEM with a sentence, now
 * and for each message that follows. */
int unconfirmed_keep(struct unconfirmed *list, const ProtobufCMessage *message,
		     struct error *err);

/* Is at least half of the list free? */
bool unconfirmed_has_room(const struct unconfirmed *list);

/* The peer has taken the messages up to that number. */
void unconfirmed_confirm(struct unconfirmed *list, uint64_t number);

/* Calls send with each kept message, the oldest first: 0; or -ENOMEM with a
 * sentence, and then no message is kept any more, as above. */
int unconfirmed_resend(struct unconfirmed *list,
		       void (*send)(void *user,
				    const ProtobufCMessage *message),
		       void *user, struct error *err);

/* The receiver: is a message of that number to be taken?  taken: the highest
 * number so far, 0 at first; updated.  A message of number 0 is not numbered,
 * and always taken. */
bool unconfirmed_take(uint64_t *taken, uint64_t number);

#endif
