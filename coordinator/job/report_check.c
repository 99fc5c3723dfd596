/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/job/report_check.h"

#include "coordinator/job/internal.h"

#include <errno.h>

/* A start that has gates or ranks, or had them a moment ago. */
static const struct launch *find(const struct driver *driver, unsigned epoch)
{
	return launches_find_any(driver->launches, epoch);
}

static const char *name_of(const struct driver *driver, int member)
{
	return members_ledger(driver->members)->members[member].name;
}

static int check_epoch(const struct driver *driver, int member, unsigned epoch,
		       struct error *err)
{
	if (epoch > 0 && epoch <= driver->job.starts)
		return 0;
	return error_set(err, -EPERM,
			 "%s speaks of start %u, which never was: the newest "
			 "is %u",
			 name_of(driver, member), epoch, driver->job.starts);
}

static int check_rank(const struct driver *driver, const struct launch *launch,
		      int member, unsigned rank, struct error *err)
{
	const struct layout *layout = launch_layout(launch);

	if (layout_find(layout, rank) == member)
		return 0;
	return error_set(err, -EPERM,
			 "%s speaks of rank %u of start %u, which is not its "
			 "own: it has %u of %u ranks",
			 name_of(driver, member), rank, launch_epoch(launch),
			 layout_ranks(layout, member), layout->ranks);
}

/* It has ranks of that start, whichever. */
static int check_part(const struct driver *driver, int member, unsigned epoch,
		      struct error *err)
{
	const struct launch *launch = find(driver, epoch);

	if (check_epoch(driver, member, epoch, err) < 0)
		return -EPERM;
	if (!launch || layout_ranks(launch_layout(launch), member) > 0)
		return 0;
	return error_set(err, -EPERM,
			 "%s speaks of its ranks of start %u, and has none",
			 name_of(driver, member), epoch);
}

static int check_rank_0(const struct driver *driver, int member, unsigned epoch,
			struct error *err)
{
	const struct launch *launch = find(driver, epoch);

	if (check_epoch(driver, member, epoch, err) < 0)
		return -EPERM;
	return launch ? check_rank(driver, launch, member, 0, err) : 0;
}

static int check_processors(const struct driver *driver, int member,
			    const char *list, struct error *err)
{
	struct processor_set unused;

	if (processor_set_parse(&unused, list))
		return 0;
	return error_set(err, -EPERM,
			 "%s speaks of processors \"%.40s\", which is no list "
			 "of numbers below %d",
			 name_of(driver, member), list, PROCESSORS_MAX);
}

/* Where gates come up is what a start is still to be judged by. */
static int check_gate(const struct driver *driver, int member,
		      const Bellows__V1__GateArrived *gate, struct error *err)
{
	const struct launch *launch = find(driver, gate->epoch);
	int r = check_part(driver, member, gate->epoch, err);

	if (r == 0)
		r = check_processors(driver, member, gate->processors, err);
	if (r < 0 || !launch || !launch_is_prepared(launch))
		return r;
	return check_rank(driver, launch, member, gate->rank, err);
}

static int check_up(const struct driver *driver, int member,
		    const Bellows__V1__RanksUp *up, struct error *err)
{
	const struct launch *launch = find(driver, up->epoch);
	int r = check_part(driver, member, up->epoch, err);

	if (r < 0 || !launch || !launch_is_up(launch))
		return r;
	for (size_t i = 0; r == 0 && i < up->n_rank; i++)
		r = check_rank(driver, launch, member, up->rank[i], err);
	return r;
}

int report_check(const struct driver *driver, int member,
		 const Bellows__V1__Report *report, struct error *err)
{
	switch (report->what_case) {
	case BELLOWS__V1__REPORT__WHAT_GATE_ARRIVED:
		return check_gate(driver, member, report->gate_arrived, err);
	case BELLOWS__V1__REPORT__WHAT_RANKS_UP:
		return check_up(driver, member, report->ranks_up, err);
	case BELLOWS__V1__REPORT__WHAT_RANKS_GONE:
		return check_part(driver, member, report->ranks_gone->epoch,
				  err);
	case BELLOWS__V1__REPORT__WHAT_SAVE_BEGUN:
		return check_rank_0(driver, member, report->save_begun->epoch,
				    err);
	case BELLOWS__V1__REPORT__WHAT_LOG_LINES:
		return check_rank_0(driver, member, report->log_lines->epoch,
				    err);
	case BELLOWS__V1__REPORT__WHAT_PROGRAM_ENDED: /* see agent.h */
	case BELLOWS__V1__REPORT__WHAT_HEARTBEAT:
	case BELLOWS__V1__REPORT__WHAT_PROBED:
	case BELLOWS__V1__REPORT__WHAT_SSHD:
	case BELLOWS__V1__REPORT__WHAT_DISK:
	case BELLOWS__V1__REPORT__WHAT_TOPOLOGY: /* members.c has checked it */
	case BELLOWS__V1__REPORT__WHAT__NOT_SET:
	case _BELLOWS__V1__REPORT__WHAT__CASE_IS_INT_SIZE:
		return 0;
	}
	return 0;
}

int report_check_output(const struct driver *driver, int member, unsigned epoch,
			unsigned rank, struct error *err)
{
	const struct member *m =
		&members_ledger(driver->members)->members[member];
	const struct launch *launch = find(driver, epoch);
	int r = check_epoch(driver, member, epoch, err);

	if (r < 0)
		return r;
	if (launch)
		return check_rank(driver, launch, member, rank, err);
	/* A report about a start that is over is accepted from an executor
	 * that has had ranks, under this coordinator or one before it. */
	if (m->had_ranks || epoch <= driver->former_starts)
		return 0;
	return error_set(err, -EPERM,
			 "%s speaks of rank %u of start %u, and never had any",
			 m->name, rank, epoch);
}

int report_check_checkpoint(const struct driver *driver,
			    const Bellows__V1__CheckpointReport *report,
			    struct error *err)
{
	int member = members_find(driver->members, report->name,
				  report->incarnation);

	if (member == NO_MEMBER)
		return error_set(err, -ENOENT,
				 "executor '%.63s' has not joined",
				 report->name);
	return check_rank_0(driver, member, report->epoch, err);
}
