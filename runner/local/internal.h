/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_LOCAL_INTERNAL_H
#define RUNNER_LOCAL_INTERNAL_H

#include "jobfile/role.h"
#include "runner/local/local.h"
#include "runner/local/pipe_reader.h"
#include "runner/local/process.h"
#include "runner/run_kind.h"

struct local {
	struct run run;
	struct local_config config;
	struct process coordinator, monitor;
	unsigned monitors; /* started so far */
	struct pipe_reader out, err;
	msec_t started;
	unsigned waits; /* looks in which the coordinator waited for another */
	struct stamp old_address;
	struct loop_timer poll, revive;
	char token_file[PATH_MAX + 16]; /* "": none */
	char tls[PATH_MAX]; /* as of keys.h; "": it does not encrypt */
	char tls_of[ROLES][PATH_MAX + 16];
	char last_error[512]; /* line of the coordinator's log */
	char failure[512];    /* of this program's own; "" for none */
	int failure_code;
};

/* Sets the token of a job that listens on TCP: that of --token-file, or one of
 * its own in the state directory. */
int local_token_init(struct local *local, struct error *err);
void local_token_fini(struct local *local); /* removes its own */

/* Sets the certificates of a job that listens beyond this machine: those of
 * --tls, or new ones in the state directory; none with --unencrypted. */
int local_tls_init(struct local *local, struct error *err);
void local_tls_fini(struct local *local); /* removes its own */

/* Puts an option with the folder of that role at *end, if there is one. */
void local_tls_add(struct local *local, enum role role, const char *option,
		   const char ***end);

/* All that was started is over: ends the run, once, with its result. */
void local_conclude(struct local *local);

/* Says where the coordinator listens, and who may command the job. */
void local_tell_address(struct local *local);

/* Lines of the coordinator's standard error. */
void local_on_error_line(void *user, const char *line, size_t n);

#endif
