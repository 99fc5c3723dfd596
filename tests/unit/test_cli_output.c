/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/output.h"
#include "cli/views/timeline.h"
#include "tests/check.h"
#include "tests/unit/cli_told.h"

#include <cjson/cJSON.h>

static void a_rescale_is_told_step_by_step(void)
{
	struct follow follow = {0};

	begin();
	step(&follow, BELLOWS__V1__STATE__RUNNING, 3200);
	sample.job.n_history = 1;
	sample.job.target = 4;
	sample.rescale.result = "";
	sample.rescale.saved = sample.rescale.up = sample.rescale.stepped = 0;
	step(&follow, BELLOWS__V1__STATE__GROWING, 9800);
	sample.rescale.saved = 10000;
	step(&follow, BELLOWS__V1__STATE__STOPPING, 10050);
	sample.rescale.up = 10400;
	sample.rescale.result = "done";
	sample.job.size = 4;
	step(&follow, BELLOWS__V1__STATE__RUNNING, 10400);
	sample.rescale.stepped = 10600;
	sample.job.progress = 0.31;
	step(&follow, BELLOWS__V1__STATE__RUNNING, 10600);
	step(&follow, BELLOWS__V1__STATE__RUNNING, 10700);
	CHECK_TEXT(
		told,
		"[  3.2 s] running on 2 ranks\n"
		"[  9.8 s] growing 2 -> 4: computing on while 3 executors "
		"come\n"
		"[ 10.1 s] saved for 2 -> 4\n"
		"[ 10.1 s] stopping the ranks\n"
		"[ 10.4 s] running on 4 ranks\n"
		"[ 10.6 s] 2 -> 4 cost a pause of 0.800 s (still "
		"computing 0.100 s, writing 0.200 s, standing still 0.500 s)\n"
		"[ 10.6 s] 31 % done\n");
}

static void a_trouble_is_told_once_until_it_is_another(void)
{
	struct follow follow = {0};

	begin();
	step(&follow, BELLOWS__V1__STATE__RUNNING, 3200);
	sample.job.trouble = "w-2 cannot be scheduled: no cpu";
	step(&follow, BELLOWS__V1__STATE__RUNNING, 4000);
	step(&follow, BELLOWS__V1__STATE__RUNNING, 4100);
	sample.job.trouble = "";
	step(&follow, BELLOWS__V1__STATE__RUNNING, 4200);
	sample.job.trouble = "w-2 cannot be scheduled: no cpu";
	step(&follow, BELLOWS__V1__STATE__RUNNING, 4300);
	CHECK_TEXT(told, "[  3.2 s] running on 2 ranks\n"
			 "[  4.0 s] executors do not come: w-2 cannot be "
			 "scheduled: no cpu\n"
			 "[  4.3 s] executors do not come: w-2 cannot be "
			 "scheduled: no cpu\n");
}

static void what_a_disk_does_is_told_once(void)
{
	static Bellows__V1__Notice notices[4], *all[4];
	struct follow follow = {0};

	begin();
	for (int i = 0; i < 4; i++) {
		bellows__v1__notice__init(&notices[i]);
		notices[i].number = (uint64_t)i + 7;
		notices[i].kind = BELLOWS__V1__NOTICE_KIND__NOTICE_DISK;
		all[i] = &notices[i];
	}
	notices[0].text = "long ago";
	notices[0].at = 20000;
	notices[1].text = "state directory /s: No space left on device";
	notices[1].at = 29900;
	notices[2].text = "worker-1 was lost";
	notices[2].kind = BELLOWS__V1__NOTICE_KIND__NOTICE_LOST;
	notices[3].text = "the state directory can be written again";
	notices[3].kind = BELLOWS__V1__NOTICE_KIND__NOTICE_DISK_WELL;
	sample.job.notices = all;
	sample.job.n_notices = 2;
	step(&follow, BELLOWS__V1__STATE__RUNNING, 30000);
	step(&follow, BELLOWS__V1__STATE__RUNNING, 30100);
	sample.job.n_notices = 4;
	step(&follow, BELLOWS__V1__STATE__RUNNING, 31000);
	step(&follow, BELLOWS__V1__STATE__RUNNING, 31100);
	CHECK_TEXT(told, "[ 30.0 s] running on 2 ranks\n"
			 "[ 30.0 s] state directory /s: No space left on "
			 "device\n"
			 "[ 31.0 s] the state directory can be written "
			 "again\n");
}

