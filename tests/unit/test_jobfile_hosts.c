/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "jobfile/hosts.h"
#include "tests/check.h"

#include <arpa/inet.h>
#include <errno.h>

static struct hosts *hosts;
static struct error err;
static char path[64];

/* err.text then begins with "FILE". */
static int read_bytes(const char *text, size_t n)
{
	char *found;
	FILE *file;
	int r;

	hosts = hosts_destroy(hosts);
	err.text[0] = '\0';
	snprintf(path, sizeof(path), "/tmp/test-hosts-XXXXXX");
	file = fdopen(mkstemp(path), "w");
	fwrite(text, 1, n, file);
	fclose(file);
	r = hosts_read(&hosts, path, &err);
	unlink(path);
	found = strstr(err.text, path);
	if (found) {
		memmove(found + 4, found + strlen(path),
			strlen(found + strlen(path)) + 1);
		memcpy(found, "FILE", 4);
	}
	return r;
}

static int read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static void a_line_is_a_name_an_address_and_a_command(void)
{
	CHECK(read_text("n1 10.0.0.7 ssh -o BatchMode=yes 10.0.0.7\n"
			"n2 10.0.0.8\n") == 0);
	CHECK(hosts->n == 2 && hosts->family == AF_INET);
	CHECK_TEXT(hosts->at[0].name, "n1");
	CHECK_TEXT(hosts->at[0].address, "10.0.0.7");
	CHECK_TEXT(hosts->at[0].words[0], "ssh");
	CHECK_TEXT(hosts->at[0].words[3], "10.0.0.7");
	CHECK(!hosts->at[0].words[4] && !hosts->at[1].words[0]);
}

static void comments_blanks_and_carriage_returns_are_nothing(void)
{
	CHECK(read_text(
		      "# all\r\n\n \t\n  a\tfd00::7  x#y  # z\r\nb fd00::8") ==
	      0);
	CHECK(hosts->n == 2 && hosts->family == AF_INET6);
	CHECK_TEXT(hosts->at[0].words[0], "x#y");
	CHECK(!hosts->at[0].words[1]);
	CHECK_TEXT(hosts->at[1].address, "fd00::8");
}

static void a_byte_order_mark_is_passed_over(void)
{
	CHECK(read_text("\xef\xbb\xbf"
			"a 10.0.0.7\n") == 0);
	CHECK_TEXT(hosts->at[0].name, "a");
}

#define ADDRESS                                                                \
	"after the name the host's address in digits, as 10.0.0.7 or fd00::7"

static void what_is_wrong_is_told_with_its_line(void)
{
	/* clang-format off */
	static const struct { const char *text, *sentence; } wrong[] = {
{ "", "FILE names no host; a line is NAME ADDRESS [COMMAND...]" },
{ "# nobody\n", "FILE names no host; a line is NAME ADDRESS [COMMAND...]" },
{ "a\n", "FILE:1: there is no address; " ADDRESS },
{ "a 10.0.0.1\nb b.example\n", "FILE:2: 'b.example'; " ADDRESS },
{ "a 10.0.0.1.2\n", "FILE:1: '10.0.0.1.2'; " ADDRESS },
{ "a [fd00::1]\n", "FILE:1: '[fd00::1]'; " ADDRESS },
{ "a 0.0.0.0\n", "FILE:1: '0.0.0.0'; " ADDRESS },
{ "a ::\n", "FILE:1: '::'; " ADDRESS },
{ "a fe80::1%eth0\n", "FILE:1: 'fe80::1%eth0'; " ADDRESS },
{ "a/b 10.0.0.1\n",
  "FILE:1: 'a/b'; a host's name: 1 to 63 of A-Z a-z 0-9 . _ -" },
{ "a 10.0.0.1\n\na 10.0.0.2\n",
  "FILE:3: there is another host 'a'; each name once" },
{ "a 10.0.0.1\nb fd00::1\n",
  "FILE:2: IPv4 and IPv6 in one file; addresses of one kind, by which the "
  "hosts reach each other" },
{ "a 10.0.0.1 ssh -o 'x y' a\n",
  "FILE:1: ''x'; no shell reads the command: words without quotes and "
  "backslashes" },
{ "a 10.0.0.1 \033[2J\n",
  "FILE:1: a control character; plain text, one host a line" },
	};
	/* clang-format on */

	for (size_t i = 0; i < LENGTH(wrong); i++) {
		CHECK(read_text(wrong[i].text) == -EINVAL);
		CHECK_TEXT(err.text, wrong[i].sentence);
	}
}

static void what_is_no_such_file_is_refused(void)
{
	CHECK(hosts_read(&hosts, "/nowhere/hosts", &err) == -ENOENT);
	CHECK_TEXT(err.text,
		   "cannot read /nowhere/hosts: No such file or directory");
	CHECK(hosts_read(&hosts, "/tmp", &err) == -EINVAL);
	CHECK_TEXT(err.text, "/tmp is not a file");
	CHECK(hosts_read(&hosts, "/dev/zero", &err) == -EINVAL);
	CHECK(read_bytes("a 10.0.0.1\0b", 12) == -EINVAL);
	CHECK_TEXT(err.text, "FILE: a NUL byte; plain text, one host a line");
}

static void a_command_and_a_file_are_bounded(void)
{
	static char text[HOSTS_BYTES_MAX + 2];
	size_t n = (size_t)sprintf(text, "a 10.0.0.1");

	for (int i = 0; i < HOST_WORDS_MAX; i++)
		n += (size_t)sprintf(text + n, " x");
	CHECK(read_text(text) == 0);
	sprintf(text + n, " x");
	CHECK(read_text(text) == -EINVAL);
	CHECK_TEXT(err.text,
		   "FILE:1: the command is too long; at most 64 words");

	n = 0;
	for (int i = 0; i <= HOSTS_MAX; i++)
		n += (size_t)sprintf(text + n, "h%d 10.0.0.1\n", i);
	CHECK(read_text(text) == -EINVAL);
	CHECK_TEXT(err.text, "FILE:4097: too many hosts; at most 4096");

	memset(text, ' ', HOSTS_BYTES_MAX + 1);
	text[HOSTS_BYTES_MAX + 1] = '\0';
	CHECK(read_text(text) == -EINVAL);
	CHECK_TEXT(err.text, "FILE: larger than 1 MiB");
	hosts = hosts_destroy(hosts);
}

RUN_TESTS(TEST(a_line_is_a_name_an_address_and_a_command),
	  TEST(comments_blanks_and_carriage_returns_are_nothing),
	  TEST(a_byte_order_mark_is_passed_over),
	  TEST(what_is_wrong_is_told_with_its_line),
	  TEST(what_is_no_such_file_is_refused),
	  TEST(a_command_and_a_file_are_bounded))
