/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/gantt.h"
#include "cli/views/queue_chart.h"
#include "tests/check.h"
#include "tests/unit/queue_bed.h"

#define AGO(time) (NOW - (uint64_t)(time))

static const struct queue_table recent = {.all = false}, all = {.all = true};
static Bellows__V1__QueueSpan spans[BED_JOBS], *list[BED_JOBS];
static char *text;
static size_t size;

static void begin(void)
{
	begin_queue();
	queue.since = AGO(MINUTES(600));
	queue.spans = list;
}

static Bellows__V1__QueueJob *add(Bellows__V1__QueueState state,
				  msec_t submitted, msec_t started,
				  msec_t ended)
{
	Bellows__V1__QueueJob *job = add_job("heat", "ann", state);

	job->submitted = AGO(submitted);
	job->started = started ? AGO(started) : 0;
	job->ended = ended ? AGO(ended) : 0;
	return job;
}

/* to 0: still. */
static void has(const Bellows__V1__QueueJob *job, unsigned slots, msec_t from,
		msec_t to)
{
	Bellows__V1__QueueSpan *span = &spans[queue.n_spans];

	bellows__v1__queue_span__init(span);
	span->number = job->number;
	span->slots = slots;
	span->from = AGO(from);
	span->to = to ? AGO(to) : 0;
	list[queue.n_spans++] = span;
}

static bool draw(const struct queue_table *table)
{
	FILE *to;
	int r;

	free(text);
	to = open_memstream(&text, &size);
	r = queue_chart_draw(to, &queue, table);
	fclose(to);
	return r == 0;
}

static size_t count(const char *part)
{
	size_t n = 0;

	for (const char *at = text; (at = strstr(at, part)); at++)
		n++;
	return n;
}

/* A second is 8.92 pixels, the axis ends at 976.  The job has 8 slots for 40 s,
 * pauses for 10 s and has 4 until now. */
static void a_job_that_runs_is_drawn_until_now(void)
{
	Bellows__V1__QueueJob *job;

	begin();
	job = add(STATE(RUNNING), SECONDS(100), SECONDS(90), 0);
	job->rescales = 1;
	has(job, 8, SECONDS(90), SECONDS(50));
	has(job, 4, SECONDS(40), 0);
	CHECK(draw(&recent));
	CHECK(strstr(text, "<title>1 heat: priority 10, submitted 0 s, 10 s to "
			   "100 s, 4 to 8 ranks, 1 rescale</title>"));
	CHECK(strstr(text,
		     "<path class=\"wait\" d=\"M84.0 218.0v6m0 -3H173.2\"/>"));
	CHECK(strstr(text, "d=\"M173.2 212.0h356.8v18.0h-356.8z"
			   "M619.2 216.5h356.8v9.0h-356.8z\"/>"));
	CHECK(strstr(text,
		     "<path class=\"wait\" d=\"M530.0 218.0v6m0 -3H619.2\"/>"));
	CHECK(strstr(text, "<path class=\"shrink\" d=\"M619.2 "));
	/* (40 * 8 + 40 * 4) / (100 * 8) */
	CHECK(strstr(text, ">100 s, utilisation 60.0 %</text>"));
	CHECK(strstr(text, ">1 job; 8 slots; from 20"));
	CHECK(strstr(text, ">Queue of this machine</text>"));
}

static void what_waits_or_is_parked_is_a_line_until_now(void)
{
	Bellows__V1__QueueJob *job;

	begin();
	add(STATE(WAITING), SECONDS(100), 0, 0);
	job = add(STATE(PARKED), SECONDS(100), SECONDS(100), 0);
	job->priority = 20;
	job->parks = 2;
	has(job, 8, SECONDS(100), SECONDS(50));
	add(STATE(CANCELLED), SECONDS(100), 0, SECONDS(50));
	CHECK(draw(&recent));
	CHECK(strstr(text,
		     "<title>1 heat: priority 10, submitted 0 s</title>"));
	CHECK(strstr(text, "d=\"M84.0 218.0v6m0 -3H976.0\"/>"));
	CHECK(strstr(text, "8 ranks, 0 rescales, parked 2 times</title>"));
	CHECK(strstr(text, "d=\"M530.0 240.0v6m0 -3H976.0\"/>"));
	CHECK(strstr(text, "d=\"M84.0 262.0v6m0 -3H530.0\"/>"));
	CHECK(strstr(text, "<path class=\"p4\" d=\"M84.0 234.0h446.0"));
}

