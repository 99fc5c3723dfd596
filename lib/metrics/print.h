/* SPDX-License-Identifier: Apache-2.0 */
#ifndef METRICS_PRINT_H
#define METRICS_PRINT_H

/*
 * Figures in Prometheus' text format, version 0.0.4
 *
 *     metrics_begin(to, "heat_ranks", METRICS_GAUGE, "Ranks that compute.");
 *     metrics_put(to, "heat_ranks", 4, NULL);
 *
 * A write that fails is seen when the caller closes the stream.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum metrics_type { METRICS_GAUGE, METRICS_COUNTER };

/* What all values of the name have in common; once, before them.  help: a
 * sentence of one line. */
void metrics_begin(FILE *to, const char *name, enum metrics_type type,
		   const char *help);

/* One value.  Labels, up to NULL: name and value by turns; of the values
 * everything is escaped that has to be. */
void metrics_put(FILE *to, const char *name, double value, ...)
	__attribute__((sentinel));

/* For each of the names one value: 1 for the one that it is, 0 for the
 * others. */
void metrics_put_state(FILE *to, const char *name, const char *label,
		       const char *const *names, size_t n, size_t is);

#endif
