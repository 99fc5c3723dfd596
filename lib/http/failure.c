/* SPDX-License-Identifier: Apache-2.0 */
#include "http/internal.h"

#include <ctype.h>
#include <string.h>

static const msec_t a_day = SECONDS(24) * 3600;

/* Has the connection, with its TLS, been there? */
static bool was_connected(const struct http_transfer *transfer)
{
	curl_off_t at = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T, &at);
	return at > 0;
}

static const char *why_not_connected(const struct http_transfer *transfer)
{
	long number = 0;

	curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &number);
	return number ? strerror((int)number) : transfer->words;
}

void http_failure(const struct http_transfer *transfer, CURLcode result,
		  struct error *err)
{
	const char *peer = transfer->peer;
	const char *words =
		*transfer->words ? transfer->words : curl_easy_strerror(result);

	if (result == CURLE_COULDNT_RESOLVE_HOST)
		error_describe(err, "%s: no address is known for that name",
			       peer);
	else if (result == CURLE_COULDNT_CONNECT)
		error_describe(err, "%s: cannot connect: %s", peer,
			       why_not_connected(transfer));
	else if (result == CURLE_OPERATION_TIMEDOUT && !was_connected(transfer))
		error_describe(err, "%s: cannot connect within %d s", peer,
			       (int)(HTTP_CONNECT_PATIENCE / 1000));
	else if (result == CURLE_PEER_FAILED_VERIFICATION)
		error_describe(err, "%s: its certificate is not believed: %s",
			       peer, words);
	else
		error_describe(err, "%s: %s", peer, words);
}

msec_t http_retry_after(const char *text, time_t now)
{
	unsigned long long seconds;
	time_t then;

	if (!isdigit((unsigned char)*text)) {
		then = curl_getdate(text, NULL);
		if (then < 0)
			return -1;
		seconds = then > now ? (unsigned long long)(then - now) : 0;
	} else {
		char *end;

		seconds = strtoull(text, &end, 10);
		if (*end)
			return -1;
	}
	return seconds < (unsigned long long)a_day / 1000
		       ? SECONDS((msec_t)seconds)
		       : a_day;
}
