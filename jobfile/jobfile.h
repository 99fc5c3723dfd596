/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOBFILE_JOBFILE_H
#define JOBFILE_JOBFILE_H

/*
 * The job file: what a user says about a job, in YAML
 *
 * One schema, written as one table (schema.c): key, type, unit, range, default
 * and help.  The same text is read by the CLI, the coordinator and, as it was
 * sent to them, by the executors.  Whatever does not fit is refused with file,
 * line, and what would be right:
 *
 *     heat.yaml:7: ranks.max: 'six' is not a number; a number from 1 to 4096
 *
 * Durations are written with a unit: 500ms, 10s, 5min, 2h.
 */

#include "apps/adapter.h"
#include "base/cleanup.h"
#include "base/time.h"

#include <stdatomic.h>

enum { RANKS_MAX = 4096, SCHEDULE_MAX = 256, JOBFILE_BYTES_MAX = 1 << 20 };

enum scale_policy {
	SCALE_MANUAL,    /* only when asked to */
	SCALE_SCHEDULE,  /* at the moments below */
	SCALE_BENEFIT,   /* by what the goal gains */
	SCALE_THRESHOLD, /* by the value of a query */
};

enum scale_goal {
	SCALE_SOONEST,
	SCALE_CHEAPEST,
	SCALE_FINISH_BY,
	SCALE_EFFICIENCY,
};

/* One moment of a schedule: reached by progress or by time, whichever it has.
 */
struct schedule_step {
	double progress; /* 0 to 1; negative: by time */
	msec_t after;    /* since the job began to compute */
	unsigned ranks;
};

/* For SCALE_THRESHOLD. */
struct scale_threshold {
	const char *server, *query;
	const char *ca_file, *token_file; /* NULL: none */
	double above, below;
	msec_t lasts, every;
	unsigned step; /* ranks */
};

/* Which network Open MPI may use; see coordinator/launch/mpiexec.h. */
enum network {
	NETWORK_AUTO, /* by what the hosts have */
	NETWORK_TCP,  /* TCP and shared memory only: the fastest start */
	NETWORK_ANY,  /* Open MPI's own choice */
};

/* What bounds the speed of a program; see core/layout.h. */
enum profile { PROFILE_UNKNOWN, PROFILE_NETWORK, PROFILE_CPU, PROFILE_MEMORY };

/* How mpiexec reaches the other hosts; see coordinator/launch/launcher.h. */
enum launcher_kind { LAUNCHER_STREAM, LAUNCHER_SSH };

/* What each rank is bound to; see core/binding.h. */
enum placement_bind { BIND_NONE, BIND_CORE, BIND_SOCKET, BIND_NUMA };

/* In place of a length of time between checkpoints. */
enum checkpoint_interval {
	CHECKPOINT_AUTO = -1, /* by their cost, and how often nodes fail */
	CHECKPOINT_NONE = -2, /* none that nobody asked for */
};

struct jobfile {
	char *text;         /* as read */
	const char *folder; /* that relative directories are taken from */
	char *name;         /* [a-z0-9-]{1,40} */
	const struct adapter *adapter;
	struct adapter_app app;

	struct {
		unsigned initial, min, max;
	} ranks;
	unsigned ranks_per_executor;

	msec_t checkpoint_deadline; /* for a checkpoint to be complete */
	msec_t checkpoint_interval; /* between two; or enum checkpoint_interval
				     */
	msec_t checkpoint_mtbf;     /* mean time between failures of a node */
	bool checkpoint_keep_one;   /* no second one is kept beside it */
	bool begins_anew;           /* if no checkpoint can be read */
	msec_t scale_deadline;      /* for new executors to come */
	msec_t wait_deadline;       /* for the initial ones */
	msec_t start_deadline;      /* for ranks to come up */
	msec_t resume_deadline;     /* to prove that they went on */
	msec_t lost_after;          /* without a report of an executor */
	msec_t replacement_wait;    /* for executors that join after a loss */
	msec_t stall_after;         /* without progress; 0: for ever */
	bool restarts_stalled;      /* a job that makes none is started again */
	unsigned restarts;          /* after losses and crashes */

	enum scale_policy policy;
	enum scale_goal goal;
	msec_t finish_by;  /* since the job began */
	double efficiency; /* 0 to 1 */
	bool probes;       /* other sizes, to learn what steps take there */
	struct scale_threshold threshold;
	struct schedule_step *schedule;
	size_t n_schedule;

	enum profile profile;
	unsigned move_price; /* of a rank that a rescale moves; in ranks */
	bool exclusive;      /* executors' pods share no processor */

	const char **environment;   /* "KEY=value", ends with NULL */
	const char **mpi_arguments; /* for mpiexec, ends with NULL */
	enum network network;
	enum launcher_kind launcher;
	enum placement_bind bind;
	bool bind_strict;     /* or no start is made */
	const char *mpi_key;  /* of the ssh launcher; NULL: it makes one */
	bool kub;             /* Kub's own programs are served too */
	bool kub_private_key; /* and given the private key */
	bool keep_rights;     /* see base/rights.h */

	void *memory;       /* what the members above point into */
	atomic_uint shares; /* owners beside one */
};

/* path is for sentences; relative directories in the text are taken from the
 * folder dir.  -EINVAL with "<path>:<line>: ..." if the text is refused. */
int jobfile_parse(struct jobfile **out, const char *path, const char *text,
		  size_t size, const char *dir, struct error *err);

/* Reads at most 1 MiB; relative directories are taken from folder, or, if it
 * is NULL, from the file's own. */
int jobfile_read(struct jobfile **out, const char *path, const char *folder,
		 struct error *err);

/* The same, and if the application's own input has to be changed for the job to
 * be accepted, how is printed to mend. */
int jobfile_read_mending(struct jobfile **out, const char *path,
			 const char *folder, FILE *mend, struct error *err);

struct jobfile *jobfile_destroy(struct jobfile *job); /* returns NULL */

/* Another owner, on any thread: the job is there until each has destroyed it.
 * Returns job. */
struct jobfile *jobfile_share(struct jobfile *job);

DEFINE_CLEANUP(struct jobfile, jobfile_destroy)

/* Whether the job may run on that many ranks: its range, then the adapter.
 * 0 or -EINVAL with the reason. */
int jobfile_accepts(const struct jobfile *job, unsigned ranks,
		    struct error *err);

/* All sizes that it may run on, smallest first: their number.  sizes has room
 * for ranks.max. */
size_t jobfile_sizes(const struct jobfile *job, unsigned *sizes);

/* What its steps are called: "steps" if the application says nothing else. */
const char *jobfile_unit(const struct jobfile *job);

/* The newest complete checkpoint, as checkpoint() of the adapter finds it and
 * returns; without one, *out is of mark 0. */
int jobfile_find_checkpoint(const struct jobfile *job, struct checkpoint *out,
			    struct error *err);

/* The application writes checkpoints when it likes, and cannot be told to. */
bool jobfile_saves_unasked(const struct jobfile *job);

/* mpiexec passes this signal on to all of its ranks; others it takes for
 * itself. */
bool jobfile_mpiexec_passes(int signo);

/* Largest size from min to limit that is accepted; 0 if none is. */
unsigned jobfile_largest(const struct jobfile *job, unsigned limit);

/* Whether the job may begin with that want, and has a size within that grant;
 * 0: not stated.  -EINVAL with a sentence that names --want or --grant. */
int jobfile_check_stated(const struct jobfile *job, unsigned want,
			 unsigned grant, struct error *err);

/* The schema for people: every key with its type, default and help. */
void jobfile_print_schema(void);

#endif
