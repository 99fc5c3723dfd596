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
 * of them have no ranks, and they leave by themselves.
 */

#include "apps/load.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/time.h"
#include "jobfile/hosts.h"
#include "loop/loop.h"

struct provider;

/* have: executors that are alive now.  name is borrowed for the call. */
struct provider_events {
	void (*started)(void *user, const char *name, unsigned have);
	/* how: "exit code 1", "signal 9". */
	void (*lost)(void *user, const char *name, const char *how,
		     unsigned have);
};

/* All borrowed while the provider lives, except the strings. */
struct provider_config {
	struct loop *loop;
	const char *coordinator; /* address for executors */
	const char *token_file;  /* for them; NULL: none */
	const char *program;     /* path of bellows-executor */
	const char *state;       /* directory, there already */
	unsigned slots;          /* of each executor */
	msec_t grace;            /* from asking an executor to leave to force */
	const struct adapter_files *adapters; /* for them; NULL: none */
	const struct hosts *hosts;            /* NULL: none are given */
	const struct provider_events *events;
	void *user;
};

struct provider_ops {
	const char *name;

	int (*create)(struct provider **out,
		      const struct provider_config *config, struct error *err);

	/* Optional: takes over, or clears away, what a provider of the same
	 * job that ended by accident has left. */
	int (*adopt)(struct provider *p, struct error *err);

	int (*hold)(struct provider *p, unsigned executors, struct error *err);

	/* Ends all executors; bounded.  Runs the loop to see them end, so the
	 * loop must not be running.  No events come from within. */
	void (*destroy)(struct provider *p);
};

/* Embedded as the first member of every provider. */
struct provider {
	const struct provider_ops *ops;
	const struct provider_events *events;
	void *user;
};

extern const struct provider_ops provider_hosts, provider_local;

/* NULL if there is no provider of that name. */
const struct provider_ops *provider_find(const char *name);

/* "hosts, local", for sentences; n is the buffer's size. */
const char *provider_names(char *text, size_t n);

int provider_adopt(struct provider *p, struct error *err);
int provider_hold(struct provider *p, unsigned executors, struct error *err);
struct provider *provider_destroy(struct provider *p); /* returns NULL */

DEFINE_CLEANUP(struct provider, provider_destroy)

#endif
