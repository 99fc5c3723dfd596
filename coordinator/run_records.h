/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_RUN_RECORDS_H
#define COORDINATOR_RUN_RECORDS_H

/*
 * The state directory of one coordinator at a time, private to its user
 *
 *     lock         held by the coordinator that lives; says "ending" once that
 *                  was told to end (see runner/local/previous_run.h)
 *     run.lock     likewise, of the command that runs the job
 *     address      where it answers
 *     waiting      a sentence: which coordinator it waits for before that
 *     epoch-N.*    what the ranks of start N printed, and its mpiexec
 *     mpi-N/       temporary files of its mpiexec
 *     mpi-trial/   of a trial, see trial.h
 *     ssh/         keys and configuration of the ssh launcher
 *     previous/    the records of the run before
 */

#include "base/error.h"

/* Makes it if it is missing, and locks it; the descriptor holds the lock.
 * -EBUSY if another coordinator has it; -EPERM if it is not ours alone. */
int run_records_lock(const char *dir, struct error *err);

/* The coordinator that holds the lock was told to end. */
void run_records_mark_ending(const char *dir);

/* The number of the last start of a coordinator that was killed here; 0 if the
 * last one ended by itself, or there was none.  Before its records are set
 * aside. */
unsigned run_records_former_starts(const char *dir);

/* Moves the records of the run before to DIR/previous; those that were there
 * are removed, and so is what a coordinator that was killed has left.  Does not
 * wait for the disk: they are for people to read. */
int run_records_set_aside(const char *dir, struct error *err);

/* Writes DIR/address at once or not at all, and to the disk: after a power cut
 * it says that the coordinator did not end by itself. */
int run_records_tell(const char *dir, const char *address, struct error *err);

/* It waits, and listens later; text: for whom. */
void run_records_tell_wait(const char *dir, const char *text);
void run_records_end_wait(const char *dir);

/* Makes the folder of the journal, and its previous/, if they are missing.
 * -EPERM if it is not ours alone. */
int run_records_make_journal(const char *dir, struct error *err);

/* Removes what only a living coordinator has. */
void run_records_clear(const char *dir);

#endif
