/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any report of an sshd: one that passes writes its own lines into what ssh
 * reads, and no others
 *
 * Two bytes of port, then address, user and host key, with NULs between them.
 */

#include "coordinator/launch/sshconf.h"

#include "base/cleanup.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>

static char *print(const struct ssh_peer *peer,
		   void (*fn)(FILE *to, const struct sshconf *conf))
{
	const struct sshconf_host host = {2, peer};
	const struct sshconf conf = {"/s/key", "/s/known_hosts", &host, 1};
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	HOLD(to);
	fn(to, &conf);
	HOLD(fclose(to) == 0 && strlen(text) == n);
	return text;
}

static unsigned lines(const char *text)
{
	unsigned n = 0;

	for (; *text; text++) {
		HOLD(*text == '\n' || *text == '\t' ||
		     (*text >= ' ' && *text <= '~'));
		n += *text == '\n';
	}
	return n;
}

static void are_its_own_lines(const struct ssh_peer *peer)
{
	const struct ssh_peer plain = {"10.0.0.1", 22, "", ""};
	CLEANUP(free) char *expected = print(&plain, sshconf_print);
	CLEANUP(free) char *conf = print(peer, sshconf_print);
	CLEANUP(free) char *known = print(peer, sshconf_print_known_hosts);

	HOLD(lines(conf) == lines(expected) + (*peer->user != '\0'));
	HOLD(lines(known) == 1 && strncmp(known, "bellows-2 ", 10) == 0);
}

static const char *take(const char **at, const char *end, char *out, size_t n)
{
	snprintf(out, n, "%s", *at);
	*at += strlen(*at);
	*at += *at < end;
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free) char *text = NULL;
	struct ssh_peer peer = {0};
	struct error err = {""};
	const char *at, *end;
	int r;

	if (size < 2)
		return 0;
	at = text = fuzz_text(data + 2, size - 2);
	end = text + size - 2;
	peer.port = data[0] | (unsigned)data[1] << 8;
	take(&at, end, peer.address, sizeof(peer.address));
	take(&at, end, peer.user, sizeof(peer.user));
	take(&at, end, peer.host_key, sizeof(peer.host_key));
	r = sshconf_check_peer(&peer, &err);
	HOLD(r == 0 || (r == -EINVAL && *err.text));
	if (r == 0)
		are_its_own_lines(&peer);
	return 0;
}
