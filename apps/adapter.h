/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_ADAPTER_H
#define APPS_ADAPTER_H

/*
 * Adapters: all that the system knows about an application
 *
 * One folder, one const struct, one line in adapters.c; or a shared object of
 * your own, see docs/adapters.md.  Nothing outside apps/ names an application.
 * An adapter keeps no state and does little but look: it says which command to
 * run, which signal to send, which files to trust.  Its functions are called
 * by:
 *
 *     check                      every program that reads a job file
 *     mend                       bellows validate
 *     accepts trial reason passes the coordinator
 *     rehearse prepare           the coordinator
 *     command next on_line files   the coordinator
 *     save checkpoint log        the executor of rank 0, on another host maybe
 *     checkpoint                 also the coordinator
 *
 * checkpoint may be called on two threads at once; the others are not.
 *
 * A checkpoint counts only when it is complete: all parts, full sizes, the
 * application's own mark.  The newest file is not trusted for being new.
 *
 * A start that was to go on from a checkpoint has to prove that it did, or it
 * is a failed start.  The proof is a line of output: one that says so
 * (LINE_RESUMED), or a step that is not before the checkpoint's.
 *
 * An end with status 0 has to be proven, too: by the application's last word
 * (LINE_FINISHED), or by a step at the total.  Without the proof that it could
 * have, it was stopped before, and goes on from its checkpoint.
 */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Raised whenever a struct below changes its shape. */
#define ADAPTER_ABI 9

/* Ends a command; also the longest one: ADAPTER_ARGS_MAX - 1 arguments. */
#define ADAPTER_ARGS_MAX 512

/* How a checkpoint comes to be when it is asked for. */
enum save_kind {
	SAVE_SIGNAL_ALL,   /* every rank gets the signal, writes and leaves */
	SAVE_SIGNAL_FIRST, /* rank 0 alone gets it, and all leave */
	SAVE_WATCH,        /* the application writes when it likes; once a newer
			    * complete checkpoint is there the ranks are ended,
			    * or at once if going back to the newest that is
			    * there costs less (see next) */
};

/* What becomes of a checkpoint when the next one is written. */
enum former_kind {
	FORMER_UNKNOWN,  /* 0: found out; until then a copy is what keeps it */
	FORMER_REPLACED, /* the next is renamed over it: a hard link keeps it,
			  * as a copy does that costs little */
	FORMER_STAYS,    /* the application leaves it there, and checkpoint()
			  * takes it when the next one is none */
};

/* Below checkpoint_dir: the second good checkpoint, and those that could not be
 * gone on from.  Nothing in it is the application's. */
#define ADAPTER_KEPT "bellows-kept"
/* Likewise: whose the directory is, and where the manifests of k8s/ have the
 * job's journal. */
#define ADAPTER_OWNER   "bellows-owner"
#define ADAPTER_JOURNAL "bellows-journal"

/* The application as the job file declares it; all borrowed. */
struct adapter_app {
	const char *const *command;  /* ends with NULL, at least one */
	const char *dir;             /* working directory, absolute */
	const char *checkpoint_dir;  /* absolute; the coordinator sees to it
				      * that it exists */
	const char *const *settings; /* "key=value", ends with NULL; from the
				      * job file's section of that name; NULL:
				      * none */
	const char *const *restart;  /* command; NULL: the same command */

	/* Set for app: generic alone, from the section of that name. */
	int save_signal;          /* 0: none */
	bool save_first;          /* to rank 0 only */
	const char *const *files; /* patterns below checkpoint_dir */
	const char *progress;     /* extended regular expression, or NULL */
	const char *resumed;      /* the same: proves that it went on */
	const char *finished;     /* the same: its last word */
	bool unproven;            /* nothing proves it; the user says so */
	const unsigned *accepts;  /* ends with 0; NULL: every count */
};

struct checkpoint {
	uint64_t step; /* application's count at the checkpoint; 0: not known */
	uint64_t mark; /* differs between any two checkpoints; not 0 */
	unsigned files;
	uint64_t bytes;
};

enum line_kind {
	LINE_OTHER,
	LINE_PROGRESS,    /* step and total are set */
	LINE_SAVE_FAILED, /* no checkpoint could be written; ranks compute on */
	LINE_RESUMED,     /* it goes on from a checkpoint: of step, 0: unsaid */
	LINE_AFRESH,      /* it begins from the start */
	LINE_UNREADABLE,  /* its checkpoint is damaged: it will end for that */
	LINE_FINISHED,    /* its last word: all is computed, see says_end */
	LINE_SHARES,      /* rank and shares are set: what the host of a rank
			   * needs of its processors from here on */
};

struct line_facts {
	uint64_t step;
	uint64_t total;        /* 0: not known; also of RESUMED and AFRESH */
	unsigned rank, shares; /* 1000 shares are one processor */
};

/* err, where there is one, may be NULL: the caller does not need the reason. */
struct adapter {
	unsigned abi;      /* ADAPTER_ABI, first for ever */
	const char *name;  /* 1 to 40 of a-z, 0-9 and -, begins with a letter */
	const char *unit;  /* of steps, for people: "steps", "ms of model time";
			    * NULL: steps */
	bool has_settings; /* takes the job file's section settings */
	bool has_restart;  /* takes the job file's key restart */
	bool signal_once;  /* a second signal to save would do harm */
	bool first_writes; /* rank 0 alone does: once it has saved and left, the
			    * others have nothing to do, and are killed */
	bool writes_itself; /* also every so often without being told to */
	bool stops_alike;   /* its last word is said when it is stopped, too */
	enum former_kind former;

