/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"

#include "base/list.h"
#include "base/utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct brief text_duration(msec_t time)
{
	struct brief text;
	long long s = (time + 500) / 1000;

	if (time < 0)
		snprintf(text.s, sizeof(text.s), "-");
	else if (time < 9950)
		snprintf(text.s, sizeof(text.s), "%.1f s", (double)time / 1e3);
	else if (s < 60)
		snprintf(text.s, sizeof(text.s), "%lld s", s);
	else if (s < 3600)
		snprintf(text.s, sizeof(text.s), "%lld min %02lld s", s / 60,
			 s % 60);
	else
		snprintf(text.s, sizeof(text.s), "%lld h %02lld min", s / 3600,
			 s % 3600 / 60);
	return text;
}

static bool is_time(const char *unit)
{
	return strncmp(unit, "ms ", 3) == 0;
}

struct text text_amount(uint64_t n, const char *unit)
{
	struct text text;

	if (is_time(unit))
		snprintf(text.s, sizeof(text.s), "%.15g s %.400s",
			 (double)n / 1e3, unit + 3);
	else
		snprintf(text.s, sizeof(text.s), "%" PRIu64 " %.400s", n, unit);
	return text;
}

struct text text_step(uint64_t n, const char *unit)
{
	struct text text;

	if (is_time(unit))
		return text_amount(n, unit);
	snprintf(text.s, sizeof(text.s), "step %" PRIu64, n);
	return text;
}

struct text text_rate(double rate, const char *unit)
{
	struct text text;
	double amount = is_time(unit) ? rate / 1e3 : rate;

	snprintf(text.s, sizeof(text.s),
		 amount < 99.5 ? "%.2g %s%.400s/s" : "%.0f %s%.400s/s", amount,
		 is_time(unit) ? "s " : "", is_time(unit) ? unit + 3 : unit);
	return text;
}

struct text text_estimate(msec_t time, msec_t deviation)
{
	struct text text;

	snprintf(text.s, sizeof(text.s), "%s%s%s", text_duration(time).s,
		 time >= 0 && deviation > 0 ? " +- " : "",
		 time >= 0 && deviation > 0 ? text_duration(deviation).s : "");
	return text;
}

struct brief text_pause(msec_t time)
{
	struct brief text;

	if (time < 0)
		snprintf(text.s, sizeof(text.s), "-");
	else if (time < 10000)
		snprintf(text.s, sizeof(text.s), "%.3f s", (double)time / 1e3);
	else
		snprintf(text.s, sizeof(text.s), "%.2f s", (double)time / 1e3);
	return text;
}

/* Values of the characters that must not reach a terminal from outside. */
static bool is_unsafe(unsigned value)
{
	return value < 0x20 || (value >= 0x7f && value < 0xa0) ||
	       (value >= 0x200e && value <= 0x200f) ||
	       (value >= 0x2028 && value <= 0x202e) ||
	       (value >= 0x2066 && value <= 0x2069);
}

void text_make_safe(char *to, size_t room, const char *from)
{
	size_t left = strlen(from), k = 0;

	while (left > 0) {
		unsigned value;
		size_t n = utf8_decode(from, left, &value);
		bool keep = n > 0 && !is_unsafe(value);

		if (k + (keep ? n : 1) >= room)
			break;
		if (keep)
			memmove(to + k, from, n);
		else
			to[k] = '?';
		k += keep ? n : 1;
		from += n ? n : 1;
		left -= n ? n : 1;
	}
	to[k] = '\0';
}

struct text text_safe(const char *from)
{
	struct text text;

	text_make_safe(text.s, sizeof(text.s), from ? from : "");
	return text;
}

size_t text_line_length(const char *line, size_t n)
{
	return n - (n > 0 && line[n - 1] == '\n');
}

unsigned text_columns(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* The byte behind the first characters of a text, which has more. */
static char *skip(char *text, unsigned columns)
{
	for (; columns > 0 || ((unsigned char)*text & 0xc0) == 0x80; text++)
		columns -= ((unsigned char)*text & 0xc0) != 0x80;
	return text;
}

void text_cut(char *text, unsigned columns)
{
	if (columns > 0 && text_columns(text) > columns)
		strcpy(skip(text, columns - 1), "~");
}

void text_list_add(char *list, size_t room, const char *item)
{
	size_t used = strlen(list);

	snprintf(list + used, room - used, "%s%s", used ? ", " : "", item);
}
