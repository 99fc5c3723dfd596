/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOOP_SPAWN_H
#define LOOP_SPAWN_H

/*
 * Children are made with vfork and exec from the loop's thread
 *
 * A program that also runs gRPC must not fork: threads that hold locks would be
 * missing in the child.  Between vfork and exec nothing runs but
 * async-signal-safe calls.  Every descriptor of this house is close-on-exec, so
 * a child gets exactly the three below.  The child starts with an empty signal
 * mask and default dispositions.
 */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct spawn {
	const char *const *argv; /* argv[0] is looked up in PATH */
	const char *const *envp; /* NULL: this program's */
	const char *dir;         /* NULL: this program's */
	int in, out, err;        /* -1: /dev/null for in, else inherited */
	bool new_session;        /* setsid(): its group can be signalled */
	int on_parent_death;     /* signal the child gets then, 0 for none */
	/* cgroup.procs of the control groups that it joins before it runs. */
	const int *joins;
	size_t n_joins;
};

/* This program may have as many descriptors as it is let have from now on; its
 * children get the limit that it had, since many a program closes every
 * descriptor below it. */
void spawn_raise_limit(void);

/* 0 once the child has exec'd; -errno with a sentence naming the program when
 * it could not (then there is no child). */
int spawn(const struct spawn *what, pid_t *pid, struct error *err);

/* Environment: a copy of base (NULL: this program's) with n "KEY=value" entries
 * put in place of older ones.  NULL without memory; one free() frees all. */
char **spawn_environment(const char *const *base, const char *const *entries,
			 size_t n);

#endif
