/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

/*
 * A job from its start to its end, as `bellows run` sees it
 *
 *     coordinator started -> DIR/address -> monitor started, watching
 *         -> coordinator ended -> monitor ended, pipes empty -> over
 *
 * The coordinator's exit status is the answer.  Whatever happens the session
 * ends: each step has a patience, after which the programs are asked to end by
 * SIGTERM and then made to by SIGKILL (session_stop.c).
 */

#include "cli/commands/args.h"
#include "cli/views/output.h"
#include "jobfile/hosts.h"
#include "jobfile/jobfile.h"
#include "runner/statedir.h"

struct session_config {
	const struct args *args;
	const struct output *output;
	const struct statedir *dir; /* made */
	const char *job_file;       /* absolute */
	const struct jobfile *job;
	const struct hosts *hosts; /* NULL: executors on this machine */
	const char *hosts_file;    /* absolute */
	const char *listen;        /* NULL: a unix socket */
};

/* Returns the exit status of the command; says why if it is not 0. */
int session_run(const struct session_config *config);

#endif
