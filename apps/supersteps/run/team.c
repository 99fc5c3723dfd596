/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/supersteps/run/team.h"

#include "base/doubles.h"

#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#define REST MSEC(1) /* from one look at a message to the next */

/* Changes that are measured; odd.  One of pods takes a second or so. */
enum { CHANGES = 21, CHANGES_OF_PODS = 3 };

/* ---- begin and end ---- */

static void on_task_end(void *user)
{
	struct team *team = user;

	if (--team->left == 0)
		loop_stop(team->loop, 0);
}

/* All ranks call it.  Tasks that fill the memory of a host would be killed in
 * the middle of a step. */
static int check_memory(const struct team *team, struct error *err)
{
	double have = (double)sysconf(_SC_PHYS_PAGES) *
		      (double)sysconf(_SC_PAGESIZE) / 1048576;
	double mine = 0, all = 0;
	MPI_Comm host;

	for (unsigned i = (unsigned)team->rank; i < team->of->rules.tasks;
	     i += (unsigned)team->ranks)
		mine += team->of->tasks[i].memory;
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
			    MPI_INFO_NULL, &host);
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, host);
	MPI_Comm_free(&host);
	if (all > have)
		return error_set(err, -EINVAL,
				 "the tasks of a host may have %.0f MiB "
				 "together, and it has %.0f",
				 all, have);
	return 0;
}

static int init_runs(struct team *team, const struct cgroup_base *base,
		     struct error *err)
{
	unsigned tasks = team->of->rules.tasks;
	int r = 0;

	if (base)
		task_run_clear(base);
	for (unsigned i = (unsigned)team->rank; i < tasks && r == 0;
	     i += (unsigned)team->ranks) {
		struct task_run *run = &team->runs[team->n++];

		*run = (struct task_run){.of = &team->of->tasks[i],
					 .number = i,
					 .loop = team->loop,
					 .out = -1,
					 .on_end = on_task_end,
					 .user = team};
		r = task_run_init(run, base, err);
	}
	return r;
}

int team_init(struct team *team, const struct supersteps *supersteps,
	      const struct cgroup_base *base, struct error *err)
{
	unsigned tasks = supersteps->rules.tasks;
	int r;

	*team = (struct team){
		.loop = team->loop, .way = team->way, .of = supersteps};
	MPI_Comm_rank(MPI_COMM_WORLD, &team->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &team->ranks);
	team->most = (tasks - 1) / (unsigned)team->ranks + 1;
	team->runs = calloc(team->most, sizeof(*team->runs));
	team->mine = calloc(team->most, sizeof(*team->mine));
	team->room =
		calloc((size_t)team->ranks * team->most, sizeof(*team->room));
	if (!team->runs || !team->mine || !team->room)
		return error_set(err, -ENOMEM, "out of memory");
	/* each is called by all ranks, whatever becomes of the other */
	r = check_memory(team, err);
	if (team->way == SHARE_BY_PODS &&
	    pod_limit_init(&team->limit, team->loop, err) < 0)
		r = -ENOMEM;
	return r < 0 ? r : init_runs(team, base, err);
}

void team_fini(struct team *team)
{
	pod_limit_fini(&team->limit);
	for (unsigned i = 0; i < team->n; i++)
		task_run_fini(&team->runs[i]);
	free(team->runs);
	free(team->mine);
	free(team->room);
}

/* ---- barriers ---- */

static void on_rested(void *user)
{
	loop_stop(user, 0);
}

/* MPI_Wait() would compute all the while, and hear no signal. */
static void rest_until_done(struct team *team, MPI_Request *request)
{
	struct loop_timer pause = {0};
	int done = 0;

	while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
	       !done) {
		loop_timer_set(team->loop, &pause, REST, on_rested, team->loop);
		loop_run(team->loop);
	}
}

