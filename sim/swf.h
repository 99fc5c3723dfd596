/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_SWF_H
#define SIM_SWF_H

/*
 * Logs of batch systems in the Standard Workload Format, version 2.2
 *
 * A line is a job of 18 numbers, of which -1 is one that is not known; what
 * begins with ';' is a comment, and the comments at the head tell the number of
 * processors (Chapin et al., "Benchmarks and standards for the evaluation of
 * parallel job schedulers", JSSPP 1999).
 */

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
	SWF_BYTES_MAX = 1 << 30,
	SWF_LINE_MAX = 4095, /* bytes of a line */
};

struct swf_job {
	double number;
	double submit, run; /* seconds */
	double requested;   /* seconds; 0 or less: not known */
	double user;        /* -1: not known */
	unsigned processors;
	unsigned line;
};

/* Why a line of the log is no job that can be simulated. */
enum swf_left_out {
	SWF_CANCELLED,     /* before it started */
	SWF_PART,          /* of a job that has a line of its own */
	SWF_NO_RUN_TIME,   /* or one of 0 s */
	SWF_NO_PROCESSORS, /* allocated or requested */
	SWF_TOO_LARGE,     /* more processors than slots */
	SWF_REASONS,
};

struct swf_log {
	unsigned slots;
	struct swf_job *jobs; /* in order of submission */
	size_t n, room;
	size_t left_out[SWF_REASONS];
};

/* Whether a file is read as such a log: its name ends in .swf or .swf.gz, or
 * its first byte that is no blank is a ';' or a digit. */
bool swf_is_log(const char *path);

/* slots: 0, or in place of what the log says.  0; -EINVAL with "PATH:LINE: what
 * is wrong"; -ENOMEM; -errno of the file.  swf_log_fini() in each case. */
int swf_parse(struct swf_log *log, const char *path, FILE *file, unsigned slots,
	      struct error *err);

/* The same of a file. */
int swf_read(struct swf_log *log, const char *path, unsigned slots,
	     struct error *err);

/* "2 of 9 jobs are left out: 1 has no run time, ..."; "": none is. */
void swf_left_out_text(const struct swf_log *log, char *text, size_t room);

void swf_log_fini(struct swf_log *log);

static inline void swf_log_fini_at(struct swf_log *log)
{
	swf_log_fini(log);
}

#endif
