/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/run_kube.h"

#include "base/file.h"
#include "base/list.h"
#include "cli/commands/jobfile_from_args.h"
#include "cli/commands/run_view.h"
#include "cli/exit_code.h"
#include "jobfile/exit.h"
#include "runner/keys.h"
#include "runner/kube/begin.h"
#include "runner/kube/follow.h"
#include "runner/kube/job.h"
#include "json/json.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* The job, from its file to what is made of it. */
struct kube_order {
	const struct args *args;
	const struct output *output;
	struct kube_job job;
	struct token token;
	struct keys keys;
	char image[512];
	struct kube_objects *objects;
	struct loop *loop;
	struct reach *reach;
	bool stop; /* a signal has asked for it */
};

/* ---- what was asked for ---- */

/* The text of the job file, or of the one that the options stand for.  Returns
 * 0 or an exit status. */
static int read_text(char **out, const struct args *args, struct error *err)
{
	CLEANUP(jobfile_destroy) struct jobfile *job = NULL;

	if (!args->words.n)
		return jobfile_from_args(out, args, KUBE_DATA, err) < 0
			       ? EXIT_USAGE
			       : 0;
	if (jobfile_read(&job, args->words.at[0], NULL, err) < 0)
		return EXIT_JOBFILE;
	*out = strdup(job->text);
	if (*out)
		return 0;
	error_set(err, -ENOMEM, "out of memory");
	return EXIT_INTERNAL;
}

static int read_job(struct kube_order *order, struct error *err)
{
	const struct args *args = order->args;
	const char *path = args->words.n ? args->words.at[0] : "command line";
	CLEANUP(free) char *text = NULL;
	int code = read_text(&text, args, err);

	if (code != 0)
		return code;
	return kube_job_parse(&order->job, path, text, err) < 0 ? EXIT_JOBFILE
								: 0;
}

static struct kube_wish wish_of(const struct kube_order *order)
{
	const struct args *args = order->args;

	return (struct kube_wish){
		.job = order->job.job,
		.text = order->job.text,
		.token = order->token.text,
		.keys = &order->keys,
		.image = args->image     ? args->image
			 : *order->image ? order->image
					 : NULL,
		.mode = args->mode ? args->mode : "pods",
		.cpu = args->cpu,
		.memory = args->memory,
		.claim = args->claim,
		.storage = args->storage,
		.storage_class = args->storage_class,
		.want = args->want,
		.grant = args->grant,
		.run_id = args->run_id,
		.plain = args->plain,
	};
}

/* Returns 0 or an exit status. */
static int prepare(struct kube_order *order, struct error *err)
{
	const struct args *args = order->args;
	struct kube_wish wish = wish_of(order);
	int code;

	if (kube_wish_check(&wish, err) < 0)
		return EXIT_USAGE;
	code = read_job(order, err);
	if (code != 0)
		return code;
	wish.job = order->job.job;
	if (kube_wish_check_job(&wish, err) < 0 ||
	    jobfile_check_stated(wish.job, args->want, args->grant, err) < 0)
		return EXIT_USAGE;
	if (args->timeline && file_check(args->timeline, err) < 0)
		return EXIT_SYSTEM;
	if (args->lookup.token_file &&
	    token_read(&order->token, args->lookup.token_file, err) < 0)
		return EXIT_USAGE;
	if (!args->lookup.token_file && token_make(&order->token, err) < 0)
		return EXIT_SYSTEM;
	if (args->lookup.tls &&
	    keys_read(&order->keys, args->lookup.tls, err) < 0)
		return EXIT_USAGE;
	if (!args->lookup.tls && keys_make(&order->keys, order->job.job->name,
					   args->lifetime, err) < 0)
		return EXIT_SYSTEM;
	snprintf(order->image, sizeof(order->image), "localhost/bellows-%s:dev",
		 order->job.job->adapter->name);
	return 0;
}

/* ---- printing ---- */

