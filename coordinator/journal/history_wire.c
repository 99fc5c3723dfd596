/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/history.h"

#include <errno.h>
#include <stdlib.h>

static Bellows__V1__Rescale *to_wire(const struct rescale *from)
{
	Bellows__V1__Rescale *to = malloc(sizeof(*to));

	if (!to)
		return NULL;
	bellows__v1__rescale__init(to);
	to->epoch = from->epoch;
	to->from = from->from;
	to->to = from->to;
	to->reason = (char *)from->reason;
	to->result = (char *)(from->goes_back ? "" : from->result);
	to->asked = (uint64_t)from->asked;
	to->executors = (uint64_t)from->executors;
	to->prepared = (uint64_t)from->prepared;
	to->ordered = (uint64_t)from->ordered;
	to->saved = (uint64_t)from->saved;
	to->stopped = (uint64_t)from->stopped;
	to->up = (uint64_t)from->up;
	to->stepped = (uint64_t)from->stepped;
	to->last_step = (uint64_t)from->last_step;
	to->resumed = (uint64_t)from->resumed;
	to->checkpoint = from->checkpoint;
	to->repeated = from->repeated;
	to->recovery = from->recovery;
	to->due = from->due;
	to->failed = from->failed;
	return to;
}

static int fill_notices(const struct history *history, Bellows__V1__Job *out)
{
	out->notices = calloc(history->n_notices + 1, sizeof(*out->notices));
	if (!out->notices)
		return -ENOMEM;
	for (size_t i = 0; i < history->n_notices; i++) {
		Bellows__V1__Notice *notice = malloc(sizeof(*notice));

		if (!notice)
			return -ENOMEM;
		bellows__v1__notice__init(notice);
		notice->number = history->notices[i].number;
		notice->at = (uint64_t)history->notices[i].at;
		notice->kind = history->notices[i].kind;
		notice->text = (char *)history->notices[i].text;
		out->notices[out->n_notices++] = notice;
	}
	return 0;
}

int history_fill(const struct history *history, Bellows__V1__Job *out)
{
	out->history = calloc(history->n_rescales + 1, sizeof(*out->history));
	out->spans = calloc(history->n_spans + 1, sizeof(*out->spans));
	if (!out->history || !out->spans)
		return -ENOMEM;
	for (size_t i = 0; i < history->n_rescales; i++) {
		out->history[i] = to_wire(&history->rescales[i]);
		if (!out->history[i])
			return -ENOMEM;
		out->n_history++;
	}
	for (size_t i = 0; i < history->n_spans; i++) {
		Bellows__V1__Span *span = malloc(sizeof(*span));

		if (!span)
			return -ENOMEM;
		bellows__v1__span__init(span);
		span->from = (uint64_t)history->spans[i].from;
		span->to = (uint64_t)history->spans[i].to;
		span->ranks = history->spans[i].ranks;
		out->spans[out->n_spans++] = span;
	}
	return fill_notices(history, out);
}

void history_unfill(Bellows__V1__Job *out)
{
	for (size_t i = 0; i < out->n_history; i++)
		free(out->history[i]);
	for (size_t i = 0; i < out->n_spans; i++)
		free(out->spans[i]);
	for (size_t i = 0; i < out->n_notices; i++)
		free(out->notices[i]);
	free(out->history);
	free(out->spans);
	free(out->notices);
}
