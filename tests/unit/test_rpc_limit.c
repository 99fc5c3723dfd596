/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/limit.h"
#include "tests/check.h"

#define ALICE "ipv4:10.0.0.1:4711"
#define BOB   "ipv4:10.0.0.2:4711"

static struct rpc_limit limit;

static void fail(const char *peer, int times, msec_t now)
{
	for (int i = 0; i < times; i++)
		limit_count(&limit, peer, now);
}

static void begin(void)
{
	limit = (struct rpc_limit){0};
}

static void ten_failures_are_heard_and_no_more(void)
{
	begin();
	fail(ALICE, LIMIT_BURST - 1, 5000);
	CHECK(limit_hears(&limit, ALICE, 5000));
	fail(ALICE, 1, 5000);
	CHECK(!limit_hears(&limit, ALICE, 5000));
}

static void one_more_is_heard_each_second(void)
{
	begin();
	fail(ALICE, LIMIT_BURST, 5000);
	CHECK(!limit_hears(&limit, ALICE, 5999));
	CHECK(limit_hears(&limit, ALICE, 6000));
	fail(ALICE, 1, 6000);
	CHECK(!limit_hears(&limit, ALICE, 6999));
	CHECK(limit_hears(&limit, ALICE, 7000));
}

static void after_a_rest_it_is_as_at_first(void)
{
	begin();
	fail(ALICE, LIMIT_BURST, 5000);
	fail(ALICE, LIMIT_BURST - 1, 5000 + LIMIT_BURST * LIMIT_EACH);
	CHECK(limit_hears(&limit, ALICE, 5000 + LIMIT_BURST * LIMIT_EACH));
}

static void others_are_not_made_to_pay(void)
{
	begin();
	fail(ALICE, LIMIT_BURST, 5000);
	CHECK(limit_hears(&limit, BOB, 5000));
	CHECK(limit_hears(&limit, "ipv6:[fd00::1]:1", 5000));
}

static void another_port_is_the_same_host(void)
{
	begin();
	fail(ALICE, LIMIT_BURST, 5000);
	CHECK(!limit_hears(&limit, "ipv4:10.0.0.1:80", 5000));
}

static void a_network_of_ipv6_is_one_host(void)
{
	begin();
	fail("ipv6:[fd00:0:0:1::7]:80", LIMIT_BURST, 5000);
	CHECK(!limit_hears(&limit, "ipv6:[fd00:0:0:1:a:b:c:d]:81", 5000));
	CHECK(!limit_hears(&limit, "ipv6:%5Bfd00:0:0:1::8%5D:81", 5000));
	CHECK(limit_hears(&limit, "ipv6:[fd00:0:0:2::7]:80", 5000));
}

static void a_connection_that_was_right_is_heard_among_others(void)
{
	begin();
	limit_trust(&limit, "ipv4:10.0.0.1:80");
	fail(ALICE, LIMIT_BURST, 5000);
	CHECK(!limit_hears(&limit, ALICE, 5000));
	CHECK(limit_hears(&limit, "ipv4:10.0.0.1:80", 5000));
	CHECK(!limit_hears(&limit, "ipv4:10.0.0.1:8", 5000));
}

static void until_it_is_wrong_itself(void)
{
	begin();
	limit_trust(&limit, ALICE);
	limit_trust(&limit, ALICE);
	fail(ALICE, LIMIT_BURST, 5000);
	CHECK(!limit_hears(&limit, ALICE, 5000));
}

static void of_too_many_connections_the_oldest_is_forgotten(void)
{
	char peer[64];

	begin();
	limit_trust(&limit, ALICE);
	fail("ipv4:10.0.0.1:80", LIMIT_BURST, 5000);
	for (int i = 1; i < LIMIT_PEERS; i++) {
		snprintf(peer, sizeof(peer), "ipv4:10.1.0.1:%d", i);
		limit_trust(&limit, peer);
	}
	CHECK(limit_hears(&limit, ALICE, 5000));
	limit_trust(&limit, BOB);
	CHECK(!limit_hears(&limit, ALICE, 5000));
}

static void a_unix_socket_is_always_heard(void)
{
	begin();
	fail("unix:", 100, 5000);
	CHECK(limit_hears(&limit, "unix:", 5000));
}

static void of_too_many_hosts_the_one_that_is_free_first_is_forgotten(void)
{
	char peer[64];

	begin();
	fail(ALICE, LIMIT_BURST, 5000);
	fail(BOB, LIMIT_BURST, 9000);
	for (int i = 0; i < LIMIT_HOSTS - 2; i++) {
		snprintf(peer, sizeof(peer), "ipv4:10.1.0.%d:1", i);
		fail(peer, LIMIT_BURST, 9000);
	}
	CHECK(!limit_hears(&limit, ALICE, 5000));
	fail("ipv4:10.2.0.1:1", 1, 9000);
	CHECK(limit_hears(&limit, ALICE, 5000));
	CHECK(!limit_hears(&limit, BOB, 9000));
}

RUN_TESTS(TEST(ten_failures_are_heard_and_no_more),
	  TEST(one_more_is_heard_each_second),
	  TEST(after_a_rest_it_is_as_at_first),
	  TEST(others_are_not_made_to_pay), TEST(another_port_is_the_same_host),
	  TEST(a_network_of_ipv6_is_one_host),
	  TEST(a_connection_that_was_right_is_heard_among_others),
	  TEST(until_it_is_wrong_itself),
	  TEST(of_too_many_connections_the_oldest_is_forgotten),
	  TEST(a_unix_socket_is_always_heard),
	  TEST(of_too_many_hosts_the_one_that_is_free_first_is_forgotten))
