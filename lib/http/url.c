/* SPDX-License-Identifier: Apache-2.0 */
#include "http/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

static bool is_here(const char *host)
{
	struct in_addr address;

	return strcasecmp(host, "localhost") == 0 ||
	       strcmp(host, "[::1]") == 0 ||
	       (inet_pton(AF_INET, host, &address) == 1 &&
		ntohl(address.s_addr) >> 24 == 127);
}

static char *part(const struct http_url *url, CURLUPart what)
{
	char *text = NULL;

	curl_url_get(url->parts, what, &text,
		     what == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0);
	return text;
}

static bool read_target(struct http_url *url)
{
	char *path = part(url, CURLUPART_PATH);
	char *query = part(url, CURLUPART_QUERY);
	int n = path ? asprintf(&url->target, "%s%s%s", path, query ? "?" : "",
				query ? query : "")
		     : -1;

	curl_free(path);
	curl_free(query);
	if (n < 0)
		url->target = NULL;
	return n >= 0;
}

/* Checks the scheme, and that all needed parts are there. */
static int check(struct http_url *url, const char *text, struct error *err)
{
	char *scheme = part(url, CURLUPART_SCHEME);
	char *user = part(url, CURLUPART_USER);
	bool known = scheme && (strcmp(scheme, "http") == 0 ||
				strcmp(scheme, "https") == 0);
	bool named = user != NULL;

	url->tls = known && strcmp(scheme, "https") == 0;
	curl_free(scheme);
	curl_free(user);
	if (named)
		return error_set(err, -EINVAL,
				 "a URL names a user; a name and a password "
				 "belong into headers or certificates");
	return known ? 0
		     : error_set(err, -EINVAL,
				 "'%s' is no URL of http or https", text);
}

int http_url_init(struct http_url *url, const char *text, struct error *err)
{
	CURLUcode code;
	char *port;
	int r;

	*url = (struct http_url){.parts = curl_url()};
	if (!url->parts)
		return error_set(err, -ENOMEM, "out of memory");
	code = curl_url_set(url->parts, CURLUPART_URL, text,
			    CURLU_NON_SUPPORT_SCHEME);
	if (code != CURLUE_OK)
		return error_set(err, -EINVAL, "'%s' is no URL: %s", text,
				 curl_url_strerror(code));
	r = check(url, text, err);
	if (r < 0)
		return r;
	url->host = part(url, CURLUPART_HOST);
	url->port = part(url, CURLUPART_PORT);
	if (!url->host || !url->port || !read_target(url))
		return error_set(err, -ENOMEM, "out of memory");
	if (strlen(url->host) > 255)
		return error_set(err, -EINVAL, "'%s' is no URL: %s", text,
				 "its host's name has more than 255 letters");
	port = strcmp(url->port, url->tls ? "443" : "80") == 0 ? NULL
							       : url->port;
	snprintf(url->authority, sizeof(url->authority), "%s%s%s", url->host,
		 port ? ":" : "", port ? port : "");
	url->here = is_here(url->host);
	return 0;
}

void http_url_fini(struct http_url *url)
{
	curl_free(url->host);
	curl_free(url->port);
	free(url->target);
	curl_url_cleanup(url->parts);
	*url = (struct http_url){0};
}

char *http_escape(char *to, const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "abcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~";

	for (; *text; text++)
		if (strchr(plain, *text))
			*to++ = *text;
		else
			to += sprintf(to, "%%%02X", (unsigned char)*text);
	*to = '\0';
	return to;
}
