/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/progress.h"

#include "base/text.h"

#include <langinfo.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR_LEAST = 10, BAR_MOST = 60, EIGHTHS = 8 };

static void put_head(char *out, size_t n, const Bellows__V1__Job *job,
		     bool utf8)
{
	const char *state = state_name(job->state);

	if (job->target == 0)
		snprintf(out, n, "%s", state);
	else if (job->size != job->target && job->size)
		snprintf(out, n, "%s %u %s %u ranks", state, job->size,
			 utf8 ? "\xe2\x86\x92" : "->", job->target);
	else
		snprintf(out, n, "%s %u rank%s", state, job->target,
			 text_plural(job->target));
}

void progress_bar(char *out, double share, unsigned cells, bool utf8)
{
	/* U+258F (one eighth) down to U+2588 (full): the last byte counts */
	unsigned eighths = (unsigned)(share * cells * EIGHTHS);

	*out++ = '[';
	for (unsigned i = 0; i < cells; i++) {
		unsigned fill =
			eighths > i * EIGHTHS ? eighths - i * EIGHTHS : 0;

		fill = fill > EIGHTHS ? EIGHTHS : fill;
		if (utf8 && fill)
			out += sprintf(out, "\xe2\x96%c",
				       (char)(0x90 - (int)fill));
		else
			*out++ = fill == EIGHTHS ? '#' : utf8 ? ' ' : '-';
	}
	*out++ = ']';
	*out = '\0';
}

/* Appends part if the line stays below the width. */
static bool append(char *line, size_t n, const char *part, unsigned width)
{
	if (text_columns(line) + text_columns(part) >= width)
		return false;
	strncat(line, part, n - strlen(line) - 1);
	return true;
}

static void put_unknown(char *line, size_t n, const Bellows__V1__Job *job,
			unsigned width)
{
	char part[64];

	if (job->step) {
		snprintf(part, sizeof(part), "  %.60s",
			 text_safe(text_step(job->step, job->unit).s).s);
		append(line, n, part, width);
	}
	snprintf(part, sizeof(part), "  %s", text_duration((msec_t)job->age).s);
	append(line, n, part, width);
}

/* Columns for a bar beside these; 0: it would be too short. */
static unsigned room_beside(const char *line, const char *percent,
			    const char *left, unsigned width)
{
	unsigned used = text_columns(line) + text_columns(percent) +
			text_columns(left) + 4;
	unsigned room = width > used ? width - used : 0;

	return room < BAR_LEAST ? 0 : room > BAR_MOST ? BAR_MOST : room;
}

/* The deviation gives way first, then the bar. */
static void put_known(char *line, size_t n, double progress, msec_t eta,
		      msec_t deviation, const struct progress_style *style)
{
	char percent[32], left[128] = "", bar[BAR_MOST * 3 + 8];
	unsigned room;

	progress = progress > 1 ? 1 : progress;
	snprintf(percent, sizeof(percent), " %5.1f %%", progress * 100);
	if (eta >= 0)
		snprintf(left, sizeof(left), "  %.100s left",
			 text_estimate(eta, deviation).s);
	room = room_beside(line, percent, left, style->width);
	if (room == 0 && eta >= 0) {
		snprintf(left, sizeof(left), "  %s left", text_duration(eta).s);
		room = room_beside(line, percent, left, style->width);
	}
	if (room > 0) {
		progress_bar(bar, progress, room, style->utf8);
		append(line, n, " ", style->width);
		append(line, n, bar, style->width);
	}
	if (append(line, n, percent, style->width))
		append(line, n, left, style->width);
}

bool progress_style_of(struct progress_style *style, const char *term)
{
	struct winsize size;

	if (!isatty(STDERR_FILENO) || !term || strcmp(term, "dumb") == 0)
		return false;
	style->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	style->width = 80;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		style->width = size.ws_col < 500 ? size.ws_col : 500;
	return true;
}

void progress_render_share(char *line, size_t n, const char *what, double share,
			   msec_t left, const struct progress_style *style)
{
	line[0] = '\0';
	if (append(line, n, what, style->width))
		put_known(line, n, share, left, 0, style);
}

void progress_render(char *line, size_t n, const Bellows__V1__Job *job,
		     const struct progress_style *style)
{
	char head[96];

	line[0] = '\0';
	put_head(head, sizeof(head), job, style->utf8);
	if (!append(line, n, head, style->width)) {
		append(line, n, state_name(job->state), style->width);
		return;
	}
	if (job->progress >= 0)
		put_known(line, n, job->progress, job->eta, (msec_t)job->eta_sd,
			  style);
	else
		put_unknown(line, n, job, style->width);
}
