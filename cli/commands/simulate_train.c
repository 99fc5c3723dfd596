/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/simulate_train.h"

#include "base/file.h"
#include "cli/views/meter.h"
#include "jobfile/exit.h"
#include "sim/supersteps_learn.h"

#include <errno.h>

enum { EPISODES = 100 };

static void on_episode(void *user)
{
	meter_add(user);
}

static void tell(const struct args *args,
		 const struct supersteps_report *report)
{
	printf("%s: learned from %u steps before the first\n"
	       "%u steps behind the last, by which it was tried: %.2f s, "
	       "%.2f %% less than with shares that never change\n",
	       args->train, report->learned, report->tried, report->best,
	       100 * (1 - report->best / report->unchanged));
}

int simulate_train(const struct supersteps *supersteps,
		   const struct supersteps_forecast *forecast,
		   const struct args *args, const struct output *output)
{
	CLEANUP(network_destroy) struct neural_network *network = NULL;
	struct supersteps_report report;
	struct error err;
	struct meter meter;
	struct supersteps_school school = {
		.forecast = *forecast,
		.seed = args->seed ? args->seed : 1,
		.episodes = args->episodes ? args->episodes : EPISODES,
		.on_episode = on_episode,
		.user = &meter,
	};
	int r;

	if (file_check(args->train, &err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", err.text);
	meter_begin(&meter, "learning", school.episodes, !args->no_progress,
		    args->term);
	r = supersteps_learn(supersteps, &school, &network, &report, &err);
	meter_hide(&meter);
	if (r < 0)
		return output_fail(output,
				   r == -ENOMEM ? EXIT_INTERNAL : EXIT_JOBFILE,
				   "%s", err.text);
	if (network_save(network, args->train, &err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", err.text);
	tell(args, &report);
	return EXIT_DONE;
}
