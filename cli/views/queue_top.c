/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/queue_top.h"

#include "base/text.h"
#include "cli/views/progress.h"
#include "cli/views/queue_table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { NAME_MOST = 20, BAR_LEAST = 5, BAR_MOST = 60, COLUMNS_MOST = 500 };

enum {
	DEVIATION = 15, /* " +- 20 min 26 s" */
	/* Columns of a job that runs beside its number, name and bar. */
	OTHERS = 2 + 22 + 3 + 18 + DEVIATION,
};

struct page {
	FILE *to;
	const struct screen_size *size;
	unsigned used, left_out;
	int number, name, deviation; /* widths of columns */
};

/* The last row is kept for the number of jobs that found no room. */
static bool has_room(const struct page *page)
{
	return page->used + 1 < page->size->rows;
}

static void print_line(struct page *page, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void print_line(struct page *page, const char *fmt, ...)
{
	char line[2048];
	va_list ap;

	if (!has_room(page))
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	text_cut(line, page->size->columns);
	fprintf(page->to, "%s\n", line);
	page->used++;
}

static void measure(struct page *page, const Bellows__V1__Queue *queue)
{
	bool tells = false;
	char number[24];

	page->number = page->name = (int)strlen("NAME");
	for (size_t i = 0; i < queue->n_jobs; i++) {
		int columns =
			(int)text_columns(text_safe(queue->jobs[i]->name).s);
		int digits = snprintf(number, sizeof(number), "%" PRIu64,
				      queue->jobs[i]->number);

		tells = tells || queue->jobs[i]->eta_sd > 0;
		page->number = digits > page->number ? digits : page->number;
		page->name = columns > page->name ? columns : page->name;
	}
	page->name = page->name < NAME_MOST ? page->name : NAME_MOST;
	if (tells && page->number + page->name + OTHERS + BAR_LEAST <=
			     (int)page->size->columns)
		page->deviation = DEVIATION;
}

/* Number and name, in their columns. */
static struct text label_of(const struct page *page,
			    const Bellows__V1__QueueJob *job)
{
	struct text name = text_safe(job->name), label;
	int pad = page->name;

	text_cut(name.s, (unsigned)page->name);
	pad -= (int)text_columns(name.s);
	snprintf(label.s, sizeof(label.s), "%*" PRIu64 "  %.400s%*s",
		 page->number, job->number, name.s, pad, "");
	return label;
}

static void print_bar(struct page *page, const char *before, double share,
		      const char *after)
{
	char bar[BAR_MOST * 3 + 8] = "";
	unsigned used = text_columns(before) + text_columns(after) + 3;
	unsigned room =
		page->size->columns > used ? page->size->columns - used : 0;

	share = share > 0 ? share < 1 ? share : 1 : 0;
	if (room >= BAR_LEAST)
		progress_bar(bar, share, room < BAR_MOST ? room : BAR_MOST,
			     page->size->utf8);
	print_line(page, "%s%s %s", before, bar, after);
}

static void print_head(struct page *page, const Bellows__V1__Queue *queue)
{
	double share = queue->slots ? (double)queue->used / queue->slots : 0;
	char percent[48];

	print_line(page, "%s", queue_head(queue, page->size->columns).s);
	snprintf(percent, sizeof(percent), "%3.0f %% used", share * 100);
	print_bar(page, "slots ", share, percent);
	if (*queue->trouble)
		print_line(page, "%s", text_safe(queue->trouble).s);
}

static void print_running(struct page *page, const Bellows__V1__QueueJob *job)
{
	char before[600], want[16] = "-", sd[64] = "", after[160];

	if (job->want)
		snprintf(want, sizeof(want), "%u", job->want);
	snprintf(before, sizeof(before), "%s  %4u  %5s  %5u  ",
		 label_of(page, job).s, job->size, want, job->grant);
	if (!(job->progress >= 0)) { /* none, or no number */
		print_line(page, "%s%s", before, listed_state_name(job->state));
		return;
	}
	if (job->eta_sd > 0)
		snprintf(sd, sizeof(sd), " +- %s",
			 text_duration((msec_t)job->eta_sd).s);
	snprintf(after, sizeof(after), "%3.0f %%  %11s%-*.*s",
		 (job->progress < 1 ? job->progress : 1) * 100,
		 text_duration((msec_t)job->eta).s, page->deviation,
		 page->deviation, sd);
	print_bar(page, before, job->progress, after);
}

static void print_waiting(struct page *page, const Bellows__V1__Queue *queue,
			  const Bellows__V1__QueueJob *job)
{
	struct text reason = text_safe(job->reason);

	print_line(page, "%s  %-7s  %11s%s%s", label_of(page, job).s,
		   listed_state_name(job->state),
		   text_duration(queue_waited(queue, job)).s,
		   *reason.s ? "  " : "", reason.s);
}

typedef bool (*is_of_f)(Bellows__V1__QueueState state);

static bool has_no_slots(Bellows__V1__QueueState state)
{
	return !listed_state_runs(state) && !listed_state_is_over(state);
}

static void print_part(struct page *page, const Bellows__V1__Queue *queue,
		       bool running)
{
	is_of_f is_of = running ? listed_state_runs : has_no_slots;
	bool begun = false;

	for (size_t i = 0; i < queue->n_jobs; i++) {
		const Bellows__V1__QueueJob *job = queue->jobs[i];

		if (!is_of(job->state))
			continue;
		if (!begun) {
			print_line(page, "%s", "");
			print_line(page, "%*s  %-*s  %s", page->number, "JOB",
				   page->name, "NAME",
				   running ? "SIZE   WANT  GRANT  PROGRESS"
					   : "STATE         WAITED  REASON");
		}
		begun = true;
		page->left_out += !has_room(page);
		if (running)
			print_running(page, job);
		else
			print_waiting(page, queue, job);
	}
}

void queue_top_print(FILE *to, const Bellows__V1__Queue *queue,
		     const struct screen_size *size)
{
	struct page page = {.to = to, .size = size};

	measure(&page, queue);
	print_head(&page, queue);
	print_part(&page, queue, true);
	print_part(&page, queue, false);
	if (page.left_out)
		fprintf(to, "and %u more job%s\n", page.left_out,
			text_plural(page.left_out));
}