static void a_checkpoint_that_was_due_is_no_change_of_the_size(void)
{
	struct follow follow = {0};

	begin();
	step(&follow, BELLOWS__V1__STATE__RUNNING, 3200);
	sample.job.n_history = 1;
	sample.rescale.to = 2;
	sample.rescale.due = true;
	sample.rescale.result = "";
	sample.rescale.saved = sample.rescale.up = sample.rescale.stepped = 0;
	step(&follow, BELLOWS__V1__STATE__PREPARING, 9800);
	sample.rescale.saved = 10000;
	step(&follow, BELLOWS__V1__STATE__STOPPING, 10050);
	sample.rescale.up = 10400;
	sample.rescale.stepped = 10600;
	sample.rescale.result = "done";
	step(&follow, BELLOWS__V1__STATE__RUNNING, 10600);
	CHECK_TEXT(told,
		   "[  3.2 s] running on 2 ranks\n"
		   "[  9.8 s] preparing a checkpoint: computing on while the "
		   "next start is wired up\n"
		   "[ 10.1 s] saved\n"
		   "[ 10.1 s] stopping the ranks\n"
		   "[ 10.6 s] running on 2 ranks\n"
		   "[ 10.6 s] a checkpoint cost a pause of 0.800 s (still "
		   "computing 0.100 s, writing 0.200 s, standing still 0.500 "
		   "s)\n");
}

static void a_client_is_told_events_that_are_over_already(void)
{
	struct follow follow = {.has_since = true, .since = 5000};

	begin();
	sample.job.n_history = 1;
	sample.rescale.result = "the disk is full";
	sample.rescale.saved = 0;
	step(&follow, BELLOWS__V1__STATE__RUNNING, 10000);
	CHECK_TEXT(told, "[ 10.0 s] running on 2 ranks\n"
			 "[ 10.0 s] stays on 2 ranks: the disk is full\n");
	follow = (struct follow){.has_since = true, .since = 9100};
	told[0] = '\0';
	step(&follow, BELLOWS__V1__STATE__RUNNING, 10000);
	CHECK_TEXT(told, "[ 10.0 s] running on 2 ranks\n");
}

static void stopping_for_good_is_no_rescale(void)
{
	struct follow follow = {0};

	begin();
	step(&follow, BELLOWS__V1__STATE__RUNNING, 100);
	told[0] = '\0';
	sample.job.n_history = 1;
	sample.rescale.checkpoint = 7;
	sample.rescale.recovery = true;
	sample.job.reason = "checkpoint of step 7, 9 bytes";
	sample.rescale.to = 0;
	sample.rescale.result = "no rank is left";
	sample.job.target = 0;
	step(&follow, BELLOWS__V1__STATE__SAVING, 9900);
	step(&follow, BELLOWS__V1__STATE__STOPPING, 9950);
	step(&follow, BELLOWS__V1__STATE__SUSPENDED, 10000);
	CHECK_TEXT(told, "[  9.9 s] saved at step 7\n"
			 "[  9.9 s] saving a checkpoint\n"
			 "[  9.9 s] stopping the ranks\n"
			 "[ 10.0 s] saved and stopped; the same command goes "
			 "on from there\n");
}

