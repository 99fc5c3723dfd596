/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/workload_failures.h"

#include "base/list.h"

#define MTBF_MAX 1e12 /* seconds: some nodes that hardly ever fail */

int workload_failures_read(const struct json_reader *reader, const cJSON *item,
			   struct workload *workload)
{
#define KEY(member) offsetof(struct workload_failures, member)
	static const struct json_key keys[] = {
		{"mtbf", JSON_NUMBER, KEY(mtbf), 1, MTBF_MAX, true},
		{"repair", JSON_SECONDS, KEY(repair), 0, WORKLOAD_SECONDS_MAX,
		 true},
		{"slots_per_node", JSON_COUNT, KEY(slots_per_node), 1,
		 WORKLOAD_SLOTS_MAX, false},
		{"checkpoint", JSON_SECONDS, KEY(checkpoint), 0,
		 WORKLOAD_SECONDS_MAX, false},
		{"seed", JSON_COUNT, KEY(seed), 0, 4294967295, false},
	};
#undef KEY
	struct workload_failures failures = {.slots_per_node = 1, .seed = 1};
	int r = json_read_object(reader, item, keys, LENGTH(keys), &failures);

	if (r < 0)
		return r;
	if (workload->slots % failures.slots_per_node > 0)
		return json_refuse(reader, item,
				   "the %u slots are no multiple of "
				   "slots_per_node %u",
				   workload->slots, failures.slots_per_node);
	workload->failures = failures;
	return 0;
}
