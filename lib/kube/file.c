/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/internal.h"

#include "base/file.h"
#include "base/secret.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

int kube_read_file(char **out, const char *path, size_t max, struct error *err)
{
	CLEANUP(free) char *text = malloc(max + 2);
	size_t n;
	int r;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	r = file_read(path, text, max + 1, &n, err);
	if (r < 0)
		return r;
	if (n > max)
		return error_set(err, -EFBIG, "%s is larger than %zu KiB", path,
				 max / 1024);
	if (memchr(text, '\0', n))
		return error_set(err, -EINVAL,
				 "%s has a NUL byte; a text without it", path);
	text[n] = '\0';
	*out = realloc(text, n + 1);
	if (!*out)
		return error_set(err, -ENOMEM, "out of memory");
	text = NULL;
	return 0;
}

int kube_read_token(char **out, const char *path, struct error *err)
{
	char *text, *begin, *end;
	int r = kube_read_file(&text, path, KUBE_FILE_MAX, err);

	if (r < 0)
		return r;
	begin = text + strspn(text, " \t\r\n");
	end = begin + strlen(begin);
	while (end > begin && isspace((unsigned char)end[-1]))
		*--end = '\0';
	for (const char *at = begin; at < end; at++)
		if (!isgraph((unsigned char)*at))
			r = -EINVAL;
	if (begin == end)
		r = -EINVAL;
	if (r < 0) {
		secret_free(text);
		return error_set(err, r,
				 "%s is not a token; one line of "
				 "letters, digits and signs",
				 path);
	}
	memmove(text, begin, (size_t)(end - begin) + 1);
	*out = text;
	return 0;
}

/* ---- base64 ---- */

static const char signs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "abcdefghijklmnopqrstuvwxyz0123456789+/";

char *kube_encode(const char *text)
{
	size_t n = strlen(text);
	char *out = malloc((n + 2) / 3 * 4 + 1), *to = out;

	for (size_t i = 0; out && i < n; i += 3) {
		size_t left = n - i;
		unsigned bits = (unsigned)(unsigned char)text[i] << 16;

		if (left > 1)
			bits |= (unsigned)(unsigned char)text[i + 1] << 8;
		if (left > 2)
			bits |= (unsigned char)text[i + 2];
		*to++ = signs[bits >> 18];
		*to++ = signs[bits >> 12 & 63];
		*to++ = left > 1 ? signs[bits >> 6 & 63] : '=';
		*to++ = left > 2 ? signs[bits & 63] : '=';
	}
	if (out)
		*to = '\0';
	return out;
}

static int sextet(char c)
{
	const char *at = c ? strchr(signs, c) : NULL;

	return at ? (int)(at - signs) : -1;
}

/* Length of what was written, or -1. */
static long decode(char *to, const char *from)
{
	unsigned bits = 0, held = 0, count = 0, padding = 0;
	long n = 0;

	for (; *from; from++) {
		int six = sextet(*from);

		if (isspace((unsigned char)*from))
			continue;
		count++;
		if (*from == '=') {
			padding++;
			continue;
		}
		if (six < 0 || padding > 0)
			return -1;
		bits = bits << 6 | (unsigned)six;
		held += 6;
		if (held < 8)
			continue;
		held -= 8;
		to[n++] = (char)(bits >> held);
		bits &= (1u << held) - 1;
	}
	return count % 4 == 0 && padding <= 2 && bits == 0 ? n : -1;
}

int kube_decode(char **out, const char *base64, struct error *err)
{
	char *text = malloc(strlen(base64) + 1);
	long n;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	n = decode(text, base64);
	if (n < 0 || memchr(text, '\0', (size_t)n)) {
		free(text);
		return error_set(err, -EINVAL, "it is not a text in base64");
	}
	text[n] = '\0';
	*out = text;
	return 0;
}
