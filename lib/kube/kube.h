/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KUBE_KUBE_H
#define KUBE_KUBE_H

/*
 * A client of the Kubernetes API: the verbs that we use, and no more
 *
 * A call is tried again while that may help and is safe: without a connection,
 * on 429 and on 5xx, not before Retry-After, with backoff and jitter, until its
 * deadline; on 401 once, with the token read anew.  A create is safe because
 * names are ours: AlreadyExists after a try that got no answer is an answer.
 *
 * Objects are cJSON trees.  Whatever is refused ends in one sentence that names
 * verb, resource, namespace and name, and what would be right:
 *
 *     create pods in namespace heat: forbidden for
 *     system:serviceaccount:heat:bellows-monitor; its role needs the verb
 *     "create" on "pods"
 */

#include "base/cleanup.h"
#include "base/error.h"
#include "base/time.h"
#include "http/http.h"
#include "loop/loop.h"

#include <cjson/cJSON.h>

struct kube;
struct kube_call;

/* Where the API is, and our credentials; config.c.  Outlives its users. */
struct kube_config;

/* file NULL: $KUBECONFIG, the service account of a pod, ~/.kube/config, the
 * first of these that is there.  context NULL: the file's current one; else it
 * is a file's, and the service account is passed over. */
int kube_config_load(struct kube_config **out, const char *file,
		     const char *context, struct error *err);
struct kube_config *kube_config_destroy(struct kube_config *config);

/* The namespace of the context or the service account, else "default". */
const char *kube_config_namespace(const struct kube_config *config);

DEFINE_CLEANUP(struct kube_config, kube_config_destroy)

int kube_create(struct kube **out, struct loop *loop,
		const struct kube_config *config, struct error *err);

/* Ends calls without a word; watches have been stopped.  Returns NULL. */
struct kube *kube_destroy(struct kube *kube);

DEFINE_CLEANUP(struct kube, kube_destroy)

/* A kind of object: {"", "v1", "pods"}, {"batch.volcano.sh", "v1alpha1",
 * "jobs"}.  Strings outlive their calls. */
struct kube_kind {
	const char *group; /* "": core */
	const char *version;
	const char *plural;
};

extern const struct kube_kind kube_pods, kube_services, kube_secrets,
	kube_configmaps, kube_podtemplates, kube_jobs, kube_vcjobs,
	kube_podgroups, kube_events;

struct kube_target {
	const struct kube_kind *kind;
	const char *namespace;
	const char *name;        /* NULL: all, or the object's own */
	const char *subresource; /* "status"; NULL: none */
	const char *query;       /* "labelSelector=a%3Db"; NULL: none */
};

/*
 * r: 0 and the object (of a delete too), or
 *   -ENOENT     there is no such object, or no such kind
 *   -EEXIST     one of that name was there already
 *   -EAGAIN     it was changed meanwhile: read again, decide again
 *   -EACCES     RBAC lacks something, or we are not known
 *   -EDQUOT     a quota is used up
 *   -EINVAL     the API refuses what was sent
 *   -ETIMEDOUT, -ECONNREFUSED   no answer until the deadline
 *   -EIO        anything else
 * text: the sentence, "" for 0.  code: of HTTP, 0 for none.
 */
struct kube_answer {
	int r;
	int code;
	const cJSON *object; /* NULL unless r is 0 */
	const char *text;
};

/* Once, never from within the call that asked; the kube_call is freed after
 * it. */
typedef void (*kube_answer_f)(void *user, const struct kube_answer *answer);

#define KUBE_DEADLINE SECONDS(30) /* what calls wait for by default */

/* out of each is optional; all else is copied.  deadline 0: KUBE_DEADLINE. */
int kube_get(struct kube *kube, struct kube_call **out,
	     const struct kube_target *target, msec_t deadline,
	     kube_answer_f fn, void *user, struct error *err);
int kube_create_object(struct kube *kube, struct kube_call **out,
		       const struct kube_target *target, const cJSON *object,
		       msec_t deadline, kube_answer_f fn, void *user,
		       struct error *err);

/* JSON merge patch; with metadata.resourceVersion in it, only of that one. */
int kube_patch(struct kube *kube, struct kube_call **out,
	       const struct kube_target *target, const cJSON *patch,
	       msec_t deadline, kube_answer_f fn, void *user,
	       struct error *err);

/* Strategic merge patch: items of a list, such as containers, are merged by
 * their names. */
int kube_patch_items(struct kube *kube, struct kube_call **out,
		     const struct kube_target *target, const cJSON *patch,
		     msec_t deadline, kube_answer_f fn, void *user,
		     struct error *err);

/* uid: only the object that has it; NULL: any.  grace in seconds; negative: the
 * object's own. */
int kube_delete(struct kube *kube, struct kube_call **out,
		const struct kube_target *target, const char *uid, int grace,
		msec_t deadline, kube_answer_f fn, void *user,
		struct error *err);

/* The answer does not come any more; what was sent may still be done.  Returns
 * NULL; NULL is nothing. */
struct kube_call *kube_cancel(struct kube_call *call);

/* ---- watching ---- */

enum kube_change {
	KUBE_THERE, /* of a list, or new, or changed */
	KUBE_GONE,
};

/*
 * Listed, then watched from there on; the list is made anew when the server has
 * forgotten what we have seen (410).  After the objects of each list comes
 * listed(): what was known and did not come before it is gone, without
 * another event.  trouble() when it is refused or cannot be reached, once
 * for as long as the sentence is the same and nothing succeeds; it is tried
 * again with backoff.  listing() is before the first object of a list;
 * optional, and does not stop the watch.
 */
struct kube_watch_events {
	void (*listing)(void *user);
	void (*object)(void *user, enum kube_change change,
		       const cJSON *object);
	void (*listed)(void *user);
	void (*trouble)(void *user, const struct kube_answer *answer);
};

struct kube_watch;

/* target->query narrows it; target->name is NULL.  Borrows events. */
int kube_watch_start(struct kube_watch **out, struct kube *kube,
		     const struct kube_target *target,
		     const struct kube_watch_events *events, void *user,
		     struct error *err);
struct kube_watch *kube_watch_stop(struct kube_watch *watch); /* NULL */

/* ---- reading objects ---- */

/* The text at "metadata.name" or "status.conditions.0.reason"; NULL if there is
 * none. */
const char *kube_text(const cJSON *object, const char *path);
/* The text at key in the object at path; dots in key are part of it, as those
 * in names of labels are. */
const char *kube_text_in(const cJSON *object, const char *path,
			 const char *key);
const cJSON *kube_at(const cJSON *object, const char *path);
/* otherwise: if there is none */
long kube_number(const cJSON *object, const char *path, long otherwise);

/* What base64 stands for, as a text: a value of a Secret.  -EINVAL if it is
 * none. */
int kube_decode(char **out, const char *base64, struct error *err);

/* ---- telling ---- */

/* What `kubectl describe` shows below the object regarding: an Event of
 * events.k8s.io/v1.  note is cut at 1024 bytes.  A failure is not logged: fn
 * gets it; NULL: it is dropped. */
struct kube_event {
	const cJSON *regarding; /* with apiVersion, kind and metadata */
	const char *type;       /* "Normal", "Warning" */
	const char *reason;     /* "ScaleRequested" */
	const char *action;     /* "Scale" */
	const char *note;
};

int kube_post_event(struct kube *kube, const struct kube_event *event,
		    kube_answer_f fn, void *user, struct error *err);

#endif
