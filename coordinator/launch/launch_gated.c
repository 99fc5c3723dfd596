/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/launch/launch_ops.h"

#include <errno.h>

/*
 * A start on our executors
 *
 * mpiexec is begun at once and starts a daemon on each host through the
 * launcher's agent; each daemon starts gates instead of ranks.  When every gate
 * has come to the executor where the hostfile wants it, bound as planned, the
 * start is prepared; opened, the gates become the application.  It is up when
 * every executor has counted its ranks and the numbers are those of the layout.
 */

/* The ranks of one executor. */
struct group {
	unsigned state;   /* enum group_state */
	unsigned arrived; /* at their gates */
};

struct gated {
	struct launch launch;
	struct group groups[MEMBERS_MAX]; /* beside layout.places */
	bool *here;                       /* by rank: its gate has come */
	bool opened; /* what mpiexec ends with is the application's end */
	struct loop_timer lone; /* mpiexec, with no rank left */
};

enum { LONE_FOR = 10000 };

static struct gated *gated_of(struct launch *launch)
{
	return (struct gated *)launch;
}

static int member_at(const struct launch *launch, int place)
{
	return launch->layout.places[place].member;
}

/* ---- orders ---- */

static void open_place(struct gated *gated, int place)
{
	struct launch *launch = &gated->launch;
	const struct jobfile *job = launch->room->job;
	const char *argv[ADAPTER_ARGS_MAX];
	CLEANUP(free) char *text = malloc(LAUNCH_TEXT_MAX);
	Bellows__V1__Open open = BELLOWS__V1__OPEN__INIT;
	Bellows__V1__Order order = BELLOWS__V1__ORDER__INIT;
	struct error err;

	if (launch_command(launch, argv, text, &err) < 0) {
		launch_fail(launch, err.text, true, 126);
		return;
	}
	open.epoch = launch->epoch;
	open.argv = (char **)argv;
	while (argv[open.n_argv])
		open.n_argv++;
	open.env = (char **)job->environment;
	while (job->environment[open.n_env])
		open.n_env++;
	open.dir = (char *)job->app.dir;
	open.ranks = launch->layout.places[place].ranks;
	order.what_case = BELLOWS__V1__ORDER__WHAT_OPEN;
	order.open = &open;
	members_order(launch->room->members, member_at(launch, place), &order);
}

static void gated_open(struct launch *launch)
{
	struct gated *gated = gated_of(launch);

	gated->opened = true;
	for (int i = 0; i < launch->layout.n; i++)
		open_place(gated, i);
}

static void gated_save(struct launch *launch, bool first, bool take)
{
	Bellows__V1__Save save = BELLOWS__V1__SAVE__INIT;
	Bellows__V1__Order order = BELLOWS__V1__ORDER__INIT;

	save.epoch = launch->epoch;
	save.take = take;
	save.first = first;
	order.what_case = BELLOWS__V1__ORDER__WHAT_SAVE;
	order.save = &save;
	for (int i = 0; i < launch->layout.n; i++)
		if ((i == launch->layout.place_of[0]) == first)
			members_order(launch->room->members,
				      member_at(launch, i), &order);
}

static void gated_signal(struct launch *launch, int signo)
{
	Bellows__V1__Signal sig = BELLOWS__V1__SIGNAL__INIT;
	Bellows__V1__Order order = BELLOWS__V1__ORDER__INIT;

	sig.epoch = launch->epoch;
	sig.signo = (uint32_t)signo;
	order.what_case = BELLOWS__V1__ORDER__WHAT_SIGNAL;
	order.signal = &sig;
	for (int i = 0; i < launch->layout.n; i++)
		if (gated_of(launch)->groups[i].state != GROUP_LOST)
			members_order(launch->room->members,
				      member_at(launch, i), &order);
}

static bool is_gone(const struct group *group)
{
	return group->state == GROUP_GONE || group->state == GROUP_LEFT;
}

