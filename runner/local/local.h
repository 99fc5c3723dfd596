/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_LOCAL_LOCAL_H
#define RUNNER_LOCAL_LOCAL_H

/*
 * A run whose coordinator and monitor are processes of this machine
 *
 *     coordinator started -> DIR/address -> monitor started, watching
 *         -> coordinator ended -> monitor ended, pipes empty -> on_end
 *
 * The coordinator's exit status is the result.  The programs are asked to end
 * by SIGTERM, and made to by SIGKILL.
 */

#include "apps/load.h"
#include "jobfile/hosts.h"
#include "jobfile/jobfile.h"
#include "runner/lookup.h"
#include "runner/run.h"
#include "runner/state_dir.h"

struct loop;

/* All borrowed until the run is destroyed. */
struct local_config {
	const struct lookup *lookup; /* token_file, tls, unencrypted of it */
	msec_t lifetime;             /* of new certificates; 0: a year */
	const struct adapter_files *adapters;
	const struct state_dir *dir; /* made */
	int lock;                    /* of it, as of previous_run.h */
	const char *job_file;        /* absolute */
	const char *folder;          /* of it, absolute; NULL: where it is */
	const struct jobfile *job;
	unsigned want, grant;      /* as of jobfile_check_stated() */
	const struct hosts *hosts; /* NULL: executors on this machine */
	const char *hosts_file;    /* absolute */
	const char *listen;        /* NULL: a unix socket */
};

int local_start(struct run **out, struct loop *loop,
		const struct local_config *config,
		const struct run_events *events, void *user, struct error *err);

#endif
