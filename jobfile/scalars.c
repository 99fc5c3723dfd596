/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/adapters.h"
#include "base/duration.h"
#include "jobfile/reader.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_LENGTH = 48 };

const char *value_show(const char *text, char *out, size_t n)
{
	size_t at = 0;

	for (; text[at] && at + 1 < n; at++)
		out[at] = iscntrl((unsigned char)text[at]) ? '?' : text[at];
	if (text[at]) {
		/* Cuts between two characters of UTF-8. */
		while (at > n - 4 || ((unsigned char)text[at] & 0xc0) == 0x80)
			at--;
		memcpy(out + at, "...", 3);
		at += 3;
	}
	out[at] = '\0';
	return out;
}

void *value_member(const struct jobfile_entry *entry)
{
	return (char *)entry->base + entry->key->at;
}

static int refuse_text(struct reader *reader, const struct jobfile_entry *entry,
		       const char *text, const char *why)
{
	char shown[SHOWN_LENGTH];

	return reader_refuse_value(reader, entry, "'%s' %s",
				   value_show(text, shown, sizeof(shown)), why);
}

int value_number(struct reader *reader, const struct jobfile_entry *entry,
		 const char *text, unsigned *out)
{
	const char *digits = text + (*text == '-');
	size_t n = strspn(digits, "0123456789");
	long value;

	if (n == 0 || digits[n] != '\0')
		return refuse_text(reader, entry, text, "is not a number");
	errno = 0;
	value = strtol(text, NULL, 10);
	if (errno == ERANGE || value < entry->key->min ||
	    value > entry->key->max)
		return refuse_text(reader, entry, text, "is out of range");
	*out = (unsigned)value;
	return 0;
}

/* NULL if it is none of them. */
static const struct schema_word *find_word(const struct schema_word *words,
					   const char *text)
{
	for (; words && words->text; words++)
		if (strcmp(words->text, text) == 0)
			return words;
	return NULL;
}

static int parse_duration(struct reader *reader,
			  const struct jobfile_entry *entry, const char *text,
			  msec_t *out)
{
	const struct schema_word *word = find_word(entry->key->words, text);
	const char *fault;
	double value;

	if (word) {
		*out = word->value;
		return 0;
	}
	fault = duration_read(&value, text);
	if (fault)
		return refuse_text(reader, entry, text, fault);
	if (value < (double)entry->key->min || value > (double)entry->key->max)
		return refuse_text(reader, entry, text, "is out of range");
	*out = (msec_t)(value + 0.5);
	return 0;
}

static int parse_percent(struct reader *reader,
			 const struct jobfile_entry *entry, const char *text)
{
	double percent;
	const char *end = decimal_read(&percent, text);

	if (!end || strcmp(end, "%") != 0)
		return refuse_text(reader, entry, text, "is not a percentage");
	if (percent < (double)entry->key->min ||
	    percent > (double)entry->key->max)
		return refuse_text(reader, entry, text, "is out of range");
	*(double *)value_member(entry) = percent / 100;
	return 0;
}

static int parse_real(struct reader *reader, const struct jobfile_entry *entry,
		      const char *text)
{
	double *out = value_member(entry);
	char *end;

	if (text[strspn(text, "+-.0123456789eE")] != '\0')
		return refuse_text(reader, entry, text, "is not a number");
	*out = strtod(text, &end);
	if (*end != '\0')
		return refuse_text(reader, entry, text, "is not a number");
	if (!isfinite(*out))
		return refuse_text(reader, entry, text, "is out of range");
	return 0;
}

static int parse_moment(struct reader *reader,
			const struct jobfile_entry *entry, const char *text)
{
	struct schedule_step *step = entry->base;
	double percent;
	const char *end = decimal_read(&percent, text);

	if (!end || strcmp(end, "%") != 0) {
		step->progress = -1;
		return parse_duration(reader, entry, text, &step->after);
	}
	if (percent > 100)
		return refuse_text(reader, entry, text, "is out of range");
	step->progress = percent / 100;
	return 0;
}

static int parse_word(struct reader *reader, const struct jobfile_entry *entry,
		      const char *text)
{
	const struct schema_word *word = find_word(entry->key->words, text);

	if (!word)
		return refuse_text(reader, entry, text, "is unknown");
	if (entry->key->size == sizeof(bool)) {
		*(bool *)value_member(entry) = word->value;
	} else {
		assert(entry->key->size == sizeof(word->value));
		memcpy(value_member(entry), &word->value, sizeof(word->value));
	}
	return 0;
}

