/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/xmlout.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_MAX = 64, ENTITY_MAX = 8, FIRST_ROOM = 256 };

struct line {
	char *text;
	size_t n, room;
};

struct xmlout {
	unsigned ranks;
	xmlout_f fn;
	void *user;
	struct line *lines; /* stdout and stderr of each, mpiexec's own last */
	int rank;           /* of the element we are in, XMLOUT_OWN outside */
	bool error;
	char tag[TAG_MAX]; /* what may become a tag or an entity */
	size_t n;
};

static struct line *line_of(struct xmlout *xmlout)
{
	unsigned at = xmlout->rank < 0 ? xmlout->ranks : (unsigned)xmlout->rank;

	return &xmlout->lines[2 * at + xmlout->error];
}

static void hand_over(struct xmlout *xmlout, struct line *line)
{
	if (line->n > 0)
		xmlout->fn(xmlout->user, xmlout->rank, xmlout->error,
			   line->text, line->n);
	line->n = 0;
}

static void put(struct xmlout *xmlout, char c)
{
	struct line *line = line_of(xmlout);

	if (line->n == line->room) {
		size_t room = line->room ? 2 * line->room : FIRST_ROOM;
		char *more = realloc(line->text, room);

		if (more) {
			line->text = more;
			line->room = room;
		} else {
			hand_over(xmlout, line);
		}
		if (line->room == 0)
			return;
	}
	line->text[line->n++] = c;
	if (c == '\n' || line->n == XMLOUT_LINE_MAX)
		hand_over(xmlout, line);
}

/* It was neither tag nor entity. */
static void put_back(struct xmlout *xmlout)
{
	size_t n = xmlout->n;

	xmlout->n = 0;
	for (size_t i = 0; i < n; i++)
		put(xmlout, xmlout->tag[i]);
}

static bool take_tag(struct xmlout *xmlout)
{
	char name[8];
	int rank = XMLOUT_OWN, end = 0;

	if (!strcmp(xmlout->tag, "<mpirun>") ||
	    !strcmp(xmlout->tag, "</mpirun>"))
		return true;
	if (!strcmp(xmlout->tag, "</stdout>") ||
	    !strcmp(xmlout->tag, "</stderr>") ||
	    !strcmp(xmlout->tag, "</stddiag>")) {
		xmlout->rank = XMLOUT_OWN;
		xmlout->error = false;
		return true;
	}
	if (sscanf(xmlout->tag, "<%7[a-z]%n", name, &end) != 1 ||
	    strncmp(name, "std", 3))
		return false;
	if (strcmp(xmlout->tag + end, ">") &&
	    sscanf(xmlout->tag + end, " rank=\"%d\">", &rank) != 1)
		return false;
	xmlout->rank =
		rank >= 0 && (unsigned)rank < xmlout->ranks ? rank : XMLOUT_OWN;
	xmlout->error = strcmp(name, "stdout") != 0;
	return true;
}

static bool take_entity(struct xmlout *xmlout)
{
	unsigned byte;
	char c;

	if (!strcmp(xmlout->tag, "&amp;"))
		c = '&';
	else if (!strcmp(xmlout->tag, "&lt;"))
		c = '<';
	else if (!strcmp(xmlout->tag, "&gt;"))
		c = '>';
	else if (sscanf(xmlout->tag, "&#%3u;", &byte) == 1 && byte < 256)
		c = (char)byte;
	else
		return false;
	xmlout->n = 0;
	put(xmlout, c);
	return true;
}

/* Within a tag or an entity. */
static void go_on(struct xmlout *xmlout, char c)
{
	bool is_tag = xmlout->tag[0] == '<';
	bool taken = false;

	xmlout->tag[xmlout->n++] = c;
	xmlout->tag[xmlout->n] = '\0';
	if (c == (is_tag ? '>' : ';')) {
		taken = is_tag ? take_tag(xmlout) : take_entity(xmlout);
		if (taken)
			xmlout->n = 0;
		else
			put_back(xmlout);
	} else if (c == '\n' ||
		   xmlout->n >= (is_tag ? TAG_MAX - 1 : ENTITY_MAX)) {
		put_back(xmlout);
	}
}

void xmlout_feed(struct xmlout *xmlout, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = data[i];

		if (xmlout->n > 0)
			go_on(xmlout, c);
		else if (c == '<' || c == '&')
			xmlout->tag[xmlout->n++] = c;
		else if (c != '\n' || line_of(xmlout)->n > 0)
			put(xmlout, c); /* newlines between elements are none */
	}
}

void xmlout_end(struct xmlout *xmlout)
{
	put_back(xmlout);
	for (unsigned i = 0; i < 2 * (xmlout->ranks + 1); i++) {
		xmlout->rank =
			i / 2 < xmlout->ranks ? (int)(i / 2) : XMLOUT_OWN;
		xmlout->error = i % 2;
		hand_over(xmlout, &xmlout->lines[i]);
	}
}

int xmlout_create(struct xmlout **out, unsigned ranks, xmlout_f fn, void *user,
		  struct error *err)
{
	CLEANUP(xmlout_destroy) struct xmlout *xmlout = NULL;

	xmlout = calloc(1, sizeof(*xmlout));
	if (!xmlout)
		return error_set(err, -ENOMEM, "out of memory");
	xmlout->lines = calloc(2 * ((size_t)ranks + 1), sizeof(struct line));
	if (!xmlout->lines)
		return error_set(err, -ENOMEM, "out of memory");
	xmlout->ranks = ranks;
	xmlout->fn = fn;
	xmlout->user = user;
	xmlout->rank = XMLOUT_OWN;
	*out = STEAL(xmlout);
	return 0;
}

struct xmlout *xmlout_destroy(struct xmlout *xmlout)
{
	if (!xmlout)
		return NULL;
	for (unsigned i = 0; xmlout->lines && i < 2 * (xmlout->ranks + 1); i++)
		free(xmlout->lines[i].text);
	free(xmlout->lines);
	free(xmlout);
	return NULL;
}
