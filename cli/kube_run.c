/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kube_run.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/exit_code.h"
#include "cli/kube_follow.h"
#include "cli/kube_job.h"
#include "cli/views/json.h"
#include "jobfile/exit.h"
#include "runner/keys.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>

/* The job, from its file to what is made of it. */
struct start {
	const struct args *args;
	const struct output *output;
	struct kube_job job;
	struct token token;
	struct keys keys;
	char image[512];
	bool plain;
	struct kube_former former;
	struct kube_patience patience;
	struct kube_objects *objects;
	struct loop *loop;
	struct reach *reach;
	struct client client;
	bool stop; /* asked to, by a signal */
};

/* ---- what was asked for ---- */

static int check_quantity(const char *flag, const char *text, const char *such,
			  struct error *err)
{
	if (!text || kube_is_quantity(text))
		return 0;
	return error_set(err, -EINVAL, "--%s: '%s' is no quantity; %s is", flag,
			 text_safe(text).s, such);
}

static bool is_word(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

static int check_words(const struct args *args, struct error *err)
{
	const char *mode = args->mode ? args->mode : "pods";

	if (strcmp(mode, "pods") != 0 && strcmp(mode, "replicas") != 0)
		return error_set(err, -EINVAL,
				 "--mode: '%s' is none; pods or replicas",
				 text_safe(mode).s);
	if (args->plain && strcmp(mode, "replicas") == 0)
		return error_set(err, -EINVAL,
				 "--mode replicas is of Volcano's Job, which "
				 "--plain goes without");
	if (args->claim && (args->storage || args->storage_class))
		return error_set(err, -EINVAL,
				 "--claim names a claim that is there, --%s is "
				 "for one that is made: not both",
				 args->storage ? "storage" : "storage-class");
	if (args->image && (!args->image[0] || !is_word(args->image)))
		return error_set(err, -EINVAL, "--image: '%s' is no image",
				 text_safe(args->image).s);
	return 0;
}

static int check_args(const struct args *args, struct error *err)
{
	int r = check_words(args, err);

	if (r == 0)
		r = check_quantity("cpu", args->cpu, "2 or 500m", err);
	if (r == 0)
		r = check_quantity("memory", args->memory, "2Gi", err);
	if (r == 0)
		r = check_quantity("storage", args->storage, "10Gi", err);
	return r;
}

/* What the API would refuse only when other objects are made. */
static int check_name(const char *name, struct error *err)
{
	if (name[0] != '-' && name[strlen(name) - 1] != '-' &&
	    (name[0] < '0' || name[0] > '9'))
		return 0;
	return error_set(err, -EINVAL,
			 "name: '%s' cannot be that of a Service in a cluster: "
			 "it begins with a letter and does not end with '-'",
			 name);
}

/* Returns 0 or an exit status. */
static int prepare(struct start *start, struct error *err)
{
	const struct args *args = start->args;
	int code;

	if (check_args(args, err) < 0)
		return EXIT_USAGE;
	code = kube_job_read(&start->job, args, err);
	if (code != 0)
		return code;
	if (check_name(start->job.job->name, err) < 0)
		return EXIT_JOBFILE;
	if (args->timeline && file_check(args->timeline, err) < 0)
		return EXIT_SYSTEM;
	if (args->lookup.token_file &&
	    token_read(&start->token, args->lookup.token_file, err) < 0)
		return EXIT_USAGE;
	if (!args->lookup.token_file && token_make(&start->token, err) < 0)
		return EXIT_SYSTEM;
	if (args->lookup.tls &&
	    keys_read(&start->keys, args->lookup.tls, err) < 0)
		return EXIT_USAGE;
	if (!args->lookup.tls && keys_make(&start->keys, start->job.job->name,
					   args->lifetime, err) < 0)
		return EXIT_SYSTEM;
	snprintf(start->image, sizeof(start->image), "localhost/bellows-%s:dev",
		 start->job.job->adapter->name);
	start->plain = args->plain;
	return 0;
}

static int make_objects(struct start *start, const char *namespace,
			struct error *err)
{
	const struct args *args = start->args;
	const struct kube_wish wish = {
		.job = start->job.job,
		.text = start->job.text,
		.namespace = namespace,
		.token = start->token.text,
		.keys = &start->keys,
		.image = args->image ? args->image : start->image,
		.mode = args->mode ? args->mode : "pods",
		.cpu = args->cpu,
		.memory = args->memory,
		.claim = args->claim,
		.storage = args->storage,
		.storage_class = args->storage_class,
		.plain = start->plain,
	};

	return kube_objects_create(&start->objects, &wish, err);
}

/* ---- printing ---- */

static const char *namespace_for(const struct args *args)
{
	return args->lookup.namespace ? args->lookup.namespace : "default";
}

/* A List, as `kubectl apply -f -` takes it. */
static int print(struct start *start, struct error *err)
{
	cJSON *list = cJSON_CreateObject(), *items;

	if (make_objects(start, namespace_for(start->args), err) < 0)
		return EXIT_INTERNAL;
	cJSON_AddStringToObject(list, "apiVersion", "v1");
	cJSON_AddStringToObject(list, "kind", "List");
	items = cJSON_AddArrayToObject(list, "items");
	for (size_t i = 0; i < start->objects->n; i++)
		cJSON_AddItemReferenceToArray(items,
					      start->objects->at[i].object);
	json_print(stdout, list);
	return EXIT_DONE;
}

/* ---- making ---- */

static void say(const struct start *start, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct start *start, const char *fmt, ...)
{
	char text[512];
	const struct event event = {.kind = EVENT_MESSAGE, .text = text};
	va_list ap;

	if (start->args->quiet)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	start->output->event(start->args->json ? stdout : stderr, &event);
	fflush(stdout);
}

static void on_signal(void *user, int signo, pid_t sender)
{
	struct start *start = user;

	start->stop = true;
}

static void tell_waiting(void *user)
{
	const struct start *start = user;

	say(start,
	    "the former run of %s is still ending: waiting for that, %d s at "
	    "most",
	    start->job.job->name, (int)(KUBE_PATIENCE / 1000));
}

static int choose(struct start *start, struct error *err)
{
	const char *mode = start->args->mode;
	int r;

	start->patience.tell = tell_waiting;
	start->patience.user = start;
	r = kube_survey(&start->former, start->reach, start->job.job->name,
			&start->patience, err);
	if (r < 0 || start->plain || start->former.volcano)
		return r;
	if (mode && strcmp(mode, "replicas") == 0)
		return error_set(err, -EINVAL,
				 "--mode replicas is of Volcano's Job, which "
				 "this cluster does not have");
	start->plain = true;
	say(start, "the cluster has no Volcano Jobs: a Job of Kubernetes alone "
		   "is made, as with --plain");
	return 0;
}

static int make(struct start *start, struct error *err)
{
	static const int signals[] = {SIGINT, SIGTERM};
	int r = loop_create(&start->loop, err);

	if (r == 0)
		r = reach_create(&start->reach, start->loop,
				 &start->args->lookup, err);
	if (r == 0)
		r = choose(start, err);
	for (size_t i = 0; r == 0 && i < 2; i++)
		r = loop_signal_add(start->loop, signals[i], on_signal, start,
				    err);
	if (r == 0)
		r = make_objects(start, reach_namespace(start->reach), err);
	if (r == 0 && start->former.kind) {
		say(start,
		    "the former run of %s is over: its Job is replaced, "
		    "its data stay",
		    start->job.job->name);
		r = kube_clear(start->reach, &start->former, start->objects,
			       &start->stop, err);
	}
	if (r == 0)
		r = kube_make(start->reach, start->objects, &start->patience,
			      &start->stop, err);
	return r;
}

static int follow(struct start *start)
{
	const struct kube_follow_config config = {
		.args = start->args,
		.output = start->output,
		.job = start->job.job,
		.objects = start->objects,
		.reach = start->reach,
		.client = &start->client,
	};
	const char *name = start->job.job->name;

	start->client.loop = start->loop;
	snprintf(start->client.name, sizeof(start->client.name), "%s", name);
	if (!start->args->detach)
		return kube_follow(&config);
	say(start,
	    "job %s runs in namespace %s: 'bellows watch %s --on kube%s' "
	    "follows it",
	    name, reach_namespace(start->reach), name,
	    reach_words(start->reach));
	return EXIT_DONE;
}

int kube_run(const struct args *args, const struct output *output)
{
	struct start start = {.args = args, .output = output};
	struct error err;
	int r, code = prepare(&start, &err);

	if (code == 0 && args->print) {
		code = print(&start, &err);
	} else if (code == 0) {
		r = make(&start, &err);
		code = r < 0 ? exit_code_of_making(r) : 0;
	}
	if (code != 0)
		output_fail(output, code, "%s", err.text);
	else if (!args->print)
		code = follow(&start);
	client_close(&start.client);
	reach_destroy(start.reach);
	if (start.loop)
		loop_destroy(start.loop);
	kube_objects_destroy(start.objects);
	kube_job_fini(&start.job);
	explicit_bzero(&start.token, sizeof(start.token));
	keys_fini(&start.keys);
	return code;
}
