/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/decide_benefit.h"

#include "base/log.h"
#include "client/job.h"

#include <errno.h>

enum { TEXT_MAX = 240 };

/* ---- facts ---- */

static double step_seconds(const struct decide_benefit *decide, unsigned ranks)
{
	const struct cost_size *seen = cost_seen(&decide->meter.steps, ranks);

	return seen ? seen->mean : 0;
}

/* Ranks that compute until they save cost nothing but what is computed again.
 */
static double price_of(const struct decide_benefit *decide,
		       const Bellows__V1__Rescale *rescale)
{
	struct pause pause = pause_of(rescale);
	msec_t stands = pause.length;

	if (pause.part[PART_COMPUTING] > 0)
		stands -= pause.part[PART_COMPUTING];
	return (double)stands / 1000 +
	       (double)rescale->repeated * step_seconds(decide, rescale->from);
}

static void note_rescales(struct decide_benefit *decide,
			  const Bellows__V1__Job *job)
{
	decide->rescales = (struct cost_rescales){0};
	for (size_t i = 0; i < job->n_history; i++) {
		const Bellows__V1__Rescale *at = job->history[i];

		if (at->failed)
			benefit_refuse(&decide->benefit, at->to);
		else if (rescale_is_done(at) && !at->recovery &&
			 pause_of(at).length >= 0)
			cost_rescaled(&decide->rescales, price_of(decide, at));
	}
}

static void look(struct decide_benefit *decide, const Bellows__V1__Job *job)
{
	const struct step_look look = {
		.epoch = job->epoch,
		.ranks = job->size,
		.step = job->step,
		.at = (msec_t)job->step_at,
		.began = job_began(job),
	};

	if (job_is_settled(job))
		step_meter_look(&decide->meter, &look);
	else
		step_meter_break(&decide->meter);
}

static double steps_left(const Bellows__V1__Job *job)
{
	if (job->total == 0)
		return -1;
	return job->step < job->total ? (double)(job->total - job->step) : 0;
}

void decide_benefit_on_job(struct decide_benefit *decide,
			   const Bellows__V1__Job *job, msec_t now)
{
	look(decide, job);
	note_rescales(decide, job);
	decide->heard = now;
	decide->facts = (struct benefit_facts){
		.now = (msec_t)job->age,
		.size = job_is_settled(job) ? job->size : 0,
		.want = job->want,
		.grant = job->grant,
		.steps_left = steps_left(job),
		.meter = &decide->meter,
		.rescales = &decide->rescales,
		.state_bytes = job->checkpoint_bytes,
	};
}

/* ---- what is told ---- */

static void log_news(struct decide_benefit *decide)
{
	const struct benefit_probe *probe = &decide->benefit.probe;
	const struct step_change *change = &decide->meter.change;
	char text[TEXT_MAX];

	if (probe->number != decide->probe) {
		benefit_say_probe(probe, text, sizeof(text));
		log_info("%s", text);
	}
	if (change->number != decide->change) {
		benefit_say_change(change, text, sizeof(text));
		log_warn("%s", text);
	}
	decide->probe = probe->number;
	decide->change = change->number;
}

/* That it stays at a size is one decision, though its numbers change. */
static void log_stay(struct decide_benefit *decide,
		     const struct benefit_choice *choice, const char *text)
{
	bool stays = choice->reason == BENEFIT_BEST ||
		     choice->reason == BENEFIT_NOT_WORTH;
	bool is_unknown = choice->reason == BENEFIT_UNKNOWN;

	if ((stays && decide->stayed != choice->from) ||
	    (is_unknown && !decide->is_unknown && decide->facts.size > 0))
		log_info("size=%u stays: %s", choice->from, text);
	if (stays)
		decide->stayed = choice->from;
	else if (choice->ranks > 0)
		decide->stayed = 0;
	if (decide->facts.size > 0)
		decide->is_unknown = is_unknown;
}

struct benefit_choice decide_benefit_choose(struct decide_benefit *decide,
					    msec_t now, char *reason, size_t n)
{
	struct benefit_facts facts = decide->facts;
	struct benefit_choice choice = {0};
	char text[TEXT_MAX];
	msec_t since = now - decide->heard;

	if (!facts.meter)
		return choice; /* no message has come yet */
	facts.now += since;
	choice = benefit_decide(&decide->benefit, &facts);
	if (choice.again > 0)
		choice.again += now - facts.now;
	benefit_say(&choice, text, sizeof(text));
	snprintf(reason, n, "benefit: %s", text);
	log_news(decide);
	log_stay(decide, &choice, text);
	return choice;
}

void decide_benefit_answered(struct decide_benefit *decide,
			     enum scaler_answer answer, msec_t now)
{
	benefit_answered(&decide->benefit, answer,
			 decide->facts.now + now - decide->heard);
}

/* ---- life ---- */

static enum benefit_goal goal_of(enum scale_goal goal)
{
	switch (goal) {
	case SCALE_SOONEST:
		return BENEFIT_SOONEST;
	case SCALE_CHEAPEST:
		return BENEFIT_CHEAPEST;
	case SCALE_FINISH_BY:
		return BENEFIT_DEADLINE;
	case SCALE_EFFICIENCY:
		return BENEFIT_EFFICIENCY;
	}
	return BENEFIT_SOONEST;
}

int decide_benefit_init(struct decide_benefit *decide,
			const struct jobfile *job)
{
	struct benefit_rules rules = {
		.goal = goal_of(job->goal),
		.deadline = job->finish_by,
		.efficiency = job->efficiency,
		.probes = job->probes,
	};

	*decide = (struct decide_benefit){0};
	decide->sizes = calloc(job->ranks.max, sizeof(*decide->sizes));
	if (!decide->sizes)
		return -ENOMEM;
	rules.n_sizes = jobfile_sizes(job, decide->sizes);
	rules.sizes = decide->sizes;
	benefit_init(&decide->benefit, &rules);
	return 0;
}

void decide_benefit_fini(struct decide_benefit *decide)
{
	free(decide->sizes);
	decide->sizes = NULL;
}
