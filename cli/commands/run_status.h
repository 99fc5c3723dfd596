/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_RUN_STATUS_H
#define CLI_COMMANDS_RUN_STATUS_H

/*
 * The file of --status: how a run has ended, for a program that is not its
 * parent
 *
 * It has a decimal number and a newline, mode 0600, and is there only once the
 * run has ended.  A run that was killed leaves none.
 */

#include "cli/views/output.h"

/* Removes what a run before has left; -errno with a sentence if the file cannot
 * be written. */
int run_status_clear(const char *path, struct error *err);

/* Returns the status to end with: code, or EXIT_SYSTEM if code is 0 and could
 * not be written, which is told. */
int run_status_keep(const char *path, int code, const struct output *output);

#endif
