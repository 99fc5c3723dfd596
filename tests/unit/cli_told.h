/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CLI_TOLD_H
#define TESTS_CLI_TOLD_H

/* What `bellows run` tells of a job, message by message */

#include "cli/views/output.h"
#include "tests/unit/cli_job.h"

static struct sample sample;
static char told[4096];

static void tell(void *user, const struct event *event)
{
	CLEANUP(free) char *text = NULL;

	PRINTED(text, output_text.event, event);
	strncat(told, text, sizeof(told) - strlen(told) - 1);
}

static void step(struct follow *follow, Bellows__V1__State state, uint64_t age)
{
	sample.job.state = state;
	sample.job.age = age;
	follow_step(follow, &sample.job, tell, NULL);
}

static void begin(void)
{
	told[0] = '\0';
	sample_init(&sample);
	sample.job.n_history = 0;
	sample.job.size = 2;
	sample.job.target = 2;
	sample.job.progress = 0.05;
	sample.job.eta = -1;
	sample.job.step = 0;
}

#endif
