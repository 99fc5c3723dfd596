/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_LAMMPS_FILES_H
#define TESTS_UNIT_LAMMPS_FILES_H

/* Restart files of LAMMPS in a folder of the test's own. */

#include "apps/adapters.h"
#include "base/cleanup.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>

#define MAGIC "LammpS RestartT\0"

static struct error err;

static const char *const start[] = {"lmp", "-in", "in.melt", NULL};
static const char *const restart[] = {"lmp",  "-in",           "in.restart",
				      "-var", "from",          "{checkpoint}",
				      "-log", "{checkpoint}s", NULL};
static const char *const by_step[] = {"files=melt.*.restart", "every=100",
				      "steps=20000", NULL};
static const char *const in_turn[] = {"files=a b", "every=100", NULL};

static inline struct adapter_app app_with(const char *const *settings)
{
	return (struct adapter_app){
		.command = start,
		.restart = restart,
		.dir = "/",
		.checkpoint_dir = folder,
		.settings = settings,
	};
}

/* ---- files ---- */

/* What LAMMPS 29 Sep 2021 begins a file of step 300 with. */
static const char real_head[] = MAGIC "\1\0\0\0"
				      "\2\0\0\0"
				      "\0\0\0\0"
				      "\14\0\0\0"
				      "29 Sep 2021\0"
				      "\1\0\0\0"
				      "\4\0\0\0"
				      "\60\0\0\0"
				      "\4\0\0\0"
				      "\2\0\0\0"
				      "\4\0\0\0"
				      "\3\0\0\0"
				      "\10\0\0\0"
				      "\4\0\0\0"
				      "\3\0\0\0"
				      "lj\0"
				      "\5\0\0\0"
				      "\54\1\0\0\0\0\0\0"
				      "\6\0\0\0"
				      "\3\0\0\0";

enum {
	MAGIC_SIZE = sizeof(MAGIC) - 1,
	HEAD = sizeof(real_head) - 1,
	BODY = 200,
	WHOLE = HEAD + BODY + MAGIC_SIZE,
	STEP_AT = 91,
	STEP_END = STEP_AT + 8,
};

static void whole_file(char file[WHOLE], uint64_t step)
{
	memcpy(file, real_head, HEAD);
	memcpy(file + STEP_AT, &step, sizeof(step));
	memset(file + HEAD, 0x40, BODY);
	memcpy(file + HEAD + BODY, MAGIC, MAGIC_SIZE);
}

static inline bool put(const char *name, const char *data, size_t n)
{
	CLEANUP(close)
	int fd = open(below(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	return fd >= 0 && write(fd, data, n) == (ssize_t)n;
}

static inline bool put_whole(const char *name, uint64_t step)
{
	char file[WHOLE];

	whole_file(file, step);
	return put(name, file, sizeof(file));
}

static inline int look(const char *const *settings, struct checkpoint *out)
{
	const struct adapter_app app = app_with(settings);

	return adapter_lammps.checkpoint(&app, out, &err);
}

static inline bool says(const char *words)
{
	if (strstr(err.text, words))
		return true;
	note("it says", err.text);
	return false;
}

#endif
