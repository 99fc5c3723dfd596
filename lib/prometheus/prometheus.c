/* SPDX-License-Identifier: Apache-2.0 */
#include "prometheus/prometheus.h"

#include "base/file.h"
#include "base/secret.h"
#include "base/text.h"
#include "http/http.h"
#include "prometheus/answer.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

enum { CA_MAX = 1024 * 1024, TOKEN_MAX = 16 * 1024 };

static const char bearer[] = "Authorization: Bearer ";

struct prometheus {
	struct prometheus_config config;
	struct http *http;
	struct http_call *call; /* NULL: none is under way */
	char *url;
};

/* ---- what goes out ---- */

/* The server gives the query up, too, when nobody waits for it any more. */
static char *make_url(const struct prometheus_config *config)
{
	CLEANUP(free)
	char *query = malloc(3 * strlen(config->query) + 1);
	size_t n = strlen(config->server);
	char *url = NULL;

	if (!query)
		return NULL;
	http_escape(query, config->query);
	while (n > 0 && config->server[n - 1] == '/')
		n--;
	return asprintf(&url, "%.*s/api/v1/query?timeout=%lldms&query=%s",
			(int)n, config->server, (long long)config->patience,
			query) < 0
		       ? NULL
		       : url;
}

static int read_ca(char **out, const char *path, struct error *err)
{
	CLEANUP(free) char *text = malloc(CA_MAX + 1);
	size_t n;
	int r;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	r = file_read(path, text, CA_MAX + 1, &n, err);
	if (r < 0)
		return r;
	if (n > CA_MAX)
		return error_set(err, -EFBIG, "%s is larger than %d KiB", path,
				 CA_MAX / 1024);
	text[n] = '\0';
	*out = STEAL(text);
	return 0;
}

/* The header with the token, the one line of a private file. */
static int read_token(char **out, const char *path, struct error *err)
{
	CLEANUP(close) int fd = secret_open(path, "a token", err);
	CLEANUP(secret_free) char *text = NULL;
	const size_t head = strlen(bearer);
	ssize_t n;

	if (fd < 0)
		return fd;
	text = calloc(1, head + TOKEN_MAX + 2);
	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	n = read(fd, stpcpy(text, bearer), TOKEN_MAX + 1);
	if (n < 0)
		return error_errno(err, "%s", path);
	while (n > 0 && isspace((unsigned char)text[head + (size_t)n - 1]))
		text[head + (size_t)--n] = '\0';
	for (ssize_t i = 0; i < n; i++)
		if (!isgraph((unsigned char)text[head + (size_t)i]))
			n = 0;
	if (n == 0 || n > TOKEN_MAX)
		return error_set(err, -EINVAL,
				 "%s: a token is one line of 1 to %d printable "
				 "characters without blanks",
				 path, TOKEN_MAX);
	*out = STEAL(text);
	return 0;
}

/* ---- what comes back ---- */

static void on_done(void *user, const struct http_answer *answer)
{
	struct prometheus *prometheus = user;
	const struct prometheus_config *config = &prometheus->config;
	struct error err;
	double value = 0;

	prometheus->call = NULL;
	if (answer->status == 0)
		config->answered(config->user, 0, text_safe(answer->failure).s);
	else if (prometheus_read_answer(&value, answer->status, answer->body,
					answer->size, &err) < 0)
		config->answered(config->user, 0, err.text);
	else
		config->answered(config->user, value, NULL);
}

int prometheus_ask(struct prometheus *prometheus, struct error *err)
{
	static const struct http_events events = {.done = on_done};
	const struct prometheus_config *config = &prometheus->config;
	CLEANUP(secret_free) char *token = NULL;
	CLEANUP(free) char *ca = NULL;
	int r = 0;

	assert(!prometheus->call);
	if (config->token_file)
		r = read_token(&token, config->token_file, err);
	if (r == 0 && config->ca_file)
		r = read_ca(&ca, config->ca_file, err);
	if (r < 0)
		return r;
	const char *const headers[] = {"Accept: application/json", token, NULL};
	const struct http_tls tls = {.ca = ca};
	const struct http_request request = {
		.method = "GET",
		.url = prometheus->url,
		.headers = headers,
		.tls = &tls,
		.timeout = config->patience,
		.max = PROMETHEUS_ANSWER_MAX,
	};

	return http_start(&prometheus->call, prometheus->http, &request,
			  &events, prometheus, err);
}

/* ---- life ---- */

int prometheus_create(struct prometheus **out,
		      const struct prometheus_config *config, struct error *err)
{
	CLEANUP(prometheus_destroy)
	struct prometheus *prometheus = calloc(1, sizeof(*prometheus));
	int r;

	if (!prometheus)
		return error_set(err, -ENOMEM, "out of memory");
	prometheus->config = *config;
	prometheus->url = make_url(config);
	if (!prometheus->url)
		return error_set(err, -ENOMEM, "out of memory");
	r = http_create(&prometheus->http, config->loop, err);
	if (r == 0)
		*out = STEAL(prometheus);
	return r;
}

struct prometheus *prometheus_destroy(struct prometheus *prometheus)
{
	if (!prometheus)
		return NULL;
	prometheus->call = http_cancel(prometheus->call);
	prometheus->http = http_destroy(prometheus->http);
	free(prometheus->url);
	free(prometheus);
	return NULL;
}
