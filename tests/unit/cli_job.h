/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CLI_JOB_H
#define TESTS_CLI_JOB_H

/* A job to show: 2 -> 4 ranks, one pause of 0.8 s, 23.1 s in all. */

#include "base/cleanup.h"
#include "client/job.h"

struct sample {
	Bellows__V1__Job job;
	Bellows__V1__Member member;
	Bellows__V1__Rescale rescale;
	Bellows__V1__Span span[4];
	Bellows__V1__Member *members[1];
	Bellows__V1__Rescale *history[1];
	Bellows__V1__Span *spans[4];
};

static inline void sample_spans(struct sample *sample)
{
	static const uint64_t from[] = {0, 400, 9900, 10600};
	static const uint32_t ranks[] = {0, 2, 0, 4};

	for (int i = 0; i < 4; i++) {
		bellows__v1__span__init(&sample->span[i]);
		sample->span[i].from = from[i];
		sample->span[i].to = i < 3 ? from[i + 1] : 0;
		sample->span[i].ranks = ranks[i];
		sample->spans[i] = &sample->span[i];
	}
	sample->job.n_spans = 4;
	sample->job.spans = sample->spans;
}

static inline void sample_init(struct sample *sample)
{
	Bellows__V1__Job *job = &sample->job;
	Bellows__V1__Rescale *rescale = &sample->rescale;

	bellows__v1__job__init(job);
	bellows__v1__member__init(&sample->member);
	bellows__v1__rescale__init(rescale);
	sample->members[0] = &sample->member;
	sample->history[0] = rescale;
	sample_spans(sample);

	sample->member.name = "e0";
	sample->member.slots = 2;
	sample->member.ranks = 2;
	sample->member.state = "ready";
	sample->member.heard = 120;

	rescale->epoch = 2;
	rescale->from = 2;
	rescale->to = 4;
	rescale->reason = "schedule: 30 %";
	rescale->result = "done";
	rescale->asked = 9100;
	rescale->executors = 9700;
	rescale->prepared = 9800;
	rescale->ordered = 9800;
	rescale->saved = 10000;
	rescale->stopped = 10100;
	rescale->up = 10400;
	rescale->stepped = 10600;
	rescale->last_step = 9900;

	job->name = "heat";
	job->state = BELLOWS__V1__STATE__RUNNING;
	job->reason = "";
	job->size = 4;
	job->target = 4;
	job->min = 1;
	job->max = 6;
	job->epoch = 2;
	job->progress = 0.432;
	job->step = 1728;
	job->age = 23100;
	job->total = 4000;
	job->rate = 28.4;
	job->eta = 80000;
	job->eta_sd = 2400;
	job->executors_wanted = 4;
	job->rescales = 1;
	job->n_members = 1;
	job->members = sample->members;
	job->n_history = 1;
	job->history = sample->history;
	job->network = "tcp";
}

/* What print(to, ...) writes, into text. */
#define PRINTED(text, print, ...)                                              \
	do {                                                                   \
		size_t size_;                                                  \
		FILE *to_ = open_memstream(&(text), &size_);                   \
		print(to_, __VA_ARGS__);                                       \
		fclose(to_);                                                   \
	} while (0)

#endif
