/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_STORAGE_H
#define COORDINATOR_STORAGE_H

/*
 * What disks do to the job: who is told that something cannot be written, and
 * what is not begun meanwhile
 */

#include "coordinator/disk.h"
#include "core/job.h"
#include "core/member.h"
#include "proto/bellows.pb-c.h"

struct coordinator;

struct storage {
	struct disk *disk;

	char *ill[MEMBERS_MAX]; /* what executors cannot write; owned */
};

int storage_create(struct coordinator *c, const char *bindir,
		   struct error *err);
void storage_destroy(struct coordinator *c);

/* After each event that moved the job; before: as it was. */
void storage_on_step(struct coordinator *c, const struct job *before);

/* Another start is to be prepared: 0, or -ENOSPC with the reason why it would
 * not come up.  What is found out later drops it too. */
int storage_on_prepare(struct coordinator *c, struct error *err);

/* The order to save goes out. */
void storage_on_order(struct coordinator *c);

/* An executor may say that it cannot write its files, or that it can again. */
void storage_on_report(struct coordinator *c, int member,
		       const Bellows__V1__Report *report);
void storage_on_gone(struct coordinator *c, int member);

/* Where no new checkpoint is, for a sentence. */
const char *storage_dir(const struct coordinator *c);

/* The file of what ranks print; "": it is written. */
void storage_on_output(struct coordinator *c, const char *text);

#endif
