/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/queue_table.h"

#include "base/list.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

enum column {
	COLUMN_JOB,
	COLUMN_NAME,
	COLUMN_USER,
	COLUMN_PRIORITY,
	COLUMN_STATE,
	COLUMN_RANKS,
	COLUMN_DONE,
	COLUMN_TIME,
	COLUMNS,
};

enum { GAP = 2, GAPS = GAP * (COLUMNS - 1) };

static const struct {
	const char *title;
	bool is_left;
} columns[COLUMNS] = {
	[COLUMN_JOB] = {"JOB", false},
	[COLUMN_NAME] = {"NAME", true},
	[COLUMN_USER] = {"USER", true},
	[COLUMN_PRIORITY] = {"PRIO", false},
	[COLUMN_STATE] = {"STATE", true},
	[COLUMN_RANKS] = {"RANKS", true},
	[COLUMN_DONE] = {"DONE", false},
	[COLUMN_TIME] = {"LEFT|WAITED", false},
};

/* What gives way in a table that is too wide, in this order, and to what. */
static const struct {
	enum column column;
	unsigned least;
} narrowed[] = {
	{COLUMN_NAME, 16}, {COLUMN_USER, 8}, {COLUMN_NAME, 8},
	{COLUMN_USER, 4},  {COLUMN_NAME, 4},
};

bool queue_table_shows(const struct queue_table *table,
		       const Bellows__V1__Queue *queue,
		       const Bellows__V1__QueueJob *job)
{
	return table->all || !listed_state_is_over(job->state) ||
	       job->ended + (uint64_t)QUEUE_RECENT >= queue->now;
}

/* ---- cells ---- */

static void put_time(struct text *cell, const Bellows__V1__Queue *queue,
		     const Bellows__V1__QueueJob *job)
{
	msec_t time = listed_state_is_over(job->state) ? -1
		      : listed_state_runs(job->state)
			      ? (msec_t)job->eta
			      : queue_waited(queue, job);

	snprintf(cell->s, sizeof(cell->s), "%s", text_duration(time).s);
}

static struct text cell_of(const Bellows__V1__Queue *queue,
			   const Bellows__V1__QueueJob *job, enum column column)
{
	struct text cell = {"-"};

	switch (column) {
	case COLUMN_JOB:
		snprintf(cell.s, sizeof(cell.s), "%" PRIu64, job->number);
		break;
	case COLUMN_NAME:
		cell = text_safe(job->name);
		break;
	case COLUMN_USER:
		cell = text_safe(job->user);
		break;
	case COLUMN_PRIORITY:
		snprintf(cell.s, sizeof(cell.s), "%u", job->priority);
		break;
	case COLUMN_STATE:
		cell = text_safe(listed_state_name(job->state));
		break;
	case COLUMN_RANKS:
		snprintf(cell.s, sizeof(cell.s), "%u/%u/%u-%u", job->size,
			 job->grant, job->min, job->max);
		break;
	case COLUMN_DONE:
		if (job->progress >= 0)
			snprintf(cell.s, sizeof(cell.s), "%.0f %%",
				 (job->progress < 1 ? job->progress : 1) * 100);
		break;
	case COLUMN_TIME:
		put_time(&cell, queue, job);
		break;
	case COLUMNS:
		break;
	}
	return cell;
}

/* ---- widths ---- */

static unsigned total(const unsigned *widths)
{
	unsigned n = GAPS;

	for (int i = 0; i < COLUMNS; i++)
		n += widths[i];
	return n;
}

static void narrow(unsigned *widths, unsigned room)
{
	for (size_t i = 0; i < LENGTH(narrowed); i++) {
		unsigned *width = &widths[narrowed[i].column];
		unsigned excess =
			total(widths) > room ? total(widths) - room : 0;
		unsigned spare = *width > narrowed[i].least
					 ? *width - narrowed[i].least
					 : 0;

		*width -= excess < spare ? excess : spare;
	}
}

static void measure(unsigned *widths, const Bellows__V1__Queue *queue,
		    const struct queue_table *table)
{
	for (int c = 0; c < COLUMNS; c++)
		widths[c] = (unsigned)strlen(columns[c].title);
	for (size_t i = 0; i < queue->n_jobs; i++) {
		for (int c = 0;
		     queue_table_shows(table, queue, queue->jobs[i]) &&
		     c < COLUMNS;
		     c++) {
			struct text cell = cell_of(queue, queue->jobs[i], c);
			unsigned n = text_columns(cell.s);

			widths[c] = n > widths[c] ? n : widths[c];
		}
	}
	narrow(widths, table->width);
}

/* ---- lines ---- */

struct line {
	char text[4096];
	size_t n;
};

static void add(struct line *line, const char *cell, unsigned width,
		bool is_left, bool is_first)
{
	unsigned pad = width - text_columns(cell);
	int n = snprintf(line->text + line->n, sizeof(line->text) - line->n,
			 "%*s%*s%s%*s", is_first ? 0 : GAP, "",
			 is_left ? 0 : (int)pad, "", cell,
			 is_left ? (int)pad : 0, "");

	line->n += (size_t)n;
}

static void print_line(FILE *to, struct line *line, unsigned width)
{
	while (line->n > 0 && line->text[line->n - 1] == ' ')
		line->text[--line->n] = '\0';
	text_cut(line->text, width);
	fprintf(to, "%s\n", line->text);
}

