/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_MONITOR_H
#define MONITOR_MONITOR_H

/*
 * The monitor of one job: what the coordinator says is wanted is held by a
 * provider, and what the job file's policy says is asked for
 *
 *                    job over              all executors have left,
 *     WATCHING ----------------> LEAVING --------------------------> end
 *        |                                 or did not for LEAVE_MAX
 *        +-- SIGTERM, SIGINT, coordinator lost --------------------> end
 *
 * At its end the provider is destroyed, so no executor outlives its monitor.
 */

#include "jobfile/exit.h"
#include "jobfile/jobfile.h"
#include "monitor/provider.h"

struct monitor_config {
	const struct jobfile *job;
	const struct provider_ops *provider;
	const struct hosts *hosts;              /* NULL: none are given */
	const struct provider_cluster *cluster; /* NULL: none is given */
	const char *coordinator;
	const char *token_file;   /* NULL: none */
	const char *tls;          /* folder of its identity, or NULL */
	const char *executor_tls; /* and of its executors' */
	bool unencrypted;         /* without, to another machine too */
	const char *program;      /* path of bellows-executor, or NULL */
	const char *state;        /* directory, or NULL */
	msec_t patience;          /* for a coordinator that does not answer */
	const struct adapter_files *adapters; /* for executors */
};

/* Returns when all is over and cleared away. */
enum exit_code monitor_run(const struct monitor_config *config);

#endif
