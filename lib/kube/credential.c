/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/internal.h"

#include "base/secret.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* not to send what ends on its way */
enum { EARLY = 10 };

void kube_credential_fini(struct kube_credential *credential)
{
	secret_free(credential->token);
	free(credential->cert);
	secret_free(credential->key);
	*credential = (struct kube_credential){0};
}

/* Seconds since 1970 of RFC 3339; negative if it is none. */
static int64_t moment(const char *text)
{
	struct tm tm = {0};
	const char *at = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	int hours, minutes, n = 0;
	int64_t seconds;

	if (!at)
		return -1;
	if (*at == '.')
		at += 1 + strspn(at + 1, "0123456789");
	seconds = timegm(&tm);
	if (strcmp(at, "Z") == 0)
		return seconds;
	if ((*at != '+' && *at != '-') ||
	    sscanf(at + 1, "%2d:%2d%n", &hours, &minutes, &n) != 2 ||
	    at[1 + n] != '\0')
		return -1;
	return seconds - (*at == '-' ? -60 : 60) * (hours * 60 + minutes);
}

static int read_until(struct kube_credential *out, const cJSON *tree,
		      int64_t now, msec_t loop_now, struct error *err)
{
	const char *text = kube_text(tree, "status.expirationTimestamp");
	int64_t left;

	if (!text)
		return 0;
	left = moment(text);
	if (left < 0)
		return error_set(err, -EPROTO,
				 "its expirationTimestamp is '%.40s'; as in "
				 "2030-01-02T15:04:05Z",
				 text);
	left -= now;
	if (left <= 0)
		return error_set(err, -EPROTO,
				 "what it gives has expired at %.40s", text);
	out->until = loop_now + SECONDS(left > 2 * EARLY ? left - EARLY : left);
	return 0;
}

static int copy(char **out, const cJSON *tree, const char *path,
		struct error *err)
{
	const char *text = kube_text(tree, path);

	if (!text || !*text)
		return 0;
	*out = strdup(text);
	return *out ? 0 : error_set(err, -ENOMEM, "out of memory");
}

static bool is_token(const char *token)
{
	for (; *token; token++)
		if (*token <= ' ' || *token > '~')
			return false;
	return true;
}

static int read_tree(struct kube_credential *out, const cJSON *tree,
		     const char *version, struct error *err)
{
	const char *kind = kube_text(tree, "kind");
	const char *is = kube_text(tree, "apiVersion");
	int r;

	if (!kind || strcmp(kind, "ExecCredential") != 0)
		return error_set(err, -EPROTO,
				 "it does not print an ExecCredential");
	if (!is || strcmp(is, version) != 0)
		return error_set(err, -EPROTO,
				 "it prints one of %.64s; the configuration "
				 "says %s",
				 is ? is : "no apiVersion", version);
	r = copy(&out->token, tree, "status.token", err);
	if (r == 0)
		r = copy(&out->cert, tree, "status.clientCertificateData", err);
	if (r == 0)
		r = copy(&out->key, tree, "status.clientKeyData", err);
	if (r < 0)
		return r;
	if (!out->token && !out->cert)
		return error_set(err, -EPROTO,
				 "it gives neither a token nor a certificate");
	if (!out->cert != !out->key)
		return error_set(err, -EPROTO,
				 "it gives only one of certificate and key");
	if (out->token && !is_token(out->token))
		return error_set(err, -EPROTO,
				 "its token has signs that no token has");
	return 0;
}

int kube_credential_read(struct kube_credential *out, const char *text,
			 size_t size, const char *version, int64_t now,
			 msec_t loop_now, struct error *err)
{
	cJSON *tree = cJSON_ParseWithLength(text, size);
	int r = read_tree(out, tree, version, err);

	if (r == 0)
		r = read_until(out, tree, now, loop_now, err);
	cJSON_Delete(tree);
	if (r < 0)
		kube_credential_fini(out);
	return r;
}
