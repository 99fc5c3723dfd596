/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/text.h"

#include "base/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT_MAX = 1000000 };

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

static unsigned decode(const char *s, size_t n)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	unsigned value = (unsigned char)s[0] & first[n];

	for (size_t i = 1; i < n; i++)
		value = value << 6 | ((unsigned char)s[i] & 0x3f);
	return value;
}

size_t text_utf8_length(const char *s, size_t n)
{
	static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char c = (unsigned char)s[0];
	size_t length = c < 0x80   ? 1
			: c < 0xc2 ? 0
			: c < 0xe0 ? 2
			: c < 0xf0 ? 3
			: c < 0xf5 ? 4
				   : 0;
	unsigned value;

	if (length == 0 || length > n)
		return 0;
	for (size_t i = 1; i < length; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
	value = decode(s, length);
	if (value < least[length] || value > 0x10ffff ||
	    (value >= 0xd800 && value < 0xe000))
		return 0;
	return length;
}

struct text text_safe(const char *from)
{
	struct text text;
	size_t left = from ? strlen(from) : 0, k = 0;

	while (left > 0) {
		size_t n = text_utf8_length(from, left);
		bool keep = n > 0 && !is_unsafe(decode(from, n));

		if (k + (keep ? n : 1) >= sizeof(text.s))
			break;
		if (keep)
			memcpy(text.s + k, from, n);
		else
			text.s[k] = '?';
		k += keep ? n : 1;
		from += n ? n : 1;
		left -= n ? n : 1;
	}
	text.s[k] = '\0';
	return text;
}

int text_read_duration(msec_t *out, const char *from)
{
	static const struct {
		const char *name;
		msec_t size;
	} units[] = {
		{"ms", 1},
		{"s", SECONDS(1)},
		{"min", MINUTES(1)},
		{"h", MINUTES(60)},
	};
	char *end;
	double value;

	if (*from < '0' || *from > '9' || strpbrk(from, "xXpP"))
		return -EINVAL;
	value = strtod(from, &end);
	while (*end == ' ')
		end++;
	for (size_t i = 0; i < LENGTH(units); i++) {
		if (strcmp(end, units[i].name) != 0)
			continue;
		value *= (double)units[i].size;
		if (!(value <= (double)MINUTES(60) * 24 * 365))
			return -EINVAL;
		*out = (msec_t)value;
		return 0;
	}
	return -EINVAL;
}

int text_read_count(unsigned *out, const char *from)
{
	unsigned value = 0;

	if (!*from)
		return -EINVAL;
	for (; *from; from++) {
		if (*from < '0' || *from > '9')
			return -EINVAL;
		value = value * 10 + (unsigned)(*from - '0');
		if (value > COUNT_MAX)
			return -EINVAL;
	}
	*out = value;
	return 0;
}

unsigned text_columns(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}
