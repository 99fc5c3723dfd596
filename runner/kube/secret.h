/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_SECRET_H
#define RUNNER_KUBE_SECRET_H

#include "rpc/token.h"
#include "tls/identity.h"

#include <cjson/cJSON.h>

/* The token in a Secret's data, key "token".  -EBADMSG with a sentence if there
 * is none that can be one. */
int kube_secret_token(struct token *token, const cJSON *secret,
		      struct error *err);

/* The identity, keys "ca.crt", "tls.crt" and "tls.key", likewise. */
int kube_secret_identity(struct tls_identity *identity, const cJSON *secret,
			 struct error *err);

#endif
