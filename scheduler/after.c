/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/after.h"

static void hold(struct queued *queued, const struct queued *other)
{
	char why[RECORD_WHY_MAX];

	snprintf(
		why, sizeof(why),
		"job %s, which it comes after, %s: 'bellows release %s' starts "
		"it all the same",
		other->record.name,
		other->record.life.end == QUEUE_FAILED ? "failed"
						       : "was cancelled",
		queued->record.name);
	queued->record.life.held = true;
	scheduler_write(queued, why);
}

static void cross_off(struct record *record, unsigned i)
{
	record->after[i] = record->after[--record->n_after];
}

static void settle(struct queued *queued)
{
	struct record *record = &queued->record;
	unsigned before = record->n_after;

	for (unsigned i = record->n_after; i > 0; i--) {
		const struct queued *other =
			scheduler_find(queued->scheduler, record->after[i - 1]);

		/* one that is forgotten ended well: it was over long ago, and
		 * those that came after others are held by then */
		if (other && !other->record.life.over)
			continue;
		cross_off(record, i - 1);
		if (other && other->record.life.end != QUEUE_DONE)
			hold(queued, other);
	}
	if (record->n_after < before)
		scheduler_write(queued, NULL);
}

void after_settle(struct scheduler *scheduler)
{
	list_for_each (at, &scheduler->jobs) {
		struct queued *queued = CONTAINER(at, struct queued, link);

		if (queued->record.n_after > 0 && !queued->record.life.over)
			settle(queued);
	}
}
