/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/kube/manifests.h"

#include "base/list.h"
#include "runner/kube/coordinator_pod.h"

#include <errno.h>
#include <string.h>

extern const char kube_manifests_json[];

/* Seconds.  GRACE_MORE: for what comes before and after a checkpoint;
 * GRACE_END: of that, for an executor to end what was not saved, and as much
 * again for the coordinator to see it. */
enum {
	TEXTS = 28,
	NUMBERS = 4,
	GRACE_MORE = 60,
	GRACE_END = 5,
	GRACE_MOST = 86400, /* that bellows-executor takes */
};

static const struct kube_kind accounts = {"", "v1", "serviceaccounts"};
static const struct kube_kind claims = {"", "v1", "persistentvolumeclaims"};
static const struct kube_kind roles = {"rbac.authorization.k8s.io", "v1",
				       "roles"};
static const struct kube_kind bindings = {"rbac.authorization.k8s.io", "v1",
					  "rolebindings"};
static const struct kube_kind networks = {"networking.k8s.io", "v1",
					  "networkpolicies"};
static const struct kube_kind budgets = {"policy", "v1",
					 "poddisruptionbudgets"};

/* clang-format off */
static const struct {
	const char *version, *kind;
	const struct kube_kind *is;
} kinds[] = {
	{ "v1", "Secret", &kube_secrets },
	{ "v1", "ConfigMap", &kube_configmaps },
	{ "v1", "Service", &kube_services },
	{ "v1", "PodTemplate", &kube_podtemplates },
	{ "v1", "ServiceAccount", &accounts },
	{ "v1", "PersistentVolumeClaim", &claims },
	{ "rbac.authorization.k8s.io/v1", "Role", &roles },
	{ "rbac.authorization.k8s.io/v1", "RoleBinding", &bindings },
	{ "networking.k8s.io/v1", "NetworkPolicy", &networks },
	{ "policy/v1", "PodDisruptionBudget", &budgets },
	{ "batch/v1", "Job", &kube_jobs },
	{ "batch.volcano.sh/v1alpha1", "Job", &kube_vcjobs },
};
/* clang-format on */

/* The affinity of executors to each other, in manifests.json.  Volcano's
 * scheduler does not follow spread constraints by hostname: its score of a node
 * does not see the pods there. */
static const char *const affinities[] = {
	[PROFILE_UNKNOWN] = NULL,
	[PROFILE_NETWORK] = "together",
	[PROFILE_CPU] = "apart",
	[PROFILE_MEMORY] = "apart",
};

/* A template being filled in. */
struct filling {
	const struct kube_wish *wish;
	const cJSON *template;
	struct {
		const char *key, *text;
	} texts[TEXTS];
	struct {
		const char *key;
		unsigned number;
	} numbers[NUMBERS];
	char claim[64], coordinator[128], slots[16];
	char leave[16], hand_over[16], want[16], grant[16];
	const char *role; /* of the pod at hand; NULL: none */
};

/* ---- what there is to fill in ---- */

static bool is_below_data(const char *path)
{
	return strncmp(path, "/data", 5) == 0 && (!path[5] || path[5] == '/');
}

static unsigned executors_for(const struct jobfile *job, unsigned ranks)
{
	return (ranks + job->ranks_per_executor - 1) / job->ranks_per_executor;
}

static void set_names(struct filling *f)
{
	const struct kube_wish *wish = f->wish;
	const char *name = wish->job->name;

	snprintf(f->claim, sizeof(f->claim), "%s-data", name);
	/* Volcano's plugin svc names pods by their Job's Service */
	if (wish->plain)
		snprintf(f->coordinator, sizeof(f->coordinator), "%s:7000",
			 name);
	else
		snprintf(f->coordinator, sizeof(f->coordinator),
			 "%s-master-0.%s:7000", name, name);
	snprintf(f->slots, sizeof(f->slots), "%u",
		 wish->job->ranks_per_executor);
	snprintf(f->want, sizeof(f->want), "%u", wish->want);
	snprintf(f->grant, sizeof(f->grant), "%u", wish->grant);
}

/* Ranks that it begins with. */
static unsigned first_ranks(const struct kube_wish *wish)
{
	unsigned want = wish->want ? wish->want : wish->job->ranks.initial;

	return wish->grant > 0 && wish->grant < want ? wish->grant : want;
}

/* Seconds of a pod's grace: a checkpoint has to be written in them. */
static unsigned grace_of(const struct jobfile *job)
{
	return (unsigned)(job->checkpoint_deadline / 1000) + GRACE_MORE;
}

