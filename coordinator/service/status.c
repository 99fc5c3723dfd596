/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/status.h"

#include "coordinator/launch/mpiexec.h"
#include "coordinator/service/internal.h"
#include "coordinator/service/shortfall.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIME_MAX 1e15 /* milliseconds: thirty thousand years */

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

/* The message and its list of processors are made with malloc(). */
static int fill_machine(Bellows__V1__Member *out, const struct topology *from)
{
	char text[PROCESSOR_SET_TEXT_MAX];
	Bellows__V1__MachineSummary *to;

	if (!from)
		return 0;
	to = out->machine = malloc(sizeof(*to));
	if (!to)
		return -ENOMEM;
	bellows__v1__machine_summary__init(to);
	to->sockets = topology_count(from, TOPOLOGY_PACKAGE);
	to->numa_nodes = topology_count(from, TOPOLOGY_NODE);
	to->cores = from->n_cores;
	to->l2 = from->l2;
	to->l3 = from->l3;
	for (unsigned i = 0; i < from->n_domains; i++)
		if (topology_is_first(from, i, TOPOLOGY_NODE))
			to->memory += from->domains[i].memory;
	to->processors = strdup(processor_set_text(&from->usable, text));
	return to->processors ? 0 : -ENOMEM;
}

static int fill_members(struct service *service, Bellows__V1__Job *out)
{
	const struct ledger *ledger =
		members_ledger(driver_members(service->driver));
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
		to->shares = m->ranks > 0 ? m->shares : 0;
		to->state = (char *)member_state_name(m->state);
		to->heard = (uint32_t)(now - m->heard);
		out->members[out->n_members++] = to;
		if (fill_machine(to, m->topology) < 0)
			return -ENOMEM;
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

static void describe_shortfall(struct service *service, msec_t now)
{
	const struct shortfall_facts facts = {
		.job = driver_job(service->driver),
		.trouble = driver_trouble(service->driver),
		.dropped = history_dropped(driver_history(service->driver)),
		.ready = ready_executors(
			members_ledger(driver_members(service->driver))),
		.wanted = driver_held(service->driver),
		.now = now,
	};

	shortfall_describe(&facts, service->shortfall,
			   sizeof(service->shortfall));
}

/* What an application says of itself may be anything. */
static int64_t msec_of(double seconds)
{
	return (int64_t)fmin(seconds * 1000, TIME_MAX);
}

static void fill_progress(const struct driver *driver, Bellows__V1__Job *out)
{
	const struct history *history = driver_history(driver);
	struct eta eta = driver_eta(driver);

	out->progress = history_progress(history);
	out->step = history->step;
	out->total = history->total;
	out->step_at = (uint64_t)history->last_step;
	out->rate = eta.rate;
	out->eta = eta.left >= 0 ? msec_of(eta.left) : -1;
	if (eta.sd >= 0)
		out->eta_sd = (uint64_t)msec_of(fmax(eta.sd, 0.001));
}

int status_fill(struct service *service, Bellows__V1__Job *out)
{
	const struct launch *runs =
		launches_now(driver_launches(service->driver));
	msec_t now = loop_now();

	describe_shortfall(service, now);
	driver_describe_stall(service->driver, service->stall,
			      sizeof(service->stall));
	bellows__v1__job__init(out);
	out->name = service->jobfile->name;
	out->incarnation = service->incarnation;
	out->state = status_state(driver_job(service->driver)->state);
	out->reason = (char *)driver_reason(service->driver);
	out->size = driver_job(service->driver)->size;
	out->target = driver_job(service->driver)->target;
	out->want = driver_job(service->driver)->want;
	out->grant = driver_job(service->driver)->grant == JOB_NO_GRANT
			     ? 0
			     : driver_job(service->driver)->grant;
	out->shortfall = service->shortfall;
	out->stall = service->stall;
	out->min = service->jobfile->ranks.min;
	out->max = service->jobfile->ranks.max;
	out->epoch = driver_job(service->driver)->epoch;
	fill_progress(service->driver, out);
	out->checkpoint_bytes =
		checkpoint_recovery_newest(driver_recovery(service->driver))
			->bytes;
	out->age = (uint64_t)(now - driver_history(service->driver)->began);
	out->executors_wanted = driver_held(service->driver);
	out->rescales = driver_history(service->driver)->rescales_done;
	out->exit_code = driver_exit_code(service->driver);
	out->unit = (char *)jobfile_unit(service->jobfile);
	out->trouble = (char *)driver_trouble(service->driver);
	out->disk = (char *)checkpoint_recovery_trouble(
		driver_recovery(service->driver));
	if (runs && launch_is_up(runs)) {
		placement_text(launch_placement(runs), 0, service->binding,
			       sizeof(service->binding));
		out->binding = service->binding;
	}
	if (runs)
		out->network = (char *)mpiexec_network(
			service->jobfile,
			members_ledger(driver_members(service->driver)),
			launch_layout(runs));
	if (fill_members(service, out) < 0)
		return -ENOMEM;
	return history_fill(driver_history(service->driver), out);
}

void status_unfill(Bellows__V1__Job *job)
{
	for (size_t i = 0; i < job->n_members; i++) {
		Bellows__V1__MachineSummary *machine = job->members[i]->machine;

		if (machine)
			free(machine->processors);
		free(machine);
		free(job->members[i]);
	}
	free(job->members);
	history_unfill(job);
}
