/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SIM_WORKLOAD_FAILURES_H
#define SIM_WORKLOAD_FAILURES_H

/*
 * How often nodes fail, in the JSON file of a workload
 */

#include "sim/workload.h"
#include "json/json_reader.h"

/* The workload's slots are known.  0, or -EINVAL with "PATH:LINE: what is
 * wrong". */
int workload_failures_read(const struct json_reader *reader, const cJSON *item,
			   struct workload *workload);

#endif
