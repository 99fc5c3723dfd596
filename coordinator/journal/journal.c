/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/journal.h"

#include "base/list.h"
#include "journal/journal_line.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A number of an entry: bool, or 4 or 8 bytes. */
struct field {
	size_t at, size;
};

enum { FIELDS_MAX = 24, EVENT_TYPES = JOB_EV_SUSPEND + 1 };

#define F(member)                                                              \
	{                                                                      \
		offsetof(struct journal_entry, member),                        \
			sizeof(((struct journal_entry *)NULL)->member)         \
	}

/* For each kind of line: its word, and the numbers that follow. */
/* clang-format off */
static const struct {
	const char *word;
	struct field fields[FIELDS_MAX]; /* to the first of no size */
} kinds[] = {
	[JOURNAL_BEGUN] = {"begun", {
		F(begun.version), F(begun.wall), F(begun.initial),
		F(begun.retries), F(begun.has_checkpoint), F(begun.proves),
		F(begun.starts)}},
	[JOURNAL_LIFE] = {"life", {F(life.wall), F(life.starts)}},
	[JOURNAL_EVENT] = {"event", {
		F(event.epoch), F(event.size), F(event.leave)}},
	[JOURNAL_SEEN] = {"seen", {
		F(seen.step), F(seen.total), F(seen.when), F(seen.first)}},
	[JOURNAL_CHECKPOINT] = {"checkpoint", {F(checkpoint.step)}},
	[JOURNAL_REPEATED] = {"repeated", {F(repeated.steps)}},
	[JOURNAL_NOTICE] = {"notice", {F(notice.kind)}},
	[JOURNAL_BINDING] = {"binding", {F(binding.epoch)}},
	[JOURNAL_REQUEST] = {"request", {F(request.from), F(request.to)}},
	[JOURNAL_JOB] = {"job", {
		F(job.state), F(job.want), F(job.grant), F(job.size),
		F(job.begun), F(job.target), F(job.proven), F(job.resumed),
		F(job.stepped), F(job.worked), F(job.starts), F(job.epoch),
		F(job.next), F(job.retries_left), F(job.has_checkpoint),
		F(job.failed), F(job.failures), F(job.instead), F(job.drops),
		F(job.again), F(job.leave), F(job.deadline),
		F(job.hands_over)}},
	[JOURNAL_PROGRESS] = {"progress", {
		F(progress.lives), F(progress.rescales_done), F(progress.step),
		F(progress.total), F(progress.last_step),
		F(progress.first_step), F(progress.first_step_at),
		F(progress.ordered_at), F(progress.saved_after)}},
	[JOURNAL_TALLY] = {"tally", {
		F(tally.grown), F(tally.shrunk), F(tally.recovered),
		F(tally.checkpoints), F(tally.dropped), F(tally.declined),
		F(tally.lost), F(tally.drained), F(tally.phases[0]),
		F(tally.phases[1]), F(tally.phases[2]), F(tally.phases[3]),
		F(tally.phases[4]), F(tally.phases[5]), F(tally.paused),
		F(tally.repeated)}},
	[JOURNAL_SPAN] = {"span", {F(span.from), F(span.to), F(span.ranks)}},
	[JOURNAL_RESCALE] = {"rescale", {
		F(rescale.epoch), F(rescale.from), F(rescale.to),
		F(rescale.asked), F(rescale.executors), F(rescale.prepared),
		F(rescale.ordered), F(rescale.saved), F(rescale.stopped),
		F(rescale.up), F(rescale.resumed), F(rescale.stepped),
		F(rescale.last_step), F(rescale.repeated),
		F(rescale.checkpoint),
		F(rescale.recovery), F(rescale.due), F(rescale.failed),
		F(rescale.goes_back)}},
	[JOURNAL_RESULT] = {"result", {{0, 0}}},
	[JOURNAL_NOTICED] = {"noticed", {
		F(noticed.number), F(noticed.at), F(noticed.kind)}},
	[JOURNAL_ANSWERED] = {"answered", {
		F(answered.number), F(answered.from), F(answered.to)}},
};
/* clang-format on */

_Static_assert(PHASES == 6, "each phase of a tally has a number");

/* ---- a line ---- */

/* Event names have blanks for people, and none here. */
static void event_word(enum job_event_type type, char word[32])
{
	snprintf(word, 32, "%s", job_event_name(type));
	for (char *at = word; *at; at++)
		if (*at == ' ')
			*at = '-';
}

static int find_event(const char *word)
{
	char other[32];

	for (int i = 0; i < EVENT_TYPES; i++) {
		event_word((enum job_event_type)i, other);
		if (strcmp(word, other) == 0)
			return i;
	}
	return -EINVAL;
}

static uint64_t get_number(const struct journal_entry *e,
			   const struct field *field)
{
	const char *at = (const char *)e + field->at;
	uint64_t wide = 0;
	uint32_t narrow;

	switch (field->size) {
	case sizeof(bool):
		return *at != 0;
	case sizeof(narrow):
		memcpy(&narrow, at, sizeof(narrow));
		return narrow;
	case sizeof(wide):
		memcpy(&wide, at, sizeof(wide));
	}
	return wide;
}

