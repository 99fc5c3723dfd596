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
 *     forward.c, link.c, channels.c    a port of a pod, one connection to it,
 *                 and its messages
 *     file.c, yaml.c, url.c, credential.c    what is read, and written
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
	bool direct;      /* by no proxy of the environment */
	char *token;      /* or NULL */
	char *token_file; /* or NULL; before token */
	struct kube_plugin_config plugin;
};

/* Fills an empty config from n files of kubectl, of which the first that says
 * something counts. */
int kubeconfig_read(struct kube_config *config, const char *const *paths,
		    size_t n, const char *context, struct error *err);

/* Fills an empty config as a pod finds it: from its environment, which may be
 * NULL, and the files in folder. */
int kube_config_pod(struct kube_config *config, const char *host,
		    const char *port, const char *folder, struct error *err);

enum { KUBE_FILE_MAX = 1 << 20 }; /* bytes of a token or certificate */

/* The whole of a file as a text that ends with NUL, and has none within; the
 * caller frees it.  -EFBIG if it is larger than max. */
int kube_read_file(char **out, const char *path, size_t max, struct error *err);

/* The same without the blanks around it; -EINVAL if nothing is left, or what
 * cannot stand in one line of a header. */
int kube_read_token(char **out, const char *path, struct error *err);

char *kube_encode(const char *text); /* NULL without memory */

/* ---- access ---- */

/* What every request carries.  Borrowed: to be used before returning to the
 * loop. */
struct kube_access {
	const char *server;        /* see struct kube_config */
	const char *authorization; /* a header, or NULL */
	struct http_tls tls;
	bool direct;
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

/* After a 401: the next kube_access_get() reads or asks anew.  Whether
 * something else may come of that. */
bool kube_access_renew(struct kube *kube);

/* The URL of target and, after its own query, of query (NULL: none); the
 * caller frees it.  NULL without memory. */
char *kube_url(const char *server, const struct kube_target *target,
	       const char *query);

/* Text with every byte escaped that is not a letter, a digit or one of "-._~".
 * The caller frees it; NULL without memory. */
char *kube_escape(const char *text);

/* ---- refusals ---- */

/* A request, and the user who makes it.  Borrowed. */
struct kube_act {
	const char *verb; /* RBAC's: "get", "list", "create" */
	struct kube_target target;
	const char *origin; /* of struct kube_config */
};

enum { KUBE_TEXT_MAX = 1024 }; /* bytes of a sentence */

/* What an answer that is no success means: r of struct kube_answer, and its
 * sentence.  status: its body, if that is JSON, or NULL. */
int kube_refusal(char text[static KUBE_TEXT_MAX], const struct kube_act *act,
		 const struct http_answer *answer, const cJSON *status);

/* Ends text before byte number max, not within a character of UTF-8. */
void kube_cut(char *text, size_t max);

/* "create pods heat-0 in namespace heat: WHAT", without control characters. */
void kube_act_say(char text[static KUBE_TEXT_MAX], const struct kube_act *act,
		  const char *what);

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
	msec_t read_at;   /* when a token was read; 0: to be read */
	char *cert, *key; /* that a plugin gave */
	bool given;       /* a plugin gave something, */
	msec_t until;     /* of use till then; 0: till it is refused */
	struct kube_plugin *plugin; /* being asked */
	struct error failure;       /* of the last that was asked, */
	msec_t failed_at;           /* then; 0: it did not fail */
	struct list waiters;        /* for it */
};

void kube_calls_cancel(struct kube *kube); /* all of them; call.c */

void kube_access_init(struct kube *kube);
void kube_access_fini(struct kube *kube);

/* ---- plugins ---- */

/* What a plugin says.  until: of loop_now(); 0: not said. */
struct kube_credential {
	char *token, *cert, *key; /* or NULL */
	msec_t until;
};

/* Reads an ExecCredential of that version; now: seconds since 1970, and of
 * loop_now().  -EPROTO with what is wrong. */
int kube_credential_read(struct kube_credential *out, const char *text,
			 size_t size, const char *version, int64_t now,
			 msec_t loop_now, struct error *err);
void kube_credential_fini(struct kube_credential *credential);

/* Starts it; fn is called once, later, with what it says, which is fn's to
 * take members of, or NULL and why. */
typedef void (*kube_plugin_f)(void *user, struct kube_credential *credential,
			      const char *failure);
int kube_plugin_start(struct kube_plugin **out, struct loop *loop,
		      const struct kube_config *config, kube_plugin_f fn,
		      void *user, struct error *err);
/* Ends it without a word.  Returns NULL; NULL is nothing. */
struct kube_plugin *kube_plugin_stop(struct kube_plugin *plugin);

#endif
