/* SPDX-License-Identifier: Apache-2.0 */
#include "http/internal.h"

#include <ctype.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

/* How long what was sent may go without an acknowledgement: a network that
 * vanished is to be known before retransmissions end, after a quarter of an
 * hour. */
#define UNHEARD SECONDS(30)

enum { KEEPALIVE_IDLE_S = 15, KEEPALIVE_EACH_S = 5 };

/* ---- is it a request? ---- */

/* A token of RFC 9110, 5.6.2. */
static size_t token_size(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) ||
	       (text[n] && strchr("!#$%&'*+-.^_`|~", text[n])))
		n++;
	return n;
}

static int check_method(const char *method, struct error *err)
{
	size_t n = token_size(method);

	return n > 0 && method[n] == '\0'
		       ? 0
		       : error_set(err, -EINVAL,
				   "'%s' is no method of HTTP, such as GET",
				   method);
}

/* Its value may be a secret, and is not repeated. */
static int check_header(const char *header, struct error *err)
{
	size_t name = token_size(header);
	const char *value;

	if (name == 0 || header[name] != ':')
		return error_set(err, -EINVAL,
				 "a header is not of the form 'Name: value'");
	value = header + name + 1;
	for (const char *c = value; *c; c++)
		if (((unsigned char)*c < ' ' && *c != '\t') || *c == 127)
			return error_set(err, -EINVAL,
					 "the value of the header %.*s has a "
					 "control character, such as the end "
					 "of a line",
					 (int)name, header);
	if (value[strspn(value, " \t")] == '\0')
		return error_set(err, -EINVAL, "the header %.*s has no value",
				 (int)name, header);
	return 0;
}

static int check(const struct http_request *request, struct error *err)
{
	int r = check_method(request->method, err);

	for (const char *const *at = request->headers; r == 0 && at && *at;
	     at++)
		r = check_header(*at, err);
	if (r == 0 && request->tls)
		r = http_trust_check(request->tls, err);
	return r;
}

/* ---- what curl is told ---- */

static bool has_header(const struct http_request *request, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *at = request->headers; at && *at; at++)
		if (strncasecmp(*at, name, n) == 0 && (*at)[n] == ':')
			return true;
	return false;
}

static bool add(struct curl_slist **list, const char *text)
{
	struct curl_slist *longer = curl_slist_append(*list, text);

	if (longer)
		*list = longer;
	return longer != NULL;
}

/* A header without a value is one that curl is not to send. */
static bool set_headers(struct http_transfer *transfer,
			const struct http_request *request)
{
	struct curl_slist **list = &transfer->headers;

	for (const char *const *at = request->headers; at && *at; at++)
		if (!add(list, *at))
			return false;
	if (!add(list, "Expect:"))
		return false;
	if (!has_header(request, "Content-Type") && !add(list, "Content-Type:"))
		return false;
	return !curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, *list);
}

static bool set_body(CURL *easy, const struct http_request *request)
{
	static const char *const with_body[] = {"POST", "PUT", "PATCH"};
	const char *body = request->body;
	size_t size = body ? request->size : 0;

	if (strcmp(request->method, "HEAD") == 0)
		return !curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
	for (size_t i = 0; !body && i < LENGTH(with_body); i++)
		if (strcmp(request->method, with_body[i]) == 0)
			body = "";
	if (body && (curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
				      (curl_off_t)size) ||
		     curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, body)))
		return false;
	return !curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
}

static bool set_blob(CURL *easy, CURLoption option, const char *text)
{
	struct curl_blob blob = {(void *)(uintptr_t)text, strlen(text),
				 CURL_BLOB_COPY};

	return !curl_easy_setopt(easy, option, &blob);
}

static bool set_trust(CURL *easy, const struct http_tls *tls)
{
	if (curl_easy_setopt(easy, CURLOPT_SSLVERSION,
			     (long)CURL_SSLVERSION_TLSv1_2))
		return false;
	if (!tls)
		return true;
	/* those of the system would be believed beside these */
	if (tls->ca && (curl_easy_setopt(easy, CURLOPT_CAINFO, NULL) ||
			curl_easy_setopt(easy, CURLOPT_CAPATH, NULL) ||
			!set_blob(easy, CURLOPT_CAINFO_BLOB, tls->ca)))
		return false;
	if (tls->cert && (!set_blob(easy, CURLOPT_SSLCERT_BLOB, tls->cert) ||
			  !set_blob(easy, CURLOPT_SSLKEY_BLOB, tls->key)))
		return false;
	return !tls->unverified ||
	       (!curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L) &&
		!curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L));
}

/* The name that the certificate is for stands in the URL; curl connects to the
 * host all the same, and Host names it. */
