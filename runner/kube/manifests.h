/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_KUBE_MANIFESTS_H
#define RUNNER_KUBE_MANIFESTS_H

/*
 * The objects that a job in a cluster is made of
 *
 * Pure: a template, manifests.json, is filled in.  It is data, so that it
 * can be read, and compared, as the manifests that it is:
 *
 *     "@NAME@"      anywhere in a text: a word of the job; a text of a list or
 *                   an object is left out if its word is not given
 *     "#WORKERS#"   a text of its own: a number of the job
 *     "@executor@"  likewise: another part of the template, filled in
 *     "for"         when an object is wanted: plain, volcano, claim,
 *                   scheduler; else always
 */

#include "base/cleanup.h"
#include "jobfile/jobfile.h"
#include "kube/kube.h"
#include "runner/keys.h"

#include <stdbool.h>

enum { KUBE_OBJECTS_MAX = 24 };

/* All borrowed. */
struct kube_wish {
	const struct jobfile *job; /* as the pods are to understand it, */
	const char *text;          /* and its text */
	const char *namespace, *token, *image;
	const struct keys *keys;
	const char *mode;          /* "pods", "replicas"; NULL: pods */
	const char *cpu;           /* NULL: a core for each rank */
	const char *memory;        /* NULL: not said */
	const char *claim;         /* that is there; NULL: NAME-data is made */
	const char *storage;       /* NULL: 1Gi */
	const char *storage_class; /* NULL: the cluster's */
	unsigned want, grant;      /* ranks, as stated; 0: not stated */
	const char *run_id;        /* a label of all objects; NULL: none */
	bool plain;                /* without Volcano */
};

/* What was said of it by words: 0, or -EINVAL with a sentence that names the
 * option. */
int kube_wish_check(const struct kube_wish *wish, struct error *err);

/* Whether that job can have what was said, of which only job, cpu and memory
 * are looked at: likewise. */
int kube_wish_check_job(const struct kube_wish *wish, struct error *err);

struct kube_object {
	const struct kube_kind *kind;
	cJSON *object;
	const char *name; /* of the object */
	bool shared;      /* may be there before, and stays when the job goes */
};

/* In the order in which they are to be made. */
struct kube_objects {
	struct kube_object at[KUBE_OBJECTS_MAX];
	size_t n;
	size_t owner; /* the Job, which owns the others that are not shared */
	char uid[64]; /* its, once it was made; else "" */
};

int kube_objects_create(struct kube_objects **out, const struct kube_wish *wish,
			struct error *err);
struct kube_objects *kube_objects_destroy(struct kube_objects *objects);

DEFINE_CLEANUP(struct kube_objects, kube_objects_destroy)

/* The merge patch that makes the Job of objects, which was made, the owner. */
cJSON *kube_owned_by(const struct kube_objects *objects);

/* "0.5", "500m", "2Gi": a quantity of Kubernetes. */
bool kube_is_quantity(const char *text);

#endif