int value_keep(struct reader *reader, const char *text, const char **out)
{
	size_t size = strlen(text) + 1;
	char *copy = jobfile_alloc(reader->job, size);

	if (!copy)
		return reader_no_memory(reader);
	*out = memcpy(copy, text, size);
	return 0;
}

static int parse_name(struct reader *reader, const struct jobfile_entry *entry,
		      const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");

	if (text[n] != '\0' || n > 40)
		return refuse_text(reader, entry, text, "is no name");
	return value_keep(reader, text, value_member(entry));
}

/* The name may be right and its adapter be missing in this program. */
static int refuse_app(struct reader *reader, const struct jobfile_entry *entry,
		      const char *text)
{
	char shown[SHOWN_LENGTH], names[256];

	return reader_refuse(reader, (unsigned)entry->node->start_mark.line + 1,
			     entry->shown,
			     "'%s' is unknown; one of %s, or one that this "
			     "program is given by --adapter FILE",
			     value_show(text, shown, sizeof(shown)),
			     adapter_names(names, sizeof(names)));
}

static int parse_app(struct reader *reader, const struct jobfile_entry *entry,
		     const char *text)
{
	const struct adapter *adapter = adapter_find(text);

	if (!adapter)
		return refuse_app(reader, entry, text);
	*(const struct adapter **)value_member(entry) = adapter;
	return 0;
}

/* The words of a command line; quotes of both kinds, nothing else is special.
 * 0, or -EINVAL. */
static int split(struct reader *reader, const struct jobfile_entry *entry,
		 const char *text, const char **words, size_t *n_words)
{
	char *at = jobfile_alloc(reader->job, strlen(text) + 1);

	if (!at)
		return reader_no_memory(reader);
	for (;; at++) {
		char quote = '\0';

		text += strspn(text, " \t\n");
		if (*text == '\0')
			return 0;
		if (*n_words == ADAPTER_ARGS_MAX - 1)
			return reader_refuse_value(reader, entry,
						   "has more than %d words",
						   ADAPTER_ARGS_MAX - 1);
		words[(*n_words)++] = at;
		for (; *text && (quote || !strchr(" \t\n", *text)); text++)
			if (*text == quote)
				quote = '\0';
			else if (!quote && (*text == '\'' || *text == '"'))
				quote = *text;
			else
				*at++ = *text;
		if (quote)
			return reader_refuse_value(
				reader, entry, "has a %c that is not closed",
				quote);
	}
}

static int parse_command(struct reader *reader,
			 const struct jobfile_entry *entry, const char *text)
{
	const char *words[ADAPTER_ARGS_MAX];
	const char **out;
	size_t n = 0;
	int r = split(reader, entry, text, words, &n);

	if (r < 0)
		return r;
	if (n == 0)
		return reader_refuse_value(reader, entry, "is empty");
	out = jobfile_alloc(reader->job, (n + 1) * sizeof(*out));
	if (!out)
		return reader_no_memory(reader);
	memcpy(out, words, n * sizeof(*out));
	*(const char ***)value_member(entry) = out;
	return 0;
}

int value_read_text(struct reader *reader, const struct jobfile_entry *entry,
		    const char *text)
{
	switch (entry->key->type) {
	case KEY_NAME:
		return parse_name(reader, entry, text);
	case KEY_APP:
		return parse_app(reader, entry, text);
	case KEY_TEXT:
	case KEY_FOLDER:
		return value_keep(reader, text, value_member(entry));
	case KEY_NUMBER:
		return value_number(reader, entry, text, value_member(entry));
	case KEY_DURATION:
		return parse_duration(reader, entry, text, value_member(entry));
	case KEY_PERCENT:
		return parse_percent(reader, entry, text);
	case KEY_REAL:
		return parse_real(reader, entry, text);
	case KEY_MOMENT:
		return parse_moment(reader, entry, text);
	case KEY_WORD:
		return parse_word(reader, entry, text);
	case KEY_COMMAND:
		return parse_command(reader, entry, text);
	case KEY_TEXTS:
	case KEY_NUMBERS:
	case KEY_ENVIRONMENT:
	case KEY_STEPS:
		break;
	}
	return reader_refuse_value(reader, entry, "is a text");
}
