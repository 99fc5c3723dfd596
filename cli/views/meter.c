/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/meter.h"

#include "loop/loop.h"

#define QUIET  SECONDS(2)
#define REDRAW MSEC(200)

void meter_begin(struct meter *meter, const char *what, uint64_t total,
		 bool wanted, const char *term)
{
	*meter = (struct meter){.to = stderr, .what = what, .total = total};
	meter->on = wanted && progress_style_of(&meter->style, term);
	meter->begun = loop_now();
	meter->next = meter->begun + QUIET;
}

void meter_add(struct meter *meter)
{
	char line[1024];
	msec_t now;
	double share;

	meter->done++;
	if (!meter->on)
		return;
	now = loop_now();
	if (now < meter->next)
		return;
	share = (double)meter->done / (double)meter->total;
	progress_render_share(
		line, sizeof(line), meter->what, share,
		(msec_t)((double)(now - meter->begun) * (1 - share) / share),
		&meter->style);
	fprintf(meter->to, "\r%s\033[K", line);
	fflush(meter->to);
	meter->drawn = true;
	meter->next = now + REDRAW;
}

void meter_hide(struct meter *meter)
{
	if (meter->drawn)
		fputs("\r\033[K", meter->to);
	meter->drawn = false;
}
