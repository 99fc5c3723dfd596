/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any text as a URL: what is sent of it is printable and has no blank, so that
 * no header comes of it, or it is refused with a sentence
 */

#include "http/internal.h"

#include "tests/fuzz/fuzz.h"

#include <errno.h>

static void is_one_word(const char *text)
{
	for (; *text; text++)
		HOLD((unsigned char)*text > ' ' && *text != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free) char *text = fuzz_text(data, size);
	struct http_url url;
	struct error err = {""};
	int r = http_url_init(&url, text, &err);

	if (r == 0) {
		HOLD(*url.host && *url.port && *url.target == '/');
		HOLD(strspn(url.port, "0123456789") == strlen(url.port));
		HOLD(strncmp(url.authority, url.host, strlen(url.host)) == 0);
		is_one_word(url.host);
		is_one_word(url.authority);
		is_one_word(url.target);
	} else {
		HOLD(r == -EINVAL && *err.text);
	}
	http_url_fini(&url);
	return 0;
}
