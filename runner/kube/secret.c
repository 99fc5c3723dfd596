/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/secret.h"

#include "base/secret.h"
#include "kube/kube.h"

#include <errno.h>
#include <string.h>

int kube_secret_token(struct token *token, const cJSON *secret,
		      struct error *err)
{
	const char *data = kube_text(secret, "data.token");
	const char *name = kube_text(secret, "metadata.name");
	char *text = NULL;
	size_t n = 0;
	bool good = data && kube_decode(&text, data, NULL) == 0;

	if (good) {
		/* a file that it was made of ends with a newline */
		n = strcspn(text, "\n");
		good = n >= TOKEN_MIN && n < TOKEN_MAX &&
		       (!text[n] || !text[n + 1]);
	}
	for (size_t i = 0; good && i < n; i++)
		good = text[i] > ' ' && text[i] <= '~';
	if (good) {
		memcpy(token->text, text, n);
		token->text[n] = '\0';
	}
	secret_free(text);
	return good ? 0
		    : error_set(err, -EBADMSG,
				"Secret %s has no token: its key \"token\" is "
				"to hold %d to %d printable characters",
				name ? name : "", TOKEN_MIN, TOKEN_MAX - 1);
}

/* NULL if there is none; for secret_free(). */
static char *value_of(const cJSON *secret, const char *key)
{
	const char *data = kube_text_in(secret, "data", key);
	char *text = NULL;

	if (data && kube_decode(&text, data, NULL) < 0)
		text = NULL;
	return text;
}

int kube_secret_identity(struct tls_identity *identity, const cJSON *secret,
			 struct error *err)
{
	const char *name = kube_text(secret, "metadata.name");
	char *ca = value_of(secret, "ca.crt");
	char *cert = value_of(secret, "tls.crt");
	char *key = value_of(secret, "tls.key");
	int r;

	if (ca && cert && key)
		r = tls_identity_set(identity, ca, cert, key, name ? name : "",
				     time(NULL), err);
	else
		r = error_set(err, -EBADMSG,
			      "Secret %s is no certificate: it is to have "
			      "ca.crt, tls.crt and tls.key",
			      name ? name : "");
	secret_free(ca);
	secret_free(cert);
	secret_free(key);
	return r == -EINVAL ? error_wrap(err, -EBADMSG, "Secret") : r;
}
