/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MONITOR_OWNER_H
#define MONITOR_OWNER_H

/*
 * Whose job it is in the cluster, and the pods it means executors to be
 *
 * A Volcano Job has them as one of its tasks; pods of our own follow the same
 * template and carry the labels and annotations that put them into the Job's
 * network policy, headless Service and PodGroup.  Volcano's job controller
 * passes over pods whose owner is not their controller, so they count for its
 * scheduler and not for its policies.
 *
 * A batch Job or a bare pod has a PodTemplate beside it.
 */

#include "base/cleanup.h"
#include "monitor/pod_pool.h"

#include <cjson/cJSON.h>

enum owner_kind { OWNER_VCJOB, OWNER_JOB, OWNER_POD };

enum { OWNER_NAME_MAX = 48 }; /* so that -bellows-4095 still fits a host name */

/* "vcjob/heat" */
struct owner_name {
	enum owner_kind kind;
	char name[OWNER_NAME_MAX + 1];
};

/* -EINVAL with a sentence. */
int owner_parse(struct owner_name *out, const char *text, struct error *err);

struct owner {
	struct owner_name ref;
	char *task;        /* of a Volcano Job */
	char *coordinator; /* "host:port", for templates that name none */
	cJSON *object;     /* as it was read last; NULL: it was not */
	cJSON *podtemplate;
};

/* Copies. */
int owner_init(struct owner *owner, const struct owner_name *ref,
	       const char *task, const char *coordinator);
void owner_fini(struct owner *owner);

/* Takes a copy of what the API shows.  -EINVAL with a sentence if it cannot be
 * used: then it stays as it was. */
int owner_read(struct owner *owner, const cJSON *object, struct error *err);
int owner_read_template(struct owner *owner, const cJSON *podtemplate,
			struct error *err);

const char *owner_uid(const struct owner *owner);

/* The replicas of the task; 0 if there is none. */
unsigned owner_replicas(const struct owner *owner);
/* The fewest that the task may have. */
unsigned owner_floor(const struct owner *owner);

/* A policy that ends or restarts more than the pod that is evicted, in one
 * sentence; "" if there is none. */
void owner_object_to(const struct owner *owner, char text[POD_POOL_TEXT_MAX]);

/* A pod of our own; NULL: out of memory. */
cJSON *owner_make_pod(const struct owner *owner, const char *name);

/* A merge patch to that many replicas of the task, only of the owner as it was
 * read last; NULL: out of memory. */
cJSON *owner_make_patch(const struct owner *owner, unsigned replicas);

#endif
