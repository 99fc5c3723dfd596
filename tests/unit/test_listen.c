/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "runner/local/listen.h"
#include "tests/check.h"

#include <arpa/inet.h>
#include <errno.h>

static struct error err;
static char out[LISTEN_MAX];

static int choose(const char *wish, const char *host, int family)
{
	struct host at = {.name = "n1", .address = host};
	struct hosts hosts = {.at = &at, .n = 1, .family = family};

	out[0] = '\0';
	return listen_choose(out, wish, &hosts, &err);
}

static void an_address_may_come_with_a_port(void)
{
	static const char *const v4[][2] = {
		{"10.0.0.5", "10.0.0.5:0"},
		{"10.0.0.5:7000", "10.0.0.5:7000"},
	};
	static const char *const v6[][2] = {
		{"fd00::5", "[fd00::5]:0"},
		{"[fd00::5]", "[fd00::5]:0"},
		{"[fd00::5]:7000", "[fd00::5]:7000"},
	};

	for (size_t i = 0; i < LENGTH(v4); i++) {
		CHECK(choose(v4[i][0], "10.0.0.7", AF_INET) == 0);
		CHECK_TEXT(out, v4[i][1]);
	}
	for (size_t i = 0; i < LENGTH(v6); i++) {
		CHECK(choose(v6[i][0], "fd00::7", AF_INET6) == 0);
		CHECK_TEXT(out, v6[i][1]);
	}
}

static void what_hosts_cannot_reach_is_refused(void)
{
	static const char *const v4[] = {
		"",           "0.0.0.0",        "0.0.0.0:7000",   "localhost",
		"10.0.0.5:",  "10.0.0.5:70000", "10.0.0.5:+7",    "fd00::5",
		"10.0.0.5:x", "unix:/tmp/x",    "[10.0.0.5]7000",
	};
	static const char *const v6[] = {
		"::", "[::]:7000", "10.0.0.5", "[fd00::5", "[fd00::5]x",
	};

	for (size_t i = 0; i < LENGTH(v4); i++)
		CHECK(choose(v4[i], "10.0.0.7", AF_INET) == -EINVAL);
	for (size_t i = 0; i < LENGTH(v6); i++)
		CHECK(choose(v6[i], "fd00::7", AF_INET6) == -EINVAL);
	CHECK_TEXT(err.text,
		   "--listen: '[fd00::5]x'; an address of this machine that "
		   "the hosts reach, as fd00::5, and a port if it matters, as "
		   "[fd00::5]:7000");
}

static void the_way_to_the_first_host_says_the_address(void)
{
	CHECK(choose(NULL, "127.0.0.9", AF_INET) == 0);
	CHECK_TEXT(out, "127.0.0.1:0");
}

static void a_host_without_a_way_to_it_is_told(void)
{
	static const char says[] =
		"there is no way to 255.255.255.255 of host n1; --listen names "
		"the address of this machine: ";

	/* broadcast is refused to a socket that did not ask for it */
	CHECK(choose(NULL, "255.255.255.255", AF_INET) < 0);
	CHECK(strncmp(err.text, says, strlen(says)) == 0);
}

RUN_TESTS(TEST(an_address_may_come_with_a_port),
	  TEST(what_hosts_cannot_reach_is_refused),
	  TEST(the_way_to_the_first_host_says_the_address),
	  TEST(a_host_without_a_way_to_it_is_told))
