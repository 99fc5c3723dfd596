/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/queue_message.h"

#include <errno.h>
#include <stdlib.h>

/* A decision as a message, with the room of its alternatives. */
struct shown {
	Bellows__V1__Decision decision;
	Bellows__V1__Alternative alternatives[ALTERNATIVES_MAX];
	Bellows__V1__Alternative *at[ALTERNATIVES_MAX];
};

static void show_alternatives(struct shown *out, const struct decision *from)
{
	for (unsigned i = 0; i < from->n_alternatives; i++) {
		const struct alternative *one = &from->alternatives[i];
		Bellows__V1__Alternative *to = &out->alternatives[i];

		bellows__v1__alternative__init(to);
		to->size = one->size;
		to->seconds = one->seconds;
		to->sd = one->sd;
		to->chosen = one->size == from->to;
		out->at[i] = to;
	}
	out->decision.n_alternatives = from->n_alternatives;
	out->decision.alternatives = out->at;
}

static void show(struct shown *out, const struct decision *from)
{
	Bellows__V1__Decision *to = &out->decision;

	bellows__v1__decision__init(to);
	to->at = (uint64_t)from->at;
	to->kind = (char *)from->kind;
	to->rule = (char *)from->rule;
	to->other = (char *)from->other;
	to->policy = (char *)from->policy;
	to->want = from->want;
	to->from = from->from;
	to->to = from->to;
	to->size = from->size;
	to->free = from->free;
	to->queued = from->queued;
	to->running = from->running;
	to->step = from->step;
	to->price = from->price;
	to->left = from->left;
	show_alternatives(out, from);
}

static bool is_asked_for(const struct decision *decision, uint64_t number,
			 msec_t at)
{
	return decision->number == number && (at == 0 || decision->at <= at);
}

int explain_message_fill(Bellows__V1__ExplainReply *out,
			 const struct queued *queued, msec_t at, size_t count)
{
	const struct decisions *all = &queued->scheduler->decisions;
	const struct decision *one;
	size_t found = 0, known = 0, k = 0;
	struct shown *shown = calloc(count + 1, sizeof(*shown));

	bellows__v1__explain_reply__init(out);
	out->decisions = calloc(count + 1, sizeof(*out->decisions));
	if (!shown || !out->decisions) {
		free(shown);
		free(out->decisions);
		out->decisions = NULL;
		return -ENOMEM;
	}
	/* one block, as of queue_message_fill() */
	out->decisions[0] = &shown[0].decision;
	for (size_t i = 0; (one = decisions_at(all, i)); i++) {
		known += one->number == queued->record.number;
		found += is_asked_for(one, queued->record.number, at);
	}
	for (size_t i = 0; (one = decisions_at(all, i)); i++)
		if (is_asked_for(one, queued->record.number, at) &&
		    found-- <= count)
			show(&shown[k++], one);
	for (size_t i = 0; i < k; i++)
		out->decisions[i] = &shown[i].decision;
	out->n_decisions = k;
	if (queued->record.decisions > known)
		out->forgotten = queued->record.decisions - (unsigned)known;
	return 0;
}

void explain_message_clear(Bellows__V1__ExplainReply *reply)
{
	if (reply->decisions)
		free(CONTAINER(reply->decisions[0], struct shown, decision));
	free(reply->decisions);
	reply->decisions = NULL;
}
