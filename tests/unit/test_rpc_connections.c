/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "loop/loop.h"
#include "rpc/connections.h"
#include "tests/check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* The descriptors of both ends are this process's, so that the last of MOST
 * connections has a number beyond MOST. */
enum { PLACES = 16, MOST = PLACES - PLACES / 4 };

static struct served_port served;
static int listener;
static in_port_t port;
static int ends[8 * PLACES]; /* to be closed */
static size_t n_ends;

static socklen_t write_address(struct sockaddr_storage *out, const char *host,
			       in_port_t at)
{
	struct sockaddr_in *v4 = (void *)out;
	struct sockaddr_in6 *v6 = (void *)out;

	*out = (struct sockaddr_storage){0};
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = at;
		return sizeof(*v4);
	}
	inet_pton(AF_INET6, host, &v6->sin6_addr);
	v6->sin6_family = AF_INET6;
	v6->sin6_port = at;
	return sizeof(*v6);
}

/* Both families have the port at the same place. */
static in_port_t port_of(int fd)
{
	struct sockaddr_storage at = {0};
	socklen_t n = sizeof(at);

	getsockname(fd, (void *)&at, &n);
	return ((struct sockaddr_in *)&at)->sin_port;
}

static bool begin_at(const char *host)
{
	struct sockaddr_storage at;
	socklen_t n = write_address(&at, host, 0);

	listener = socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);
	if (bind(listener, (const void *)&at, n) < 0 ||
	    listen(listener, 2 * PLACES) < 0)
		return false;
	port = port_of(listener);
	served.port = ntohs(port);
	connections_serve(&served);
	return true;
}

static bool begin(void)
{
	return begin_at("127.0.0.1");
}

static void close_all(void)
{
	while (n_ends > 0)
		close(ends[--n_ends]);
}

static void finish(void)
{
	close_all();
	close(listener);
	connections_forget(&served);
}

static int connect_from(const char *from)
{
	bool is_v4 = strchr(from, '.');
	struct sockaddr_storage own, to;
	socklen_t n = write_address(&own, from, 0);
	int near = socket(own.ss_family, SOCK_STREAM, 0);

	write_address(&to, is_v4 ? "127.0.0.1" : "::1", port);
	if (bind(near, (const void *)&own, n) < 0 ||
	    connect(near, (const void *)&to, n) < 0)
		printf("# cannot connect from %s\n", from);
	return near;
}

/* A connection from that address of which a call is let in, if it is taken. */
static bool comes(const char *from)
{
	bool is_v4 = strchr(from, '.');
	int near = connect_from(from), far = accept(listener, NULL, NULL);
	char peer[64];

	if (!connections_accept(listener, far, PLACES)) {
		close(far);
		close(near);
		return false;
	}
	ends[n_ends++] = near;
	ends[n_ends++] = far;
	snprintf(peer, sizeof(peer),
		 is_v4 ? "ipv4:%s:%u" : "ipv6:%%5B%s%%5D:%u", from,
		 ntohs(port_of(near)));
	return connections_on_call(peer, true).cookie != 0;
}

static unsigned count_taken(const char *from, unsigned tries)
{
	unsigned n = 0;

	while (tries-- > 0)
		n += comes(from);
	return n;
}

static void one_host_has_at_most_three_quarters_of_the_places(void)
{
	CHECK(begin());
	CHECK(count_taken("127.0.0.2", MOST + 3) == MOST);
	CHECK(comes("127.0.0.3"));
	CHECK(!comes("127.0.0.2"));
	finish();
}

static void one_address_of_ipv6_is_not_the_host_of_all_of_ipv4(void)
{
	if (!begin_at("::")) {
		printf("# this machine has no IPv6\n");
		return;
	}
	CHECK(count_taken("::1", MOST + 1) == MOST);
	CHECK(comes("127.0.0.5"));
	finish();
}

static void a_host_has_its_places_again_when_its_connections_are_closed(void)
{
	msec_t end = loop_now() + SECONDS(30);
	bool is_taken;

	CHECK(begin());
	CHECK(count_taken("127.0.0.4", MOST) == MOST);
	close_all();
	/* None of the numbers that they had is a later connection's. */
	while (n_ends < 2 * MOST)
		ends[n_ends++] = dup(listener);
	while (!(is_taken = comes("127.0.0.4")) && loop_now() < end)
		poll(NULL, 0, 20);
	CHECK(is_taken);
	CHECK(count_taken("127.0.0.4", MOST - 1) == MOST - 1);
	finish();
}

RUN_TESTS(TEST(one_host_has_at_most_three_quarters_of_the_places),
	  TEST(one_address_of_ipv6_is_not_the_host_of_all_of_ipv4),
	  TEST(a_host_has_its_places_again_when_its_connections_are_closed))
