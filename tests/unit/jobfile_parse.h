/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_JOBFILE_PARSE_H
#define TESTS_UNIT_JOBFILE_PARSE_H

/* A job file that is refused, with its sentence in err. */

#include "base/cleanup.h"
#include "jobfile/jobfile.h"
#include "tests/check.h"

#define WANTED_COMMAND "a list: program and arguments"

static struct error err;

static int parse(const char *text, size_t size)
{
	CLEANUP(jobfile_destroy) struct jobfile *job = NULL;

	err.text[0] = '\0';
	return jobfile_parse(&job, "t.yaml", text, size, "/home/me", &err);
}

#endif
