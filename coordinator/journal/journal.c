/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/journal.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/list.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

/* For each kind of line: its word, and how many numbers follow. */
static const struct {
	const char *word;
	int numbers;
} kinds[] = {
	[JOURNAL_BEGUN] = {"begun", 7},       [JOURNAL_LIFE] = {"life", 2},
	[JOURNAL_EVENT] = {"event", 3},       [JOURNAL_SEEN] = {"seen", 4},
	[JOURNAL_REPEATED] = {"repeated", 1}, [JOURNAL_NOTICE] = {"notice", 1},
	[JOURNAL_REQUEST] = {"request", 2},
};

enum { NUMBERS_MAX = 7, EVENT_TYPES = JOB_EV_SUSPEND + 1 };

/* IEEE 802.3, as of zlib and of cksum -o 3. */
static uint32_t checksum(const char *text, size_t n)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < n; i++) {
		crc ^= (unsigned char)text[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

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

static void get_numbers(const struct journal_entry *e,
			uint64_t out[NUMBERS_MAX])
{
	switch (e->kind) {
	case JOURNAL_BEGUN:
		out[0] = JOURNAL_VERSION;
		out[1] = (uint64_t)e->begun.wall;
		out[2] = e->begun.initial;
		out[3] = e->begun.retries;
		out[4] = e->begun.has_checkpoint;
		out[5] = e->begun.proves;
		out[6] = e->begun.starts;
		return;
	case JOURNAL_LIFE:
		out[0] = (uint64_t)e->life.wall;
		out[1] = e->life.starts;
		return;
	case JOURNAL_EVENT:
		out[0] = e->event.epoch;
		out[1] = e->event.size;
		out[2] = (uint64_t)e->event.leave;
		return;
	case JOURNAL_SEEN:
		out[0] = e->seen.step;
		out[1] = e->seen.total;
		out[2] = (uint64_t)e->seen.when;
		out[3] = e->seen.first;
		return;
	case JOURNAL_REPEATED:
		out[0] = e->repeated.steps;
		return;
	case JOURNAL_NOTICE:
		out[0] = (uint64_t)e->notice.kind;
		return;
	case JOURNAL_REQUEST:
		out[0] = e->request.from;
		out[1] = e->request.to;
		return;
	}
}

static int set_numbers(struct journal_entry *e, const uint64_t in[NUMBERS_MAX])
{
	switch (e->kind) {
	case JOURNAL_BEGUN:
		e->begun.wall = (msec_t)in[1];
		e->begun.initial = (unsigned)in[2];
		e->begun.retries = (unsigned)in[3];
		e->begun.has_checkpoint = in[4];
		e->begun.proves = in[5];
		e->begun.starts = (unsigned)in[6];
		return in[0] == JOURNAL_VERSION ? 0 : -EINVAL;
	case JOURNAL_LIFE:
		e->life.wall = (msec_t)in[0];
		e->life.starts = (unsigned)in[1];
		return 0;
	case JOURNAL_EVENT:
		e->event.epoch = (unsigned)in[0];
		e->event.size = (unsigned)in[1];
		e->event.leave = (msec_t)in[2];
		return 0;
	case JOURNAL_SEEN:
		e->seen.step = in[0];
		e->seen.total = in[1];
		e->seen.when = (msec_t)in[2];
		e->seen.first = in[3];
		return 0;
	case JOURNAL_REPEATED:
		e->repeated.steps = in[0];
		return 0;
	case JOURNAL_NOTICE:
		e->notice.kind = (Bellows__V1__NoticeKind)in[0];
		return 0;
	case JOURNAL_REQUEST:
		e->request.from = (unsigned)in[0];
		e->request.to = (unsigned)in[1];
		return 0;
	}
	return -EINVAL;
}

size_t journal_format(const struct journal_entry *entry,
		      char line[JOURNAL_LINE_MAX])
{
	uint64_t numbers[NUMBERS_MAX] = {0};
	char *rest = line + 9; /* behind the sum and its blank */
	size_t room = JOURNAL_LINE_MAX - 9, n;
	char sum[9];

	get_numbers(entry, numbers);
	n = (size_t)snprintf(rest, room, "%" PRId64 " %s", entry->at,
			     kinds[entry->kind].word);
	if (entry->kind == JOURNAL_EVENT) {
		char word[32];

		event_word(entry->event.type, word);
		n += (size_t)snprintf(rest + n, room - n, " %s", word);
	}
	for (int i = 0; i < kinds[entry->kind].numbers; i++)
		n += (size_t)snprintf(rest + n, room - n, " %" PRIu64,
				      numbers[i]);
	n += (size_t)snprintf(rest + n, room - n, " %s", entry->text);
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)rest[i] < ' ')
			rest[i] = ' ';
	snprintf(sum, sizeof(sum), "%08x", checksum(rest, n));
	memcpy(line, sum, 8);
	line[8] = ' ';
	rest[n] = '\n';
	return 9 + n + 1;
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

int journal_parse(const char *line, size_t n, struct journal_entry *out)
{
	uint64_t numbers[NUMBERS_MAX] = {0}, at_time;
	char text[JOURNAL_LINE_MAX], sum[9];
	const char *at = text;

	*out = (struct journal_entry){0};
	if (n < 10 || n >= sizeof(text) || memchr(line, '\0', n))
		return -EINVAL;
	memcpy(text, line, n);
	text[n] = '\0';
	snprintf(sum, sizeof(sum), "%08x", checksum(text + 9, n - 9));
	if (memcmp(text, sum, 8) != 0 || text[8] != ' ')
		return -EINVAL;
	at += 9;
	if (!take_number(&at, &at_time) || at_time > INT64_MAX ||
	    !take_kind(&at, out))
		return -EINVAL;
	out->at = (msec_t)at_time;
	for (int i = 0; i < kinds[out->kind].numbers; i++)
		if (!take_number(&at, &numbers[i]))
			return -EINVAL;
	if (strlen(at) >= sizeof(out->text))
		return -EINVAL;
	strcpy(out->text, at);
	return set_numbers(out, numbers);
}

/* ---- reading ---- */

int journal_read(const char *path, journal_read_f fn, void *user,
		 struct journal_end *end, struct error *err)
{
	CLEANUP(fclose) FILE *file = NULL;
	CLEANUP(free) char *line = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct journal_entry entry;
	size_t room = 0;
	ssize_t n;

	*end = (struct journal_end){0};
	if (fd >= 0)
		file = fdopen(fd, "r");
	if (!file)
		return error_errno(err, "cannot read %s", path);
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

int journal_open(struct journal **out, const char *path, off_t size,
		 struct error *err)
{
	CLEANUP(journal_close)
	struct journal *journal = calloc(1, sizeof(*journal));
	int r;

	if (!journal)
		return error_set(err, -ENOMEM, "out of memory");
	snprintf(journal->path, sizeof(journal->path), "%s", path);
	journal->size = size;
	journal->fd = open(
		path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
		0600);
	if (journal->fd < 0 || ftruncate(journal->fd, size) < 0)
		return error_errno(err, "cannot write %s", path);
	r = file_sync_name(path, err);
	if (r < 0)
		return r;
	*out = STEAL(journal);
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

int journal_append(struct journal *journal, const struct journal_entry *entry,
		   struct error *err)
{
	char line[JOURNAL_LINE_MAX];
	size_t n = journal_format(entry, line);
	struct stat st;
	ssize_t k;

	if (fstat(journal->fd, &st) < 0)
		return error_errno(err, "cannot write %s", journal->path);
	if (st.st_size != journal->size || st.st_nlink == 0)
		return error_set(err, -EBUSY,
				 "%s: another coordinator has written to it",
				 journal->path);
	k = write(journal->fd, line, n);
	if (k != (ssize_t)n)
		return take_back(journal, k < 0 ? -errno : -ENOSPC, err);
	if (fdatasync(journal->fd) < 0)
		return take_back(journal, -errno, err);
	journal->size += k;
	return 0;
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