/* What is left of it for a checkpoint, if so much is kept back. */
static void set_grace(char out[16], const struct jobfile *job, unsigned back)
{
	unsigned left = grace_of(job) - back;

	snprintf(out, 16, "%u", left < GRACE_MOST ? left : GRACE_MOST);
}

static void set_values(struct filling *f)
{
	const struct kube_wish *wish = f->wish;
	const struct jobfile *job = wish->job;
	const char *checkpoint = job->app.checkpoint_dir;
	const struct tls_identity *keys = wish->keys->of;
	unsigned fewest = executors_for(job, job->ranks.min);

	set_names(f);
	set_grace(f->leave, job, GRACE_END);
	set_grace(f->hand_over, job, 2 * GRACE_END);
	/* clang-format off */
	const struct filling values = {
		.texts = {
			{ "NAME", job->name },
			{ "NAMESPACE", wish->namespace },
			{ "TOKEN", wish->token },
			{ "JOB", wish->text },
			{ "IMAGE", wish->image },
			{ "MODE", wish->mode },
			{ "DIR", is_below_data(job->app.dir) ? job->app.dir
							    : checkpoint },
			{ "CHECKPOINT", checkpoint },
			{ "STORAGE", wish->storage ? wish->storage : "1Gi" },
			{ "CLAIM", wish->claim ? wish->claim : f->claim },
			{ "COORDINATOR", f->coordinator },
			{ "SLOTS", f->slots },
			{ "WANT", wish->want ? f->want : NULL },
			{ "GRANT", wish->grant ? f->grant : NULL },
			{ "LEAVE", f->leave },
			{ "HAND_OVER", f->hand_over },
			{ "CA", keys[ROLE_CLIENT].ca },
			{ "COORDINATOR_CERT", keys[ROLE_COORDINATOR].cert },
			{ "COORDINATOR_KEY", keys[ROLE_COORDINATOR].key },
			{ "EXECUTOR_CERT", keys[ROLE_EXECUTOR].cert },
			{ "EXECUTOR_KEY", keys[ROLE_EXECUTOR].key },
			{ "MONITOR_CERT", keys[ROLE_MONITOR].cert },
			{ "MONITOR_KEY", keys[ROLE_MONITOR].key },
			{ "CLIENT_CERT", keys[ROLE_CLIENT].cert },
			{ "CLIENT_KEY", keys[ROLE_CLIENT].key },
			{ "SCHEDULER_CERT", keys[ROLE_SCHEDULER].cert },
			{ "SCHEDULER_KEY", keys[ROLE_SCHEDULER].key },
			{ "affinity", affinities[job->profile] },
		},
		.numbers = {
			{ "GRACE", grace_of(job) },
			{ "WORKERS", executors_for(job, first_ranks(wish)) },
			{ "FEWEST", fewest },
			/* with coordinator and monitor */
			{ "GANG", fewest + 2 },
		},
	};
	/* clang-format on */

	memcpy(f->texts, values.texts, sizeof(f->texts));
	memcpy(f->numbers, values.numbers, sizeof(f->numbers));
}

/* ---- filling ---- */

static cJSON *fill(struct filling *f, const cJSON *node);

static const char *text_of(const struct filling *f, const char *key, size_t n)
{
	for (size_t i = 0; i < TEXTS && f->texts[i].key; i++)
		if (strlen(f->texts[i].key) == n &&
		    memcmp(f->texts[i].key, key, n) == 0)
			return f->texts[i].text;
	return NULL;
}

/* A word of the text was not given. */
static bool lacks_word(const struct filling *f, const cJSON *node)
{
	char word[32];

	for (size_t i = 0; cJSON_IsString(node) && i < TEXTS; i++) {
		snprintf(word, sizeof(word), "@%s@", f->texts[i].key);
		if (!f->texts[i].text && strstr(node->valuestring, word))
			return true;
	}
	return false;
}

static cJSON *fill_text(const struct filling *f, const char *text)
{
	CLEANUP(free) char *filled = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&filled, &size);

	if (!to)
		return NULL;
	while (*text) {
		size_t n = strcspn(text, "@");
		const char *end = text[n] ? strchr(text + n + 1, '@') : NULL;
		const char *value = end ? text_of(f, text + n + 1,
						  (size_t)(end - text) - n - 1)
					: NULL;

		fwrite(text, 1, n, to);
		if (value)
			fputs(value, to);
		else if (text[n])
			fputc('@', to);
		text = value ? end + 1 : text + n + (text[n] == '@');
	}
	return fclose(to) == 0 ? cJSON_CreateString(filled) : NULL;
}

