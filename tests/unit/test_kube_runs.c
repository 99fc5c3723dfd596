/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/runs.h"

#include "base/list.h"
#include "tests/check.h"

#define STATUS(phase, container)                                               \
	"{\"status\":{\"phase\":\"" phase                                      \
	"\",\"containerStatuses\":[{" container "}]}}"
#define ENDED(code)  "\"state\":{\"terminated\":{\"exitCode\":" code "}}"
#define BEFORE(code) "\"lastState\":{\"terminated\":{\"exitCode\":" code "}}"
#define RUNS         "\"state\":{\"running\":{}}"
#define BACKS_OFF    "\"state\":{\"waiting\":{\"reason\":\"CrashLoopBackOff\"}}"

static void the_end_of_a_run_is_told_from_that_of_a_container(void)
{
	static const struct {
		const char *pod;
		int told; /* by the coordinator; negative: nothing */
		enum kube_run_state state;
		int code; /* of a run that is over */
	} cases[] = {
		{STATUS("Pending", BACKS_OFF), -1, KUBE_RUN_WAITS, 0},
		{STATUS("Running", RUNS), -1, KUBE_RUN_RUNS, 0},
		{STATUS("Succeeded", ENDED("0")), -1, KUBE_RUN_OVER, 0},
		{STATUS("Running", ENDED("130")), -1, KUBE_RUN_OVER, 130},
		/* it crashed, and is started again */
		{STATUS("Running", RUNS "," BEFORE("70")), -1, KUBE_RUN_RUNS,
		 0},
		{STATUS("Running", RUNS "," BEFORE("70")), 75, KUBE_RUN_RUNS,
		 0},
		{STATUS("Running", BACKS_OFF "," BEFORE("70")), -1,
		 KUBE_RUN_WAITS, 0},
		{STATUS("Failed", ENDED("137")), -1, KUBE_RUN_LOST, 0},
		/* what it has told is its end, once its container has one */
		{STATUS("Running", RUNS), 3, KUBE_RUN_RUNS, 0},
		{STATUS("Running", ENDED("3")), 3, KUBE_RUN_OVER, 3},
		{STATUS("Running", RUNS "," BEFORE("3")), 3, KUBE_RUN_OVER, 3},
		{STATUS("Failed", ENDED("3")), 3, KUBE_RUN_OVER, 3},
		/* the container before, which was killed */
		{STATUS("Running", ENDED("137")), 75, KUBE_RUN_WAITS, 0},
		/* saved, or handed over: the next container tells */
		{STATUS("Running", ENDED("75")), -1, KUBE_RUN_WAITS, 0},
		{STATUS("Running", RUNS ",\"restartCount\":1," BEFORE("75")),
		 -1, KUBE_RUN_RUNS, 0},
		{STATUS("Running",
			BACKS_OFF ",\"restartCount\":1," BEFORE("75")),
		 -1, KUBE_RUN_OVER, 75},
		{STATUS("Running", ENDED("75")), 75, KUBE_RUN_OVER, 75},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		cJSON *pod = cJSON_Parse(cases[i].pod);
		int code = cases[i].told;
		enum kube_run_state state = kube_run_judge(pod, &code);

		if (state != cases[i].state)
			note("pod", cases[i].pod);
		CHECK(pod && state == cases[i].state);
		CHECK(state != KUBE_RUN_OVER || code == cases[i].code);
		cJSON_Delete(pod);
	}
}

RUN_TESTS(TEST(the_end_of_a_run_is_told_from_that_of_a_container))
