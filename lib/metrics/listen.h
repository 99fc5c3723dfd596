/* SPDX-License-Identifier: Apache-2.0 */
#ifndef METRICS_LISTEN_H
#define METRICS_LISTEN_H

/*
 * GET /metrics, by HTTP, for Prometheus
 *
 * It answers that and nothing else, to every caller, unencrypted: numbers, no
 * names of users, no secrets.  A caller that is slow, silent or one too many is
 * cut off, and delays no other.
 */

#include "base/error.h"
#include "loop/loop.h"

#include <stdio.h>

enum {
	METRICS_CALLERS_MAX = 32,
	METRICS_PATIENCE = 5, /* seconds for a caller that sends nothing */
};

struct metrics;

/* Writes all there is (print.h); called for each answer. */
typedef void (*metrics_print_f)(void *user, FILE *to);

/* address: "host:port" or "[host]:port", numeric; port 0: a free one.  -EINVAL
 * if it is none, -errno if no program can listen there. */
int metrics_create(struct metrics **out, struct loop *loop, const char *address,
		   metrics_print_f print, void *user, struct error *err);

/* Where it listens: as it was told, but for port 0. */
const char *metrics_address(const struct metrics *metrics);

struct metrics *metrics_destroy(struct metrics *metrics); /* returns NULL */

#endif