static void set_number(struct journal_entry *e, const struct field *field,
		       uint64_t value)
{
	char *at = (char *)e + field->at;
	uint32_t narrow = (uint32_t)value;
	bool set = value != 0;

	switch (field->size) {
	case sizeof(set):
		memcpy(at, &set, sizeof(set));
		return;
	case sizeof(narrow):
		memcpy(at, &narrow, sizeof(narrow));
		return;
	case sizeof(value):
		memcpy(at, &value, sizeof(value));
	}
}

size_t journal_format(const struct journal_entry *entry,
		      char line[JOURNAL_LINE_MAX])
{
	const struct field *field = kinds[entry->kind].fields;
	char *text = line + JOURNAL_LINE_HEAD;
	size_t room = JOURNAL_LINE_MAX - JOURNAL_LINE_HEAD, n;

	n = (size_t)snprintf(text, room, "%" PRId64 " %s", entry->at,
			     kinds[entry->kind].word);
	if (entry->kind == JOURNAL_EVENT) {
		char word[32];

		event_word(entry->event.type, word);
		n += (size_t)snprintf(text + n, room - n, " %s", word);
	}
	for (; field->size > 0; field++)
		n += (size_t)snprintf(text + n, room - n, " %" PRIu64,
				      get_number(entry, field));
	n += (size_t)snprintf(text + n, room - n, " %s", entry->text);
	return journal_line_seal(line, n);
}

/* The word up to the next blank, of less than n bytes; false: there is none. */
static bool take_word(const char **at, char *word, size_t n)
{
	size_t length = strcspn(*at, " ");

	if (length == 0 || length >= n || (*at)[length] != ' ')
		return false;
	memcpy(word, *at, length);
	word[length] = '\0';
	*at += length + 1;
	return true;
}

static bool take_number(const char **at, uint64_t *out)
{
	char word[24], *end;

	if (!take_word(at, word, sizeof(word)) ||
	    word[strspn(word, "0123456789")] != '\0')
		return false;
	errno = 0;
	*out = strtoull(word, &end, 10);
	return errno == 0;
}

static bool take_kind(const char **at, struct journal_entry *out)
{
	char word[32];
	int type;

	if (!take_word(at, word, sizeof(word)))
		return false;
	for (size_t i = 0; i < LENGTH(kinds); i++)
		if (strcmp(word, kinds[i].word) == 0) {
			out->kind = (enum journal_kind)i;
			if (out->kind != JOURNAL_EVENT)
				return true;
			if (!take_word(at, word, sizeof(word)))
				return false;
			type = find_event(word);
			out->event.type = (enum job_event_type)type;
			return type >= 0;
		}
	return false;
}

/* What other programs of this version can have written. */
static bool is_known(const struct journal_entry *e)
{
	if (e->kind == JOURNAL_BEGUN)
		return e->begun.version >= JOURNAL_VERSION_FIRST &&
		       e->begun.version <= JOURNAL_VERSION;
	return e->kind != JOURNAL_JOB || e->job.state <= JOB_SUSPENDED;
}

static int parse_text(const char *text, size_t n, struct journal_entry *out)
{
	const struct field *field;
	uint64_t at_time, number;
	char copy[JOURNAL_LINE_MAX - JOURNAL_LINE_HEAD];
	const char *at = copy;

	*out = (struct journal_entry){0};
	if (n >= sizeof(copy))
		return -EINVAL;
	memcpy(copy, text, n);
	copy[n] = '\0';
	if (!take_number(&at, &at_time) || at_time > INT64_MAX ||
	    !take_kind(&at, out))
		return -EINVAL;
	out->at = (msec_t)at_time;
	for (field = kinds[out->kind].fields; field->size > 0; field++) {
		if (!take_number(&at, &number))
			return -EINVAL;
		set_number(out, field, number);
	}
	if (strlen(at) >= sizeof(out->text) || !is_known(out))
		return -EINVAL;
	strcpy(out->text, at);
	return 0;
}

int journal_parse(const char *line, size_t n, struct journal_entry *out)
{
	const char *text = journal_line_open(line, n);

	if (!text)
		return -EINVAL;
	return parse_text(text, n - JOURNAL_LINE_HEAD, out);
}

/* ---- the file ---- */

struct reader {
	journal_read_f fn;
	void *user;
};

static bool read_text(void *user, const char *text, size_t n)
{
	const struct reader *reader = user;
	struct journal_entry entry;

	return parse_text(text, n, &entry) == 0 &&
	       reader->fn(reader->user, &entry);
}

int journal_read(const char *path, journal_read_f fn, void *user,
		 struct journal_end *end, struct error *err)
{
	struct reader reader = {fn, user};

	return journal_file_read(path, read_text, &reader, end, err);
}

msec_t journal_wall_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (msec_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
