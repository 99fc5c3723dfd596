/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_EXIT_RECORD_H
#define COORDINATOR_EXIT_RECORD_H

/*
 * The exit status that the job of a state directory has ended with
 *
 * Kubernetes starts a container again in its pod when it ends with another
 * status than 0.  That is right for a coordinator that was killed, and wrong
 * for a job that was cancelled, saved or given up: it would begin again.  With
 * --once a coordinator writes its exit status into the state directory, and the
 * next one, which finds it there, ends at once with the same status.
 */

#include "base/error.h"

#include <stdbool.h>

/* The exit status, or -ENOENT. */
int exit_record_read(const char *dir);

int exit_record_write(const char *dir, int status, struct error *err);

/* It would end so again.  told: by a signal, which is the end of a place to run
 * at, not of the job. */
bool exit_is_final(int status, bool told);

#endif
