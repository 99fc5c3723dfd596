/* SPDX-License-Identifier: Apache-2.0 */
#include "client/job.h"

#include "base/list.h"
#include "base/text.h"

#include <string.h>

static const char *const state_names[] = {
	[BELLOWS__V1__STATE__STATE_UNSPECIFIED] = "unknown",
	[BELLOWS__V1__STATE__WAITING] = "waiting",
	[BELLOWS__V1__STATE__STARTING] = "starting",
	[BELLOWS__V1__STATE__RUNNING] = "running",
	[BELLOWS__V1__STATE__GROWING] = "growing",
	[BELLOWS__V1__STATE__PREPARING] = "preparing",
	[BELLOWS__V1__STATE__SAVING] = "saving",
	[BELLOWS__V1__STATE__STOPPING] = "stopping",
	[BELLOWS__V1__STATE__DONE] = "done",
	[BELLOWS__V1__STATE__FAILED] = "failed",
	[BELLOWS__V1__STATE__CANCELLED] = "cancelled",
	[BELLOWS__V1__STATE__SUSPENDED] = "suspended",
	[BELLOWS__V1__STATE__RESUMING] = "resuming",
};

static const char *const part_names[] = {
	[PART_COMPUTING] = "still computing",
	[PART_WRITING] = "writing",
	[PART_STANDING] = "standing still",
};

const char *state_name(Bellows__V1__State state)
{
	/* proto3 passes on numbers that a newer coordinator may know */
	return (size_t)state < LENGTH(state_names) ? state_names[state]
						   : "unknown";
}

bool state_is_over(Bellows__V1__State state)
{
	return state == BELLOWS__V1__STATE__DONE ||
	       state == BELLOWS__V1__STATE__FAILED ||
	       state == BELLOWS__V1__STATE__CANCELLED ||
	       state == BELLOWS__V1__STATE__SUSPENDED;
}

static const char *const code_names[] = {
	[BELLOWS__V1__SCALE_CODE__SCALE_UNSPECIFIED] = "unknown",
	[BELLOWS__V1__SCALE_CODE__ACCEPTED] = "accepted",
	[BELLOWS__V1__SCALE_CODE__ABOVE_GRANT] = "above_grant",
	[BELLOWS__V1__SCALE_CODE__UNCHANGED] = "unchanged",
	[BELLOWS__V1__SCALE_CODE__OUT_OF_RANGE] = "out_of_range",
	[BELLOWS__V1__SCALE_CODE__SIZE_REFUSED] = "size_refused",
	[BELLOWS__V1__SCALE_CODE__SUSPENDED_SOON] = "suspended_soon",
	[BELLOWS__V1__SCALE_CODE__OVER] = "over",
};

const char *scale_code_name(Bellows__V1__ScaleCode code)
{
	return (size_t)code < LENGTH(code_names) ? code_names[code] : "unknown";
}

const char *pause_part_name(enum pause_part part)
{
	return part_names[part];
}

/* Without an order nobody wrote, and ranks that were lost compute nothing. */
static void split(struct pause *pause, const Bellows__V1__Rescale *rescale)
{
	msec_t last = (msec_t)rescale->last_step;
	msec_t gone = (msec_t)rescale->stopped, at = pause->begin;

	for (int i = 0; i < PARTS; i++)
		pause->part[i] = -1;
	if (rescale->ordered && gone >= at) {
		if (last > gone)
			last = gone;
		if (last != 0) {
			pause->part[PART_COMPUTING] = last > at ? last - at : 0;
			at += pause->part[PART_COMPUTING];
		}
		pause->part[PART_WRITING] = gone - at;
		at = gone;
	}
	if (pause->end >= at)
		pause->part[PART_STANDING] = pause->end - at;
}

struct pause pause_of(const Bellows__V1__Rescale *rescale)
{
	const uint64_t reached[PAUSE_PHASES] = {
		[PAUSE_SAVE] = rescale->saved,
		[PAUSE_STOP] = rescale->stopped,
		[PAUSE_START] = rescale->up,
		[PAUSE_FIRST_STEP] = rescale->stepped,
	};
	uint64_t at = rescale->ordered ? rescale->ordered : rescale->asked;
	struct pause pause = {.begin = (msec_t)at, .end = -1, .length = -1};

	for (int i = 0; i < PAUSE_PHASES; i++) {
		pause.phase[i] = -1;
		if (reached[i] == 0 || reached[i] < at)
			continue;
		pause.phase[i] = (msec_t)(reached[i] - at);
		at = reached[i];
	}
	if (rescale->up != 0) {
		pause.end = (msec_t)at;
		pause.length = pause.end - pause.begin;
	}
	split(&pause, rescale);
	return pause;
}

void pause_print(FILE *to, const struct pause *pause)
{
	const char *between = " (";

	fputs(text_pause(pause->length).s, to);
	for (int i = 0; i < PARTS; i++) {
		if (pause->part[i] < 0)
			continue;
		fprintf(to, "%s%s %s", between, pause_part_name(i),
			text_pause(pause->part[i]).s);
		between = ", ";
	}
	if (between[0] == ',')
		fputc(')', to);
}

bool rescale_is_done(const Bellows__V1__Rescale *rescale)
{
	return strcmp(rescale->result, "done") == 0;
}

msec_t job_paused(const Bellows__V1__Job *job)
{
	msec_t total = 0;

	for (size_t i = 0; i < job->n_history; i++) {
		struct pause pause = pause_of(job->history[i]);

		if (job->history[i]->result[0] && pause.length > 0)
			total += pause.length;
	}
	return total;
}

bool job_is_settled(const Bellows__V1__Job *job)
{
	return job->state == BELLOWS__V1__STATE__RUNNING &&
	       job->target == job->size;
}

msec_t job_began(const Bellows__V1__Job *job)
{
	const Bellows__V1__Span *last =
		job->n_spans > 0 ? job->spans[job->n_spans - 1] : NULL;

	return last && last->ranks > 0 ? (msec_t)last->from : 0;
}

unsigned job_ready(const Bellows__V1__Job *job)
{
	unsigned n = 0;

	for (size_t i = 0; i < job->n_members; i++)
		n += strcmp(job->members[i]->state, "ready") == 0;
	return n;
}

Bellows__V1__Job *job_copy(const Bellows__V1__Job *job)
{
	size_t size = bellows__v1__job__get_packed_size(job);
	CLEANUP(free) uint8_t *packed = malloc(size ? size : 1);

	if (!packed)
		return NULL;
	bellows__v1__job__pack(job, packed);
	return bellows__v1__job__unpack(NULL, size, packed);
}

Bellows__V1__Job *job_free(Bellows__V1__Job *job)
{
	if (job)
		bellows__v1__job__free_unpacked(job, NULL);
	return NULL;
}
