/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_OPTIONS_H
#define MONITOR_OPTIONS_H

/*
 * What the command line and the environment say; no other file reads either
 */

#include "apps/load.h"
#include "base/time.h"
#include "monitor/provider.h"

#include <stdbool.h>

struct monitor_options {
	/* borrowed; token_file, tls, executor_tls, hosts NULL: none; folder
	 * NULL: that of the job file */
	const char *job, *folder, *coordinator, *provider, *state, *token_file;
	const char *hosts;
	const char *tls, *executor_tls;
	bool unencrypted;
	struct provider_cluster cluster;
	struct adapter_files adapters;
	msec_t patience;
	bool verbose, help, version;

	/* from the environment, with defaults */
	const char *temporary;
};

/* -EINVAL with a sentence. */
int monitor_options_read(struct monitor_options *config, int argc, char **argv,
			 struct error *err);

void monitor_print_help(void);

#endif
