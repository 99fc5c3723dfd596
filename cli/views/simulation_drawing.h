/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_SIMULATION_DRAWING_H
#define CLI_VIEWS_SIMULATION_DRAWING_H

/*
 * What `bellows simulate --svg` collects while it runs, and draws at the end:
 * of a sweep its curves, else the chart of one set of jobs
 *
 *     init -> for each run: begin, the simulation, end -> save -> fini
 */

#include "cli/views/gantt.h"
#include "cli/views/simulation.h"

/* Zero-initialised but for what stands before the runs. */
struct simulation_drawing {
	const char *source; /* path of the workload */
	const struct workload *workload;
	const struct workload_set *set; /* NULL: a sweep of all sets */
	usec_t gap; /* between two submissions; -1: each job has its own time */
	const char *what; /* that is varied; NULL: nothing */
	size_t n_policies;
	struct gantt_run *runs; /* that are over */
	size_t n_runs;
	struct simulation_row *rows; /* of a sweep */
	size_t n_rows, room;
};

/* *spans is where those of the next run go; NULL: they are not drawn.  0 or
 * -ENOMEM with a sentence. */
int simulation_drawing_begin(struct simulation_drawing *drawing,
			     struct sim_spans **spans, struct error *err);

/* The run is over.  0 or -ENOMEM with a sentence. */
int simulation_drawing_end(struct simulation_drawing *drawing,
			   const struct simulation_row *row, struct error *err);

/* What is saved, of a struct simulation_drawing: 0 or -ENOMEM; then it is not
 * whole. */
int simulation_drawing_draw(FILE *to, const void *drawing);

/* 0 or -errno with a sentence. */
int simulation_drawing_save(const struct simulation_drawing *drawing,
			    const char *path, struct error *err);
void simulation_drawing_fini(struct simulation_drawing *drawing);

static inline void
simulation_drawing_fini_at(struct simulation_drawing *drawing)
{
	simulation_drawing_fini(drawing);
}

#endif