/* A minute is 14.9 pixels. */
static void what_was_more_than_an_hour_ago_is_for_all(void)
{
	Bellows__V1__QueueJob *job;

	begin();
	job = add(STATE(DONE), MINUTES(120), MINUTES(120), MINUTES(90));
	has(job, 8, MINUTES(120), MINUTES(90));
	job = add(STATE(DONE), MINUTES(120), MINUTES(100), MINUTES(30));
	has(job, 8, MINUTES(90), MINUTES(80));
	has(job, 4, MINUTES(80), MINUTES(30));
	CHECK(draw(&recent));
	CHECK(!strstr(text, "<title>1 heat") && strstr(text, ">2 heat</text>"));
	CHECK(strstr(text, "<path class=\"p2\" d=\"M84.0 216.5h446.0v9.0"));
	CHECK(strstr(text, "<path class=\"used\" d=\"M84.0 192.0H84.0V152.0"
			   "H530.0V192.0H976.0V192.0Z\"/>"));
	CHECK(strstr(text, "submitted -3600 s, -2400 s to 1800 s, 4 ranks"));
	/* in the legend alone */
	CHECK(count("class=\"wait\"") == 1);
	CHECK(strstr(text, ">3600 s, utilisation 25.0 %</text>"));
	CHECK(draw(&all));
	CHECK(strstr(text, ">1 heat</text>") && strstr(text, ">2 jobs; "));
	CHECK(strstr(text, ">7200 s, utilisation 54.2 %</text>"));
}

static void what_was_before_the_scheduler_is_not_drawn(void)
{
	begin();
	queue.since = AGO(MINUTES(10));
	add(STATE(DONE), MINUTES(30), MINUTES(30), MINUTES(20));
	has(add(STATE(RUNNING), MINUTES(30), MINUTES(20), 0), 8, MINUTES(10),
	    0);
	CHECK(draw(&all));
	CHECK(strstr(text, ">1 job; 8 slots; from "));
	CHECK(strstr(text, ">600 s, utilisation 100.0 %</text>"));
}

static void an_empty_queue_is_drawn(void)
{
	begin();
	CHECK(draw(&recent));
	CHECK(strstr(text, ">0 jobs; 8 slots; from 20"));
	CHECK(strstr(text, "</svg>\n"));
}

/* Each runs for 1 s of 8; the last ones wait. */
static void many_jobs_are_areas_and_some_of_them_wait(void)
{
	begin();
	for (int i = GANTT_ROWS_MAX; i > 0; i--)
		has(add(STATE(DONE), SECONDS(i), SECONDS(i), SECONDS(i - 1)), 8,
		    SECONDS(i), SECONDS(i - 1));
	queue.jobs[GANTT_ROWS_MAX - 1]->ended = NOW;
	add(STATE(WAITING), SECONDS(30), 0, 0);
	add(STATE(WAITING), SECONDS(30), 0, 0);
	CHECK(draw(&recent));
	CHECK(count("<path class=\"a p2\"") == GANTT_ROWS_MAX);
	CHECK(strstr(text, ">62 jobs; "));
	CHECK(strstr(text,
		     "<path class=\"waits\" d=\"M84.0 270.0H530.0V210.0"));
}

static void names_are_text(void)
{
	begin();
	add(STATE(WAITING), SECONDS(1), 0, 0)->name = "a<b>&\"\033[2J";
	queue.where = "<hosts>";
	queue.policy = "<p>";
	CHECK(draw(&recent));
	CHECK(strstr(text, "<title>1 a&lt;b&gt;&amp;&quot;?[2J: "));
	CHECK(strstr(text, "Queue of &lt;hosts&gt;<"));
	CHECK(strstr(text, ">&lt;p&gt;</text>"));
	CHECK(!strstr(text, "<b>") && !strstr(text, "<hosts>"));
}

RUN_TESTS(TEST(a_job_that_runs_is_drawn_until_now),
	  TEST(what_waits_or_is_parked_is_a_line_until_now),
	  TEST(what_was_more_than_an_hour_ago_is_for_all),
	  TEST(what_was_before_the_scheduler_is_not_drawn),
	  TEST(an_empty_queue_is_drawn),
	  TEST(many_jobs_are_areas_and_some_of_them_wait), TEST(names_are_text))
