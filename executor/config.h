/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_CONFIG_H
#define EXECUTOR_CONFIG_H

#include "apps/load.h"
#include "base/time.h"

#include <stdbool.h>

struct executor_config {
	const char *coordinator;
	const char *name;
	const char *address; /* "": this machine only */
	const char *tmpdir;
	const char *token_file; /* NULL: none */
	const char *tls;        /* folder of its identity, or "-"; NULL: none */
	bool unencrypted;       /* without one, to another machine too */
	struct adapter_files adapters;
	unsigned slots, cores;
	msec_t patience;   /* without the coordinator */
	msec_t grace;      /* of its ranks, once it is told to leave */
	const char *ready; /* NULL: none; see ready.h */
	bool keep_rights;  /* see base/rights.h */
	bool verbose, help, version;
};

/* -EINVAL with a sentence. */
int executor_config_read(struct executor_config *config, int argc, char **argv,
			 struct error *err);

void executor_print_help(void);

#endif
