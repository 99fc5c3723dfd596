/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_OUTPUT_WRITER_H
#define COORDINATOR_SERVICE_OUTPUT_WRITER_H

/*
 * Where the ranks' output goes: this program's stdout and stderr, and a file of
 * each for every start (output_files.h)
 *
 * A file that cannot be written costs the copy, not the job.
 *
 * A reader that does not read must not stop the coordinator: what stdout or
 * stderr does not take is queued, up to a bound, and output_writer_is_full()
 * then asks for the ranks to be held back.
 */

#include "base/error.h"
#include "loop/loop.h"

#include <stdbool.h>

struct output_writer;

/* on_room: it was full and is not any more.  on_file: a file cannot be written,
 * with a sentence, or "": it can.  dir: for the files; borrowed. */
int output_writer_create(struct output_writer **out, struct loop *loop,
			 const char *dir, void (*on_room)(void *user),
			 void (*on_file)(void *user, const char *text),
			 void *user, struct error *err);
/* Writes what is queued, for at most a second.  Returns NULL. */
struct output_writer *output_writer_destroy(struct output_writer *writer);

/* Whole lines of a rank of a start; error: stderr. */
void output_writer_write(struct output_writer *writer, unsigned epoch,
			 bool error, const void *data, size_t n);
bool output_writer_is_full(const struct output_writer *writer);

#endif
