/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_SIMULATION_H
#define CLI_VIEWS_SIMULATION_H

/*
 * What `bellows simulate` prints: a table, CSV, or an object of JSON a line
 */

#include "sim/engine.h"

#include <stdio.h>

struct simulation_row {
	const char *policy;
	const char *what; /* that is varied, as "gap"; NULL: nothing */
	unsigned value;   /* seconds */
	struct sim_metrics metrics;
};

struct simulation_view {
	void (*head)(FILE *to, const char *what); /* NULL: it has none */
	void (*row)(FILE *to, const struct simulation_row *row);
};

extern const struct simulation_view simulation_table, simulation_csv,
	simulation_json;

/* The job's name, or its class and number, which is written into the text. */
const char *simulation_job_name(const struct workload *workload,
				const struct workload_set *set, unsigned job,
				char *text, size_t n);

/* The set's name, or its number if there are several; else "". */
const char *simulation_set_name(const struct workload *workload,
				const struct workload_set *set, char *text,
				size_t n);

/* Where the names of jobs are, and what is printed of them. */
struct simulation_log {
	FILE *to;
	bool json;
	const struct workload *workload;
	const struct workload_set *set;
};

/* An on_action of sim/engine.h; user is a struct simulation_log. */
void simulation_log_action(void *user, usec_t now,
			   const struct sched_action *action);

#endif