static void order_stop(struct gated *gated, int place)
{
	Bellows__V1__Stop stop = BELLOWS__V1__STOP__INIT;
	Bellows__V1__Order order = BELLOWS__V1__ORDER__INIT;

	stop.epoch = gated->launch.epoch;
	stop.patience = (uint32_t)gated->launch.patience;
	stop.kill = gated->launch.forbidden;
	order.what_case = BELLOWS__V1__ORDER__WHAT_STOP;
	order.stop = &stop;
	members_order(gated->launch.room->members,
		      member_at(&gated->launch, place), &order);
}

static void on_lone(void *user)
{
	struct launch *launch = user;

	if (launch_has_ended(launch))
		return;
	log_warn("epoch=%u mpiexec is there %d s after its last rank: it "
		 "hangs, and is killed",
		 launch->epoch, LONE_FOR / 1000);
	launch_kill(launch);
}

static bool has_lost(const struct gated *gated)
{
	for (int i = 0; i < gated->launch.layout.n; i++)
		if (gated->groups[i].state == GROUP_LOST)
			return true;
	return false;
}

/* The ranks of an executor that is lost are not counted: mpiexec may still be
 * connected to them, and start programs there.  So it is killed, and the start
 * is gone when mpiexec has ended.  The patience of JOB_STOPPING bounds that. */
static void end_start(struct gated *gated)
{
	struct launch *launch = &gated->launch;

	if (has_lost(gated) && !launch_has_ended(launch))
		launch_kill(launch);
	else
		launch_set_gone(launch);
}

/* Open MPI's daemons (4.1) may wait for each other for ever after a rank has
 * died while it began. */
static void look_for_ranks(struct gated *gated)
{
	struct launch *launch = &gated->launch;

	for (int i = 0; i < launch->layout.n; i++)
		if (group_has_ranks(gated->groups[i].state))
			return;
	if (launch->state == LAUNCH_STOPPING)
		end_start(gated);
	else
		loop_timer_set(launch->room->loop, &gated->lone, LONE_FOR,
			       on_lone, launch);
}

static void gated_stop(struct launch *launch)
{
	struct gated *gated = gated_of(launch);

	for (int i = 0; i < launch->layout.n; i++)
		if (!is_gone(&gated->groups[i]))
			order_stop(gated, i);
	look_for_ranks(gated);
}

/* ---- reports ---- */

/* Index in the layout; -1: nothing is to be done about such a report. */
static int find_place(const struct launch *launch, int member)
{
	return launch_is_gated(launch) ? launch_place(launch, member) : -1;
}

static bool all_arrived(const struct gated *gated)
{
	const struct layout *layout = &gated->launch.layout;

	for (int i = 0; i < layout->n; i++)
		if (gated->groups[i].arrived < layout->places[i].ranks)
			return false;
	return true;
}

static void refuse_rank(struct launch *launch, int member, unsigned rank)
{
	const struct member *members =
		members_ledger(launch->room->members)->members;
	int right = layout_find(&launch->layout, rank);
	struct error err;

	if (right == NO_MEMBER)
		error_describe(
			&err, "rank %u came to %s; the start has %u ranks",
			rank, members[member].name, launch->layout.ranks);
	else
		error_describe(&err, "rank %u came to %s, and was to run on %s",
			       rank, members[member].name, members[right].name);
	launch_fail(launch, err.text, false, 0);
}

void launch_on_arrived(struct launch *launch, int member,
		       const Bellows__V1__GateArrived *gate)
{
	struct gated *gated = gated_of(launch);
	unsigned rank = gate->rank;
	int place = find_place(launch, member);
	struct error err;

	if (place < 0 ||
	    (launch->state != LAUNCH_WIRING && launch->state != LAUNCH_WANTED))
		return;
	if (layout_find(&launch->layout, rank) != member) {
		refuse_rank(launch, member, rank);
		return;
	}
	if (gated->here[rank])
		return;
	if (placement_compare(&launch->placement, rank, gate->processors,
			      &err) < 0) {
		launch_fail(launch, err.text, false, 0);
		return;
	}
	gated->here[rank] = true;
	gated->groups[place].arrived++;
	if (all_arrived(gated))
		launch_set_prepared(launch);
}

