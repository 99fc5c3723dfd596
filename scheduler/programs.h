/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_PROGRAMS_H
#define SCHEDULER_PROGRAMS_H

/*
 * The programs of one job: `bellows run` as a process that outlives this one.
 * In a cluster it makes the job and ends, and the job's programs go on there.
 *
 * In the folder of the job, DIR/jobs/NUMBER:
 *
 *     job.yaml   the job file as it was submitted
 *     lock       held by `bellows run`, as its standard input: whoever can take
 *                the lock knows that it is gone
 *     status     its exit status, once it has ended
 *     output     what the application printed, of all its runs
 *     messages   what `bellows run` said
 */

#include "apps/load.h"
#include "core/queue_job.h"
#include "loop/loop.h"
#include "runner/state_dir.h"

#include <limits.h>

struct programs {
	struct loop *loop;
	char dir[PATH_MAX];
	const struct state_dir *state; /* where its coordinator is; NULL: in a
					* cluster */
	pid_t pid;                     /* 0: no child of this process */
	bool alive;
	struct queue_exit how; /* it has ended, once pid is 0 */
	struct loop_timer look;
	/* Once for each start or adoption; why: a sentence, or "". */
	void (*on_end)(void *user, const struct queue_exit *how,
		       const char *why);
	void *user;
};

enum { PROGRAMS_WORDS_MAX = 24 + ADAPTER_FILES_ARGS_MAX };

struct programs_order {
	const char *words[PROGRAMS_WORDS_MAX]; /* more of `bellows run` */
	size_t n_words;
	char hosts[PATH_MAX + 16]; /* that a word may be */
	unsigned want, grant;
};

/* Programs of the job that run already are adopted. */
int programs_start(struct programs *programs,
		   const struct programs_order *order, struct error *err);

/* Finds programs that another scheduler started; on_end() is called, now or
 * later, also if there are none any more. */
void programs_adopt(struct programs *programs);

/* They go on without this process. */
void programs_leave(struct programs *programs);

#endif