static cJSON *fill_labels(const struct filling *f)
{
	cJSON *labels = cJSON_CreateObject();
	const char *name = f->wish->job->name;

	cJSON_AddStringToObject(labels, KUBE_JOB, name);
	if (f->wish->run_id)
		cJSON_AddStringToObject(labels, KUBE_RUN, f->wish->run_id);
	if (f->role)
		cJSON_AddStringToObject(labels, KUBE_ROLE, f->role);
	return labels;
}

static void add_resources(cJSON *resources, const struct filling *f,
			  const char *kind)
{
	const struct kube_wish *wish = f->wish;
	cJSON *quantities = cJSON_AddObjectToObject(resources, kind);

	cJSON_AddStringToObject(quantities, "cpu",
				wish->cpu ? wish->cpu : f->slots);
	if (wish->memory)
		cJSON_AddStringToObject(quantities, "memory", wish->memory);
}

/* No limit: a rank that is throttled holds up all others.  Limits that are
 * equal to the requests make the pod Guaranteed, and with whole processors the
 * kubelet gives it some of its own, on which nothing is throttled. */
static cJSON *fill_resources(const struct filling *f)
{
	cJSON *resources = cJSON_CreateObject();

	add_resources(resources, f, "requests");
	if (f->wish->job->exclusive)
		add_resources(resources, f, "limits");
	return resources;
}

static cJSON *fill_verbs(const struct filling *f)
{
	cJSON *verbs = cJSON_CreateArray();

	cJSON_AddItemToArray(verbs, cJSON_CreateString("get"));
	if (strcmp(f->wish->mode, "replicas") == 0)
		cJSON_AddItemToArray(verbs, cJSON_CreateString("patch"));
	return verbs;
}

static const cJSON *find_part(const struct filling *f, const char *word)
{
	const cJSON *in = f->template;
	const char *variant = NULL;

	if (strcmp(word, "arguments") == 0)
		variant = f->wish->plain ? "plain" : "volcano";
	else if (strcmp(word, "affinity") == 0)
		variant = affinities[f->wish->job->profile];
	if (variant) {
		in = cJSON_GetObjectItemCaseSensitive(in, word);
		word = variant;
	}
	return cJSON_GetObjectItemCaseSensitive(in, word);
}

/* The volume is there already; what is within has to be made. */
static bool needs_folders(const struct jobfile *job)
{
	return strcmp(job->app.checkpoint_dir, "/data") != 0 ||
	       (is_below_data(job->app.dir) &&
		strcmp(job->app.dir, "/data") != 0);
}

/* "@word@": a part, and NULL if it is no such word. */
static cJSON *fill_part(struct filling *f, const char *text)
{
	size_t n = strlen(text);
	const char *before = f->role;
	const cJSON *part;
	char word[32];
	cJSON *filled;

	if (n < 3 || n > sizeof(word) || text[0] != '@' || text[n - 1] != '@')
		return NULL;
	snprintf(word, sizeof(word), "%.*s", (int)n - 2, text + 1);
	if (strcmp(word, "labels") == 0)
		return fill_labels(f);
	if (strcmp(word, "resources") == 0)
		return fill_resources(f);
	if (strcmp(word, "verbs") == 0)
		return fill_verbs(f);
	if (strcmp(word, "folders") == 0 && !needs_folders(f->wish->job))
		return cJSON_CreateArray();
	part = cJSON_GetObjectItemCaseSensitive(
		cJSON_GetObjectItemCaseSensitive(f->template, "pods"), word);
	if (part)
		f->role = part->string;
	else
		part = find_part(f, word);
	filled = part ? fill(f, part) : NULL;
	f->role = before;
	return filled;
}

static cJSON *fill_number(const struct filling *f, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i < NUMBERS; i++)
		if (text[0] == '#' && strlen(f->numbers[i].key) + 2 == n &&
		    memcmp(text + 1, f->numbers[i].key, n - 2) == 0)
			return cJSON_CreateNumber(f->numbers[i].number);
	return NULL;
}

static cJSON *fill(struct filling *f, const cJSON *node)
{
	cJSON *filled = NULL, *child;
	const cJSON *at;

	if (cJSON_IsString(node)) {
		filled = fill_number(f, node->valuestring);
		if (!filled)
			filled = fill_part(f, node->valuestring);
		return filled ? filled : fill_text(f, node->valuestring);
	}
	if (!cJSON_IsObject(node) && !cJSON_IsArray(node))
		return cJSON_Duplicate(node, true);
	filled = cJSON_IsArray(node) ? cJSON_CreateArray()
				     : cJSON_CreateObject();
	cJSON_ArrayForEach(at, node)
	{
		if (lacks_word(f, at))
			continue;
		child = fill(f, at);
		if (cJSON_IsArray(node))
			cJSON_AddItemToArray(filled, child);
		else
			cJSON_AddItemToObject(filled, at->string, child);
	}
	return filled;
}

