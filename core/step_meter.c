/* SPDX-License-Identifier: Apache-2.0 */
#include "core/step_meter.h"

#include <math.h>

/* What was measured at this size before the batch: its parts are undone as
 * Chan, Golub and LeVeque 1979 put two samples together. */
static struct cost_size without(const struct cost_size *all,
				const struct cost_size *batch)
{
	struct cost_size before = {.ranks = all->ranks, .n = all->n - batch->n};
	double n = (double)before.n, m = (double)batch->n, off;

	before.mean = (all->mean * (double)all->n - batch->mean * m) / n;
	off = before.mean - batch->mean;
	before.squares = fmax(0, all->squares - batch->squares -
					 off * off * n * m / (n + m));
	return before;
}

static bool has_changed(const struct cost_size *before,
			const struct cost_size *batch)
{
	double off = fabs(batch->mean - before->mean);
	double n = (double)before->n, m = (double)batch->n;
	double variance = (before->squares + batch->squares) / (n + m - 2);

	return off > METER_CHANGE * before->mean &&
	       off > METER_DEVIATIONS * sqrt(variance * (1 / n + 1 / m));
}

static void judge_batch(struct step_meter *meter)
{
	struct cost_steps *steps = &meter->steps;
	const struct cost_size *batch = &meter->batch.sizes[0];
	const struct cost_size *all = cost_seen(steps, batch->ranks);
	struct cost_size before;

	if (!all || all->n < batch->n + METER_BATCH)
		return;
	before = without(all, batch);
	if (!has_changed(&before, batch))
		return;
	meter->change = (struct step_change){
		.ranks = batch->ranks,
		.from = before.mean,
		.to = batch->mean,
		.number = meter->change.number + 1,
	};
	*steps = meter->batch;
}

static void measure(struct step_meter *meter, unsigned ranks, double seconds)
{
	bool is_warm = meter->steps.cold == 0;

	cost_observe(&meter->steps, ranks, seconds);
	if (!is_warm)
		return;
	meter->fresh++;
	cost_observe(&meter->batch, ranks, seconds);
	if (meter->fresh % METER_BATCH == 0) {
		judge_batch(meter);
		meter->batch = (struct cost_steps){0};
	}
}

static void note_start(struct step_start *start, const struct step_look *look,
		       double steps)
{
	if (start->is_awaited && start->seconds == 0 &&
	    look->at > look->began) {
		start->seconds = (double)(look->at - look->began) / 1000;
		start->steps = steps;
		start->ranks = look->ranks;
	}
	start->is_awaited = false;
}

double step_meter_start(const struct step_meter *meter)
{
	const struct step_start *start = &meter->start;
	const struct cost_size *seen = cost_seen(&meter->steps, start->ranks);

	return fmax(0, start->seconds - (seen ? start->steps * seen->mean : 0));
}

void step_meter_look(struct step_meter *meter, const struct step_look *look)
{
	struct step_look last = meter->last;
	double steps = (double)look->step - (double)last.step;

	if (look->epoch != last.epoch) {
		cost_started(&meter->steps);
		meter->fresh = 0;
		meter->batch = (struct cost_steps){0};
		meter->start.is_awaited = look->at < look->began;
		meter->last = *look;
	} else if (steps < 0 || meter->is_broken) {
		meter->start.is_awaited = false;
		meter->last = *look;
	} else if (steps > 0 && look->at > last.at) {
		note_start(&meter->start, look, steps);
		measure(meter, look->ranks,
			(double)(look->at - last.at) / 1000 / steps);
		meter->stride = steps;
		meter->last = *look;
	}
	meter->is_broken = false;
}

void step_meter_break(struct step_meter *meter)
{
	meter->is_broken = true;
}
