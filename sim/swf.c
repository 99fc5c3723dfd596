/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/swf.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "sim/workload.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Of a submission and of a requested time; a log may count from 1970. */
#define SECONDS_MAX 1e11

enum { FIELDS = 18 };

/* The fields that are used; the others have to be numbers. */
enum {
	NUMBER = 0,
	SUBMIT = 1,
	RUN = 3,
	PROCESSORS = 4,
	REQUESTED_PROCESSORS = 7,
	REQUESTED_TIME = 8,
	STATUS = 10,
	USER = 11,
};

/* Values of STATUS. */
enum { CONTINUED = 2, LAST_PART = 3, LAST_PART_FAILED = 4, CANCELLED = 5 };

static const struct range {
	const char *name;
	double min, max;
	bool whole;
} ranges[FIELDS] = {
	[NUMBER] = {"the job number", 0, 1e15, true},
	[SUBMIT] = {"the submit time", 0, SECONDS_MAX, false},
	[RUN] = {"the run time", -1, WORKLOAD_SECONDS_MAX, false},
	[PROCESSORS] = {"the number of processors", -1, 1e9, true},
	[REQUESTED_PROCESSORS] = {"the requested number of processors", -1, 1e9,
				  true},
	[REQUESTED_TIME] = {"the requested time", -1, SECONDS_MAX, false},
	[USER] = {"the user", -1, 1e15, true},
};

struct reader {
	struct swf_log *log;
	const char *path;
	FILE *file;
	struct error *err;
	unsigned line;
	size_t bytes;
	double first;        /* submit time of the first line; -1: none yet */
	double procs, nodes; /* of the head; 0: it does not tell */
	char text[SWF_LINE_MAX + 1];
};

static int refuse(const struct reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static int refuse(const struct reader *reader, const char *format, ...)
{
	char sentence[400];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return error_set(reader->err, -EINVAL, "%s:%u: %s", reader->path,
			 reader->line, sentence);
}

/* ---- lines ---- */

/* By gzip, whose first byte no text has. */
static bool is_compressed(FILE *file)
{
	return ungetc(getc(file), file) == 0x1f;
}

/* 1; 0 at the end of the file; or -errno.  The line is without its end. */
static int next_line(struct reader *reader)
{
	size_t n = 0;
	int c;

	reader->line++;
	if (reader->line == 1 && is_compressed(reader->file))
		return refuse(reader, "the log is compressed; gunzip it first");
	while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
		if (n == SWF_LINE_MAX)
			return refuse(reader,
				      "the line has more than %d bytes; this "
				      "is no log in Standard Workload Format",
				      SWF_LINE_MAX);
		if (c == '\0')
			return refuse(reader,
				      "byte %zu of the line is 0; this is no "
				      "log in Standard Workload Format",
				      n + 1);
		reader->text[n++] = (char)c;
	}
	reader->text[n] = '\0';
	reader->bytes += n + 1;
	if (c == EOF && ferror(reader->file))
		return error_errno(reader->err, "cannot read %s", reader->path);
	if (reader->bytes > SWF_BYTES_MAX)
		return refuse(reader, "the file has more than %d MiB",
			      SWF_BYTES_MAX >> 20);
	return n > 0 || c != EOF;
}

static size_t skip_blanks(const char *text)
{
	return strspn(text, " \t\r");
}

static int read_field(struct reader *reader, unsigned i, const char *text,
		      size_t n, double *value)
{
	const struct range *range = &ranges[i];
	char *end;

	*value = strtod(text, &end);
	if (strspn(text, "+-.0123456789eE") < n || end != text + n ||
	    !isfinite(*value))
		return refuse(reader, "field %u is '%.*s', and not a number",
			      i + 1, n > 40 ? 40 : (int)n, text);
	if (!range->name)
		return 0;
	if (*value < range->min || *value > range->max)
		return refuse(reader,
			      "%s (field %u) is %.15g, and not from "
			      "%.15g to %.15g",
			      range->name, i + 1, *value, range->min,
			      range->max);
	if (range->whole && *value != floor(*value))
		return refuse(reader,
			      "%s (field %u) is %.15g, and not a whole number",
			      range->name, i + 1, *value);
	return 0;
}

