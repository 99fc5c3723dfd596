/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/members/polled.h"
#include "tests/check.h"

static struct ledger ledger;

static const char *address(const char *text)
{
	static char out[POLLED_ADDRESS_MAX];

	return polled_address(text, out) ? out : "none";
}

static int add(const char *name, bool polled)
{
	const struct introduction executor = {.name = name,
					      .address = name,
					      .machine = name,
					      .incarnation = 1,
					      .slots = 1,
					      .polled = polled};
	int member = NO_MEMBER, lost;

	member_join(&ledger, &executor, 0, &member, &lost);
	return member;
}

static void an_address_is_written_in_one_way(void)
{
	CHECK_TEXT(address("10.0.0.1"), "10.0.0.1");
	CHECK_TEXT(address("fd00:0:0:0::1"), "fd00::1");
	CHECK_TEXT(address("FD00::A"), "fd00::a");
	CHECK_TEXT(address("::ffff:10.0.0.1"), "10.0.0.1");
}

static void what_is_no_address_is_none(void)
{
	CHECK_TEXT(address(""), "none");
	CHECK_TEXT(address("worker-1"), "none");
	CHECK_TEXT(address("10.0.0"), "none");
	CHECK_TEXT(address("10.0.0.1 -oProxyCommand=x"), "none");
	CHECK_TEXT(address("fe80::1%eth0"), "none");
	CHECK_TEXT(address("10.0.0.1:22"), "none");
}

static void a_name_made_of_an_address_is_one_that_members_may_have(void)
{
	char name[MEMBER_NAME_MAX];

	polled_name("fd00::1", name);
	CHECK_TEXT(name, "fd00--1");
	CHECK(add(name, true) != NO_MEMBER);
	polled_name("10.0.0.1", name);
	CHECK_TEXT(name, "10.0.0.1");
}

static void an_executor_is_found_by_name_and_by_address(void)
{
	ledger.n = 0;
	add("10.0.0.1", true);
	add("fd00--1", true);
	CHECK(polled_find(&ledger, "10.0.0.1") == 0);
	CHECK(polled_find(&ledger, "::ffff:10.0.0.1") == 0);
	CHECK(polled_find(&ledger, "fd00::1") == 1);
	CHECK(polled_find(&ledger, "fd00--1") == 1);
	CHECK(polled_find(&ledger, "10.0.0.2") == NO_MEMBER);
	CHECK(polled_find(&ledger, "unix") == NO_MEMBER);
	CHECK(polled_find(&ledger, "") == NO_MEMBER);
	ledger.members[0].state = MEMBER_GONE;
	CHECK(polled_find(&ledger, "10.0.0.1") == NO_MEMBER);
}

static void an_executor_that_was_lost_is_found_when_any_will_do(void)
{
	ledger.n = 0;
	CHECK(polled_find_any(&ledger, "10.0.0.1") == NO_MEMBER);
	add("10.0.0.1", true);
	ledger.members[0].state = MEMBER_LOST;
	CHECK(polled_find_any(&ledger, "::ffff:10.0.0.1") == 0);
	CHECK(polled_find(&ledger, "10.0.0.1") == NO_MEMBER);
	ledger.members[ledger.n++] = ledger.members[0];
	ledger.members[1].incarnation++;
	CHECK(polled_find_any(&ledger, "10.0.0.1") == 1);
	ledger.members[0].state = MEMBER_READY;
	CHECK(polled_find_any(&ledger, "10.0.0.1") == 0);
	member_forget(&ledger, 1);
	CHECK(polled_find_any(&ledger, "") == NO_MEMBER);
}

static void an_executor_that_holds_a_stream_is_not_taken_for_a_polled_one(void)
{
	ledger.n = 0;
	CHECK(polled_find(&ledger, "10.0.0.1") == NO_MEMBER);
	add("10.0.0.1", false);
	CHECK(polled_find(&ledger, "10.0.0.1") == NO_MEMBER);
}

static const char *host(const char *peer)
{
	static char text[RPC_HOST_MAX];

	rpc_host(peer, text);
	return text;
}

static void a_peer_is_known_by_its_address(void)
{
	CHECK_TEXT(host("ipv4:10.0.0.1:40312"), "10.0.0.1");
	CHECK_TEXT(host("ipv6:[fd00::1]:40312"), "fd00::1");
	CHECK_TEXT(host("ipv6:%5Bfd00::1%5D:40312"), "fd00::1");
	CHECK_TEXT(host("ipv6:%5Bfe80::1%25eth0%5D:40312"), "fe80::1");
	CHECK_TEXT(host("ipv6:[::ffff:10.0.0.1]:1"), "::ffff:10.0.0.1");
	CHECK_TEXT(host("unix:"), "unix");
	CHECK_TEXT(host("unix:/run/x.sock"), "unix");
	CHECK_TEXT(host("ipv6:["), "unix");
	CHECK_TEXT(host(""), "unix");
}

RUN_TESTS(TEST(an_address_is_written_in_one_way),
	  TEST(what_is_no_address_is_none),
	  TEST(a_name_made_of_an_address_is_one_that_members_may_have),
	  TEST(an_executor_is_found_by_name_and_by_address),
	  TEST(an_executor_that_was_lost_is_found_when_any_will_do),
	  TEST(an_executor_that_holds_a_stream_is_not_taken_for_a_polled_one),
	  TEST(a_peer_is_known_by_its_address))