/* The ranks are those of the executor, and each is there once. */
static bool counts_right(const struct layout *layout, int member,
			 const Bellows__V1__RanksUp *up)
{
	bool seen[LAYOUT_RANKS_MAX] = {false};

	if (up->n_rank != layout_ranks(layout, member))
		return false;
	for (size_t i = 0; i < up->n_rank; i++) {
		unsigned rank = up->rank[i];

		if (layout_find(layout, rank) != member || seen[rank])
			return false;
		seen[rank] = true;
	}
	return true;
}

void launch_on_ranks_up(struct launch *launch, int member,
			const Bellows__V1__RanksUp *up)
{
	struct gated *gated = gated_of(launch);
	int place = find_place(launch, member);

	/* An older executor that attaches again reports it again, and some of
	 * its ranks may have ended by now. */
	if (place < 0 || group_was_up(gated->groups[place].state))
		return;
	if (*up->failure) {
		launch_fail(launch, up->failure, up->exit_code != 0,
			    (int)up->exit_code);
		return;
	}
	if (!counts_right(&launch->layout, member, up)) {
		launch_fail(launch,
			    "ranks run on another executor than the hostfile "
			    "says",
			    false, 0);
		return;
	}
	group_step(&gated->groups[place].state, GROUP_EV_UP);
	for (int i = 0; i < launch->layout.n; i++)
		if (!group_was_up(gated->groups[i].state))
			return;
	launch_set_up(launch);
}

void launch_on_ranks_gone(struct launch *launch, int member)
{
	struct gated *gated = gated_of(launch);
	int place = find_place(launch, member);

	if (place < 0)
		return;
	group_step(&gated->groups[place].state, GROUP_EV_GONE);
	look_for_ranks(gated);
}

static void gated_on_lost(struct launch *launch, int member)
{
	struct gated *gated = gated_of(launch);
	int place = launch_place(launch, member);

	if (place < 0)
		return;
	group_step(&gated->groups[place].state, GROUP_EV_LOST);
	look_for_ranks(gated);
	launch_fail(launch, "an executor was lost", false, 0);
}

/* ---- mpiexec ---- */

static void on_mpiexec_end(void *user, int status)
{
	struct launch *launch = user;
	bool is_stopping = launch->state == LAUNCH_STOPPING;

	if (is_stopping && launch->killed)
		log_info("epoch=%u mpiexec was killed, and has ended",
			 launch->epoch); /* that says nothing of the ranks */
	else if (gated_of(launch)->opened)
		launch->room->events->ended(launch->room->user, launch, status);
	else
		launch_fail_unborn(launch, status);
	if (is_stopping)
		look_for_ranks(gated_of(launch));
}

static int gated_begin(struct launch *launch, struct error *err)
{
	static const char *const gate[] = {"bellows-launch", "--gate", NULL};
	struct gated *gated = gated_of(launch);
	int r;

	gated->here = calloc(launch->layout.ranks, sizeof(*gated->here));
	if (!gated->here)
		return error_set(err, -ENOMEM, "out of memory");
	r = placement_plan(&launch->placement, launch->room->job,
			   members_ledger(launch->room->members),
			   &launch->layout, err);
	if (r < 0)
		return r;
	if (*launch->placement.trouble)
		log_warn("epoch=%u %s", launch->epoch,
			 launch->placement.trouble);
	r = launch_run_mpiexec(launch, gate, 0, on_mpiexec_end, err);
	if (r < 0)
		return r;
	log_info("epoch=%u wiring up ranks=%u executors=%d moved=%u",
		 launch->epoch, launch->layout.ranks, launch->layout.n,
		 launch->moved);
	return 0;
}

static void gated_fini(struct launch *launch)
{
	loop_timer_clear(&gated_of(launch)->lone);
	free(gated_of(launch)->here);
}

const struct launch_ops launch_gated = {
	.size = sizeof(struct gated),
	.begin = gated_begin,
	.fini = gated_fini,
	.open = gated_open,
	.stop = gated_stop,
	.save = gated_save,
	.signal = gated_signal,
	.on_lost = gated_on_lost,
};
