/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "cli/views/gantt_panel.h"
#include "cli/views/simulation_drawing.h"
#include "tests/check.h"

#define S ((usec_t)1000000)

/* Ten slots; a job has 100 steps of 8 / ranks seconds, and neither a start nor
 * a rescale takes time. */
enum { JOBS = 1000, RUNS = GANTT_AREAS_MAX / JOBS + 1 };
static const struct curve_point step_time[] = {{1, 8}, {2, 4}, {4, 2}, {8, 1}};
static struct workload_class class;
static struct workload_job jobs[JOBS];
static struct workload_set set = {.name = "A", .jobs = jobs};
static struct workload workload;
static struct simulation_row row;
static struct simulation_drawing drawing;
static struct error err;
static char *text;
static size_t size;

static void begin(const char *source)
{
	class = (struct workload_class){
		.name = "a",
		.min = 2,
		.max = 8,
		.steps = 100,
		.step_time = curve_through(step_time, LENGTH(step_time)),
		.start = curve_constant(0),
		.move = curve_constant(0),
	};
	workload = (struct workload){
		.slots = 10,
		.classes = &class,
		.n_classes = 1,
		.sets = &set,
		.n_sets = 1,
	};
	set.n = 0;
	simulation_drawing_fini(&drawing);
	drawing = (struct simulation_drawing){
		.source = source,
		.workload = &workload,
		.set = &set,
		.gap = -1,
		.n_policies = RUNS,
	};
}

static void submit(usec_t at, int priority)
{
	jobs[set.n++] = (struct workload_job){
		.priority = priority, .submit = at, .estimate = -1};
}

