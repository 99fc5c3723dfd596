/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/swf_workload.h"

#include "base/array.h"
#include "base/cleanup.h"
#include "base/splitmix.h"
#include "sim/workload_users.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The file of a workload may describe 1000; a log has two for each size. */
enum { CLASSES_MAX = 20000 };

#define SEQUENTIAL 0.2 /* of the run time on the log's processors */

DEFINE_CLEANUP(struct workload, workload_destroy)

struct maker {
	struct workload *workload;
	const struct swf_rule *rule;
	/* By processors: the rigid and the malleable class, from 1 on; 0: there
	 * is none yet. */
	unsigned (*classes)[2];
	size_t room; /* of workload->classes */
	struct error *err;
};

static struct workload_class describe(const struct maker *maker, unsigned p,
				      bool malleable)
{
	unsigned slots = maker->workload->slots, grow = maker->rule->grow;
	struct workload_class class = {
		.min = p,
		.max = p,
		.steps = 1,
		.step_time = curve_constant(1),
	};

	if (malleable) {
		class.min = (p + 3) / 4;
		class.max = p <= slots / grow ? grow * p : slots;
		class.step_time =
			curve_amdahl(SEQUENTIAL, (1 - SEQUENTIAL) * p);
		class.move = curve_constant(maker->rule->move);
	}
	snprintf(class.name, sizeof(class.name), "%s-%u",
		 malleable ? "malleable" : "rigid", p);
	return class;
}

static int add_class(struct maker *maker, unsigned p, bool malleable)
{
	struct workload *workload = maker->workload;
	size_t n = workload->n_classes;

	if (n == CLASSES_MAX)
		return error_set(maker->err, -EINVAL,
				 "the jobs have more than %d different numbers "
				 "of processors",
				 CLASSES_MAX / 2);
	if (ARRAY_RESERVE(workload->classes, n, maker->room) < 0)
		return error_set(maker->err, -ENOMEM, "out of memory");
	workload->classes[n] = describe(maker, p, malleable);
	maker->classes[p][malleable] = (unsigned)++workload->n_classes;
	return 0;
}

static usec_t usec(double seconds)
{
	return (usec_t)llround(seconds * 1e6);
}

static int add_user(struct maker *maker, const struct swf_job *from,
		    unsigned *index)
{
	char name[32] = "";
	int r;

	if (from->user >= 0)
		snprintf(name, sizeof(name), "user-%.0f", from->user);
	r = workload_users_add(&maker->workload->users, name, index);
	if (r == -E2BIG)
		return error_set(maker->err, r, "there are more than %d users",
				 WORKLOAD_USERS_MAX);
	return r < 0 ? error_set(maker->err, r, "out of memory") : 0;
}

static int add_job(struct maker *maker, const struct swf_job *from,
		   double begin, bool malleable)
{
	struct workload_set *set = maker->workload->sets;
	struct workload_job *job = &set->jobs[set->n];
	unsigned p = from->processors;
	const struct workload_class *class;

	if (maker->classes[p][malleable] == 0) {
		int r = add_class(maker, p, malleable);

		if (r < 0)
			return r;
	}
	*job = (struct workload_job){
		.class = maker->classes[p][malleable] - 1,
		.priority = 1,
		.steps = from->run,
		.submit = usec(from->submit - begin),
		.estimate = -1,
	};
	class = &maker->workload->classes[job->class];
	if (from->requested > 0)
		job->estimate = usec(from->requested *
				     curve_at(&class->step_time, class->max));
	snprintf(job->name, sizeof(job->name), "job-%.0f", from->number);
	set->n++;
	return add_user(maker, from, &job->user);
}

static int add_jobs(struct maker *maker, const struct swf_log *log)
{
	struct random random = {maker->rule->seed};
	int r = 0;

	for (size_t i = 0; i < log->n && r == 0; i++) {
		const struct swf_job *job = &log->jobs[i];
		bool malleable =
			job->processors > 1 &&
			random_below(&random, 100) < maker->rule->malleable;

		r = add_job(maker, job, log->jobs[0].submit, malleable);
	}
	return r;
}

int swf_workload(struct workload **out, const struct swf_log *log,
		 const struct swf_rule *rule, struct error *err)
{
	CLEANUP(workload_destroy)
	struct workload *workload = workload_create();
	struct maker maker = {.workload = workload, .rule = rule, .err = err};
	CLEANUP(free)
	void *classes = calloc(log->slots + (size_t)1, sizeof(*maker.classes));
	int r;

	if (workload)
		workload->sets = calloc(1, sizeof(*workload->sets));
	if (!workload || !workload->sets || !classes)
		return error_set(err, -ENOMEM, "out of memory");
	workload->slots = log->slots;
	workload->n_sets = 1;
	workload->sets->jobs = calloc(log->n, sizeof(*workload->sets->jobs));
	if (!workload->sets->jobs)
		return error_set(err, -ENOMEM, "out of memory");
	maker.classes = classes;
	r = add_jobs(&maker, log);
	if (r == 0)
		*out = STEAL(workload);
	return r;
}
