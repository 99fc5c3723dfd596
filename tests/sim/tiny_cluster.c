/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/sim/tiny_cluster.h"

#include <math.h>
#include <stdint.h>

#define SECOND ((usec_t)1000000)

/* SplitMix64 (Steele et al., OOPSLA 2014); below n. */
static unsigned any(uint64_t *seed, unsigned n)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (unsigned)((z ^ z >> 31) >> 33) % n;
}

/* Of a run on one rank a part cannot be shared out. */
static struct curve amdahl(const struct workload_class *class, uint64_t *seed)
{
	struct curve_point points[OPTIMUM_SLOTS_MAX];
	unsigned seconds = 60 + any(seed, 1201);
	unsigned serial = seconds * any(seed, 21) / 100;
	size_t n = 0;

	for (unsigned ranks = class->min; ranks <= class->max; ranks++)
		points[n++] = (struct curve_point){
			ranks, serial + (double)(seconds - serial) / ranks};
	return curve_through(points, n);
}

static void init_job(struct tiny_cluster *cluster, unsigned i, uint64_t *seed)
{
	unsigned most =
		cluster->workload.slots - cluster->workload.launcher_slots;
	struct workload_class *class = &cluster->classes[i];
	struct workload_job *job = &cluster->jobs[i];

	*class = (struct workload_class){.steps = 1};
	class->min = 1 + any(seed, most / 2);
	class->max = class->min + any(seed, most - class->min + 1);
	class->step_time = amdahl(class, seed);
	class->start = curve_constant(any(seed, 21));
	class->move = curve_constant(any(seed, 11));
	*job = (struct workload_job){
		.class = i,
		.priority = 1 + (int)any(seed, 5),
		.estimate = -1,
	};
	if (i > 0)
		job->submit = job[-1].submit;
	if (i > 0 && any(seed, 2))
		job->submit += any(seed, 200) * SECOND;
}

void tiny_cluster_init(struct tiny_cluster *cluster, unsigned number)
{
	uint64_t seed = (uint64_t)number << 32;

	*cluster = (struct tiny_cluster){
		.workload.classes = cluster->classes,
		.workload.n_classes = OPTIMUM_JOBS_MAX,
		.workload.sets = &cluster->set,
		.workload.n_sets = 1,
		.set.jobs = cluster->jobs,
	};
	cluster->workload.slots = 3 + any(&seed, 6);
	cluster->workload.launcher_slots = any(&seed, 2);
	cluster->workload.rescale_gap = any(&seed, 3) / 2 * 180 * SECOND;
	cluster->set.n = 1 + any(&seed, 5);
	for (unsigned i = 0; i < cluster->set.n; i++)
		init_job(cluster, i, &seed);
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
