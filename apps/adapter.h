/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_ADAPTER_H
#define APPS_ADAPTER_H

/*
 * Adapters: all that the system knows about an application
 *
 * One folder, one const struct, one line in adapters.c.  Nothing outside apps/
 * names an application.  An adapter keeps no state and does nothing but look:
 * it says which command to run, which signal to send, which files to trust.
 * command, accepts and on_line are asked by the coordinator; checkpoint is
 * asked on the host of rank 0, which may be another one; check is asked by
 * whoever reads a job file.
 *
 * A checkpoint counts only when it is complete: all parts, full sizes, the
 * application's own mark.  The newest file is not trusted for being new.
 */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Raised whenever a struct below changes its shape. */
#define ADAPTER_ABI 1

/* Ends a command; also the longest one: ADAPTER_ARGS_MAX - 1 arguments. */
#define ADAPTER_ARGS_MAX 512

/* How a checkpoint comes to be when it is asked for. */
enum save_kind {
	SAVE_SIGNAL_ALL,   /* every rank gets the signal, writes and leaves */
	SAVE_SIGNAL_FIRST, /* rank 0 alone gets it, and all leave */
	SAVE_WATCH,        /* the application writes when it likes; once a newer
			    * complete checkpoint is there the ranks are ended */
};

/* The application as the job file declares it; all borrowed. */
struct adapter_app {
	const char *const *command; /* ends with NULL, at least one */
	const char *dir;            /* working directory, absolute */
	const char *checkpoint_dir; /* absolute; the coordinator sees to it
				     * that it exists */

	/* Of app: generic only, from the job file's section of that name. */
	const char *const *restart; /* command; NULL: the same command */
	int save_signal;            /* 0: none */
	bool save_first;            /* to rank 0 only */
	const char *const *files;   /* patterns below checkpoint_dir */
	const char *progress;       /* extended regular expression, or NULL */
	const unsigned *accepts;    /* ends with 0; NULL: every count */
};

struct checkpoint {
	uint64_t step; /* application's count at the checkpoint; 0: not known */
	uint64_t mark; /* differs between any two checkpoints */
	unsigned files;
	uint64_t bytes;
};

enum line_kind {
	LINE_OTHER,
	LINE_PROGRESS,    /* step and total are set */
	LINE_SAVE_FAILED, /* no checkpoint could be written; ranks compute on */
};

struct line_facts {
	uint64_t step, total; /* total 0: not known */
};

struct adapter {
	unsigned abi; /* ADAPTER_ABI, first for ever */
	const char *name;

	/* What is wrong with the command or the settings, before anything is
	 * started: 0 or -EINVAL with a sentence.  Optional. */
	int (*check)(const struct adapter_app *app, struct error *err);

	/* Whether it runs on that many ranks: 0 or -EINVAL with the reason.
	 * Optional: every size will do. */
	int (*accepts)(const struct adapter_app *app, unsigned ranks,
		       struct error *err);

	/* Fills argv, which ends with NULL, with program and arguments to start
	 * or (restart not NULL) to go on from that checkpoint.  The strings are
	 * borrowed from app or put into text.  Returns 0 or -E2BIG. */
	int (*command)(const struct adapter_app *app,
		       const struct checkpoint *restart,
		       const char *argv[ADAPTER_ARGS_MAX], char *text,
		       size_t text_size, struct error *err);

	/* How to save and, for the first two kinds, by which signal. */
	enum save_kind (*save)(const struct adapter_app *app, int *signo);

	/* The newest complete checkpoint: 0; 1 if there is none; -errno with a
	 * sentence if the directory or a file cannot be read or is damaged. */
	int (*checkpoint)(const struct adapter_app *app, struct checkpoint *out,
			  struct error *err);

	/* Reads one line (no newline) of rank 0's output.  Optional. */
	enum line_kind (*on_line)(const struct adapter_app *app,
				  const char *line, struct line_facts *facts);
};

extern const struct adapter adapter_generic, adapter_parint;

/* NULL if there is no adapter of that name. */
const struct adapter *adapter_find(const char *name);

/* "generic, parint", for sentences; n is the buffer's size. */
const char *adapter_names(char *text, size_t n);

#endif
