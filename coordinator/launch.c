/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "coordinator/mpiexec.h"
#include "coordinator/mpirun.h"

#include <errno.h>
#include <string.h>

enum { TEXT_MAX = 64 * 1024 };

/* How far an executor is. */
struct post {
	unsigned arrived;
	bool up, gone, lost;
};

struct launch {
	const struct launch_room *room;
	unsigned epoch;
	struct layout layout;
	struct post posts[MEMBERS_MAX]; /* beside layout.places */
	bool *here;                     /* by rank: its gate has come */
	struct mpirun *mpirun;
	bool prepared, open_wanted, opened, up, failed, stopping, gone,
		forbidden;
	msec_t patience;
	struct checkpoint restart;
	bool has_restart;
};

DEFINE_CLEANUP(struct launch, launch_destroy)

/* ---- orders ---- */

static void order_all(struct launch *launch, Bellows__V1__Order *order)
{
	for (int i = 0; i < launch->layout.n; i++)
		if (!launch->posts[i].lost)
			members_order(launch->room->members,
				      launch->layout.places[i].member, order);
}

static int find_place(const struct launch *launch, int member)
{
	for (int i = 0; i < launch->layout.n; i++)
		if (launch->layout.places[i].member == member)
			return i;
	return -1;
}

static void fail(struct launch *launch, const char *reason, bool by_itself,
		 int status)
{
	if (launch->failed || launch->stopping)
		return;
	launch->failed = true;
	launch->room->events->failed(launch->room->user, launch, reason,
				     by_itself, status);
}

