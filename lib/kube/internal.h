/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_INTERNAL_H
#define KUBE_INTERNAL_H

/*
 * What the parts of lib/kube share
 *
 *     config.c    which configuration, and that of a pod
 *     kubeconfig.c    files of kubectl, merged, one context of them
 *     access.c    what every request carries: server, TLS, token
 *     plugin.c    credentials that another program is asked for
 *     call.c      one request, tried again while that may help
 *     refusal.c   what an answer means, and its sentence
 *     watch.c, stream.c    lists and watches, and their bytes
 */

#include "kube/kube.h"

/* ---- configuration ---- */

/* A program that is asked for credentials; its files and words as kubectl has
 * them. */
struct kube_plugin_config {
	char *command; /* NULL: there is none */
	cJSON *args;   /* texts; NULL: none */
	cJSON *env;    /* objects of name and value; NULL: none */
	char *version; /* "client.authentication.k8s.io/v1" */
	char *hint;    /* how it is installed; NULL: not said */
	bool cluster;  /* it wants to know which server it is for */
};

struct kube_config {
	char *origin; /* for sentences: "/root/.kube/config, context heat" */
	char *server; /* "https://10.0.0.1:6443", no '/' at its end */
	char *namespace;
	char *ca, *cert, *key; /* PEM, or NULL */
	char *tls_name;        /* or NULL */
	bool unverified;
	char *token;      /* or NULL */
	char *token_file; /* or NULL; before token */
	struct kube_plugin_config plugin;
};

/* Fills an empty config from files that are separated by ':'.  with_missing:
 * those that are not there are passed over, unless that is all. */
int kubeconfig_read(struct kube_config *config, const char *files,
		    bool with_missing, const char *context, struct error *err);

/* The whole of a file as a text that ends with NUL; -EFBIG if it is larger than
 * max. */
int kube_read_file(char **out, const char *path, size_t max, size_t *size,
		   struct error *err);

/* Frees a text that is nobody's business; NULL is nothing. */
void kube_forget(char *secret);

/* ---- access ---- */

/* What every request carries.  Borrowed: to be used before returning to the
 * loop. */
struct kube_access {
	const char *server;        /* see struct kube_config */
	const char *authorization; /* a header, or NULL */
	struct http_tls tls;
};

/* Embedded in its owner; zero-initialised means that it waits for nothing. */
struct kube_waiter {
	struct list link;
	void (*fn)(void *user);
	void *user;
};

/*
 * 0 and *out; or 1: another program is being asked for credentials, and
 * waiter->fn is called once, later, when it is worth asking again (after a
 * minute at the latest); or -errno with a sentence.
 */
int kube_access_get(struct kube *kube, struct kube_access *out,
		    struct kube_waiter *waiter, struct error *err);
void kube_waiter_clear(struct kube_waiter *waiter);

/* After a 401: the next kube_access_get() reads or asks anew. */
void kube_access_renew(struct kube *kube);

/* The URL of target and, after its own query, of query (NULL: none); the
 * caller frees it.  NULL without memory. */
char *kube_url(const char *server, const struct kube_target *target,
	       const char *query);

/* Text with every byte escaped that is not a letter, a digit or one of "-._~".
 * The caller frees it; NULL without memory. */
char *kube_escape(const char *text);

/* ---- the client ---- */

struct kube_plugin;

struct kube {
	struct loop *loop;
	struct http *http;
	const struct kube_config *config;
	struct list calls;   /* struct kube_call */
	struct list watches; /* struct kube_watch */

	/* access.c */
	char *authorization;
	msec_t read_at;     /* when authorization was; 0: never */
	char *cert, *key;   /* a plugin's */
	msec_t valid_until; /* what a plugin gave; 0: as long as it works */
	struct kube_plugin *plugin; /* being asked */
	char *failure;              /* of the last that was asked */
	msec_t failed_at;
	struct list waiters;
};

void kube_access_init(struct kube *kube);
void kube_access_fini(struct kube *kube);

#endif