static void spans_without_ranks_are_told_apart(void)
{
	sample_init(&sample);
	CHECK(timeline_kind(&sample.job, 0) == SPAN_START);
	CHECK(timeline_kind(&sample.job, 1) == SPAN_RANKS);
	CHECK(timeline_kind(&sample.job, 2) == SPAN_PAUSE);
	CHECK(timeline_pause(&sample.job, 2) == 800);
	sample.job.n_spans = 3;
	CHECK(timeline_kind(&sample.job, 2) == SPAN_PAUSE);
	sample.job.state = BELLOWS__V1__STATE__SUSPENDED;
	CHECK(timeline_kind(&sample.job, 2) == SPAN_END);
}

static void what_was_over_before_is_not_told(void)
{
	struct follow follow = {0};

	begin();
	sample.job.n_history = 1;
	sample.job.progress = 0.55;
	step(&follow, BELLOWS__V1__STATE__RUNNING, 20000);
	CHECK_TEXT(told, "[ 20.0 s] running on 2 ranks\n");
}

static void a_first_step_that_never_comes_is_not_waited_for(void)
{
	struct follow follow = {0};

	begin();
	step(&follow, BELLOWS__V1__STATE__RUNNING, 100);
	told[0] = '\0';
	sample.job.n_history = 1;
	sample.rescale.saved = 0;
	sample.rescale.stepped = 0;
	step(&follow, BELLOWS__V1__STATE__RUNNING, 15399);
	CHECK_TEXT(told, "");
	step(&follow, BELLOWS__V1__STATE__RUNNING, 15400);
	CHECK_TEXT(told, "[ 15.4 s] 2 -> 4 cost a pause of 0.600 s (still "
			 "computing 0.100 s, writing 0.200 s, standing still "
			 "0.300 s)\n");
}

static bool is_split(msec_t computing, msec_t writing, msec_t standing)
{
	struct pause pause = pause_of(&sample.rescale);

	return pause.part[PART_COMPUTING] == computing &&
	       pause.part[PART_WRITING] == writing &&
	       pause.part[PART_STANDING] == standing;
}

static void a_pause_is_split_by_what_the_application_did(void)
{
	sample_init(&sample);
	CHECK(is_split(100, 200, 500));
	/* its last step was before the order; it shows none; it makes steps
	 * until it is ended */
	sample.rescale.last_step = 9000;
	CHECK(is_split(0, 300, 500));
	sample.rescale.last_step = 0;
	CHECK(is_split(-1, 300, 500));
	sample.rescale.last_step = 10101;
	CHECK(is_split(300, 0, 500));
	/* ranks were lost: there was no order */
	sample.rescale.ordered = sample.rescale.saved = 0;
	CHECK(is_split(-1, -1, 1500));
	/* the new ranks do not run yet */
	sample_init(&sample);
	sample.rescale.up = sample.rescale.stepped = 0;
	CHECK(is_split(100, 200, -1));
	sample.rescale.stopped = 0;
	CHECK(is_split(-1, -1, -1));
}

static void a_summary_has_every_span_and_pause(void)
{
	CLEANUP(free) char *text = NULL;

	sample_init(&sample);
	sample.job.state = BELLOWS__V1__STATE__DONE;
	PRINTED(text, timeline_print, &sample.job);
	CHECK_TEXT(text,
		   "\nheat: done after 23 s, 1 rescale, paused 0.800 s in all "
		   "(3.5 %)\n"
		   "\n        from          to  ranks\n"
		   "       0.0 s       0.4 s      0  start\n"
		   "       0.4 s       9.9 s      2  ############\n"
		   "       9.9 s      10.6 s      0  pause 0.800 s\n"
		   "      10.6 s      23.1 s      4  ########################\n"
		   "\n     rescale       asked      pause  still computing  "
		   "        writing   standing still  reason\n"
		   "      2 -> 4       9.1 s    0.800 s          0.100 s  "
		   "        0.200 s          0.500 s  schedule: 30 %\n");
}

