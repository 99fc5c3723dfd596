/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as what mpiexec --xml prints: in whatever pieces they come, the
 * same is heard of the same ranks; and what ranks print comes back byte for
 * byte
 */

#include "coordinator/launch/xmlout.h"

#include "tests/fuzz/fuzz.h"

enum { RANKS = 3 };

/* All that was heard, in its order; and the bytes of one rank alone. */
struct ear {
	uint64_t sum;
	size_t n;
	char *text; /* of rank 1's stdout; NULL: not gathered */
	size_t room;
};

static void hear(void *user, int rank, bool error, const char *text, size_t n)
{
	struct ear *ear = user;
	const unsigned char head[] = {(unsigned char)rank, error, '|'};

	HOLD(rank == XMLOUT_OWN || (rank >= 0 && rank < RANKS));
	HOLD(n > 0 && n <= XMLOUT_LINE_MAX);
	HOLD(!memchr(text, '\n', n - 1));
	for (size_t i = 0; i < sizeof(head); i++)
		ear->sum = ear->sum * 31 + head[i];
	for (size_t i = 0; i < n; i++)
		ear->sum = ear->sum * 31 + (unsigned char)text[i];
	if (ear->text && rank == 1 && !error) {
		HOLD(ear->n + n <= ear->room);
		memcpy(ear->text + ear->n, text, n);
		ear->n += n;
	}
}

static void feed(struct ear *ear, const char *text, size_t n, size_t piece)
{
	CLEANUP(xmlout_destroy) struct xmlout *xmlout = NULL;

	HOLD(xmlout_create(&xmlout, RANKS, hear, ear, NULL) == 0);
	for (size_t at = 0; at < n; at += piece) {
		size_t part = piece < n - at ? piece : n - at;
		CLEANUP(free) char *copy = fuzz_copy(text + at, part);

		xmlout_feed(xmlout, copy, part);
	}
	xmlout_end(xmlout);
}

/* As mpiexec writes it. */
static void put(FILE *to, unsigned char c)
{
	if (c == '&')
		fputs("&amp;", to);
	else if (c == '<')
		fputs("&lt;", to);
	else if (c == '>')
		fputs("&gt;", to);
	else if (c < 32 || c > 127)
		fprintf(to, "&#%03u;", c);
	else
		fputc(c, to);
}

/* What rank 1 prints, in elements of some bytes, beside another one's. */
static void what_is_printed_comes_back(const uint8_t *data, size_t size)
{
	CLEANUP(free) char *xml = NULL, *text = malloc(size + 1);
	struct ear ear = {.text = text, .room = size};
	size_t n = 0, part = 1 + (size > 0 ? data[0] % 9u : 0);
	FILE *to = open_memstream(&xml, &n);

	HOLD(text && to);
	fputs("<mpirun>\n", to);
	for (size_t at = 0; at < size; at++) {
		if (at % part == 0)
			fprintf(to, "%s<stdout rank=\"1\">",
				at > 0 ? "</stdout>\n"
					 "<stdout rank=\"0\">x&#010;</stdout>"
				       : "");
		put(to, data[at]);
	}
	fprintf(to, "%s\n</mpirun>\n", size > 0 ? "</stdout>" : "");
	HOLD(fclose(to) == 0);
	feed(&ear, xml, n, n);
	HOLD(ear.n == size && (size == 0 || memcmp(text, data, size) == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t pieces[] = {1, 7, 100};
	struct ear whole = {0};

	feed(&whole, (const char *)data, size, size + 1);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct ear ear = {0};

		feed(&ear, (const char *)data, size, pieces[i]);
		HOLD(ear.sum == whole.sum);
	}
	what_is_printed_comes_back(data, size);
	return 0;
}