/* job: NULL: the titles. */
static void print_row(FILE *to, const Bellows__V1__Queue *queue,
		      const Bellows__V1__QueueJob *job, const unsigned *widths,
		      unsigned width)
{
	struct line line = {.n = 0};

	for (int c = 0; c < COLUMNS; c++) {
		struct text cell = job ? cell_of(queue, job, c)
				       : text_safe(columns[c].title);

		text_cut(cell.s, widths[c]);
		add(&line, cell.s, widths[c], columns[c].is_left, c == 0);
	}
	print_line(to, &line, width);
}

/* A sentence in lines of that width, after an empty one. */
static void print_sentence(FILE *to, const char *sentence, unsigned width)
{
	struct text text = text_safe(sentence);
	unsigned used = 0;

	for (char *rest = text.s, *word; (word = strsep(&rest, " "));) {
		unsigned n = text_columns(word);
		bool fits = used > 0 && used + 1 + n <= width;

		fprintf(to, "%s%s", fits ? " " : "\n", word);
		used = fits ? used + 1 + n : n;
	}
	fputc('\n', to);
}

static struct text counts_of(const Bellows__V1__Queue *queue)
{
	unsigned run = 0, wait = 0, held = 0;
	struct text text;
	int n;

	for (size_t i = 0; i < queue->n_jobs; i++) {
		Bellows__V1__QueueState state = queue->jobs[i]->state;

		run += listed_state_runs(state);
		wait += listed_state_waits(state);
		held += state == BELLOWS__V1__QUEUE_STATE__QUEUE_HELD;
	}
	n = snprintf(text.s, sizeof(text.s),
		     "%u of %u slots used; %u run%s, %u wait%s", queue->used,
		     queue->slots, run, run == 1 ? "s" : "", wait,
		     wait == 1 ? "s" : "");
	if (held)
		snprintf(text.s + n, sizeof(text.s) - (size_t)n, ", %u %s held",
			 held, held == 1 ? "is" : "are");
	return text;
}

struct text queue_head(const Bellows__V1__Queue *queue, unsigned width)
{
	struct text policy = text_safe(queue->policy);
	struct text where = text_safe(queue->where);
	struct text counts = counts_of(queue), head;
	unsigned used;

	text_cut(policy.s, 30);
	used = text_columns(policy.s) + text_columns(counts.s) +
	       (unsigned)strlen("policy , : ");
	text_cut(where.s, width > used ? width - used : 1);
	snprintf(head.s, sizeof(head.s), "policy %.120s, %.120s: %.200s",
		 policy.s, where.s, counts.s);
	text_cut(head.s, width);
	return head;
}

static void print_after(FILE *to, const Bellows__V1__QueueJob *job,
			unsigned width)
{
	struct text text = {"it starts after "};

	for (size_t i = 0; i < job->n_after; i++) {
		size_t n = strlen(text.s);

		snprintf(text.s + n, sizeof(text.s) - n, "%sjob %" PRIu64,
			 i > 0 ? ", " : "", job->after[i]);
	}
	if (job->n_after)
		print_sentence(to, text.s, width);
}

static void print_rest(FILE *to, const Bellows__V1__QueueJob *job,
		       unsigned width)
{
	struct text text;

	if (*job->reason)
		print_sentence(to, job->reason, width);
	print_after(to, job, width);
	if (job->rescales || job->parks) {
		snprintf(text.s, sizeof(text.s),
			 "rescaled %u time%s, parked %u time%s", job->rescales,
			 text_plural(job->rescales), job->parks,
			 text_plural(job->parks));
		print_sentence(to, text.s, width);
	}
	if (job->state == BELLOWS__V1__QUEUE_STATE__QUEUE_FAILED) {
		snprintf(text.s, sizeof(text.s), "exit status %d",
			 job->exit_code);
		print_sentence(to, text.s, width);
	}
	if (*job->output) {
		snprintf(text.s, sizeof(text.s), "its output goes to %.480s",
			 job->output);
		print_sentence(to, text.s, width);
	}
}

void queue_table_print(FILE *to, const Bellows__V1__Queue *queue,
		       const struct queue_table *table)
{
	unsigned widths[COLUMNS], shown = 0;

	fprintf(to, "%s\n", queue_head(queue, table->width).s);
	if (*queue->trouble)
		print_sentence(to, queue->trouble, table->width);
	measure(widths, queue, table);
	for (size_t i = 0; i < queue->n_jobs; i++) {
		if (!queue_table_shows(table, queue, queue->jobs[i]))
			continue;
		if (shown++ == 0) {
			fputc('\n', to);
			print_row(to, queue, NULL, widths, table->width);
		}
		print_row(to, queue, queue->jobs[i], widths, table->width);
	}
	if (queue->n_jobs == 0)
		fputs("\nthe queue is empty\n", to);
	if (shown < queue->n_jobs)
		fprintf(to,
			"\n%zu job%s ended more than an hour ago: --all shows "
			"%s\n",
			queue->n_jobs - shown,
			text_plural(queue->n_jobs - shown),
			queue->n_jobs - shown == 1 ? "it" : "them");
	for (size_t i = 0; table->full && i < queue->n_jobs; i++)
		print_rest(to, queue->jobs[i], table->width);
}
