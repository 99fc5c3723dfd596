/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_WORKLOAD_CLASS_H
#define SIM_WORKLOAD_CLASS_H

/*
 * The classes of jobs in the JSON file of a workload
 */

#include "sim/workload.h"
#include "json/json_reader.h"

struct raw_classes {
	const cJSON *items, *start, *move; /* the latter two: of every class
					    * that has none of its own */
};

/* Fills workload->classes; the workload's slots are known.  0, -ENOMEM, or
 * -EINVAL with "PATH:LINE: what is wrong". */
int workload_classes_read(const struct json_reader *reader,
			  const struct raw_classes *raw,
			  struct workload *workload);

/* The index of the class; n_classes: there is none of that name. */
size_t workload_class_find(const struct workload *workload, const char *name);

/* Refuses so many steps if a job of the class would take too long. */
int workload_class_check(const struct json_reader *reader, const cJSON *item,
			 const struct workload_class *class, double steps);

#endif
