/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <string.h>

static unsigned number(const char *s, size_t n)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	unsigned value = (unsigned char)s[0] & first[n];

	for (size_t i = 1; i < n; i++)
		value = value << 6 | ((unsigned char)s[i] & 0x3f);
	return value;
}

size_t utf8_decode(const char *s, size_t n, unsigned *value)
{
	static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char c = (unsigned char)s[0];
	size_t length = c < 0x80   ? 1
			: c < 0xc2 ? 0
			: c < 0xe0 ? 2
			: c < 0xf0 ? 3
			: c < 0xf5 ? 4
				   : 0;
	unsigned found;

	if (length == 0 || length > n)
		return 0;
	for (size_t i = 1; i < length; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 0;
	found = number(s, length);
	if (found < least[length] || found > 0x10ffff ||
	    (found >= 0xd800 && found < 0xe000))
		return 0;
	if (value)
		*value = found;
	return length;
}

size_t utf8_mark(const char *s, size_t n)
{
	static const char mark[] = "\xef\xbb\xbf";

	return n >= sizeof(mark) - 1 && memcmp(s, mark, sizeof(mark) - 1) == 0
		       ? sizeof(mark) - 1
		       : 0;
}

bool utf8_is_text(const char *s, size_t n)
{
	while (n > 0) {
		size_t length = *s ? utf8_decode(s, n, NULL) : 0;

		if (length == 0)
			return false;
		s += length;
		n -= length;
	}
	return true;
}
