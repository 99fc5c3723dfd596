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
 * A journal that has become long is replaced by a summary (summary.h): it
 * begins like any other, and goes on with lines that say where the job, its
 * history and its counts had got to.  Version 1 had no summaries.
 *
 * The last line may be torn: it was never acted upon, and is dropped.  Any
 * other line that does not fit ends what is believed.
 */

#include "base/error.h"
#include "coordinator/journal/history.h"
#include "core/job.h"
#include "journal/journal_file.h"

enum { JOURNAL_VERSION_FIRST = 1, JOURNAL_VERSION = 5 };

enum journal_kind {
	JOURNAL_BEGUN,      /* the first one; text: the job's name */
	JOURNAL_LIFE,       /* another coordinator took over */
	JOURNAL_EVENT,      /* of core/job, accepted by it; text: why */
	JOURNAL_SEEN,       /* how far the application was */
	JOURNAL_CHECKPOINT, /* that is gone on from: its step */
	JOURNAL_REPEATED,   /* steps to be computed again */
	JOURNAL_NOTICE,     /* text: a sentence */
	JOURNAL_BINDING,    /* of ranks of a start; text: "0=0 1=1" */
	JOURNAL_REQUEST, /* of the size that the next event has; text: its id */

	/* Of a summary; JOURNAL_JOB comes first. */
	JOURNAL_JOB,      /* as it was; without its patience */
	JOURNAL_PROGRESS, /* of the application and of the job */
	JOURNAL_TALLY,
	JOURNAL_SPAN,     /* each that is remembered, the oldest first */
	JOURNAL_RESCALE,  /* likewise; text: its reason */
	JOURNAL_RESULT,   /* of the rescale before; text */
	JOURNAL_NOTICED,  /* as JOURNAL_SPAN; text: the sentence */
	JOURNAL_ANSWERED, /* a request, likewise; text: its id */
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
			unsigned version;
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
			uint64_t step;
		} checkpoint;
		struct {
			uint64_t steps;
		} repeated;
		struct {
			Bellows__V1__NoticeKind kind;
		} notice;
		struct {
			unsigned epoch;
		} binding;
		struct {
			unsigned from, to;
		} request;
		struct job job;
		struct {
			unsigned lives, rescales_done;
			uint64_t step, total, first_step;
			msec_t last_step, first_step_at;
			uint64_t ordered_at, saved_after; /* see replay.h */
		} progress;
		struct tally tally;
		struct span span;
		struct rescale rescale; /* its texts: "" */
		struct {
			uint64_t number;
			msec_t at;
			Bellows__V1__NoticeKind kind;
		} noticed;
		struct {
			uint64_t number; /* 0: the first of the job */
			unsigned from, to;
		} answered;
	};
	char text[REASON_MAX];
};

/* False ends the reading, as a line that does not fit would. */
typedef bool (*journal_read_f)(void *user, const struct journal_entry *entry);

/* As journal_file_read(); a line that is no entry does not fit. */
int journal_read(const char *path, journal_read_f fn, void *user,
		 struct journal_end *end, struct error *err);

/* Milliseconds since 1970. */
msec_t journal_wall_clock(void);

/* One line, without its end; -EINVAL if it is none. */
int journal_parse(const char *line, size_t n, struct journal_entry *out);
/* With its end; at most JOURNAL_LINE_MAX bytes.  Returns how many. */
enum { JOURNAL_LINE_MAX = REASON_MAX + 700 };
size_t journal_format(const struct journal_entry *entry,
		      char line[JOURNAL_LINE_MAX]);

#endif
