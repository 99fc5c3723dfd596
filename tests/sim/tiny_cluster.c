/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/tiny_cluster.h"

#include "base/splitmix.h"

#include <math.h>
#include <stdint.h>

#define SECOND ((usec_t)1000000)

static unsigned any(struct random *random, unsigned n)
{
	return (unsigned)(random_bits(random) >> 33) % n;
}

/* Of a run on one rank a part cannot be shared out. */
static struct curve amdahl(const struct workload_class *class,
			   struct random *random)
{
	struct curve_point points[OPTIMUM_SLOTS_MAX];
	unsigned seconds = 60 + any(random, 1201);
	unsigned serial = seconds * any(random, 21) / 100;
	size_t n = 0;

	for (unsigned ranks = class->min; ranks <= class->max; ranks++)
		points[n++] = (struct curve_point){
			ranks, serial + (double)(seconds - serial) / ranks};
	return curve_through(points, n);
}

static void init_job(struct tiny_cluster *cluster, unsigned i,
		     struct random *random)
{
	unsigned most =
		cluster->workload.slots - cluster->workload.launcher_slots;
	struct workload_class *class = &cluster->classes[i];
	struct workload_job *job = &cluster->jobs[i];

	*class = (struct workload_class){.steps = 1};
	class->min = 1 + any(random, most / 2);
	class->max = class->min + any(random, most - class->min + 1);
	class->step_time = amdahl(class, random);
	class->start = curve_constant(any(random, 21));
	class->move = curve_constant(any(random, 11));
	*job = (struct workload_job){
		.class = i,
		.priority = 1 + (int)any(random, 5),
		.estimate = -1,
	};
	if (i > 0)
		job->submit = job[-1].submit;
	if (i > 0 && any(random, 2))
		job->submit += any(random, 200) * SECOND;
}

void tiny_cluster_init(struct tiny_cluster *cluster, unsigned number)
{
	struct random random = {(uint64_t)number << 32};

	*cluster = (struct tiny_cluster){
		.workload.classes = cluster->classes,
		.workload.n_classes = OPTIMUM_JOBS_MAX,
		.workload.sets = &cluster->set,
		.workload.n_sets = 1,
		.set.jobs = cluster->jobs,
	};
	cluster->workload.slots = 3 + any(&random, 6);
	cluster->workload.launcher_slots = any(&random, 2);
	cluster->workload.rescale_gap = any(&random, 3) / 2 * 180 * SECOND;
	cluster->set.n = 1 + any(&random, 5);
	for (unsigned i = 0; i < cluster->set.n; i++)
		init_job(cluster, i, &random);
}

double tiny_cluster_run(const struct tiny_cluster *cluster,
			const struct sched_policy *policy,
			enum optimum_objective objective, bool *parks)
{
	const struct sim_settings settings = {
		.policy = policy,
		.gap = -1,
		.rescale_gap = -1,
	};
	struct sim_metrics metrics;
	struct error err;

	if (sim_run(&metrics, &cluster->workload, &cluster->set, &settings,
		    &err) < 0)
		return NAN;
	*parks = metrics.parks > 0;
	return objective == OPTIMUM_TOTAL ? metrics.total : metrics.completion;
}