static void tell_bytes(struct team *team, void *bytes, size_t n)
{
	MPI_Request request;

	MPI_Ibcast(bytes, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
	rest_until_done(team, &request);
}

void team_tell(struct team *team, struct order *order)
{
	tell_bytes(team, order, sizeof(*order));
	if (order->kind != ORDER_STEP)
		return;
	tell_bytes(team, team->levels,
		   team->of->rules.tasks * sizeof(unsigned));
	tell_bytes(team, team->skip, team->of->rules.tasks * sizeof(bool));
}

int team_agree(struct team *team, int r)
{
	MPI_Request request;
	int any = 0;

	MPI_Iallreduce(&r, &any, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
	rest_until_done(team, &request);
	return any;
}

static void gather(struct team *team)
{
	int n = (int)(team->most * sizeof(*team->mine));
	MPI_Request request;

	for (unsigned i = 0; i < team->n; i++)
		team->mine[i] = team->runs[i].result;
	MPI_Igather(team->mine, n, MPI_BYTE, team->room, n, MPI_BYTE, 0,
		    MPI_COMM_WORLD, &request);
	rest_until_done(team, &request);
	for (unsigned i = 0; team->rank == 0 && i < team->of->rules.tasks; i++)
		team->results[i] =
			team->room[(i % (unsigned)team->ranks) * team->most +
				   i / (unsigned)team->ranks];
}

/* ---- steps ---- */

/* A pod has what its tasks have together. */
static int share_out_by_pod(struct team *team, const unsigned *shares,
			    struct error *err)
{
	unsigned all = 0;
	double seconds;
	int r;

	for (unsigned i = 0; i < team->n; i++)
		all += shares[i];
	r = pod_limit_ask(&team->limit, all, &seconds, err);
	for (unsigned i = 0; i < team->n; i++)
		team->runs[i].result =
			(struct task_result){.change = i == 0 ? seconds : 0};
	return r;
}

/* shares: of each task of this rank. */
static int share_out(struct team *team, const unsigned *shares,
		     struct error *err)
{
	int r = 0;

	if (team->way == SHARE_BY_PODS)
		return share_out_by_pod(team, shares, err);
	for (unsigned i = 0; i < team->n && r == 0; i++)
		r = task_run_share(&team->runs[i], shares[i], err);
	return r;
}

static void run_tasks(struct team *team, unsigned step)
{
	/* one more, so that nothing stops the loop before all have begun */
	team->left = 1;
	for (unsigned i = 0; i < team->n; i++) {
		if (team->skip[team->runs[i].number])
			continue;
		team->left++;
		task_run_start(&team->runs[i], step,
			       supersteps_workload(team->runs[i].of, step));
	}
	if (--team->left > 0)
		loop_run(team->loop);
}

int team_step(struct team *team, unsigned step, struct error *err)
{
	unsigned shares[SHARE_TASKS_MAX];
	int r;

	for (unsigned i = 0; i < team->n; i++)
		shares[i] = share_at(&team->of->rules,
				     team->levels[team->runs[i].number]);
	r = team_agree(team, share_out(team, shares, err));
	if (r < 0)
		return r;
	run_tasks(team, step);
	gather(team);
	return 0;
}

/* Each task gets some more than the time before. */
static int measure_one(struct team *team, unsigned number, double *took,
		       struct error *err)
{
	unsigned shares[SHARE_TASKS_MAX];
	int r;

	for (unsigned i = 0; i < team->n; i++)
		shares[i] = team->of->rules.least + 10 * number;
	r = share_out(team, shares, err);
	*took = 0;
	for (unsigned i = 0; i < team->n; i++)
		*took += team->runs[i].result.change;
	return r;
}

int team_measure_change(struct team *team, double *seconds, struct error *err)
{
	unsigned n = team->way == SHARE_BY_PODS ? CHANGES_OF_PODS : CHANGES;
	double took[CHANGES], all = 0;
	int r = 0;

	for (unsigned k = 0; k < n && r == 0; k++)
		r = team_agree(team, measure_one(team, k, &took[k], err));
	if (r < 0)
		return r;
	qsort(took, n, sizeof(*took), doubles_compare);
	MPI_Allreduce(&took[n / 2], &all, 1, MPI_DOUBLE, MPI_MAX,
		      MPI_COMM_WORLD);
	*seconds = all;
	return 0;
}
