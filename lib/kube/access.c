/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What every request to the API carries
 *
 * A token in a file is replaced by others, so it is read again when it is used
 * a minute later, or was refused.  A plugin's answer is kept until it says.
 */

#include "kube/internal.h"

#include "base/secret.h"

#include <errno.h>
#include <string.h>

#define TOKEN_FRESH MINUTES(1)
/* A plugin that fails is not started again at every request. */
#define FAILURE_FRESH SECONDS(5)

void kube_access_init(struct kube *kube)
{
	list_init(&kube->waiters);
}

static void forget(struct kube *kube)
{
	secret_free(kube->authorization);
	free(kube->cert);
	secret_free(kube->key);
	kube->authorization = kube->cert = kube->key = NULL;
	kube->given = false;
}

void kube_access_fini(struct kube *kube)
{
	kube->plugin = kube_plugin_stop(kube->plugin);
	forget(kube);
}

void kube_waiter_clear(struct kube_waiter *waiter)
{
	if (waiter->link.next)
		list_remove(&waiter->link);
}

bool kube_access_renew(struct kube *kube)
{
	kube->read_at = 0;
	if (kube->given)
		forget(kube);
	return kube->config->token_file || kube->config->plugin.command;
}

static int bear(struct kube *kube, const char *token, struct error *err)
{
	char *header;

	if (asprintf(&header, "Authorization: Bearer %s", token) < 0)
		return error_set(err, -ENOMEM, "out of memory");
	secret_free(kube->authorization);
	kube->authorization = header;
	return 0;
}

/* ---- tokens ---- */

static int use_file(struct kube *kube, struct error *err)
{
	char *token;
	int r;

	if (kube->read_at && loop_now() - kube->read_at < TOKEN_FRESH)
		return 0;
	r = kube_read_token(&token, kube->config->token_file, err);
	/* one that is about to be replaced is better than none */
	if (r < 0 && kube->authorization)
		return 0;
	if (r < 0)
		return error_wrap(err, r, "%s", kube->config->origin);
	r = bear(kube, token, err);
	secret_free(token);
	kube->read_at = loop_now();
	return r;
}

/* ---- plugins ---- */

static void wake(struct kube *kube)
{
	struct list woken;

	list_init(&woken);
	while (!list_is_empty(&kube->waiters)) {
		struct list *at = kube->waiters.next;

		list_remove(at);
		list_append(&woken, at);
	}
	while (!list_is_empty(&woken)) {
		struct kube_waiter *waiter =
			CONTAINER(woken.next, struct kube_waiter, link);

		list_remove(&waiter->link);
		waiter->fn(waiter->user);
	}
}

static int use_credential(struct kube *kube, struct kube_credential *credential,
			  struct error *err)
{
	int r = 0;

	forget(kube);
	if (credential->token)
		r = bear(kube, credential->token, err);
	kube->cert = STEAL(credential->cert);
	kube->key = STEAL(credential->key);
	kube->until = credential->until;
	kube->given = r == 0;
	return r;
}

static void on_plugin(void *user, struct kube_credential *credential,
		      const char *failure)
{
	struct kube *kube = user;
	int r = -EACCES;

	kube->plugin = NULL;
	if (credential)
		r = use_credential(kube, credential, &kube->failure);
	else
		error_set(&kube->failure, r, "%s: %s", kube->config->origin,
			  failure);
	kube->failed_at = r < 0 ? loop_now() : 0;
	wake(kube);
}

static int use_plugin(struct kube *kube, struct kube_waiter *waiter,
		      struct error *err)
{
	int r;

	if (kube->given && (!kube->until || loop_now() < kube->until))
		return 0;
	if (kube->failed_at && loop_now() - kube->failed_at < FAILURE_FRESH)
		return error_set(err, -EACCES, "%s", kube->failure.text);
	if (!kube->plugin) {
		r = kube_plugin_start(&kube->plugin, kube->loop, kube->config,
				      on_plugin, kube, err);
		if (r < 0)
			return error_wrap(err, -EACCES, "%s",
					  kube->config->origin);
	}
	kube_waiter_clear(waiter);
	list_append(&kube->waiters, &waiter->link);
	return 1;
}

/* ---- both ---- */

int kube_access_get(struct kube *kube, struct kube_access *out,
		    struct kube_waiter *waiter, struct error *err)
{
	const struct kube_config *config = kube->config;
	int r = 0;

	if (config->plugin.command)
		r = use_plugin(kube, waiter, err);
	else if (config->token_file)
		r = use_file(kube, err);
	else if (config->token && !kube->authorization)
		r = bear(kube, config->token, err);
	if (r != 0)
		return r;

	*out = (struct kube_access){
		.server = config->server,
		.authorization = kube->authorization,
		.tls =
			{
				.ca = config->ca,
				.cert = kube->cert ? kube->cert : config->cert,
				.key = kube->cert ? kube->key : config->key,
				.name = config->tls_name,
				.unverified = config->unverified,
			},
		.direct = config->direct,
	};
	return 0;
}
