/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/xmlout.h"
#include "tests/check.h"

static char seen[16 * 1024];
static size_t longest;

static void on_line(void *user, int rank, bool error, const char *text,
		    size_t n)
{
	size_t at = strlen(seen);

	if (n > longest)
		longest = n;
	snprintf(seen + at, sizeof(seen) - at, "%d%s %.*s|", rank,
		 error ? "e" : "", (int)n, text);
}

/* What comes out, in pieces of that many bytes. */
static const char *taken_apart(const char *text, size_t piece)
{
	CLEANUP(xmlout_destroy) struct xmlout *xmlout = NULL;
	size_t n = strlen(text);

	*seen = '\0';
	if (xmlout_create(&xmlout, 4, on_line, NULL, NULL) < 0)
		return "no memory";
	for (size_t at = 0; at < n; at += piece)
		xmlout_feed(xmlout, text + at, piece < n - at ? piece : n - at);
	xmlout_end(xmlout);
	return seen;
}

static void lines_of_ranks_are_put_together(void)
{
	static const char text[] =
		"<mpirun>\n"
		"<stdout rank=\"0\">half a</stdout>"
		"<stdout rank=\"3\">one&#010;</stdout>\n"
		"<stderr rank=\"0\">an error&#010;</stderr>\n"
		"<stdout rank=\"0\"> line&#010;</stdout>\n"
		"<stdout rank=\"0\">two&#010;</stdout>\n"
		"</mpirun>\n";

	for (size_t piece = 1; piece <= sizeof(text); piece++)
		CHECK_TEXT(taken_apart(text, piece), "3 one\n|0e an error\n|"
						     "0 half a line\n|"
						     "0 two\n|");
}

static void every_byte_comes_back(void)
{
	CHECK_TEXT(taken_apart("<stdout rank=\"1\">a &amp; &lt;b&gt; &#009;"
			       "&#195;&#188;&amp;lt;&#010;</stdout>\n",
			       7),
		   "1 a & <b> \t\xc3\xbc&lt;\n|");
}

static void what_has_no_rank_is_mpiexecs_own(void)
{
	CHECK_TEXT(taken_apart("<stderr>no daemon&#010;</stderr>\n"
			       "ssh: no <route> & more\n"
			       "<stdout rank=\"7\">who?&#010;</stdout>\n",
			       5),
		   "-1e no daemon\n|-1 ssh: no <route> & more\n|-1 who?\n|");
}

static void a_rank_cannot_speak_for_another(void)
{
	CHECK_TEXT(taken_apart("<stdout rank=\"1\">&lt;/stdout&gt;"
			       "&lt;stdout rank=&quot;0\"&gt;&#010;</stdout>",
			       9),
		   "1 </stdout><stdout rank=&quot;0\">\n|");
}

static void what_has_no_end_comes_at_the_end(void)
{
	CHECK_TEXT(taken_apart("<stdout rank=\"2\">no newline</stdout>\n"
			       "<stdout rank=\"1\">cut &#0",
			       4),
		   "1 cut &#0|2 no newline|");
	CHECK_TEXT(taken_apart("", 1), "");
}

static void a_line_without_end_is_cut(void)
{
	CLEANUP(xmlout_destroy) struct xmlout *xmlout = NULL;
	static char much[3 * XMLOUT_LINE_MAX];

	memset(much, 'x', sizeof(much));
	longest = 0;
	CHECK(xmlout_create(&xmlout, 1, on_line, NULL, NULL) == 0);
	xmlout_feed(xmlout, "<stdout rank=\"0\">", 17);
	xmlout_feed(xmlout, much, sizeof(much));
	CHECK(longest == XMLOUT_LINE_MAX);
}

RUN_TESTS(TEST(lines_of_ranks_are_put_together), TEST(every_byte_comes_back),
	  TEST(what_has_no_rank_is_mpiexecs_own),
	  TEST(a_rank_cannot_speak_for_another),
	  TEST(what_has_no_end_comes_at_the_end),
	  TEST(a_line_without_end_is_cut))