static int read_fields(struct reader *reader, double fields[FIELDS])
{
	const char *at = reader->text + skip_blanks(reader->text);
	unsigned i = 0;

	for (; *at; i++) {
		size_t n = strcspn(at, " \t\r");
		int r = i < FIELDS ? read_field(reader, i, at, n, &fields[i])
				   : 0;

		if (r < 0)
			return r;
		at += n;
		at += skip_blanks(at);
	}
	if (i != FIELDS)
		return refuse(reader, "the line has %u fields, and not %d", i,
			      FIELDS);
	return 0;
}

/* ---- the head ---- */

static void read_key(const char *text, const char *key, double *value)
{
	size_t n = strlen(key);

	if (strncmp(text, key, n) == 0)
		*value = strtod(text + n, NULL);
}

/* "; MaxProcs: 100" */
static void read_comment(struct reader *reader)
{
	const char *text = strchr(reader->text, ';') + 1;

	text += skip_blanks(text);
	read_key(text, "MaxProcs:", &reader->procs);
	read_key(text, "MaxNodes:", &reader->nodes);
}

/* At the first job. */
static int find_slots(struct reader *reader)
{
	double slots = reader->procs >= 1 ? reader->procs : reader->nodes;

	if (!(slots >= 1))
		return refuse(reader,
			      "neither '; MaxProcs: N' nor '; MaxNodes: N' "
			      "stands before the first job; --slots N says how "
			      "many processors there are");
	if (slots > WORKLOAD_SLOTS_MAX)
		return refuse(reader,
			      "the log is of %.15g processors, and not "
			      "of 1 to %d",
			      slots, WORKLOAD_SLOTS_MAX);
	reader->log->slots = (unsigned)slots;
	return 0;
}

/* ---- jobs ---- */

/* SWF_REASONS: the job can be simulated. */
static enum swf_left_out why_not(const struct swf_log *log,
				 const double fields[FIELDS], double processors)
{
	double status = fields[STATUS];

	if (status >= CONTINUED && status <= LAST_PART_FAILED)
		return SWF_PART;
	if (status == CANCELLED && (fields[RUN] <= 0 || processors < 1))
		return SWF_CANCELLED;
	if (fields[RUN] <= 0)
		return SWF_NO_RUN_TIME;
	if (processors < 1)
		return SWF_NO_PROCESSORS;
	return processors > log->slots ? SWF_TOO_LARGE : SWF_REASONS;
}

static int add_job(struct reader *reader, const struct swf_job *job)
{
	struct swf_log *log = reader->log;

	if (log->n == WORKLOAD_JOBS_MAX)
		return refuse(reader, "the log has more than %d jobs",
			      WORKLOAD_JOBS_MAX);
	if (ARRAY_RESERVE(log->jobs, log->n, log->room) < 0)
		return error_set(reader->err, -ENOMEM, "out of memory");
	log->jobs[log->n++] = *job;
	return 0;
}

static int read_job(struct reader *reader)
{
	double fields[FIELDS], processors;
	enum swf_left_out why;
	int r = read_fields(reader, fields);

	if (r == 0 && reader->log->slots == 0)
		r = find_slots(reader);
	if (r < 0)
		return r;
	if (reader->first < 0)
		reader->first = fields[SUBMIT];
	if (fabs(fields[SUBMIT] - reader->first) > WORKLOAD_SECONDS_MAX)
		return refuse(reader,
			      "the submit time is more than %d s from "
			      "that of the first job",
			      WORKLOAD_SECONDS_MAX);
	processors = fields[PROCESSORS] >= 1 ? fields[PROCESSORS]
					     : fields[REQUESTED_PROCESSORS];
	why = why_not(reader->log, fields, processors);
	if (why != SWF_REASONS) {
		reader->log->left_out[why]++;
		return 0;
	}
	return add_job(reader, &(struct swf_job){
				       .number = fields[NUMBER],
				       .submit = fields[SUBMIT],
				       .run = fields[RUN],
				       .requested = fields[REQUESTED_TIME],
				       .user = fields[USER],
				       .processors = (unsigned)processors,
				       .line = reader->line,
			       });
}

