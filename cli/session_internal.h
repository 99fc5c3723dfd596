/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_SESSION_INTERNAL_H
#define CLI_SESSION_INTERNAL_H

#include "cli/session.h"
#include "cli/views/show.h"
#include "client/job.h"
#include "client/watch.h"
#include "jobfile/role.h"
#include "runner/local/process.h"
#include "runner/local/pump.h"

enum session_phase {
	SESSION_STARTING, /* until the coordinator has written its address */
	SESSION_WATCHING,
	SESSION_LEAVING, /* the coordinator has ended */
};

/* How hard the session tries to end; it only goes up. */
enum session_stop {
	STOP_NOT,
	STOP_SAVE,      /* Cancel with save was sent */
	STOP_CANCEL,    /* Cancel without */
	STOP_TERMINATE, /* SIGTERM to the programs */
	STOP_KILL,      /* SIGKILL */
};

struct session {
	const struct session_config *config;
	struct client client;
	struct show *show;
	struct watch watch;
	struct process coordinator, monitor;
	unsigned monitors; /* started so far */
	struct pump out, err;
	enum session_phase phase;
	enum session_stop stop;
	bool asked; /* by a signal, to stop */
	bool over;  /* the job is, as WatchJob told */
	msec_t started, stop_at;
	struct stamp old_address;
	struct loop_timer poll, patience, revive;
	char token_file[PATH_MAX + 16]; /* "": none */
	char tls[PATH_MAX]; /* as of keys.h; "": it does not encrypt */
	char tls_of[ROLES][PATH_MAX + 16];
	char last_error[512]; /* line of the coordinator's log */
	char failure[512];    /* of this program's own; "" for none */
	int failure_code;
};

/* The token of a job that listens to more than a unix socket: --token-file, or
 * one of its own in the state directory. */
int session_token_init(struct session *session, struct error *err);
void session_token_fini(struct session *session); /* removes its own */

/* Certificates of a job that listens beyond this machine, unless it is not to
 * encrypt: --tls, or new ones in the state directory. */
int session_tls_init(struct session *session, struct error *err);
void session_tls_fini(struct session *session); /* removes its own */

/* Puts an option with the folder of that role at *end, if there is one. */
void session_tls_add(struct session *session, enum role role,
		     const char *option, const char ***end);

/* Reacts to SIGINT, SIGTERM and SIGHUP. */
int session_stop_init(struct session *session, struct error *err);

/* From now on the programs have so long to end by themselves. */
void session_set_patience(struct session *session, msec_t patience);

/* SIGTERM to what runs, SIGKILL to what still does later. */
void session_terminate(struct session *session);

/* Lines of the coordinator's standard error. */
void session_on_error_line(void *user, const char *line, size_t n);

#endif