/* One policy more. */
static bool draw(const char *policy)
{
	struct sim_settings settings = {
		.policy = sched_policy_find(policy),
		.gap = -1,
		.rescale_gap = -1,
		.observer = {NULL, NULL, sim_spans_on_slots},
	};
	struct sim_spans *spans;
	FILE *to;
	int r = simulation_drawing_begin(&drawing, &spans, &err);

	row.policy = policy;
	settings.observer.user = spans;
	if (r == 0)
		r = sim_run_all(&row.metrics, &workload, &settings, &err);
	if (r == 0)
		r = simulation_drawing_end(&drawing, &row, &err);
	if (r < 0)
		return false;
	free(text);
	to = open_memstream(&text, &size);
	r = simulation_drawing_draw(to, &drawing);
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

/* Three seconds are 9.91 pixels.  Job 0 shrinks for job 2, which ends at 210 s;
 * job 1 grows then. */
static void a_row_shows_ranks_over_time(void)
{
	begin("jobs.json");
	submit(0, 1);
	submit(50 * S, 2);
	submit(60 * S, 1);
	CHECK(draw("operator"));
	CHECK(strstr(text, "<title>a-1: priority 1, submitted 0 s, 0 s to "
			   "220 s, 2 to 8 ranks, 1 rescale</title>"));
	CHECK(strstr(text, "d=\"M84.0 212.0h198.2v18.0h-198.2z"
			   "M282.2 218.8h528.6v4.5h-528.6z\"/>"));
	CHECK(strstr(text, "<text x=\"183.1\" y=\"225.0\" "
			   "text-anchor=\"middle\">8</text>"));
	CHECK(strstr(text, "<path class=\"shrink\" d=\"M282.2 211.0v20.0\"/>"));
	CHECK(strstr(text, "<path class=\"grow\" d=\"M777.8 233.0v20.0\"/>"));
	CHECK(strstr(text, "<path class=\"p4\" d=\"M249.2 240.8h528.6"));
	CHECK(strstr(text, ">a-3</text>"));
}

/* A second is 6.86 pixels.  Job 0 is parked from 20 s to 50 s. */
static void a_job_that_is_parked_waits_as_a_line_and_holds_no_slots(void)
{
	begin("jobs.json");
	class.min = 8;
	class.step_time = curve_constant(1);
	submit(0, 1);
	submit(20 * S, 9);
	jobs[1].steps = 30;
	CHECK(draw("bellows"));
	CHECK(strstr(text,
		     "130 s, 8 ranks, 0 rescales, parked 1 time</title>"));
	CHECK(strstr(text, "class=\"wait\" d=\"M221.2 218.0v6m0 -3H427.1\""));
	CHECK(count(">8</text>") == 3);
	/* in the legend alone */
	CHECK(count("class=\"grow\"") == 1 && count("class=\"shrink\"") == 1);
}

/* A second is 4.46 pixels; 8 of 10 slots are in use, until 200 s. */
static void a_job_waits_as_a_line_and_the_slots_in_use_are_an_area(void)
{
	begin("jobs.json");
	submit(0, 1);
	submit(20 * S, 1);
	CHECK(draw("fifo"));
	CHECK(strstr(text, "<path class=\"wait\" d=\"M173.2 240.0v6m0 "
			   "-3H530.0\"/>"));
	CHECK(strstr(text, "<path class=\"p2\" d=\"M530.0 234.0h446.0v18.0"));
	CHECK(strstr(text, "<path class=\"used\" d=\"M84.0 192.0H84.0V128.0"
			   "H976.0V192.0Z\"/>"));
	CHECK(strstr(text, ">total 200 s, utilisation "));
}

/* One after the other, 100 s each; the slots of a launcher are drawn, too. */
static void more_than_sixty_jobs_are_areas_over_the_slots(void)
{
	begin("jobs.json");
	workload.launcher_slots = 1;
	for (int i = 0; i < GANTT_ROWS_MAX + 1; i++)
		submit(0, 1 + i % 10);
	CHECK(draw("fifo"));
	CHECK(strstr(text, "<path class=\"a p0\" d=\"M84.0 336.0h14.0v431.4"
			   "h-14.0z\"><title>a-1: "));
	CHECK(strstr(text, "\"M98.6 336.0h14.0"));
	CHECK(strstr(text, "<path class=\"waits\" d=\"M84.0 270.0H84.0V210.0"));
	CHECK(strstr(text, ">9\xe2\x80\x93"
			   "10</text>"));
	CHECK(!strstr(text, ">a-1</text>"));
}

static const char *name_of(const void *user, unsigned job, char *name, size_t n)
{
	return "a";
}

static void what_cannot_be_told_apart_is_drawn_as_one(void)
{
	const struct gantt gantt = {.name = name_of, .slots = 10};
	const struct gantt_shades shades = {1, {1}, {1}};
	struct gantt_panel panel = {
		.gantt = &gantt,
		.shades = &shades,
		.time = {0, 1000, 100, 900, 0},
		.height = 100,
	};

	begin("jobs.json");
	for (int i = 0; i < 100; i++)
		submit(i * 7 * S, 1 + i % 10);
	CHECK(draw("operator"));
	panel.run = drawing.runs;
	CHECK(row.metrics.rescales > 100);
	free(text);
	panel.to = open_memstream(&text, &size);
	CHECK(gantt_draw_areas(&panel, 200) == 0);
	fclose(panel.to);
	CHECK(count("<path class=\"a p2\"") == 100 && count("z") <= 200);
	CHECK(strstr(text, " s are drawn as one</text>"));
}

static void charts_of_too_many_jobs_are_left_out(void)
{
	begin("jobs.json");
	for (int i = 0; i < JOBS; i++)
		submit(i * 100 * S, 1);
	for (size_t i = 0; i < RUNS; i++)
		CHECK(draw("fifo"));
	CHECK(count(">The chart of single jobs is left out: there are more "
		    "than 10000 jobs.</text>") == RUNS);
	CHECK(count("<path class=\"used\"") == RUNS);
	CHECK(!strstr(text, "class=\"a p"));
	CHECK(strstr(text, ">time (h)</text>"));
}

static void names_of_files_are_text(void)
{
	begin("/some/where/a<b>&\"c.json");
	submit(0, 1);
	CHECK(draw("fifo"));
	CHECK(strstr(text,
		     "<title>a&lt;b&gt;&amp;&quot;c.json: set A</title>"));
}

RUN_TESTS(TEST(a_row_shows_ranks_over_time),
	  TEST(a_job_that_is_parked_waits_as_a_line_and_holds_no_slots),
	  TEST(a_job_waits_as_a_line_and_the_slots_in_use_are_an_area),
	  TEST(more_than_sixty_jobs_are_areas_over_the_slots),
	  TEST(what_cannot_be_told_apart_is_drawn_as_one),
	  TEST(charts_of_too_many_jobs_are_left_out),
	  TEST(names_of_files_are_text))
