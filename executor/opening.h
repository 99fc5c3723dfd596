/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_OPENING_H
#define EXECUTOR_OPENING_H

/*
 * An order to open gates
 *
 * Where the application's log is followed from here, the gates open when it is
 * known where the log ends: what ranks write is new.
 */

#include "proto/bellows.pb-c.h"

struct executor;

void opening_order(struct executor *ex, const Bellows__V1__Open *open);

/* Opens the gates of that start, if they wait for it. */
void opening_on_log_begun(void *user, unsigned epoch);

/* Gates that wait stay closed. */
void opening_forget(struct executor *ex);

#endif
