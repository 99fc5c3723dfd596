/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/status.h"

#include "coordinator/coordinator.h"
#include "coordinator/launch/mpiexec.h"
#include "coordinator/service/shortfall.h"

#include <errno.h>
#include <stdlib.h>

Bellows__V1__State status_state(enum job_state state)
{
	static const Bellows__V1__State states[] = {
		[JOB_WAITING] = BELLOWS__V1__STATE__WAITING,
		[JOB_STARTING] = BELLOWS__V1__STATE__STARTING,
		[JOB_RESUMING] = BELLOWS__V1__STATE__RESUMING,
		[JOB_RUNNING] = BELLOWS__V1__STATE__RUNNING,
		[JOB_GROWING] = BELLOWS__V1__STATE__GROWING,
		[JOB_PREPARING] = BELLOWS__V1__STATE__PREPARING,
		[JOB_SAVING] = BELLOWS__V1__STATE__SAVING,
		[JOB_STOPPING] = BELLOWS__V1__STATE__STOPPING,
		[JOB_REPLACING] = BELLOWS__V1__STATE__WAITING,
		[JOB_DONE] = BELLOWS__V1__STATE__DONE,
		[JOB_FAILED] = BELLOWS__V1__STATE__FAILED,
		[JOB_CANCELLED] = BELLOWS__V1__STATE__CANCELLED,
		[JOB_SUSPENDED] = BELLOWS__V1__STATE__SUSPENDED,
	};

	return states[state];
}

static int fill_members(struct coordinator *c, Bellows__V1__Job *out)
{
	const struct ledger *ledger = members_ledger(c->members);
	msec_t now = loop_now();

	out->members = calloc((size_t)ledger->n + 1, sizeof(*out->members));
	if (!out->members)
		return -ENOMEM;
	for (int i = 0; i < ledger->n; i++) {
		const struct member *m = &ledger->members[i];
		Bellows__V1__Member *to;

		if (!member_is_alive(m))
			continue;
		to = malloc(sizeof(*to));
		if (!to)
			return -ENOMEM;
		bellows__v1__member__init(to);
		to->name = (char *)m->name;
		to->address = (char *)m->address;
		to->slots = m->slots;
		to->ranks = m->ranks;
		to->state = (char *)member_state_name(m->state);
		to->heard = (uint32_t)(now - m->heard);
		out->members[out->n_members++] = to;
	}
	return 0;
}

static unsigned ready_executors(const struct ledger *ledger)
{
	unsigned n = 0;

	for (int i = 0; i < ledger->n; i++)
		n += ledger->members[i].state == MEMBER_READY;
	return n;
}

static void describe_shortfall(struct coordinator *c, msec_t now)
{
	const struct shortfall_facts facts = {
		.job = &c->job,
		.trouble = c->trouble,
		.dropped = history_dropped(c->history),
		.ready = ready_executors(members_ledger(c->members)),
		.wanted = c->held,
		.now = now,
	};

	shortfall_describe(&facts, c->shortfall, sizeof(c->shortfall));
}

int status_fill(struct coordinator *c, Bellows__V1__Job *out)
{
	const struct launch *runs = launches_now(c->launches);
	msec_t now = loop_now();

	describe_shortfall(c, now);
	bellows__v1__job__init(out);
	out->name = c->jobfile->name;
	out->incarnation = c->incarnation;
	out->state = status_state(c->job.state);
	out->reason = c->reason;
	out->size = c->job.size;
	out->target = c->job.target;
	out->want = c->job.want;
	out->grant = c->job.grant == JOB_NO_GRANT ? 0 : c->job.grant;
	out->shortfall = c->shortfall;
	out->min = c->jobfile->ranks.min;
	out->max = c->jobfile->ranks.max;
	out->epoch = c->job.epoch;
	out->progress = history_progress(c->history);
	out->step = c->history->step;
	out->age = (uint64_t)(now - c->history->began);
	out->eta = history_eta(c->history, now);
	out->executors_wanted = c->held;
	out->rescales = c->history->rescales_done;
	out->exit_code = c->exit_code;
	out->unit = (char *)jobfile_unit(c->jobfile);
	out->trouble = c->trouble;
	out->disk = (char *)storage_trouble(c->storage);
	if (runs)
		out->network = (char *)mpiexec_network(
			c->jobfile, members_ledger(c->members),
			launch_layout(runs));
	if (fill_members(c, out) < 0)
		return -ENOMEM;
	return history_fill(c->history, out);
}

void status_unfill(Bellows__V1__Job *job)
{
	for (size_t i = 0; i < job->n_members; i++)
		free(job->members[i]);
	free(job->members);
	history_unfill(job);
}