static void a_drawing_has_axes_steps_and_pauses(void)
{
	CLEANUP(free) char *text = NULL;

	sample_init(&sample);
	sample.job.name = "a<b>&c";
	PRINTED(text, timeline_draw, &sample.job);
	CHECK(strstr(text, "<title>a&lt;b&gt;&amp;c: ranks over time</title>"));
	CHECK(strstr(text, "prefers-color-scheme: dark"));
	CHECK(strstr(text, ">time (s)</text>"));
	CHECK(strstr(text, ">ranks</text>"));
	CHECK(strstr(text, "<path class=\"ranks\" d=\"M77.4 208.0H394.9M418.3 "
			   "72.0H836.0\"/>\n</svg>\n"));
	CHECK(strstr(text, "<rect class=\"pause\" x=\"394.9\" y=\"90\" "
			   "width=\"23.4\" height=\"254\"/>"));
	CHECK(strstr(text, ">0.800 s</text>"));
}

static void a_drawing_of_nothing_is_a_drawing(void)
{
	CLEANUP(free) char *text = NULL;

	sample_init(&sample);
	sample.job.n_spans = 0;
	sample.job.n_history = 0;
	sample.job.age = 0;
	PRINTED(text, timeline_draw, &sample.job);
	CHECK(strstr(text, "</svg>\n"));
	CHECK(!strstr(text, "nan") && !strstr(text, "inf"));
}

/* The keys of an object, in order. */
static void keys_of(const cJSON *object, char *text, size_t n)
{
	const cJSON *at;

	text[0] = '\0';
	cJSON_ArrayForEach(at, object)
	{
		strncat(text, at->string, n - strlen(text) - 1);
		strncat(text, " ", n - strlen(text) - 1);
	}
}

static void json_keys_stay_as_they_are(void)
{
	Bellows__V1__Job *jobs[] = {&sample.job};
	CLEANUP(free) char *text = NULL;
	char keys[512];
	cJSON *job;

	sample_init(&sample);
	sample.job.reason = "\xff";
	PRINTED(text, output_json.jobs, jobs, 1, false);
	CHECK(strchr(text, '\n') == text + strlen(text) - 1);
	job = cJSON_Parse(text);
	CHECK(job);
	keys_of(job, keys, sizeof(keys));
	CHECK_TEXT(keys,
		   "name state reason ranks target want grant min max epoch "
		   "progress step total unit age_ms steps_per_s eta_ms "
		   "eta_sd_ms executors_wanted rescales paused_ms exit_code "
		   "network binding trouble shortfall disk stall "
		   "members history spans ");
	CHECK_TEXT(cJSON_GetObjectItem(job, "reason")->valuestring,
		   "\xef\xbf\xbd");
	CHECK(cJSON_IsNull(cJSON_GetObjectItem(job, "exit_code")));
	keys_of(cJSON_GetObjectItem(job, "members")->child, keys, sizeof(keys));
	CHECK_TEXT(keys, "name address slots ranks state heard_ms machine ");
	keys_of(cJSON_GetObjectItem(job, "history")->child, keys, sizeof(keys));
	CHECK_TEXT(keys, "epoch from to reason result asked_ms executors_ms "
			 "prepared_ms ordered_ms saved_ms stopped_ms up_ms "
			 "resumed_ms stepped_ms last_step_ms checkpoint_step "
			 "repeated_steps "
			 "pause_ms phases due failed ");
	keys_of(cJSON_GetObjectItem(job, "spans")->child, keys, sizeof(keys));
	CHECK_TEXT(keys, "from_ms to_ms ranks ");
	cJSON_Delete(job);
}

