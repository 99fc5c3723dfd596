/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_WEB_H
#define WEB_WEB_H

/*
 * One page, by HTTP, for probes and for Prometheus
 *
 * GET is answered with it, and nothing else is, to every caller, unencrypted:
 * it must have no secrets.  A caller that is slow, silent or too large is cut
 * off, and so is the oldest one when there are too many: a new caller is heard
 * although others hold connections open.
 */

#include "base/error.h"
#include "loop/loop.h"

#include <stdio.h>

enum {
	WEB_CALLERS_MAX = 32,
	WEB_PATIENCE = 5, /* seconds for a caller that sends nothing */
};

struct web;

struct web_page {
	const char *path; /* "/metrics" */
	const char *type; /* "text/plain" */
	/* Writes the page; called for each answer. */
	void (*print)(void *user, FILE *to);
	void *user;
};

/* address: "host:port" or "[host]:port", numeric; port 0: a free one.  -EINVAL
 * if it is none, -errno if no program can listen there.  Copies page; its texts
 * are borrowed. */
int web_create(struct web **out, struct loop *loop, const char *address,
	       const struct web_page *page, struct error *err);

/* Where it listens: as it was told, but for port 0. */
const char *web_address(const struct web *web);

struct web *web_destroy(struct web *web); /* returns NULL */

#endif
