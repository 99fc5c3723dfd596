/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_CM1_INPUT_H
#define APPS_CM1_INPUT_H

/*
 * The namelist file of a CM1 run: what it says, and how it is made to go on
 */

#include "apps/adapter.h"
#include "apps/cm1/namelist.h"

#include <limits.h>

/* Keys of the namelist that matter. */
enum input_key {
	INPUT_NX,
	INPUT_NY,
	INPUT_NZ,
	INPUT_PPNODE,
	INPUT_DTL,
	INPUT_TIMAX,
	INPUT_RUN_TIME,
	INPUT_TAPFRQ,
	INPUT_STATFRQ,
	INPUT_RSTFRQ,
	INPUT_ADAPT_DT,
	INPUT_AXISYMM,
	INPUT_PSOLVER,
	INPUT_IRST,
	INPUT_RSTNUM,
	INPUT_OUTPUT_PDCOMP,
	INPUT_DODOMAINDIAG,
	INPUT_DIAGFRQ,
	INPUT_DOAZIMAVG,
	INPUT_AZIMAVGFRQ,
	INPUT_RESTART_FORMAT,
	INPUT_RESTART_FILETYPE,
	INPUT_RESET_FRQTIM,
	INPUT_DO_LSNUDGE,
	INPUT_KEYS,
};

struct input {
	char path[PATH_MAX];
	char *text; /* owned; NULL: not loaded */
	size_t size;

	double value[INPUT_KEYS];  /* CM1's default where a key is missing */
	unsigned line[INPUT_KEYS]; /* 0: the key is missing */

	const char *reset; /* setting restart_reset_frqtim; NULL: none */

	double period;       /* rstfrq, milliseconds of model time; 0: off */
	double end;          /* timax, likewise; 0: not said */
	double time_step;    /* dtl, likewise; 0: not said */
	unsigned nx, ny, nz; /* 0: not said */
	unsigned ppnode;     /* 1: not said */
};

/* Reads it: 0, or -errno with a sentence that says what to write.
 * input is filled; input_fini() in any case. */
int input_load(struct input *input, const struct adapter_app *app,
	       struct error *err);
void input_fini(struct input *input);

/* Their names. */
void input_name(enum input_key key, const char **group, const char **name);

/* "<path>:<line>: <key> is <value><wrong>"; -EINVAL. */
int input_refuse(const struct input *input, enum input_key key,
		 struct error *err, const char *wrong, ...)
	__attribute__((format(printf, 4, 5)));

struct input_edit {
	enum input_key key;
	char value[24]; /* as a namelist has it */
};

/* The text with these values; made with malloc(). */
int input_edited(const struct input *input, const struct input_edit *edits,
		 size_t n, char **out, size_t *size, struct error *err);

/* Has the next start go on from checkpoint number, 0: begin anew.  The file is
 * replaced at once and whole, if it is changed at all, with its mode and its
 * owner; a symbolic link stays one. */
int input_restart(const struct input *input, unsigned number,
		  struct error *err);

/* Replaces the file by what it holds, which fails if input_restart() would. */
int input_rehearse(const struct input *input, struct error *err);

/* Whether its text could be changed for that. */
int input_can_restart(const struct input *input, struct error *err);

static inline void input_fini_at(struct input *input)
{
	input_fini(input);
}

#endif
