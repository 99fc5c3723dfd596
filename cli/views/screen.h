/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_SCREEN_H
#define CLI_VIEWS_SCREEN_H

/*
 * Standard output as a text that changes
 *
 * On a terminal each drawing takes the place of the one before, on the
 * terminal's other screen, so that what stood there before stands there
 * afterwards; elsewhere they follow each other.  A reader that is slow gets the
 * newest drawing when it has taken the one before.
 */

#include "base/cleanup.h"
#include "loop/loop.h"

#include <stdbool.h>
#include <stdio.h>

struct screen;

struct screen_size {
	unsigned columns, rows;
	bool utf8;
};

struct screen_config {
	/* Lines of at most size->columns; those that a terminal has no rows
	 * for are left out, and counted. */
	void (*draw)(void *user, FILE *to, const struct screen_size *size);
	/* Once.  signo: 0: q was pressed, or the reader is gone. */
	void (*on_stop)(void *user, int signo);
	void *user;
	const char *term; /* of the environment, or NULL */
	bool keys;        /* q stops, too; the keys are not echoed */
	bool lines;       /* each one below the other, also on a terminal */
};

/* Whether standard output is a terminal that can be drawn on. */
bool screen_is_terminal(const char *term);

/* Of standard output: 80 columns of 24 rows if it is no such terminal. */
struct screen_size screen_size(const char *term);

int screen_create(struct screen **out, struct loop *loop,
		  const struct screen_config *config, struct error *err);

/* Has it drawn, now or as soon as there is room. */
void screen_draw(struct screen *screen);

/* Gives the terminal back as it was.  Returns NULL. */
struct screen *screen_destroy(struct screen *screen);

DEFINE_CLEANUP(struct screen, screen_destroy)

/* Whether standard output took all; else -errno with a sentence.  A reader that
 * has gone is no error. */
int screen_check(const struct screen *screen, struct error *err);

#endif
