/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/local/listen.h"

#include "base/text.h"
#include "runner/local/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* No byte is sent to it: the kernel is only asked for the route. */
enum { ANY_PORT = 9 };

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool parse(union address *out, const char *text, int family)
{
	memset(out, 0, sizeof(*out));
	out->any.sa_family = (sa_family_t)family;
	return family == AF_INET
		       ? inet_pton(family, text, &out->v4.sin_addr) == 1 &&
				 out->v4.sin_addr.s_addr != 0
		       : inet_pton(family, text, &out->v6.sin6_addr) == 1 &&
				 !IN6_IS_ADDR_UNSPECIFIED(&out->v6.sin6_addr);
}

static void print(char out[LISTEN_MAX], const union address *at,
		  const char *port)
{
	char text[INET6_ADDRSTRLEN];

	if (at->any.sa_family == AF_INET)
		snprintf(out, LISTEN_MAX, "%s:%s",
			 inet_ntop(AF_INET, &at->v4.sin_addr, text,
				   sizeof(text)),
			 port);
	else
		snprintf(out, LISTEN_MAX, "[%s]:%s",
			 inet_ntop(AF_INET6, &at->v6.sin6_addr, text,
				   sizeof(text)),
			 port);
}

/* ---- as it is wished ---- */

static bool is_port(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n > 0 && n <= 5 && !text[n] && atoi(text) <= 65535;
}

/* Splits at the colon before the port, if there is one; takes brackets off. */
static bool split(char *text, char **host, const char **port)
{
	char *colon = strrchr(text, ':'), *end = NULL;

	*host = text;
	*port = "0";
	if (text[0] == '[') {
		*host = text + 1;
		end = strchr(text, ']');
		if (!end || (end[1] && end[1] != ':'))
			return false;
		colon = end[1] ? end + 1 : NULL;
		*end = '\0';
	} else if (colon && colon != strchr(text, ':')) {
		colon = NULL;
	}
	if (!colon)
		return true;
	*colon = '\0';
	*port = colon + 1;
	return is_port(*port);
}

static int choose_wished(char out[LISTEN_MAX], const char *wish, int family,
			 struct error *err)
{
	char text[LISTEN_MAX], *host;
	union address at;
	const char *port;

	snprintf(text, sizeof(text), "%s", wish);
	if (strlen(wish) >= sizeof(text) || !split(text, &host, &port) ||
	    !parse(&at, host, family))
		return error_set(err, -EINVAL,
				 "--listen: '%s'; an address of this machine "
				 "that the hosts reach, as %s, and a port if "
				 "it matters, as %s",
				 text_safe(wish).s,
				 family == AF_INET ? "10.0.0.5" : "fd00::5",
				 family == AF_INET ? "10.0.0.5:7000"
						   : "[fd00::5]:7000");
	print(out, &at, port);
	return 0;
}

/* ---- by the way to a host ---- */

static int find_way(union address *own, const struct host *host, int family,
		    struct error *err)
{
	CLEANUP(close) int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	union address to;
	socklen_t n = sizeof(*own);

	parse(&to, host->address, family);
	/* the port is in the same place in both */
	to.v4.sin_port = htons(ANY_PORT);
	if (fd < 0 || connect(fd, &to.any, sizeof(to)) < 0 ||
	    getsockname(fd, &own->any, &n) < 0)
		return error_errno(err,
				   "there is no way to %s of host %s; --listen "
				   "names the address of this machine",
				   host->address, host->name);
	return 0;
}

int listen_choose(char out[LISTEN_MAX], const char *wish,
		  const struct hosts *hosts, struct error *err)
{
	union address own;
	int r;

	if (wish)
		return choose_wished(out, wish, hosts->family, err);
	r = find_way(&own, &hosts->at[0], hosts->family, err);
	if (r == 0)
		print(out, &own, "0");
	return r;
}

/* ---- once it listens ---- */

void local_tell_address(struct local *local)
{
	const char *address = local->run.client.address;

	if (*local->tls)
		run_say(&local->run,
			"listening on %s, encrypted; clients with %s and "
			"%s/client may command the job",
			address, local->token_file, local->tls);
	else
		run_say(&local->run,
			"listening on %s, not encrypted; clients with %s may "
			"command the job",
			address, local->token_file);
}
