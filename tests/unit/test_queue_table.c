/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/views/output.h"
#include "cli/views/queue_top.h"
#include "tests/check.h"
#include "tests/unit/queue_bed.h"

#include <cjson/cJSON.h>
#include <math.h>

static const struct queue_table narrow = {.width = 80};
static const struct queue_table full = {.width = 80, .all = true, .full = true};

/* The number of lines; 0 if one has more columns. */
static unsigned lines_within(char *text, unsigned columns)
{
	unsigned n = 0;

	for (char *line; (line = strsep(&text, "\n")) && text; n++) {
		if (text_columns(line) > columns) {
			note("too wide", line);
			return 0;
		}
	}
	return n;
}

static void a_queue_is_a_table_of_what_is_not_over(void)
{
	CLEANUP(free) char *text = NULL;

	fill_queue();
	PRINTED(text, queue_table_print, &queue, &narrow);
	CHECK_TEXT(text,
		   "policy bellows, this machine: 4 of 8 slots used; 1 "
		   "runs, 2 wait\n"
		   "\n"
		   "JOB  NAME  USER  PRIO  STATE    RANKS    DONE  "
		   "LEFT|WAITED\n"
		   "  1  heat  ann     10  running  2/4/2-8  43 %   1 min "
		   "20 s\n"
		   "  2  cold  bob     10  waiting  0/0/2-8     -   2 min "
		   "00 s\n"
		   "  3  ice   bob     10  parked   0/0/2-8  50 %        "
		   "3.0 s\n"
		   "\n"
		   "1 job ended more than an hour ago: --all shows it\n");
}

static void one_job_is_shown_in_full(void)
{
	static uint64_t after[] = {1, 3};
	CLEANUP(free) char *text = NULL;
	Bellows__V1__QueueJob *job;

	begin_queue();
	queue.trouble =
		"the queue cannot be written to the disk, so that no job "
		"can be submitted: No space left on device";
	job = add_job("cold", "bob", STATE(FAILED));
	job->reason = "the application\033[2J failed";
	job->exit_code = 3;
	job->after = after;
	job->n_after = 2;
	job->rescales = 1;
	job->parks = 2;
	job->output = "/s/cold";
	PRINTED(text, queue_table_print, &queue, &full);
	CHECK_TEXT(text,
		   "policy bellows, this machine: 4 of 8 slots used; 0 "
		   "run, 0 wait\n"
		   "\n"
		   "the queue cannot be written to the disk, so that no "
		   "job can be submitted: No\n"
		   "space left on device\n"
		   "\n"
		   "JOB  NAME  USER  PRIO  STATE   RANKS    DONE  "
		   "LEFT|WAITED\n"
		   "  1  cold  bob     10  failed  0/0/2-8     -           "
		   " -\n"
		   "\n"
		   "the application?[2J failed\n"
		   "\n"
		   "it starts after job 1, job 3\n"
		   "\n"
		   "rescaled 1 time, parked 2 times\n"
		   "\n"
		   "exit status 3\n"
		   "\n"
		   "its output goes to /s/cold\n");
}

static void long_names_and_wide_numbers_keep_to_the_columns(void)
{
	CLEANUP(free) char *text = NULL, *small = NULL;
	const struct queue_table tiny = {.width = 30};
	Bellows__V1__QueueJob *job;

	begin_queue();
	queue.where = "/home/somebody/with/a/very/long/path/to/a/file/of/hosts";
	job = add_job("a-name-of-40-characters-0123456789-abcde",
		      "someone@a.very.long.domain", STATE(RUNNING));
	job->number = 123456;
	job->priority = 1000;
	job->size = job->grant = job->min = job->max = 4096;
	job->progress = 1.5;
	job->eta = MINUTES(60) * 200;
	add_job("z\xc3\xbcrich-z\xc3\xbcrich-z\xc3\xbcrich", "x",
		STATE(WAITING));
	PRINTED(text, queue_table_print, &queue, &narrow);
	CHECK(strstr(text, "123456  a-name-~  some~  1000  running  "
			   "4096/4096/4096-4096  100 %  200 h 00 min\n"));
	CHECK(strstr(text,
		     "policy bellows, /home/somebody/with/a/very/~: 4 of 8 "
		     "slots used; 1 runs, 1 waits\n"));
	CHECK(strstr(text, "     2  z\xc3\xbcrich-~  x  "));
	CHECK(lines_within(text, 80) == 5);
	PRINTED(small, queue_table_print, &queue, &tiny);
	CHECK(lines_within(small, 30) == 5);
}

static void a_thousand_jobs_are_a_thousand_rows(void)
{
	CLEANUP(free) char *text = NULL;

	begin_queue();
	for (int i = 0; i < BED_JOBS; i++)
		add_job("cold", "bob", STATE(WAITING));
	PRINTED(text, queue_table_print, &queue, &narrow);
	CHECK(strstr(text, "\n1000  cold  bob     10  waiting"));
	CHECK(lines_within(text, 80) == BED_JOBS + 3);
}

static void an_empty_queue_says_so(void)
{
	CLEANUP(free) char *text = NULL;

	begin_queue();
	PRINTED(text, queue_table_print, &queue, &narrow);
	CHECK(strstr(text, "\n\nthe queue is empty\n"));
}

