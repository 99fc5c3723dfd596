/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "tests/check.h"

#include <fcntl.h>
#include <unistd.h>

static char line[4096];

static const char *logged(const char *text)
{
	int ends[2];
	ssize_t n = -1;

	if (pipe2(ends, O_CLOEXEC) == 0) {
		log_to(ends[1]);
		log_warn("%s", text);
		log_to(STDERR_FILENO);
		n = read(ends[0], line, sizeof(line) - 1);
		close(ends[0]);
		close(ends[1]);
	}
	line[n > 0 ? n : 0] = '\0';
	return strstr(line, "warning: ");
}

static void a_line_cannot_steer_a_terminal(void)
{
	CHECK_TEXT(logged("a\033[2J\nb\x7f"), "warning: a?[2J?b?\n");
	CHECK_TEXT(logged("\xc2\x9b"
			  "31m \xe2\x80\xae"),
		   "warning: ?31m ?\n");
	CHECK_TEXT(logged("\xff \xc3\xa4"), "warning: ? \xc3\xa4\n");
}

static void a_long_line_keeps_its_end_of_line(void)
{
	char text[4000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	CHECK(logged(text) != NULL);
	CHECK(strlen(line) == 2047 && line[2046] == '\n');
}

RUN_TESTS(TEST(a_line_cannot_steer_a_terminal),
	  TEST(a_long_line_keeps_its_end_of_line))