/* A List, as `kubectl apply -f -` takes it. */
static int print(struct kube_order *order, struct error *err)
{
	const char *namespace = order->args->lookup.namespace;
	cJSON *list = cJSON_CreateObject(), *items;
	struct kube_wish wish = wish_of(order);

	wish.namespace = namespace ? namespace : "default";
	if (kube_objects_create(&order->objects, &wish, err) < 0)
		return EXIT_INTERNAL;
	cJSON_AddStringToObject(list, "apiVersion", "v1");
	cJSON_AddStringToObject(list, "kind", "List");
	items = cJSON_AddArrayToObject(list, "items");
	for (size_t i = 0; i < order->objects->n; i++)
		cJSON_AddItemReferenceToArray(items,
					      order->objects->at[i].object);
	json_print(stdout, list);
	return EXIT_DONE;
}

/* ---- making ---- */

static void say(void *user, const char *sentence)
{
	const struct kube_order *order = user;
	const struct event event = {.kind = EVENT_MESSAGE, .text = sentence};

	if (order->args->quiet)
		return;
	order->output->event(order->args->json ? stdout : stderr, &event);
	fflush(stdout);
}

static void on_signal(void *user, int signo, pid_t sender)
{
	struct kube_order *order = user;

	order->stop = true;
}

static int make(struct kube_order *order, struct error *err)
{
	static const int signals[] = {SIGINT, SIGTERM};
	struct kube_wish wish = wish_of(order);
	struct begin_config config = {
		.stop = &order->stop,
		.say = say,
		.user = order,
	};
	int r = loop_create(&order->loop, err);

	if (r == 0)
		r = reach_create(&order->reach, order->loop,
				 &order->args->lookup, err);
	for (size_t i = 0; r == 0 && i < LENGTH(signals); i++)
		r = loop_signal_add(order->loop, signals[i], on_signal, order,
				    err);
	config.loop = order->loop;
	config.reach = order->reach;
	return r < 0 ? r : kube_begin(&order->objects, &config, &wish, err);
}

/* ---- following ---- */

static int follow(struct kube_order *order)
{
	struct run_view view = {.args = order->args, .output = order->output};
	const struct follow_config config = {
		.job = order->job.job,
		.objects = order->objects,
		.reach = order->reach,
	};
	struct error err;
	int code, r = view_begin(&view, order->loop, &err);

	if (r == 0)
		r = follow_start(&view.run, order->loop, &config,
				 &run_view_events, &view, &err);
	code = r < 0 ? output_fail(order->output, EXIT_SYSTEM, "%s", err.text)
		     : view_follow(&view);
	view_end(&view);
	return code;
}

static int detach(struct kube_order *order)
{
	const char *name = order->job.job->name;
	char text[512];

	snprintf(text, sizeof(text),
		 "job %s runs in namespace %s: 'bellows watch %s --on kube%s' "
		 "follows it",
		 name, reach_namespace(order->reach), name,
		 reach_words(order->reach));
	say(order, text);
	return EXIT_DONE;
}

static void order_fini(struct kube_order *order)
{
	reach_destroy(order->reach);
	if (order->loop)
		loop_destroy(order->loop);
	kube_objects_destroy(order->objects);
	kube_job_fini(&order->job);
	explicit_bzero(&order->token, sizeof(order->token));
	keys_fini(&order->keys);
}

int run_kube(const struct args *args, const struct output *output)
{
	struct kube_order order = {.args = args, .output = output};
	struct error err;
	int r, code = prepare(&order, &err);

	if (code == 0 && args->print) {
		code = print(&order, &err);
	} else if (code == 0) {
		r = make(&order, &err);
		code = r < 0 ? exit_code_of_making(r) : 0;
	}
	if (code != 0)
		output_fail(output, code, "%s", err.text);
	else if (!args->print)
		code = args->detach ? detach(&order) : follow(&order);
	order_fini(&order);
	return code;
}
