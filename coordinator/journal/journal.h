/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_JOURNAL_JOURNAL_H
#define COORDINATOR_JOURNAL_JOURNAL_H

/*
 * The journal: all that happened to a job, so that a coordinator that takes
 * another's place knows it
 *
 *     8f3a1c02 0 begun 1 1763769600000 2 3 0 1 heat
 *     51b20c9e 812 event executors 0 2 0 all executors are ready
 *     0d7cc1aa 1430 event ranks-up 1 0 0 all ranks run where they belong
 *
 * A line each: CRC-32 of what follows the first blank; milliseconds since the
 * job began; the kind; its numbers; a text up to the end.  Lines are only
 * appended, and each is on the disk before anything is done about it.
 *
 * The last line may be torn: it was never acted upon, and is dropped.  Any
 * other line that does not fit ends what is believed.
 */

#include "base/error.h"
#include "coordinator/journal/history.h"
#include "core/job.h"

#include <sys/types.h>

enum { JOURNAL_VERSION = 1 };

enum journal_kind {
	JOURNAL_BEGUN,    /* the first one; text: the job's name */
	JOURNAL_LIFE,     /* another coordinator took over */
	JOURNAL_EVENT,    /* of core/job, accepted by it; text: why */
	JOURNAL_SEEN,     /* how far the application was */
	JOURNAL_REPEATED, /* steps to be computed again */
	JOURNAL_NOTICE,   /* text: a sentence */
	JOURNAL_REQUEST, /* of the size that the next event has; text: its id */
};

struct journal_entry {
	enum journal_kind kind;
	msec_t at; /* since the job began */
	union {
		struct {
			msec_t wall; /* since 1970 */
			unsigned initial, retries;
			unsigned starts; /* of a job that was here before */
			bool has_checkpoint;
			bool proves; /* starts have to prove that they went on
				      */
		} begun;
		struct {
			msec_t wall;
			unsigned starts; /* there were at least so many */
		} life;
		struct {
			enum job_event_type type;
			unsigned epoch, size;
			msec_t leave; /* since the job began; 0: none */
		} event;
		struct {
			uint64_t step, total;
			msec_t when; /* since the job began */
			bool first;  /* of its start */
		} seen;
		struct {
			uint64_t steps;
		} repeated;
		struct {
			Bellows__V1__NoticeKind kind;
		} notice;
		struct {
			unsigned from, to;
		} request;
	};
	char text[REASON_MAX];
};

/* False ends the reading, as a line that does not fit would. */
typedef bool (*journal_read_f)(void *user, const struct journal_entry *entry);

struct journal_end {
	off_t size; /* of what is believed */
	unsigned lines;
	bool torn;    /* the last line is, and was dropped */
	bool damaged; /* there is more behind a line that does not fit */
};

/* Calls fn for each line that is believed.  -ENOENT: there is no journal;
 * -errno if it cannot be read. */
int journal_read(const char *path, journal_read_f fn, void *user,
		 struct journal_end *end, struct error *err);

struct journal;

/* Opens or makes path to append to it, without what is beyond size.  Its name
 * is on the disk when this returns. */
int journal_open(struct journal **out, const char *path, off_t size,
		 struct error *err);

/* When it returns 0 the entry is on the disk.  -EBUSY: somebody else has
 * written to it, and this coordinator is no longer the job's. */
int journal_append(struct journal *journal, const struct journal_entry *entry,
		   struct error *err);

struct journal *journal_close(struct journal *journal); /* NULL */

/* Milliseconds since 1970. */
msec_t journal_wall_clock(void);

/* One line, without its end; -EINVAL if it is none. */
int journal_parse(const char *line, size_t n, struct journal_entry *out);
/* With its end; at most JOURNAL_LINE_MAX bytes.  Returns how many. */
enum { JOURNAL_LINE_MAX = REASON_MAX + 300 };
size_t journal_format(const struct journal_entry *entry,
		      char line[JOURNAL_LINE_MAX]);

#endif
