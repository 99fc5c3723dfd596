/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_MEMBERS_POLLED_H
#define COORDINATOR_MEMBERS_POLLED_H

/*
 * Polled executors: those that hold no stream and ask every few seconds
 *
 *     joins -> asks: go on, ... checkpoint -> confirms, ... end -> good-bye
 *
 * Such an executor is an address with an sshd on it.  It is named after its
 * address: each call from that address is its own.  It has as many slots as the
 * job has ranks per executor.  It signals its own ranks when it is told to have
 * a checkpoint written; nothing else is asked of it.
 */

#include "coordinator/members/members.h"

/* Kub's launcher asks "every timestep (usually 10 seconds)" (SBAC-PAD 2023,
 * III-A): three of them, and some. */
#define POLLED_SILENCE SECONDS(35)

enum { POLLED_ADDRESS_MAX = 64, POLLED_SSH_PORT = 22 };

/* The one way to write an IPv4 or IPv6 address; false if text is none.  An IPv4
 * address within IPv6 is an IPv4 address. */
bool polled_address(const char *text, char out[POLLED_ADDRESS_MAX]);

/* The name of the executor at an address: colons become hyphens. */
void polled_name(const char *address, char name[MEMBER_NAME_MAX]);

/* 0 and the member, which was there already if *again; -errno as of
 * members_join(), or if address is none. */
int polled_join(struct members *members, const char *address, unsigned slots,
		int *member, bool *again, struct error *err);

/* The user that its sshd lets in: the one that runs this program. */
const char *polled_user(void);

/* The living executor with that name or address, NO_MEMBER if none. */
int polled_find(const struct ledger *ledger, const char *name_or_address);

/* The same, or else the last one of it that was lost or has left, while the
 * ledger remembers it. */
int polled_find_any(const struct ledger *ledger, const char *name_or_address);

#endif
