/* SPDX-License-Identifier: Apache-2.0 */
#include "http/websocket.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NONCE_SIZE = 16, SHA1_SIZE = 20, ACCEPT_SIZE = 29, VALUE_MAX = 256 };

void websocket_key(char key[WEBSOCKET_KEY_SIZE], const uint8_t nonce[16])
{
	EVP_EncodeBlock((unsigned char *)key, nonce, NONCE_SIZE);
}

/* What the server is to answer to a key: RFC 6455, 4.2.2. */
static int accept_of(char text[ACCEPT_SIZE], const char *key, struct error *err)
{
	unsigned char hash[SHA1_SIZE];
	char whole[WEBSOCKET_KEY_SIZE + 36];

	snprintf(whole, sizeof(whole), "%s%s", key,
		 "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
	if (EVP_Digest(whole, strlen(whole), hash, NULL, EVP_sha1(), NULL) != 1)
		return error_set(err, -ENOSYS,
				 "SHA-1, which a WebSocket needs, is not "
				 "allowed on this machine");
	EVP_EncodeBlock((unsigned char *)text, hash, SHA1_SIZE);
	return 0;
}

/* The value of a header, "" if there is none; one that is too long is cut. */
static void find(const char *answer, const char *name, char value[VALUE_MAX])
{
	size_t n = strlen(name);

	*value = '\0';
	for (const char *line = strchr(answer, '\n'); line;
	     line = strchr(line, '\n')) {
		line++;
		if (strncasecmp(line, name, n) != 0 || line[n] != ':')
			continue;
		line += n + 1;
		line += strspn(line, " \t");
		n = strcspn(line, "\r\n");
		while (n > 0 && strchr(" \t", line[n - 1]))
			n--;
		snprintf(value, VALUE_MAX, "%.*s", (int)n, line);
		return;
	}
}

/* Whether word is in a list with commas, in any case. */
static bool has_word(const char *list, const char *word)
{
	size_t size = strlen(word);

	while (*list) {
		size_t n;

		list += strspn(list, " \t,");
		n = strcspn(list, " \t,");
		if (n == size && strncasecmp(list, word, n) == 0)
			return true;
		list += n;
	}
	return false;
}

int websocket_check(const char *answer, const char *key, const char *protocol,
		    struct error *err)
{
	char value[VALUE_MAX], expected[ACCEPT_SIZE];
	int r = accept_of(expected, key, err);

	if (r < 0)
		return r;
	find(answer, "Upgrade", value);
	if (strcasecmp(value, "websocket") != 0)
		return error_set(err, -EPROTO,
				 "it switches to '%s' and not to a WebSocket",
				 value);
	find(answer, "Connection", value);
	if (!has_word(value, "upgrade"))
		return error_set(err, -EPROTO,
				 "its answer does not say 'Connection: "
				 "Upgrade'");
	find(answer, "Sec-WebSocket-Accept", value);
	if (strcmp(value, expected) != 0)
		return error_set(err, -EPROTO,
				 "its answer is not one to our key");
	find(answer, "Sec-WebSocket-Extensions", value);
	if (*value)
		return error_set(err, -EPROTO,
				 "it uses '%s', which nobody offered", value);
	find(answer, "Sec-WebSocket-Protocol", value);
	if (strcmp(value, protocol) != 0)
		return error_set(err, -EPROTO,
				 "it speaks '%s' and not '%s' over a WebSocket",
				 value, protocol);
	return 0;
}
