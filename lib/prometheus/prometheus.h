/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROMETHEUS_PROMETHEUS_H
#define PROMETHEUS_PROMETHEUS_H

/*
 * One number of a Prometheus server, by an instant query, on the loop
 *
 * Whatever speaks its HTTP API serves as well (Thanos, Mimir, VictoriaMetrics).
 * The files of the authority and of the token are read for each query, so that
 * new ones count.
 */

#include "base/cleanup.h"
#include "base/time.h"
#include "loop/loop.h"

struct prometheus;

struct prometheus_config {
	struct loop *loop;
	const char *server;     /* "https://example.org/prometheus" */
	const char *query;      /* PromQL */
	const char *ca_file;    /* PEM; NULL: the system's authorities */
	const char *token_file; /* private (base/secret.h); NULL: none */
	msec_t patience;        /* from the question to the end of the answer */
	/* The answer to prometheus_ask(), later.  why: NULL, or in place of the
	 * value one sentence, fit to be printed. */
	void (*answered)(void *user, double value, const char *why);
	void *user;
};

/* The texts are borrowed.  -ENOMEM. */
int prometheus_create(struct prometheus **out,
		      const struct prometheus_config *config,
		      struct error *err);

/* Ends what is under way without a word of it.  Returns NULL. */
struct prometheus *prometheus_destroy(struct prometheus *prometheus);

DEFINE_CLEANUP(struct prometheus, prometheus_destroy)

/* At most one question is under way.  0, or -errno with a sentence if there
 * will be no answer: a file cannot be read, or the server's URL is none. */
int prometheus_ask(struct prometheus *prometheus, struct error *err);

#endif