	/* Whether it says a last word, without which it has not ended.
	 * Optional: it says none. */
	bool (*says_end)(const struct adapter_app *app);

	/* What is wrong with the command or the settings, before anything is
	 * started: 0 or -EINVAL with a sentence.  Optional. */
	int (*check)(const struct adapter_app *app, struct error *err);

	/* Prints all that is to be changed in the application's own input for
	 * check() to be 0: lines for people, each with a # before it, and a
	 * patch (unified diff) of the file.  Nothing if there is nothing to
	 * change, or no change would do.  Optional. */
	void (*mend)(const struct adapter_app *app, FILE *to);

	/* Whether it runs on that many ranks: 0 or -EINVAL with the reason.
	 * Optional: every size will do. */
	int (*accepts)(const struct adapter_app *app, unsigned ranks,
		       struct error *err);

	/* Fills argv, as command does, with a program that tells by its exit
	 * status whether the application runs on that many ranks; its last
	 * lines of output are the reason if not.  It is run as ranks of an
	 * mpiexec on the coordinator's host, in an empty directory that is
	 * removed afterwards, while the job computes on.  Optional. */
	int (*trial)(const struct adapter_app *app, unsigned ranks,
		     const char *argv[ADAPTER_ARGS_MAX], char *text,
		     size_t text_size, struct error *err);

	/* Puts the sentence of a failed trial's output that says why into text,
	 * in one line; false if there is none that it knows: then it may have
	 * failed for another reason, and is made again when that size is asked
	 * for.  Optional. */
	bool (*reason)(const char *output, char *text, size_t text_size);

	/* True if what a trial has printed so far shows that the application
	 * runs on that many ranks: the trial is ended then, and has passed.
	 * Optional: its exit status tells. */
	bool (*passes)(const char *output);

	/* Tries what prepare() will do, before the first start and while the
	 * ranks compute that a start is to follow, so that what cannot be done
	 * is known before they are stopped.  Nothing that a start reads is
	 * different afterwards.  0 or -errno with a sentence.  Optional. */
	int (*rehearse)(const struct adapter_app *app, struct error *err);

	/* Brings the application's files in order before a start (restart
	 * NULL) or before it goes on from that checkpoint; again does no harm.
	 * 0 or -errno with a sentence; -ENOENT: the checkpoint to go on from is
	 * not there, and it would begin afresh.  Optional. */
	int (*prepare)(const struct adapter_app *app,
		       const struct checkpoint *restart, struct error *err);

	/* Fills argv, which ends with NULL, with program and arguments to start
	 * or (restart not NULL) to go on from that checkpoint.  The strings are
	 * borrowed from app or put into text.  Returns 0 or -E2BIG. */
	int (*command)(const struct adapter_app *app,
		       const struct checkpoint *restart,
		       const char *argv[ADAPTER_ARGS_MAX], char *text,
		       size_t text_size, struct error *err);

	/* How to save and, for the first two kinds, by which signal. */
	enum save_kind (*save)(const struct adapter_app *app, int *signo);

	/* With SAVE_WATCH: the step at which it will write the next checkpoint
	 * after this step; 0: not known.  Optional. */
	uint64_t (*next)(const struct adapter_app *app, uint64_t step);

	/* The newest complete checkpoint: 0; 1 if there is none; -EBADMSG if
	 * what is there is damaged, and another -errno if the directory or a
	 * file cannot be read and there may be one, both with a sentence. */
	int (*checkpoint)(const struct adapter_app *app, struct checkpoint *out,
			  struct error *err);

	/* Calls each() with the names, from checkpoint_dir on, of the files
	 * that are that checkpoint, or (of NULL, not with FORMER_STAYS) of
	 * those in its place, whole or not; one that is not there does no harm.
	 * Ends at once with what each() returns if that is not 0.  0, or -errno
	 * with a sentence.  Optional: but then no second one is kept, and one
	 * that cannot be gone on from is not passed over. */
	int (*files)(const struct adapter_app *app, const struct checkpoint *of,
		     int (*each)(void *user, const char *name), void *user,
		     struct error *err);

	/* Puts the path of a file into text that the application logs to and
	 * whose lines on_line is to read as well; 1 if there is none.
	 * Optional. */
	int (*log)(const struct adapter_app *app, char *text, size_t text_size,
		   struct error *err);

	/* Reads one line (no newline) of rank 0's output or of its log.
	 * Optional, but then it is unproven that it went on. */
	enum line_kind (*on_line)(const struct adapter_app *app,
				  const char *line, struct line_facts *facts);
};

/*
 * What adapters are given.  The programs export these and the functions of
 * base/error.h to adapters that they load (adapter.sym); nothing else of them
 * can be called from there.
 */

/* The value of a setting, NULL if it is not given. */
const char *adapter_setting(const struct adapter_app *app, const char *key);

/* -EINVAL naming the first setting that is not in keys, which end with NULL. */
int adapter_check_settings(const struct adapter_app *app,
			   const char *const *keys, struct error *err);

/* Copies arg with every "{checkpoint}" replaced to *text, which moves on, as
 * *room does.  Returns the copy, arg itself if there is nothing to replace, or
 * NULL if there is no room. */
const char *adapter_replace(const char *arg, const char *checkpoint,
			    char **text, size_t *room);

/* Another adapter, to lean on; NULL if there is none of that name. */
const struct adapter *adapter_find(const char *name);

#endif