static void json_events_are_one_line_each(void)
{
	const struct event events[] = {
		{.kind = EVENT_STATE, .job = &sample.job},
		{.kind = EVENT_MESSAGE, .text = "saving"},
		{.kind = EVENT_OUTPUT, .text = "a\n\"b\0c", .size = 6},
		{.kind = EVENT_RESCALED,
		 .job = &sample.job,
		 .rescale = &sample.rescale},
	};
	CLEANUP(free) char *text = NULL;
	size_t n;
	FILE *to;

	sample_init(&sample);
	to = open_memstream(&text, &n);
	for (size_t i = 0; i < 4; i++)
		output_json.event(to, &events[i]);
	fclose(to);
	CHECK_TEXT(
		text,
		"{\"event\":\"state\",\"time_ms\":23100,\"state\":\"running\","
		"\"reason\":\"\",\"ranks\":4,\"target\":4,\"progress\":0.432,"
		"\"step\":1728,\"steps_per_s\":28.4,\"eta_ms\":80000,\"eta_sd_"
		"ms\":2400}\n"
		"{\"event\":\"message\",\"time_ms\":null,\"text\":\"saving\"}\n"
		"{\"event\":\"output\",\"time_ms\":null,\"stream\":\"stdout\","
		"\"text\":\"a\\n\\\"b\"}\n"
		"{\"event\":\"rescaled\",\"time_ms\":23100,\"epoch\":2,"
		"\"from\":2,\"to\":4,\"reason\":\"schedule: 30 %\",\"result\":"
		"\"done\",\"asked_ms\":9100,\"executors_ms\":9700,"
		"\"prepared_ms\":9800,\"ordered_ms\":9800,\"saved_ms\":10000,"
		"\"stopped_ms\":10100,\"up_ms\":10400,\"resumed_ms\":null,"
		"\"stepped_ms\":10600,"
		"\"last_step_ms\":9900,\"checkpoint_step\":null,\"repeated_"
		"steps\":0,\"pause_ms\":800,"
		"\"phases\":{\"save_"
		"ms\":"
		"200,\"stop_ms\":100,\"start_ms\":300,\"first_step_ms\":200,"
		"\"computing_ms\":100,\"writing_ms\":200,\"standing_ms\":500},"
		"\"due\":false,\"failed\":false}"
		"\n");
}

static void a_table_lists_members_below_one_job(void)
{
	Bellows__V1__Job *jobs[] = {&sample.job};
	CLEANUP(free) char *one = NULL;
	CLEANUP(free) char *none = NULL;

	sample_init(&sample);
	PRINTED(one, output_text.jobs, jobs, 1, false);
	CHECK_TEXT(one, "JOB   RANKS  TARGET  STATE      PROGRESS          ETA"
			"  RESCALES\n"
			"heat      4       4  running      43.2 %   1 min 20 s"
			"         1\n"
			"\n"
			"step 1728 of 4000, 28 steps/s, 1 min 20 s +- 2.4 s "
			"left\n"
			"\n"
			"2 -> 4 cost a pause of 0.800 s (still computing 0.100 "
			"s, writing 0.200 s, standing still 0.500 s)\n"
			"\n"
			"EXECUTOR  ADDRESS  CORES  SLOTS  RANKS  STATE     "
			"HEARD\n"
			"e0        local        -      2      2  ready     "
			"0.1 s ago"
			"\n");
	PRINTED(none, output_text.jobs, jobs, 0, true);
	CHECK_TEXT(none, "no job runs\n");
}

RUN_TESTS(TEST(a_rescale_is_told_step_by_step),
	  TEST(a_trouble_is_told_once_until_it_is_another),
	  TEST(what_a_disk_does_is_told_once),
	  TEST(a_checkpoint_that_was_due_is_no_change_of_the_size),
	  TEST(a_client_is_told_events_that_are_over_already),
	  TEST(stopping_for_good_is_no_rescale),
	  TEST(spans_without_ranks_are_told_apart),
	  TEST(what_was_over_before_is_not_told),
	  TEST(a_first_step_that_never_comes_is_not_waited_for),
	  TEST(a_pause_is_split_by_what_the_application_did),
	  TEST(a_summary_has_every_span_and_pause),
	  TEST(a_drawing_has_axes_steps_and_pauses),
	  TEST(a_drawing_of_nothing_is_a_drawing),
	  TEST(json_keys_stay_as_they_are), TEST(json_events_are_one_line_each),
	  TEST(a_table_lists_members_below_one_job))
