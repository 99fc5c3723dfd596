/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOURNAL_JOURNAL_FILE_H
#define JOURNAL_JOURNAL_FILE_H

/*
 * A journal: a file of lines (journal_line.h) that are only appended, and are
 * on the disk before anything is done about them
 *
 * The last line may be torn: it was never acted upon, and is dropped.  Any
 * other line that does not fit ends what is believed.
 *
 * One program writes to it.  A program that takes its place is noticed: the
 * file is then longer, or another.
 */

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* The n bytes of a line's text, and a NUL.  False ends the reading, as a line
 * that does not fit would. */
typedef bool (*journal_file_read_f)(void *user, const char *text, size_t n);

struct journal_end {
	ino_t inode; /* of the file; 0: of any */
	off_t size;  /* of what is believed */
	unsigned lines;
	bool torn;    /* the last line is, and was dropped */
	bool damaged; /* there is more behind a line that does not fit */
};

/* Calls fn for each line that is believed.  -ENOENT: there is no journal;
 * -errno if it cannot be read. */
int journal_file_read(const char *path, journal_file_read_f fn, void *user,
		      struct journal_end *end, struct error *err);

/* Of a damaged journal: has what is believed at path, and all that it had at
 * PATH.damaged, for people.  Sets end->inode to 0. */
int journal_file_put_right(const char *path, struct journal_end *end,
			   struct error *err);

struct journal_file;

/* Opens or makes path to append to it, without what is not believed.  Its name
 * is on the disk when this returns.  program: what writes such a journal, for
 * the sentence of -EBUSY; it has to stay.  -EBUSY: it is another file than the
 * one that was read. */
int journal_file_open(struct journal_file **out, const char *path,
		      const char *program, const struct journal_end *end,
		      struct error *err);

/* Bytes of the lines that it has. */
off_t journal_file_size(const struct journal_file *file);

/* When it returns 0 the lines are on the disk, all of them; or else none is
 * believed to be.  After an error the same lines may be appended again, with
 * others behind them: the file is then opened anew.  -EBUSY: another program
 * has written to it, and this one has to stop. */
int journal_file_append(struct journal_file *file, const char *lines,
			size_t size, struct error *err);

/* Puts these lines in place of all that it has, on the disk, whole or not at
 * all.  -EBUSY: as journal_file_append().  After another error it goes on with
 * the lines it had, or with the new ones if only their name is not known to be
 * on the disk. */
int journal_file_replace(struct journal_file *file, const char *lines,
			 size_t size, struct error *err);

struct journal_file *journal_file_close(struct journal_file *file); /* NULL */

#endif
