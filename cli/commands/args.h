/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_ARGS_H
#define CLI_COMMANDS_ARGS_H

/*
 * The command line, read by one table of commands and one of options
 *
 * Every command stores into the same struct args; which options it takes is a
 * set of commands in the option's row.  Help and completion come from the same
 * tables.
 */

#include "apps/load.h"
#include "base/options.h"
#include "runner/lookup.h"

#include <stdbool.h>
#include <stddef.h>

/* It does not change after args_read(). */
struct args {
	const char *term; /* of the environment */
	struct lookup lookup;

	bool help, version, json, quiet, no_progress, wait, save, schema;
	bool detach, plain, print, csv, explain, hold, all, watch, supersteps,
		layout;
	const char *listen, *timeline, *reason, *hosts, *folder, *status;
	const char *image, *mode, *claim, *storage, *storage_class, *cpu,
		*memory, *run_id;
	const char *name, *app, *checkpoint_dir;
	const char *policy, *compare, *sweep, *set, *svg, *user, *instant,
		*planner, *forecast, *train, *weights, *group, *shares,
		*workloads, *pace;
	/* 0: not given */
	unsigned ranks, min, max, want, grant, slots, malleable, grow, seed,
		episodes, priority, repeat, nodes, sockets, cores;
	msec_t deadline, timeout, lifetime, move, time, gap, limit;
	struct option_list at, env, after;
	struct adapter_files adapters;

	/* an option that only a cluster, or no cluster, has a use for; or NULL
	 */
	const char *of_kube, *not_of_kube;

	struct option_list words;   /* what is no option */
	const char *const *command; /* after "--", ends with NULL; or NULL */
	bool has_command;
};

struct output;

enum command_bit {
	ON_RUN = 1 << 0,
	ON_SCALE = 1 << 1,
	ON_STATUS = 1 << 2,
	ON_WATCH = 1 << 3,
	ON_CANCEL = 1 << 4,
	ON_VALIDATE = 1 << 5,
	ON_COMPLETION = 1 << 6,
	ON_HELP = 1 << 7,
	ON_HISTORY = 1 << 8,
	ON_KEYS = 1 << 9,
	ON_SIMULATE = 1 << 10,
	ON_SUBMIT = 1 << 11,
	ON_QUEUE = 1 << 12,
	ON_TOP = 1 << 13,
	ON_HOLD = 1 << 14,
	ON_RELEASE = 1 << 15,
	ON_PRIORITY = 1 << 16,
	ON_EXPLAIN = 1 << 17,
	ON_SERVE = 1 << 18,
	ON_PROFILE = 1 << 19,
	ON_ALL = (1 << 20) - 1,
	/* in the same set of a flag: with --on kube alone, or not with it */
	WITH_KUBE = 1 << 20,
	NOT_WITH_KUBE = 1 << 21,

	/* what asks the coordinator of a job, and what asks a scheduler */
	ON_JOB = ON_SCALE | ON_STATUS | ON_WATCH | ON_CANCEL | ON_HISTORY,
	ON_QUEUED = ON_QUEUE | ON_HOLD | ON_RELEASE | ON_PRIORITY | ON_EXPLAIN,
	ON_SCHEDULER = ON_SUBMIT | ON_TOP | ON_QUEUED,
};

/* One subcommand.  run returns the program's exit status. */
struct command {
	enum command_bit bit;
	const char *name, *usage, *summary, *text, *example;
	unsigned min_words, max_words;
	const int *codes; /* exit statuses, ends with -1 */
	int (*run)(const struct args *args, const struct output *output);
};

/* set: of enum command_bit, and of the two above. */
extern const struct option_row flags[];
extern const size_t n_flags;

/* Ends with a row whose name is NULL. */
extern const struct command commands[];

/* NULL if there is none of that name. */
const struct command *command_find(const char *name);

/*
 * Reads argv[0] to argv[argc - 1], which follow the command's name.  args is
 * zero but for the environment, and `on` if it goes without saying; args_fini()
 * even after a failure.  -EINVAL with a sentence, or -ENOMEM.
 */
int args_read(struct args *args, const struct command *command, int argc,
	      const char *const *argv, struct error *err);
void args_fini(struct args *args);

/* One function a command, in cmd_<name>.c. */
int cmd_run(const struct args *args, const struct output *output);
int cmd_scale(const struct args *args, const struct output *output);
int cmd_status(const struct args *args, const struct output *output);
int cmd_watch(const struct args *args, const struct output *output);
int cmd_cancel(const struct args *args, const struct output *output);
int cmd_validate(const struct args *args, const struct output *output);
int cmd_keys(const struct args *args, const struct output *output);
int cmd_completion(const struct args *args, const struct output *output);
int cmd_simulate(const struct args *args, const struct output *output);
int cmd_profile(const struct args *args, const struct output *output);
int cmd_submit(const struct args *args, const struct output *output);
int cmd_queue(const struct args *args, const struct output *output);
int cmd_top(const struct args *args, const struct output *output);
int cmd_hold(const struct args *args, const struct output *output);
int cmd_release(const struct args *args, const struct output *output);
int cmd_priority(const struct args *args, const struct output *output);
int cmd_explain(const struct args *args, const struct output *output);
int cmd_serve(const struct args *args, const struct output *output);
int cmd_history(const struct args *args, const struct output *output);
int cmd_help(const struct args *args, const struct output *output);

#endif