static void time_passes_in_a_queue_that_is_kept(void)
{
	CLEANUP(free) char *text = NULL;

	fill_queue();
	queue_advance(&queue, SECONDS(10));
	CHECK(queue.jobs[0]->eta == 70400 && queue.jobs[1]->eta == -1);
	CHECK(queue_waited(&queue, queue.jobs[1]) == SECONDS(130));
	CHECK(queue_waited(&queue, queue.jobs[2]) == SECONDS(13));
	queue_advance(&queue, SECONDS(100));
	CHECK(queue.jobs[0]->eta == 0);
	queue.n_spans = 0;
	CHECK(queue_waited(&queue, queue.jobs[2]) == -1);
}

static void a_queue_is_an_object_of_json(void)
{
	CLEANUP(free) char *text = NULL;
	cJSON *object, *jobs, *job;

	fill_queue();
	PRINTED(text, output_json.queue, &queue, &narrow);
	object = cJSON_Parse(text);
	jobs = cJSON_GetObjectItem(object, "jobs");
	CHECK(cJSON_GetArraySize(jobs) == 3);
	job = cJSON_GetArrayItem(jobs, 0);
	CHECK(cJSON_GetObjectItem(job, "eta_ms")->valuedouble == 80400);
	CHECK(cJSON_GetObjectItem(job, "eta_sd_ms")->valuedouble == 2400);
	CHECK(cJSON_GetObjectItem(job, "steps_per_s")->valuedouble == 28.4);
	job = cJSON_GetArrayItem(jobs, 1);
	CHECK(cJSON_IsNull(cJSON_GetObjectItem(job, "eta_sd_ms")));
	CHECK(cJSON_IsNull(cJSON_GetObjectItem(job, "steps_per_s")));
	CHECK_TEXT(cJSON_GetObjectItem(job, "state")->valuestring, "waiting");
	CHECK(cJSON_IsNull(cJSON_GetObjectItem(job, "want")));
	CHECK(cJSON_IsNull(cJSON_GetObjectItem(job, "progress")));
	CHECK(cJSON_IsNull(cJSON_GetObjectItem(job, "started_ms")));
	CHECK(cJSON_IsNull(cJSON_GetObjectItem(job, "exit_code")));
	cJSON_Delete(object);
}

/* ---- one screen ---- */

static void a_screen_has_the_slots_the_jobs_and_what_waits(void)
{
	const struct screen_size size = {72, 24, false};
	CLEANUP(free) char *text = NULL;

	fill_queue();
	PRINTED(text, queue_top_print, &queue, &size);
	CHECK_TEXT(
		text,
		"policy bellows, this machine: 4 of 8 slots used; 1 runs, 2 "
		"wait\n"
		"slots [##########################---------------------------] "
		" "
		"50 % used\n"
		"\n"
		" JOB  NAME  SIZE   WANT  GRANT  PROGRESS\n"
		"   1  heat     2      6      4  [########-----------]  43 %   "
		"1 min 20 s\n"
		"\n"
		" JOB  NAME  STATE         WAITED  REASON\n"
		"   2  cold  waiting   2 min 00 s  2 of the 4 slots that it "
		"needs are fr~\n"
		"   3  ice   parked         3.0 s\n");
}

static void a_wider_screen_has_the_deviation_of_what_is_left(void)
{
	const struct screen_size size = {80, 24, false};
	CLEANUP(free) char *text = NULL;

	fill_queue();
	PRINTED(text, queue_top_print, &queue, &size);
	CHECK(strstr(text,
		     "   1  heat     2      6      4  [#####-------]  43 %   "
		     "1 min 20 s +- 2.4 s      \n"));
}

static void a_small_screen_counts_what_it_has_no_room_for(void)
{
	const struct screen_size size = {40, 6, true};
	CLEANUP(free) char *text = NULL;

	begin_queue();
	queue.trouble = "the disk is full";
	for (int i = 0; i < 10; i++)
		add_job("a-long-name-that-is-cut", "bob", STATE(RUNNING))
			->progress = 0.5;
	add_job("cold", "bob", STATE(HELD));
	PRINTED(text, queue_top_print, &queue, &size);
	CHECK(strstr(text, "and 11 more jobs\n"));
	CHECK(lines_within(text, 40) == 6);
}

static void a_progress_that_is_no_number_is_not_known(void)
{
	const struct screen_size size = {80, 24, false};
	CLEANUP(free) char *table = NULL, *top = NULL;

	fill_queue();
	queue.jobs[0]->progress = NAN;
	PRINTED(table, queue_table_print, &queue, &narrow);
	CHECK(strstr(table, "  2/4/2-8     -   1 min 20 s\n"));
	PRINTED(top, queue_top_print, &queue, &size);
	CHECK(strstr(top, "     2      6      4  running\n"));
}

RUN_TESTS(TEST(a_queue_is_a_table_of_what_is_not_over),
	  TEST(one_job_is_shown_in_full),
	  TEST(long_names_and_wide_numbers_keep_to_the_columns),
	  TEST(a_thousand_jobs_are_a_thousand_rows),
	  TEST(an_empty_queue_says_so),
	  TEST(time_passes_in_a_queue_that_is_kept),
	  TEST(a_queue_is_an_object_of_json),
	  TEST(a_screen_has_the_slots_the_jobs_and_what_waits),
	  TEST(a_wider_screen_has_the_deviation_of_what_is_left),
	  TEST(a_small_screen_counts_what_it_has_no_room_for),
	  TEST(a_progress_that_is_no_number_is_not_known))
