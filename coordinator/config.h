/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_CONFIG_H
#define COORDINATOR_CONFIG_H

#include "apps/load.h"
#include "base/time.h"

#include <stdbool.h>

struct coordinator_config {
	const char *job;
	const char *folder; /* of its relative directories; NULL: its own */
	const char *listen; /* NULL: a unix socket in the state directory */
	const char *state;
	const char *journal;    /* folder of it; NULL: state */
	const char *token_file; /* NULL: no token is asked for */
	const char *tls;        /* folder of its identity; NULL: none */
	const char *health;     /* address of its own for probes, or NULL */
	const char *kub;        /* the same for Kub's programs */
	const char *log;        /* NULL: stderr */
	const char *metrics;    /* address; NULL: none are shown */
	unsigned want, grant;   /* ranks; 0: not stated */
	msec_t grace;           /* from SIGTERM, for a checkpoint */
	struct adapter_files adapters;
	bool verbose, check, once, history, json, unencrypted, help, version;
};

/* -EINVAL with a sentence. */
int coordinator_config_read(struct coordinator_config *config, int argc,
			    char **argv, struct error *err);

/* The folder of the journal. */
static inline const char *
coordinator_journal_dir(const struct coordinator_config *config)
{
	return config->journal ? config->journal : config->state;
}

void coordinator_print_help(void);

#endif