/* ---- objects ---- */

static bool is_wanted(const struct kube_wish *wish, const cJSON *object)
{
	const char *when = kube_text(object, "for");

	if (!when)
		return true;
	if (strcmp(when, "claim") == 0)
		return !wish->claim;
	if (strcmp(when, "scheduler") == 0)
		return wish->keys->of[ROLE_SCHEDULER].cert != NULL;
	return wish->plain == (strcmp(when, "plain") == 0);
}

static const struct kube_kind *kind_of(const cJSON *object)
{
	const char *version = kube_text(object, "apiVersion");
	const char *kind = kube_text(object, "kind");

	for (size_t i = 0; i < LENGTH(kinds); i++)
		if (version && kind && strcmp(kinds[i].version, version) == 0 &&
		    strcmp(kinds[i].kind, kind) == 0)
			return kinds[i].is;
	return NULL;
}

static int add(struct kube_objects *objects, struct filling *f,
	       const cJSON *template)
{
	struct kube_object *object = &objects->at[objects->n];
	cJSON *metadata;

	if (objects->n == KUBE_OBJECTS_MAX)
		return -ENOBUFS;
	object->object = fill(f, template);
	if (!object->object)
		return -ENOMEM;
	objects->n++;
	cJSON_DeleteItemFromObject(object->object, "for");
	object->kind = kind_of(object->object);
	object->name = kube_text(object->object, "metadata.name");
	object->shared = object->kind == &claims;
	metadata = cJSON_GetObjectItemCaseSensitive(object->object, "metadata");
	if (!object->kind || !object->name ||
	    !cJSON_AddStringToObject(metadata, "namespace",
				     f->wish->namespace) ||
	    !cJSON_AddItemToObject(metadata, "labels", fill_labels(f)))
		return -ENOMEM;
	if (object->shared && f->wish->storage_class)
		cJSON_AddStringToObject(cJSON_GetObjectItemCaseSensitive(
						object->object, "spec"),
					"storageClassName",
					f->wish->storage_class);
	if (strcmp(object->name, f->wish->job->name) == 0 &&
	    (object->kind == &kube_jobs || object->kind == &kube_vcjobs))
		objects->owner = objects->n - 1;
	return 0;
}

int kube_objects_create(struct kube_objects **out, const struct kube_wish *wish,
			struct error *err)
{
	CLEANUP(kube_objects_destroy)
	struct kube_objects *objects = calloc(1, sizeof(*objects));
	cJSON *template = cJSON_Parse(kube_manifests_json);
	struct filling f = {.wish = wish, .template = template};
	const cJSON *at;
	int r = objects && template ? 0 : -ENOMEM;

	set_values(&f);
	cJSON_ArrayForEach(
		at,
		kube_at(template, "objects")) if (r == 0 && is_wanted(wish, at))
		r = add(objects, &f, at);
	cJSON_Delete(template);
	if (r < 0)
		return error_set(err, r, "out of memory");
	*out = STEAL(objects);
	return 0;
}

struct kube_objects *kube_objects_destroy(struct kube_objects *objects)
{
	if (!objects)
		return NULL;
	for (size_t i = 0; i < objects->n; i++)
		cJSON_Delete(objects->at[i].object);
	free(objects);
	return NULL;
}

cJSON *kube_owned_by(const struct kube_objects *objects)
{
	static const char *const from[][2] = {
		{"apiVersion", "apiVersion"},
		{"kind", "kind"},
		{"name", "metadata.name"},
	};
	const cJSON *owner = objects->at[objects->owner].object;
	cJSON *patch = cJSON_CreateObject();
	cJSON *metadata = cJSON_AddObjectToObject(patch, "metadata");
	cJSON *all = cJSON_AddArrayToObject(metadata, "ownerReferences");
	cJSON *one = cJSON_CreateObject();

	cJSON_AddItemToArray(all, one);
	for (size_t i = 0; i < LENGTH(from); i++) {
		const char *text = kube_text(owner, from[i][1]);

		cJSON_AddStringToObject(one, from[i][0], text ? text : "");
	}
	cJSON_AddStringToObject(one, "uid", objects->uid);
	return patch;
}
