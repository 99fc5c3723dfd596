/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/views/progress.h"
#include "tests/check.h"
#include "tests/unit/cli_job.h"

static void durations_are_as_exact_as_they_are_short(void)
{
	CHECK_TEXT(text_duration(-1).s, "-");
	CHECK_TEXT(text_duration(0).s, "0.0 s");
	CHECK_TEXT(text_duration(3240).s, "3.2 s");
	CHECK_TEXT(text_duration(9949).s, "9.9 s");
	CHECK_TEXT(text_duration(9951).s, "10 s");
	CHECK_TEXT(text_duration(59499).s, "59 s");
	CHECK_TEXT(text_duration(59500).s, "1 min 00 s");
	CHECK_TEXT(text_duration(80000).s, "1 min 20 s");
	CHECK_TEXT(text_duration(MINUTES(125)).s, "2 h 05 min");
	CHECK_TEXT(text_pause(812).s, "0.812 s");
	CHECK_TEXT(text_pause(12345).s, "12.35 s");
}

static void what_is_counted_has_its_unit(void)
{
	CHECK_TEXT(text_amount(12, "steps").s, "12 steps");
	CHECK_TEXT(text_step(12, "steps").s, "step 12");
	CHECK_TEXT(text_amount(135000, "ms of model time").s,
		   "135 s of model time");
	CHECK_TEXT(text_step(1234567500, "ms of model time").s,
		   "1234567.5 s of model time");
}

static void what_came_over_the_wire_cannot_steer_a_terminal(void)
{
	CHECK_TEXT(text_safe("a\033[2Jb\r\n\x7f").s, "a?[2Jb???");
	CHECK_TEXT(text_safe("\xc3\xa4 \xe2\x82\xac").s,
		   "\xc3\xa4 \xe2\x82\xac");
	CHECK_TEXT(text_safe("\xc2\x9b"
			     "31m")
			   .s,
		   "?31m");
	CHECK_TEXT(text_safe("\xe2\x80\xae").s, "?");
	CHECK_TEXT(text_safe("\xff\xc3").s, "??");
	CHECK_TEXT(text_safe("\xc0\xaf\xed\xa0\x80").s, "?????");
	CHECK_TEXT(text_safe(NULL).s, "");
}

static void long_text_is_cut_between_characters(void)
{
	char text[2000];

	memset(text, 0, sizeof(text));
	for (int i = 0; i < 600; i++)
		strcat(text, "\xc3\xa4");
	CHECK(strlen(text_safe(text).s) == 510);
	text_cut(text, 4);
	CHECK_TEXT(text, "\xc3\xa4\xc3\xa4\xc3\xa4~");
	text_cut(text, 4);
	CHECK_TEXT(text, "\xc3\xa4\xc3\xa4\xc3\xa4~");
	text_cut(text, 1);
	CHECK_TEXT(text, "~");
}

static void line(char *out, unsigned width, bool utf8,
		 const Bellows__V1__Job *job)
{
	const struct progress_style style = {width, utf8};

	progress_render(out, 1024, job, &style);
}

static void a_status_line_says_what_fits(void)
{
	struct sample sample;
	char text[1024];

	sample_init(&sample);
	line(text, 80, false, &sample.job);
	CHECK_TEXT(text,
		   "running 4 ranks [###########----------------]  43.2 %  "
		   "1 min 20 s +- 2.4 s left");
	line(text, 62, false, &sample.job);
	CHECK_TEXT(text, "running 4 ranks [#######-----------]  43.2 %  "
			 "1 min 20 s left");
	line(text, 50, false, &sample.job);
	CHECK_TEXT(text, "running 4 ranks  43.2 %  1 min 20 s left");
	line(text, 30, false, &sample.job);
	CHECK_TEXT(text, "running 4 ranks  43.2 %");
	line(text, 20, false, &sample.job);
	CHECK_TEXT(text, "running 4 ranks");
	sample.job.state = BELLOWS__V1__STATE__GROWING;
	sample.job.size = 2;
	line(text, 70, true, &sample.job);
	CHECK_TEXT(text, "growing 2 \xe2\x86\x92 4 ranks "
			 "[\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"
			 "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8c       ]"
			 "  43.2 %  1 min 20 s +- 2.4 s left");
}

static void no_status_line_reaches_the_last_column(void)
{
	static const double progress[] = {-1, 0, 0.01, 0.5, 0.999, 1, 7};
	struct sample sample;
	char text[1024];

	sample_init(&sample);
	sample.job.size = 4095;
	sample.job.target = 4096;
	for (unsigned width = 20; width <= 200; width++)
		for (unsigned i = 0; i < sizeof(progress) / sizeof(double);
		     i++) {
			sample.job.progress = progress[i];
			line(text, width, i % 2, &sample.job);
			CHECK(text_columns(text) < width);
			CHECK(text_columns(text) > 6);
		}
}

static void progress_that_is_not_known_shows_steps(void)
{
	struct sample sample;
	char text[1024];

	sample_init(&sample);
	sample.job.progress = -1;
	line(text, 80, false, &sample.job);
	CHECK_TEXT(text, "running 4 ranks  step 1728  23 s");
}

static void one_newline_is_no_part_of_its_line(void)
{
	CHECK(text_line_length("ab\n", 3) == 2);
	CHECK(text_line_length("ab\n\n", 4) == 3);
	CHECK(text_line_length("ab", 2) == 2 && text_line_length("\n", 1) == 0);
	CHECK(text_line_length("", 0) == 0);
}

static void a_rate_and_an_estimate_are_as_exact_as_they_are_known(void)
{
	CHECK_TEXT(text_rate(3.14, "steps").s, "3.1 steps/s");
	CHECK_TEXT(text_rate(0.00271, "steps").s, "0.0027 steps/s");
	CHECK_TEXT(text_rate(1234.5, "frames").s, "1234 frames/s");
	CHECK_TEXT(text_rate(1500, "ms of model time").s,
		   "1.5 s of model time/s");
	CHECK_TEXT(text_estimate(1226000, 40000).s, "20 min 26 s +- 40 s");
	CHECK_TEXT(text_estimate(1226000, 0).s, "20 min 26 s");
	CHECK_TEXT(text_estimate(-1, 0).s, "-");
}

static void a_list_ends_where_its_room_does(void)
{
	char list[12] = "";

	text_list_add(list, sizeof(list), "one");
	CHECK_TEXT(list, "one");
	text_list_add(list, sizeof(list), "two");
	CHECK_TEXT(list, "one, two");
	text_list_add(list, sizeof(list), "three");
	text_list_add(list, sizeof(list), "four");
	CHECK_TEXT(list, "one, two, t");
}

RUN_TESTS(TEST(durations_are_as_exact_as_they_are_short),
	  TEST(a_rate_and_an_estimate_are_as_exact_as_they_are_known),
	  TEST(what_is_counted_has_its_unit),
	  TEST(what_came_over_the_wire_cannot_steer_a_terminal),
	  TEST(long_text_is_cut_between_characters),
	  TEST(one_newline_is_no_part_of_its_line),
	  TEST(a_list_ends_where_its_room_does),
	  TEST(a_status_line_says_what_fits),
	  TEST(no_status_line_reaches_the_last_column),
	  TEST(progress_that_is_not_known_shows_steps))
