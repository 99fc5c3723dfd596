/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_GATE_H
#define EXECUTOR_GATE_H

/*
 * One rank, from its gate to its end; for ranks.c and gate.c
 */

#include "executor/ranks.h"
#include "executor/start_state.h"

enum rank_state {
	RANK_NEW,     /* connected, said nothing */
	RANK_AT_GATE, /* waits */
	RANK_OPENED,  /* told what to become */
	RANK_RUNS,
};

struct rank {
	struct list link;
	struct start *start; /* NULL while RANK_NEW */
	struct ranks *ranks;
	enum rank_state state;
	unsigned rank;
	pid_t pid;
	int pidfd, conn;
	bool called, was_called; /* still to be; once or more */
	bool blocked;            /* at the last look, what it is called by */
	struct loop_fd *pid_watch, *conn_watch;
};

struct start {
	struct list link;
	struct ranks *ranks;
	unsigned epoch;
	unsigned state;    /* enum start_state */
	unsigned n_opened; /* told, and not yet running */
	char failure[256];
	int exit_code;
	struct list members;
	struct ranks_call call; /* what those that are called get */
	msec_t call_until;
	struct loop_timer look, term, kill, call_again;
};

struct ranks {
	struct loop *loop;
	struct output *output;
	char *path; /* of the socket for gates */
	int listener;
	struct loop_fd *watch;
	struct list strangers; /* ranks that said nothing yet */
	struct list starts;
	const struct ranks_events *events;
	void *user;
};

/* gate.c: a connection of a gate that has said nothing yet. */
void gate_accept(struct ranks *ranks);
/* Tells it what to become; what it prints is read from now on. */
int gate_open(struct rank *rank, const struct ranks_command *command,
	      struct error *err);
/* A gate that is closed ends. */
void gate_close(struct rank *rank);
void rank_destroy(struct rank *rank);

/* call.c: begins what ranks_call() asks for, in place of the call before. */
void start_call(struct start *start, const struct ranks_call *call);

/* ranks.c: at once, whatever it does with it. */
void rank_signal(struct rank *rank, int signo);
/* The start of that number, made if it is new; NULL without memory. */
struct start *start_get(struct ranks *ranks, unsigned epoch);
/* One more of the gates that were opened runs, or never will. */
void start_opened_one(struct start *start);
/* Is anything of it left? */
void start_look(void *user);

#endif
