/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_PLACE_REPORT_H
#define CLI_VIEWS_PLACE_REPORT_H

/*
 * What `bellows profile -- COMMAND` prints: what binds the program, and the
 * numbers that say so
 */

#include "core/place_profile.h"
#include "profiler/program_run.h"

#include <stdio.h>

struct place_report {
	struct program_config config;
	struct program_run run;
	struct place_facts facts;
	struct place_verdict verdict;
};

/* Facts and profile by config and run. */
void place_report_judge(struct place_report *report);

void place_report_text(FILE *to, const struct place_report *report);
void place_report_json(FILE *to, const struct place_report *report);

#endif