static void open_place(struct launch *launch, int place)
{
	const struct jobfile *job = launch->room->job;
	const char *argv[ADAPTER_ARGS_MAX];
	CLEANUP(free) char *text = malloc(TEXT_MAX);
	Bellows__V1__Open open = BELLOWS__V1__OPEN__INIT;
	Bellows__V1__Order order = BELLOWS__V1__ORDER__INIT;
	struct error err;

	if (!text ||
	    job->adapter->command(&job->app,
				  launch->has_restart ? &launch->restart : NULL,
				  argv, text, TEXT_MAX, &err) < 0) {
		fail(launch, text ? err.text : "out of memory", true, 126);
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
	members_order(launch->room->members,
		      launch->layout.places[place].member, &order);
}

static void open_now(struct launch *launch)
{
	launch->opened = true;
	for (int i = 0; i < launch->layout.n; i++)
		open_place(launch, i);
}

int launch_open(struct launch *launch, const struct checkpoint *restart,
		struct error *err)
{
	if (launch->failed)
		return error_set(err, -EIO, "the start has failed");
	launch->has_restart = restart != NULL;
	if (restart)
		launch->restart = *restart;
	launch->open_wanted = true;
	if (launch->prepared && !launch->opened)
		open_now(launch);
	return 0;
}

void launch_save(struct launch *launch, bool first, bool take)
{
	Bellows__V1__Save save = BELLOWS__V1__SAVE__INIT;
	Bellows__V1__Order order = BELLOWS__V1__ORDER__INIT;

	save.epoch = launch->epoch;
	save.take = take;
	order.what_case = BELLOWS__V1__ORDER__WHAT_SAVE;
	order.save = &save;
	for (int i = 0; i < launch->layout.n; i++)
		if ((launch->layout.places[i].first == 0) == first)
			members_order(launch->room->members,
				      launch->layout.places[i].member, &order);
}

void launch_signal(struct launch *launch, int signo)
{
	Bellows__V1__Signal sig = BELLOWS__V1__SIGNAL__INIT;
	Bellows__V1__Order order = BELLOWS__V1__ORDER__INIT;

	sig.epoch = launch->epoch;
	sig.signo = (uint32_t)signo;
	order.what_case = BELLOWS__V1__ORDER__WHAT_SIGNAL;
	order.signal = &sig;
	order_all(launch, &order);
}

static void order_stop(struct launch *launch, int place)
{
	Bellows__V1__Stop stop = BELLOWS__V1__STOP__INIT;
	Bellows__V1__Order order = BELLOWS__V1__ORDER__INIT;

	stop.epoch = launch->epoch;
	stop.patience = (uint32_t)launch->patience;
	stop.kill = launch->forbidden;
	order.what_case = BELLOWS__V1__ORDER__WHAT_STOP;
	order.stop = &stop;
	members_order(launch->room->members,
		      launch->layout.places[place].member, &order);
}

static void look_for_ranks(struct launch *launch)
{
	for (int i = 0; i < launch->layout.n; i++)
		if (!launch->posts[i].gone && !launch->posts[i].lost)
			return;
	if (!launch->stopping || launch->gone)
		return;
	launch->gone = true;
	launch->room->events->gone(launch->room->user, launch);
}

void launch_forbid(struct launch *launch)
{
	launch->forbidden = true;
}

void launch_stop(struct launch *launch, msec_t patience)
{
	if (launch->stopping && patience >= launch->patience)
		return;
	launch->stopping = true;
	launch->patience = patience;
	for (int i = 0; i < launch->layout.n; i++)
		if (!launch->posts[i].gone)
			order_stop(launch, i);
	look_for_ranks(launch);
}

/* ---- reports ---- */

static void on_arrived(struct launch *launch, int place, unsigned rank)
{
	const struct place *here = &launch->layout.places[place];
	struct error err;

	if (rank - here->first >= here->ranks) {
		error_set(&err, 0,
			  "rank %u came to executor %d, which was to run "
			  "ranks %u to %u",
			  rank, here->member, here->first,
			  here->first + here->ranks - 1);
		fail(launch, err.text, false, 0);
		return;
	}
	if (launch->here[rank])
		return;
	launch->here[rank] = true;
	launch->posts[place].arrived++;
	for (int i = 0; i < launch->layout.n; i++)
		if (launch->posts[i].arrived < launch->layout.places[i].ranks)
			return;
	if (launch->prepared)
		return;
	launch->prepared = true;
	launch->room->events->prepared(launch->room->user, launch);
	if (launch->open_wanted && !launch->opened)
		open_now(launch);
}

static bool counts_right(const struct place *place,
			 const Bellows__V1__RanksUp *up)
{
	uint64_t sum = 0, expected = 0;

	if (up->n_rank != place->ranks)
		return false;
	for (unsigned i = 0; i < place->ranks; i++) {
		if (up->rank[i] - place->first >= place->ranks)
			return false;
		sum += up->rank[i];
		expected += place->first + i;
	}
	return sum == expected;
}

static void on_up(struct launch *launch, int place,
		  const Bellows__V1__RanksUp *up)
{
	if (*up->failure) {
		fail(launch, up->failure, true, (int)up->exit_code);
		return;
	}
	if (!counts_right(&launch->layout.places[place], up)) {
		fail(launch,
		     "ranks run on another executor than the hostfile "
		     "says",
		     false, 0);
		return;
	}
	launch->posts[place].up = true;
	for (int i = 0; i < launch->layout.n; i++)
		if (!launch->posts[i].up)
			return;
	if (launch->up || launch->failed)
		return;
	launch->up = true;
	launch->room->events->up(launch->room->user, launch);
}

void launch_on_report(struct launch *launch, int member,
		      const Bellows__V1__Report *report)
{
	int place = find_place(launch, member);

	if (place < 0)
		return;
	if (report->what_case == BELLOWS__V1__REPORT__WHAT_GATE_ARRIVED &&
	    report->gate_arrived->epoch == launch->epoch)
		on_arrived(launch, place, report->gate_arrived->rank);
	if (report->what_case == BELLOWS__V1__REPORT__WHAT_RANKS_UP &&
	    report->ranks_up->epoch == launch->epoch)
		on_up(launch, place, report->ranks_up);
	if (report->what_case == BELLOWS__V1__REPORT__WHAT_RANKS_GONE &&
	    report->ranks_gone->epoch == launch->epoch) {
		launch->posts[place].gone = true;
		look_for_ranks(launch);
	}
	if (report->what_case == BELLOWS__V1__REPORT__WHAT_SAVE_BEGUN &&
	    report->save_begun->epoch == launch->epoch)
		launch_save(launch, false, false);
}

void launch_on_attached(struct launch *launch, int member)
{
	int place = find_place(launch, member);

	if (place < 0 || launch->posts[place].gone)
		return;
	if (launch->stopping)
		order_stop(launch, place);
	else if (launch->opened && !launch->posts[place].up)
		open_place(launch, place);
}

void launch_on_lost(struct launch *launch, int member)
{
	int place = find_place(launch, member);

	if (place < 0)
		return;
	launch->posts[place].lost = true;
	look_for_ranks(launch);
	/* last: who hears of it may destroy a start in preparation */
	if (!launch->up)
		fail(launch, "an executor was lost", false, 0);
}

/* ---- mpiexec ---- */

static void on_mpiexec_end(void *user, int status)
{
	struct launch *launch = user;

	if (launch->opened)
		launch->room->events->ended(launch->room->user, launch, status);
	else
		fail(launch, "mpiexec ended before its ranks came up", false,
		     0);
}

static int run_mpiexec(struct launch *launch, const struct mpiexec_words *words,
		       const char *variable, struct error *err)
{
	const char *const env[] = {*variable ? variable : NULL, NULL};
	const struct mpirun_config config = {
		.loop = launch->room->loop,
		.dir = launch->room->dir,
		.epoch = launch->epoch,
		.argv = words->argv,
		.env = env,
		.ended = on_mpiexec_end,
		.user = launch,
	};

	return mpirun_start(&launch->mpirun, &config, err);
}

static int wire_up(struct launch *launch, struct error *err)
{
	const struct launch_room *room = launch->room;
	const struct ledger *ledger = members_ledger(room->members);
	CLEANUP(free) struct launcher_words *reach = calloc(1, sizeof(*reach));
	struct mpiexec_words words;
	char hostfile[4200];
	int r;

	if (!reach)
		return error_set(err, -ENOMEM, "out of memory");
	snprintf(hostfile, sizeof(hostfile), "%s/hostfile-%u", room->dir,
		 launch->epoch);
	r = mpiexec_write_hostfile(hostfile, ledger, &launch->layout, err);
	if (r == 0)
		r = room->launcher->ops->words(room->launcher, launch->epoch,
					       &launch->layout, reach, err);
	if (r == 0)
		r = mpiexec_words(&words, room->job, ledger, &launch->layout,
				  room->address, hostfile, reach->agent, err);
	return r < 0 ? r : run_mpiexec(launch, &words, reach->env, err);
}

int launch_create(struct launch **out, const struct launch_room *room,
		  unsigned epoch, unsigned ranks, const struct layout *now,
		  struct error *err)
{
	CLEANUP(launch_destroy)
	struct launch *launch = calloc(1, sizeof(*launch));
	struct ledger *ledger = members_ledger(room->members);
	int r;

	if (!launch)
		return error_set(err, -ENOMEM, "out of memory");
	launch->room = room;
	launch->epoch = epoch;
	launch->here = calloc(ranks, sizeof(*launch->here));
	if (!launch->here)
		return error_set(err, -ENOMEM, "out of memory");
	if (!layout_make(&launch->layout, ledger, now, ranks,
			 room->job->ranks_per_executor))
		return error_set(err, -ENOSPC,
				 "the executors cannot hold %u ranks", ranks);

	r = wire_up(launch, err);
	if (r < 0)
		return r;
	log_info("epoch=%u wiring up ranks=%u executors=%d", epoch, ranks,
		 launch->layout.n);
	*out = STEAL(launch);
	return 0;
}

void launch_kill(struct launch *launch)
{
	mpirun_kill(launch->mpirun);
}

struct launch *launch_destroy(struct launch *launch)
{
	if (!launch)
		return NULL;
	mpirun_destroy(launch->mpirun);
	free(launch->here);
	free(launch);
	return NULL;
}

unsigned launch_epoch(const struct launch *launch)
{
	return launch->epoch;
}

const struct layout *launch_layout(const struct launch *launch)
{
	return &launch->layout;
}

bool launch_is_prepared(const struct launch *launch)
{
	return launch->prepared;
}

bool launch_is_up(const struct launch *launch)
{
	return launch->up;
}

bool launch_has_ended(const struct launch *launch)
{
	return mpirun_has_ended(launch->mpirun);
}

bool launch_is_gone(const struct launch *launch)
{
	return launch->gone;
}