static int compare_jobs(const void *a, const void *b)
{
	const struct swf_job *first = a, *second = b;

	if (first->submit != second->submit)
		return first->submit < second->submit ? -1 : 1;
	return (first->line > second->line) - (first->line < second->line);
}

/* ---- the whole ---- */

static int read_lines(struct reader *reader)
{
	int r;

	while ((r = next_line(reader)) > 0) {
		char first = reader->text[skip_blanks(reader->text)];

		if (first == ';')
			read_comment(reader);
		else if (first)
			r = read_job(reader);
		if (r < 0)
			return r;
	}
	return r;
}

int swf_parse(struct swf_log *log, const char *path, FILE *file, unsigned slots,
	      struct error *err)
{
	struct reader reader = {.log = log,
				.path = path,
				.file = file,
				.err = err,
				.first = -1};
	char left_out[400];
	int r;

	*log = (struct swf_log){.slots = slots};
	r = read_lines(&reader);
	if (r < 0)
		return r;
	if (log->n == 0) {
		swf_left_out_text(log, left_out, sizeof(left_out));
		return refuse(&reader, "there is no job to simulate%s%s",
			      *left_out ? "; " : "", left_out);
	}
	qsort(log->jobs, log->n, sizeof(*log->jobs), compare_jobs);
	return 0;
}

int swf_read(struct swf_log *log, const char *path, unsigned slots,
	     struct error *err)
{
	CLEANUP(close) int fd = file_open(path, err);
	CLEANUP(fclose) FILE *file = NULL;

	*log = (struct swf_log){.slots = slots};
	if (fd < 0)
		return fd;
	file = fdopen(fd, "r");
	if (!file)
		return error_errno(err, "cannot read %s", path);
	fd = -1; /* the stream's from now on */
	return swf_parse(log, path, file, slots, err);
}

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

bool swf_is_log(const char *path)
{
	char head[256], first;
	size_t size = 0;

	if (ends_in(path, ".swf") || ends_in(path, ".swf.gz"))
		return true;
	if (file_read(path, head, sizeof(head) - 1, &size, NULL) < 0)
		return false;
	head[size] = '\0';
	first = head[strspn(head, " \t\r\n")];
	return first == ';' || (first >= '0' && first <= '9');
}

void swf_left_out_text(const struct swf_log *log, char *text, size_t room)
{
	static const char *const texts[SWF_REASONS] = {
		[SWF_CANCELLED] = "cancelled before the start",
		[SWF_PART] = "listed as a part of another job",
		[SWF_NO_RUN_TIME] = "without a run time",
		[SWF_NO_PROCESSORS] = "without processors",
		[SWF_TOO_LARGE] = "on more processors than there are slots",
	};
	size_t n = 0, used;

	for (size_t i = 0; i < SWF_REASONS; i++)
		n += log->left_out[i];
	*text = '\0';
	if (n == 0)
		return;
	snprintf(text, room, "%zu of %zu jobs %s left out:", n, n + log->n,
		 n == 1 ? "is" : "are");
	for (size_t i = 0; i < SWF_REASONS; i++) {
		if (log->left_out[i] == 0)
			continue;
		used = strlen(text);
		snprintf(text + used, room - used, "%s %zu %s",
			 text[used - 1] == ':' ? "" : ",", log->left_out[i],
			 texts[i]);
	}
}

void swf_log_fini(struct swf_log *log)
{
	free(log->jobs);
}
