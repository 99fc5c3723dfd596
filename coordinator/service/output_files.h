/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_OUTPUT_FILES_H
#define COORDINATOR_SERVICE_OUTPUT_FILES_H

/*
 * A file of what the ranks of a start print on stdout, and one of stderr
 *
 * They are written on a thread of their own (loop/file_queue.h).  Up to 8 MiB
 * wait for a disk that stands still or is slow; what is more is missing in the
 * files, which is told, and counted in the log.  A file that cannot be written
 * is told, too, and tried again after a while.
 */

#include "base/error.h"
#include "loop/loop.h"

#include <stdbool.h>
#include <stddef.h>

enum { OUTPUT_FILES_QUEUE_MAX = 8 << 20 };

struct output_files;

/* on_file: files miss lines, with a sentence, or "": they do not any more.
 * dir: for the files; borrowed.  The thread begins with the first line. */
int output_files_create(struct output_files **out, struct loop *loop,
			const char *dir,
			void (*on_file)(void *user, const char *text),
			void *user, struct error *err);
/* Writes what is queued, for at most a second.  Returns NULL. */
struct output_files *output_files_destroy(struct output_files *files);

void output_files_write(struct output_files *files, unsigned epoch, bool error,
			const void *data, size_t n);

#endif
