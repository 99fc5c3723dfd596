/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a hosts file: names, addresses and words as they are promised,
 * or a sentence that names the file
 */

#include "jobfile/hosts.h"

#include "tests/fuzz/fuzz.h"

#include <arpa/inet.h>
#include <errno.h>

static void is_as_promised(const struct hosts *hosts, const struct host *host)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	size_t n = 0;

	HOLD(*host->name && strlen(host->name) < 64);
	for (const char *c = host->name; *c; c++)
		HOLD(*c > ' ' && *c < 0x7f && *c != '/');
	HOLD(inet_pton(hosts->family, host->address, bytes) == 1);
	while (host->words[n]) {
		HOLD(*host->words[n] && !strpbrk(host->words[n], " \t\n'\"\\"));
		n++;
	}
	HOLD(n <= HOST_WORDS_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free) char *copy = fuzz_copy(data, size);
	CLEANUP(hosts_destroy) struct hosts *hosts = NULL;
	struct error err = {""};
	int r = hosts_parse(&hosts, "fuzz", copy, size, &err);

	if (r < 0) {
		HOLD(r == -EINVAL && !hosts);
		HOLD(strncmp(err.text, "fuzz", 4) == 0);
		return 0;
	}
	HOLD(hosts->n >= 1 && hosts->n <= HOSTS_MAX);
	HOLD(hosts->family == AF_INET || hosts->family == AF_INET6);
	for (size_t i = 0; i < hosts->n; i++)
		is_as_promised(hosts, &hosts->at[i]);
	return 0;
}