static int set_name(struct http_transfer *transfer, struct http_url *url,
		    const char *name, struct error *err)
{
	char text[2 * HTTP_PEER_MAX];

	if (curl_url_set(url->parts, CURLUPART_HOST, name, 0) != CURLUE_OK)
		return error_set(err, -EINVAL,
				 "'%s' is no name that a certificate can be "
				 "for",
				 name);
	snprintf(text, sizeof(text), "Host: %s", url->authority);
	if (!add(&transfer->headers, text))
		return error_set(err, -ENOMEM, "out of memory");
	snprintf(text, sizeof(text), "::%s:%s", url->host, url->port);
	if (!add(&transfer->connect_to, text) ||
	    curl_easy_setopt(transfer->easy, CURLOPT_CONNECT_TO,
			     transfer->connect_to))
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

static bool set_whole_url(CURL *easy, const struct http_url *url)
{
	char *text = NULL;
	bool set;

	set = !curl_url_get(url->parts, CURLUPART_URL, &text, 0) &&
	      !curl_easy_setopt(easy, CURLOPT_URL, text);
	curl_free(text);
	return set;
}

static int set_url(struct http_transfer *transfer,
		   const struct http_request *request, struct http_url *url,
		   struct error *err)
{
	const struct http_tls *tls = request->tls;
	CURL *easy = transfer->easy;
	int r = 0;

	snprintf(transfer->peer, sizeof(transfer->peer), "%s port %s",
		 url->host, url->port);
	if (url->tls && tls && tls->name)
		r = set_name(transfer, url, tls->name, err);
	if (r < 0)
		return r;
	if (!set_whole_url(easy, url) ||
	    ((request->direct || url->here) &&
	     curl_easy_setopt(easy, CURLOPT_PROXY, "")))
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

/* curl would leave descriptors open to children. */
static curl_socket_t open_socket(void *user, curlsocktype purpose,
				 struct curl_sockaddr *at)
{
	int fd = socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);
	unsigned unheard = UNHEARD;

	if (fd < 0)
		return CURL_SOCKET_BAD;
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unheard,
		   sizeof(unheard));
	return fd;
}

static bool set_connection(CURL *easy)
{
	return !curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") &&
	       !curl_easy_setopt(easy, CURLOPT_USERAGENT, "bellows/" VERSION) &&
	       !curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
				 (long)HTTP_CONNECT_PATIENCE) &&
	       !curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION,
				 open_socket) &&
	       !curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L) &&
	       !curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE,
				 (long)KEEPALIVE_IDLE_S) &&
	       !curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL,
				 (long)KEEPALIVE_EACH_S) &&
	       /* many calls, one connection, where HTTP/2 is spoken */
	       !curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L) &&
	       /* without waiting for a resolver's thread */
	       !curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
}

/* ---- life ---- */

static int set_all(struct http_transfer *transfer,
		   const struct http_request *request, struct http_url *url,
		   struct error *err)
{
	CURL *easy = transfer->easy;
	int r = set_url(transfer, request, url, err);

	if (r < 0)
		return r;
	if (!set_connection(easy) || !set_trust(easy, request->tls) ||
	    !set_headers(transfer, request) || !set_body(easy, request) ||
	    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->words) ||
	    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer))
		return error_set(err, -ENOMEM, "out of memory");
	return 0;
}

int http_transfer_init(struct http_transfer *transfer, struct http *http,
		       const struct http_request *request, struct error *err)
{
	struct http_url url;
	int r;

	transfer->http = http;
	list_init(&transfer->link);
	list_init(&transfer->ready);
	r = check(request, err);
	if (r < 0)
		return r;
	transfer->easy = curl_easy_init();
	if (!transfer->easy)
		return error_set(err, -ENOMEM, "out of memory");
	r = http_url_init(&url, request->url, err);
	if (r == 0)
		r = set_all(transfer, request, &url, err);
	http_url_fini(&url);
	return r;
}

int http_transfer_begin(struct http_transfer *transfer, struct error *err)
{
	if (curl_multi_add_handle(transfer->http->multi, transfer->easy))
		return error_set(err, -ENOMEM, "%s: libcurl takes no more",
				 transfer->peer);
	list_append(&transfer->http->transfers, &transfer->link);
	return 0;
}

void http_transfer_ready(struct http_transfer *transfer)
{
	if (list_is_empty(&transfer->ready))
		list_append(&transfer->http->ready, &transfer->ready);
}

void http_transfer_fini(struct http_transfer *transfer)
{
	if (!list_is_empty(&transfer->link))
		curl_multi_remove_handle(transfer->http->multi, transfer->easy);
	list_remove(&transfer->link);
	list_remove(&transfer->ready);
	curl_easy_cleanup(transfer->easy);
	curl_slist_free_all(transfer->headers);
	curl_slist_free_all(transfer->connect_to);
}

void http_transfer_free(struct http_transfer *transfer)
{
	transfer->dead = true;
	if (!transfer->telling)
		free(transfer);
}

void http_transfer_telling(struct http_transfer *transfer)
{
	transfer->telling = true;
}

bool http_transfer_told(struct http_transfer *transfer)
{
	bool dead = transfer->dead;

	transfer->telling = false;
	if (dead)
		free(transfer);
	return !dead;
}
