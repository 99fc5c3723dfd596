/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/journal.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/list.h"
#include "journal/journal_line.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct journal {
	int fd;
	off_t size; /* a file of another size was written by another program */
	char path[4200];
};

DEFINE_CLEANUP(struct journal, journal_close)

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

/* ---- reading ---- */

int journal_read(const char *path, journal_read_f fn, void *user,
		 struct journal_end *end, struct error *err)
{
	CLEANUP(fclose) FILE *file = NULL;
	CLEANUP(free) char *line = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct journal_entry entry;
	struct stat st;
	size_t room = 0;
	ssize_t n;

	*end = (struct journal_end){0};
	if (fd >= 0)
		file = fdopen(fd, "r");
	if (!file || fstat(fd, &st) < 0)
		return error_errno(err, "cannot read %s", path);
	end->inode = st.st_ino;
	while ((n = getline(&line, &room, file)) > 0) {
		if (line[n - 1] != '\n' ||
		    journal_parse(line, (size_t)n - 1, &entry) < 0 ||
		    !fn(user, &entry)) {
			end->damaged = getline(&line, &room, file) > 0;
			end->torn = !end->damaged;
			break;
		}
		end->size += n;
		end->lines++;
	}
	return ferror(file) ? error_set(err, -EIO, "cannot read %s", path) : 0;
}

/* ---- writing ---- */

msec_t journal_wall_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (msec_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int open_end(const char *path, int flags)
{
	return open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | flags,
		    0600);
}

static int disown(const struct journal *journal, struct error *err)
{
	return error_set(err, -EBUSY,
			 "%s: another coordinator has written to it",
			 journal->path);
}

/* Cuts off what is not believed, of the file that was read. */
static int cut(const struct journal *journal, const struct journal_end *end,
	       struct error *err)
{
	struct stat st;

	if (fstat(journal->fd, &st) < 0)
		return error_errno(err, "cannot write %s", journal->path);
	if (end->inode != 0 && st.st_ino != end->inode)
		return disown(journal, err);
	if (ftruncate(journal->fd, end->size) < 0)
		return error_errno(err, "cannot write %s", journal->path);
	return 0;
}

int journal_open(struct journal **out, const char *path,
		 const struct journal_end *end, struct error *err)
{
	CLEANUP(journal_close)
	struct journal *journal = calloc(1, sizeof(*journal));
	int r;

	if (!journal)
		return error_set(err, -ENOMEM, "out of memory");
	snprintf(journal->path, sizeof(journal->path), "%s", path);
	journal->size = end->size;
	journal->fd = open_end(path, O_CREAT);
	if (journal->fd < 0)
		return error_errno(err, "cannot write %s", path);
	r = cut(journal, end, err);
	if (r == 0)
		r = file_sync_name(path, err);
	if (r < 0)
		return r;
	*out = STEAL(journal);
	return 0;
}

off_t journal_size(const struct journal *journal)
{
	return journal->size;
}

/* 0, or -EBUSY: another coordinator has the job. */
static int check_owner(const struct journal *journal, struct error *err)
{
	struct stat st;

	if (fstat(journal->fd, &st) < 0)
		return error_errno(err, "cannot write %s", journal->path);
	if (st.st_size != journal->size || st.st_nlink == 0)
		return disown(journal, err);
	return 0;
}

/* A line that is not whole must not stand before another. */
static int take_back(struct journal *journal, int code, struct error *err)
{
	if (ftruncate(journal->fd, journal->size) < 0)
		code = -errno;
	return error_set(err, code, "cannot write %s: %s", journal->path,
			 strerror(-code));
}

int journal_append(struct journal *journal, const char *lines, size_t size,
		   struct error *err)
{
	int r = check_owner(journal, err);
	ssize_t k;

	if (r < 0)
		return r;
	k = write(journal->fd, lines, size);
	if (k != (ssize_t)size)
		return take_back(journal, k < 0 ? -errno : -ENOSPC, err);
	if (fdatasync(journal->fd) < 0)
		return take_back(journal, -errno, err);
	journal->size += k;
	return 0;
}

/* The new file takes the place of the old one, which is looked at before and
 * after: a coordinator that has it open too is noticed here if it has written,
 * or else notices that its file has no name any more. */
static int take_place(struct journal *journal, const char *beside, off_t size,
		      struct error *err)
{
	CLEANUP(close) int old = -1;
	int fd = open_end(beside, 0), r;
	struct stat st;

	if (fd < 0)
		return error_errno(err, "cannot write %s", beside);
	r = check_owner(journal, err);
	if (r == 0 && rename(beside, journal->path) < 0)
		r = error_errno(err, "cannot replace %s", journal->path);
	if (r < 0) {
		close(fd);
		return r;
	}
	old = journal->fd;
	journal->fd = fd;
	if (fstat(old, &st) < 0 || st.st_size != journal->size)
		r = disown(journal, err);
	journal->size = size;
	return r < 0 ? r : file_sync_name(journal->path, err);
}

int journal_replace(struct journal *journal, const char *lines, size_t size,
		    struct error *err)
{
	char beside[4300];
	int r;

	snprintf(beside, sizeof(beside), "%s.summary", journal->path);
	r = file_keep(beside, 0600, lines, size, err);
	if (r == 0)
		r = take_place(journal, beside, (off_t)size, err);
	if (r < 0)
		unlink(beside);
	return r;
}

struct journal *journal_close(struct journal *journal)
{
	if (!journal)
		return NULL;
	if (journal->fd >= 0)
		close(journal->fd);
	free(journal);
	return NULL;
}
