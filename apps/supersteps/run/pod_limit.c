/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/supersteps/run/pod_limit.h"

#include "cgroup/cgroup.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LOOK       MSEC(20) /* from one look at the limit to the next */
#define PATIENCE   30.0     /* seconds */
#define IMPATIENCE 1.0      /* if it did not come the last time */

/* Of a processor: the kernel counts microseconds of a period of 0.1 s. */
#define ALIKE 0.0005

int pod_limit_init(struct pod_limit *limit, struct loop *loop,
		   struct error *err)
{
	*limit = (struct pod_limit){.loop = loop};
	MPI_Comm_rank(MPI_COMM_WORLD, &limit->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &limit->ranks);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
			    MPI_INFO_NULL, &limit->of_pod);
	MPI_Allreduce(&limit->rank, &limit->first, 1, MPI_INT, MPI_MIN,
		      limit->of_pod);
	limit->firsts = calloc((size_t)limit->ranks, sizeof(*limit->firsts));
	limit->needs = calloc((size_t)limit->ranks, sizeof(*limit->needs));
	limit->told = calloc((size_t)limit->ranks, sizeof(*limit->told));
	if (!limit->firsts || !limit->needs || !limit->told)
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

void pod_limit_fini(struct pod_limit *limit)
{
	free(limit->firsts);
	free(limit->needs);
	free(limit->told);
}

/* The coordinator reads the lines of rank 0 alone. */
static void say_needs(struct pod_limit *limit)
{
	MPI_Gather(&limit->shares, 1, MPI_UNSIGNED, limit->needs, 1,
		   MPI_UNSIGNED, 0, MPI_COMM_WORLD);
	MPI_Gather(&limit->first, 1, MPI_INT, limit->firsts, 1, MPI_INT, 0,
		   MPI_COMM_WORLD);
	for (int i = 0; limit->rank == 0 && i < limit->ranks; i++) {
		if (limit->firsts[i] != i || limit->told[i] == limit->needs[i])
			continue;
		limit->told[i] = limit->needs[i];
		printf("supersteps: rank %d needs %u shares for its pod\n", i,
		       limit->needs[i]);
	}
}

static bool is_there(struct pod_limit *limit)
{
	double has;

	return cgroup_own_processors(&has, "", &limit->error) == 0 &&
	       fabs(has - limit->wanted) < ALIKE;
}

static void look(void *user)
{
	struct pod_limit *limit = user;
	static struct loop_timer again;

	*limit->error.text = '\0';
	if (is_there(limit))
		loop_stop(limit->loop, 0);
	else if (*limit->error.text || MPI_Wtime() >= limit->until)
		loop_stop(limit->loop, -ETIMEDOUT);
	else
		loop_timer_set(limit->loop, &again, LOOK, look, limit);
}

static int await(struct pod_limit *limit, struct error *err)
{
	double patience = limit->was_late ? IMPATIENCE : PATIENCE;
	struct loop_timer first = {0};
	int r;

	limit->until = MPI_Wtime() + patience;
	loop_timer_set(limit->loop, &first, 0, look, limit);
	r = loop_run(limit->loop);
	if (*limit->error.text)
		return error_set(err, -EIO,
				 "the limit of the pod of rank %d cannot be "
				 "read: %.200s",
				 limit->rank, limit->error.text);
	limit->was_late = r < 0;
	if (r < 0)
		fprintf(stderr,
			"supersteps: rank %d: its pod does not have %.3f "
			"processors after %.0f s; the step begins with what "
			"it has\n",
			limit->rank, limit->wanted, patience);
	return 0;
}

int pod_limit_ask(struct pod_limit *limit, unsigned shares, double *seconds,
		  struct error *err)
{
	double began = MPI_Wtime();
	unsigned before = limit->shares;
	int r;

	*seconds = 0;
	MPI_Allreduce(&shares, &limit->shares, 1, MPI_UNSIGNED, MPI_SUM,
		      limit->of_pod);
	say_needs(limit);
	if (limit->first != limit->rank || limit->shares == before)
		return 0;
	limit->wanted = limit->shares / 1000.0;
	r = await(limit, err);
	*seconds = MPI_Wtime() - began;
	return r;
}
