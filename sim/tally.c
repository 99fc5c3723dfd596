/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/tally.h"

#define SECOND ((usec_t)1000000)

/* Every so often it is looked how many slots are in use; what begins at such an
 * instant is seen at the next one. */
#define LOOK (2 * SECOND)

/* Shorter runs count as this long in the slowdown (Feitelson
 * et al., JSSPP 1997). */
#define BOUND (10 * SECOND)

/* At the end nobody has slots, so what is added here is what was held until
 * now, less what will have been held until then. */
void tally_slots(struct tally *tally, usec_t now, unsigned from, unsigned to)
{
	double less = (double)from - (double)to;

	tally->seen += less * (double)(now / LOOK);
	tally->held += less * (double)now / (double)SECOND;
}

double tally_end(struct tally *tally, const struct sim_job *job, usec_t ended)
{
	double weight = job->sched.priority, second = (double)SECOND;
	unsigned least = workload_class_least(job->class);
	usec_t submitted = job->sched.submitted;
	usec_t run = ended - job->sched.submitted - job->sched.waited;
	double slowdown = (double)(ended - submitted) /
			  (double)(run > BOUND ? run : BOUND);

	if (slowdown < 1)
		slowdown = 1;
	tally->weight += weight;
	tally->response += weight * (double)(job->started - submitted) / second;
	tally->completion += weight * (double)(ended - submitted) / second;
	tally->slowdown += slowdown;
	tally->work += sim_job_run_time(job, least) * least;
	tally->jobs++;
	if (ended > tally->last)
		tally->last = ended;
	return slowdown;
}

void tally_repeated(struct tally *tally, const struct sim_job *job, usec_t lost)
{
	double seconds = (double)lost / (double)SECOND;

	tally->repeated += seconds;
	tally->repeated_steps += seconds / job->sched.pace.seconds;
}

struct sim_metrics tally_metrics(const struct tally *tally, unsigned slots)
{
	double looks = (double)((tally->last + 3 * SECOND) / LOOK + 1);

	return (struct sim_metrics){
		.total = (double)tally->last / (double)SECOND,
		.utilisation = tally->seen / looks / slots,
		.response = tally->response / tally->weight,
		.completion = tally->completion / tally->weight,
		.slowdown = tally->slowdown / (double)tally->jobs,
		.slot_seconds = tally->held,
		.efficiency = tally->held > 0 ? tally->work / tally->held : 1,
		.rescales = (double)tally->rescales,
		.parks = (double)tally->parks,
		.failures = (double)tally->failures,
		.repeated = tally->repeated,
		.repeated_steps = tally->repeated_steps,
	};
}
