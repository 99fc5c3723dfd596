/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "cli/views/svg.h"
#include "tests/check.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

/* What the pen writes between begin() and end(). */
static char *text;
static size_t size;
static FILE *to;

static void begin(void)
{
	free(text);
	to = open_memstream(&text, &size);
}

static const char *end(void)
{
	fclose(to);
	return text;
}

static void text_of_any_origin_is_text(void)
{
	begin();
	svg_escape(to, "a<b>&\"c\"' \x1b[2J \xff \xef\xbf\xbf \xc3\xa4");
	CHECK_TEXT(end(), "a&lt;b&gt;&amp;&quot;c&quot;' ?[2J ? ? \xc3\xa4");
}

static void a_text_that_is_too_long_keeps_its_beginning_and_its_end(void)
{
	CHECK_TEXT(svg_cut("12345", 5).s, "12345");
	CHECK_TEXT(svg_cut("123456", 5).s, "12\xe2\x80\xa6"
					   "56");
	CHECK_TEXT(svg_cut("a\xc3\xa4\xc3\xa4", 2).s, "\xe2\x80\xa6\xc3\xa4");
}

static void ticks_are_at_round_values(void)
{
	CHECK(svg_step(100, 4) == 50 && svg_step(3742, 10) == 500);
	CHECK(svg_step(0.7, 7) <= 0.1 + 1e-9 && svg_step(1, 1) == 1);
	CHECK(svg_step(100, 10) == 10 && svg_step(101, 10) == 20);
}

static void an_axis_leads_from_values_to_pixels(void)
{
	const struct svg_axis down = svg_axis(0, 100, 180, 100, 4);

	CHECK(svg_at(&down, 0) == 180 && svg_at(&down, 100) == 100);
	CHECK(svg_at(&down, 50) == 140);
	begin();
	svg_draw_y_axis(to, &down, 60, 200, " %");
	CHECK_TEXT(end(),
		   "<path class=\"grid\" d=\"M60.0 180.0H200.0\"/>"
		   "<text x=\"54.0\" y=\"184.0\" text-anchor=\"end\">0 %"
		   "</text>\n"
		   "<path class=\"grid\" d=\"M60.0 140.0H200.0\"/>"
		   "<text x=\"54.0\" y=\"144.0\" text-anchor=\"end\">50 %"
		   "</text>\n"
		   "<path class=\"grid\" d=\"M60.0 100.0H200.0\"/>"
		   "<text x=\"54.0\" y=\"104.0\" text-anchor=\"end\">100 %"
		   "</text>\n"
		   "<path class=\"axis\" d=\"M60.0 180.0V100.0\"/>");
}

static void an_axis_may_begin_between_two_ticks(void)
{
	const struct svg_axis axis = svg_axis(95, 305, 0, 210, 3);

	begin();
	svg_draw_x_axis(to, &axis, 50, 10, "time (s)");
	end();
	CHECK(strstr(text, "x=\"5.0\" y=\"67.0\" text-anchor=\"middle\">100<"));
	CHECK(strstr(text,
		     "x=\"205.0\" y=\"67.0\" text-anchor=\"middle\">300<"));
	CHECK(strstr(text, ">200<") && !strstr(text, ">0<"));
	CHECK(strstr(text, ">time (s)</text>"));
}

static int draw_word(FILE *file, const void *user)
{
	fputs(user, file);
	return 0;
}

static int draw_half(FILE *file, const void *user)
{
	fputs(user, file);
	return -ENOMEM;
}

static void a_drawing_is_a_file_or_it_is_none(void)
{
	char folder[] = "/tmp/svg.XXXXXX", path[64], word[8] = "";
	struct error err;
	struct stat known;
	FILE *file;

	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.svg", folder);
	CHECK(svg_save(path, draw_half, "half", &err) == -ENOMEM);
	CHECK(stat(path, &known) < 0 && errno == ENOENT);
	CHECK(svg_save(path, draw_word, "whole", &err) == 0);
	file = fopen(path, "r");
	CHECK(file && fgets(word, sizeof(word), file));
	fclose(file);
	CHECK_TEXT(word, "whole");
	CHECK(unlink(path) == 0 && rmdir(folder) == 0);
	CHECK(svg_save(path, draw_word, "whole", &err) == -ENOENT);
	CHECK(strncmp(err.text, path, strlen(path)) == 0);
}

RUN_TESTS(TEST(text_of_any_origin_is_text),
	  TEST(a_text_that_is_too_long_keeps_its_beginning_and_its_end),
	  TEST(ticks_are_at_round_values),
	  TEST(an_axis_leads_from_values_to_pixels),
	  TEST(an_axis_may_begin_between_two_ticks),
	  TEST(a_drawing_is_a_file_or_it_is_none))
