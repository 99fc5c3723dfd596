/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_PROVIDER_H
#define MONITOR_PROVIDER_H

/*
 * A provider keeps as many executors alive as a job is said to need
 *
 * The interface is level-triggered.  provider_hold() states a wish, returns at
 * once and may be repeated; the provider starts what is missing and replaces
 * what is lost, for as long as the wish stands.  It never ends an executor that
 * is too many: the coordinator releases executors, since it alone knows which
 * of them have no ranks, and they leave by themselves.  One that never was a
 * member of the job has none either, and may be taken back.
 */

#include "apps/load.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/time.h"
#include "jobfile/hosts.h"
#include "kube/kube.h"
#include "loop/loop.h"
#include "proto/bellows.pb-c.h"

struct provider;

/* have: executors that are alive now.  name is borrowed for the call. */
struct provider_events {
	void (*started)(void *user, const char *name, unsigned have);
	/* how: "exit code 1", "signal 9". */
	void (*lost)(void *user, const char *name, const char *how,
		     unsigned have);
	/* Why executors that are wished have not come, in one sentence; "":
	 * nothing is known.  Optional; only changes are told. */
	void (*trouble)(void *user, const char *text);
	/* Executors are there, but do not have processors of their own as the
	 * job asks, and why, in one sentence; told once.  Optional. */
	void (*shared)(void *user, const char *text);
};

/* Where executors are pods; all borrowed, NULL: the default. */
struct provider_cluster {
	const char *owner; /* "vcjob/NAME", "job/NAME", "pod/NAME" */
	const char *mode;  /* "pods", "replicas" */
	const char *task;
	const char *podtemplate;
	const char *namespace, *kubeconfig, *context;
};

/* All borrowed while the provider lives, except the strings. */
struct provider_config {
	struct loop *loop;
	const char *coordinator; /* address for executors */
	const char *token_file;  /* for them; NULL: none */
	const char *tls;         /* folder of their identity; NULL: none */
	bool unencrypted;        /* without one, to another machine too */
	bool keep_rights;        /* see base/rights.h */
	const char *program;     /* path of bellows-executor, or NULL */
	const char *state;       /* directory, there already, or NULL */
	unsigned slots;          /* of each executor */
	bool exclusive;          /* they are to share no processor */
	msec_t grace;            /* from asking an executor to leave to force */
	const struct adapter_files *adapters;   /* for them; NULL: none */
	const struct hosts *hosts;              /* NULL: none are given */
	const struct provider_cluster *cluster; /* NULL: none is given */
	const struct kube_config *kube;         /* of the cluster's API */
	const struct provider_events *events;
	void *user;
};

struct provider_ops {
	const char *name;
	bool elsewhere; /* it needs neither program nor state */

	int (*create)(struct provider **out,
		      const struct provider_config *config, struct error *err);

	/* Optional: takes over, or clears away, what a provider of the same
	 * job that ended by accident has left. */
	int (*adopt)(struct provider *p, struct error *err);

	/* Optional: the job as the coordinator tells it, before each wish. */
	void (*on_job)(struct provider *p, const Bellows__V1__Job *job);

	int (*hold)(struct provider *p, unsigned executors, struct error *err);

	/* Ends all executors, or where they outlive the monitor, those of a job
	 * that is over, to which none were wished any more; bounded.  Runs the
	 * loop to see them end, so the loop must not be running.  No events
	 * come from within. */
	void (*destroy)(struct provider *p);
};

/* Embedded as the first member of every provider. */
struct provider {
	const struct provider_ops *ops;
	const struct provider_events *events;
	void *user;
	char trouble[240]; /* told last */
};

extern const struct provider_ops provider_hosts, provider_kube, provider_local;

/* NULL if there is no provider of that name. */
const struct provider_ops *provider_find(const char *name);

/* "hosts, kube, local", for sentences; n is the buffer's size. */
const char *provider_names(char *text, size_t n);

int provider_adopt(struct provider *p, struct error *err);
void provider_on_job(struct provider *p, const Bellows__V1__Job *job);
int provider_hold(struct provider *p, unsigned executors, struct error *err);
struct provider *provider_destroy(struct provider *p); /* returns NULL */

/* For providers: tells it, if it is another than before. */
__attribute__((format(printf, 2, 3))) void
provider_trouble(struct provider *p, const char *fmt, ...);

DEFINE_CLEANUP(struct provider, provider_destroy)

#endif
