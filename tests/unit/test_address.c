/* SPDX-License-Identifier: Apache-2.0 */
#include "base/address.h"
#include "base/list.h"
#include "tests/check.h"

#include <errno.h>
#include <stdio.h>

static void an_address_is_a_host_and_a_port(void)
{
	static const struct {
		const char *text, *host, *port;
	} rows[] = {
		{"127.0.0.1:7000", "127.0.0.1", "7000"},
		{"[::1]:0", "::1", "0"},
		{"n1:65535", "n1", "65535"},
		{"::1:7000", "::1", "7000"},
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		const char *host, *port;
		char text[64];

		snprintf(text, sizeof(text), "%s", rows[i].text);
		CHECK(address_split(text, &host, &port) == 0);
		CHECK_TEXT(host, rows[i].host);
		CHECK_TEXT(port, rows[i].port);
	}
}

static void without_a_host_or_a_port_it_is_none(void)
{
	static const char *const rows[] = {
		"",     ":",        "n1",        "n1:",   ":7000", "[]:7000",
		"n1:x", "n1:65536", "n1:123456", "n1:-1", "n1: 1", "n1:7000 "};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		const char *host, *port;
		char text[64];

		snprintf(text, sizeof(text), "%s", rows[i]);
		CHECK(address_split(text, &host, &port) == -EINVAL);
	}
}

RUN_TESTS(TEST(an_address_is_a_host_and_a_port),
	  TEST(without_a_host_or_a_port_it_is_none))
