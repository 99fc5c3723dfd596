/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The Kubernetes client by hand, for tests
 *
 *     kubetool [--kubeconfig FILE] [--context NAME] [--namespace NS]
 *              [--deadline MSEC] [--times N] VERB KIND ...
 *
 *     get KIND [NAME]             create KIND JSON
 *     patch KIND NAME JSON        delete KIND NAME [UID [GRACE]]
 *     tell KIND NAME REASON NOTE  watch KIND [QUERY]
 *     forward pods NAME PORT PATH
 *
 * An answer is a line "R CODE TEXT" and then, if there is one, the object.  A
 * watch prints a line for each thing it hears, and a forward "ready" and each
 * trouble, until their input ends.
 */

#include "kube/forward.h"
#include "kube/kube.h"

#include "base/list.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/epoll.h>

struct tool {
	struct loop *loop;
	struct kube *kube;
	struct kube_watch *watch;
	struct kube_forward *forward;
	struct loop_fd *input;
	const char *namespace;
	msec_t deadline;
	int times; /* that the request is made, all at once */
	int left;  /* of its answers */
	char **words;
	int n;
};

static const struct {
	const char *name;
	const struct kube_kind *kind;
} kinds[] = {
	{"pods", &kube_pods},       {"services", &kube_services},
	{"secrets", &kube_secrets}, {"configmaps", &kube_configmaps},
	{"jobs", &kube_jobs},       {"podtemplates", &kube_podtemplates},
	{"vcjobs", &kube_vcjobs},   {"podgroups", &kube_podgroups},
	{"events", &kube_events},
};

static int fail(const char *text)
{
	fprintf(stderr, "kubetool: %s\n", text);
	return 2;
}

static const char *word(const struct tool *tool, int i)
{
	return i < tool->n ? tool->words[i] : NULL;
}

static struct kube_target target_of(const struct tool *tool)
{
	struct kube_target target = {.namespace = tool->namespace};

	for (size_t i = 0; i < LENGTH(kinds); i++)
		if (strcmp(kinds[i].name, tool->words[1]) == 0)
			target.kind = kinds[i].kind;
	return target;
}

/* ---- answers ---- */

static void on_answer(void *user, const struct kube_answer *answer)
{
	struct tool *tool = user;
	char *text =
		answer->object ? cJSON_PrintUnformatted(answer->object) : NULL;

	printf("%d %d %s\n", answer->r, answer->code, answer->text);
	if (text)
		puts(text);
	fflush(stdout);
	cJSON_free(text);
	if (--tool->left == 0)
		loop_stop(tool->loop, answer->r < 0);
}

static void on_regarded(void *user, const struct kube_answer *answer)
{
	struct tool *tool = user;
	const struct kube_event event = {
		.regarding = answer->object,
		.type = "Normal",
		.reason = word(tool, 3),
		.action = "Test",
		.note = word(tool, 4),
	};
	struct error err;

	if (answer->r < 0)
		on_answer(user, answer);
	else if (kube_post_event(tool->kube, &event, on_answer, tool, &err) < 0)
		loop_stop(tool->loop, fail(err.text));
}

/* ---- a watch ---- */

static void on_object(void *user, enum kube_change change, const cJSON *object)
{
	const char *phase = kube_text(object, "status.phase");

	printf("%s %s %s %s/%s %s\n", change == KUBE_THERE ? "there" : "gone",
	       kube_text(object, "metadata.name"),
	       kube_text(object, "metadata.resourceVersion"),
	       kube_text(object, "apiVersion"), kube_text(object, "kind"),
	       phase ? phase : "-");
	fflush(stdout);
}

static void on_listed(void *user)
{
	puts("listed");
	fflush(stdout);
}

static void on_trouble(void *user, const struct kube_answer *answer)
{
	printf("trouble %d %d %s\n", answer->r, answer->code, answer->text);
	fflush(stdout);
}

static void on_input(void *user, uint32_t events)
{
	struct tool *tool = user;
	char bytes[64];

	if (read(0, bytes, sizeof(bytes)) <= 0)
		loop_stop(tool->loop, 0);
}

static int until_input_ends(struct tool *tool, struct error *err)
{
	return loop_fd_add(&tool->input, tool->loop, 0, EPOLLIN, on_input, tool,
			   err);
}

static int watch(struct tool *tool, struct kube_target *target,
		 struct error *err)
{
	static const struct kube_watch_events events = {
		.object = on_object,
		.listed = on_listed,
		.trouble = on_trouble,
	};

	target->query = word(tool, 2);
	if (until_input_ends(tool, err) < 0)
		return -EINVAL;
	return kube_watch_start(&tool->watch, tool->kube, target, &events, tool,
				err);
}

/* ---- a forward ---- */

static void on_forward_trouble(void *user, const char *text)
{
	printf("trouble %s\n", text);
	fflush(stdout);
}

static int forward(struct tool *tool, struct error *err)
{
	int r = tool->n < 5 ? error_set(err, -EINVAL, "a word is missing")
			    : until_input_ends(tool, err);

	if (r < 0)
		return r;
	r = kube_forward_start(&tool->forward, tool->kube, tool->namespace,
			       tool->words[2], (unsigned)atoi(tool->words[3]),
			       tool->words[4], on_forward_trouble, tool, err);
	if (r == 0)
		puts("ready");
	fflush(stdout);
	return r;
}

/* ---- requests ---- */

static int send_object(struct tool *tool, struct kube_target *target,
		       const char *text, struct error *err)
{
	cJSON *object = cJSON_Parse(text ? text : "");
	int r;

	if (!object)
		return error_set(err, -EINVAL, "that is not JSON");
	if (target->name)
		r = kube_patch(tool->kube, NULL, target, object, tool->deadline,
			       on_answer, tool, err);
	else
		r = kube_create_object(tool->kube, NULL, target, object,
				       tool->deadline, on_answer, tool, err);
	cJSON_Delete(object);
	return r;
}

static int begin(struct tool *tool, struct error *err)
{
	const char *verb = tool->words[0];
	struct kube_target target = target_of(tool);

	if (!target.kind)
		return error_set(err, -EINVAL, "%s: no such kind",
				 tool->words[1]);
	if (strcmp(verb, "watch") == 0)
		return watch(tool, &target, err);
	if (strcmp(verb, "forward") == 0)
		return forward(tool, err);
	if (strcmp(verb, "create") == 0)
		return send_object(tool, &target, word(tool, 2), err);
	target.name = word(tool, 2);
	if (strcmp(verb, "patch") == 0)
		return send_object(tool, &target, word(tool, 3), err);
	if (strcmp(verb, "get") == 0)
		return kube_get(tool->kube, NULL, &target, tool->deadline,
				on_answer, tool, err);
	if (strcmp(verb, "tell") == 0)
		return kube_get(tool->kube, NULL, &target, tool->deadline,
				on_regarded, tool, err);
	if (strcmp(verb, "delete") == 0)
		return kube_delete(tool->kube, NULL, &target, word(tool, 3),
				   word(tool, 4) ? atoi(word(tool, 4)) : -1,
				   tool->deadline, on_answer, tool, err);
	return error_set(err, -EINVAL, "%s: no such verb", verb);
}

static int run(struct tool *tool, const struct kube_config *config)
{
	CLEANUP(kube_destroy) struct kube *kube = NULL;
	struct error err;
	int r;

	if (kube_create(&kube, tool->loop, config, &err) < 0)
		return fail(err.text);
	tool->kube = kube;
	tool->left = tool->times;
	if (!tool->namespace)
		tool->namespace = kube_config_namespace(config);
	for (int i = 0; i < tool->times; i++)
		if (begin(tool, &err) < 0)
			return fail(err.text);
	r = loop_run(tool->loop);
	tool->watch = kube_watch_stop(tool->watch);
	tool->forward = kube_forward_stop(tool->forward);
	tool->input = loop_fd_remove(tool->input);
	return r;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"kubeconfig", required_argument, NULL, 'f'},
		{"context", required_argument, NULL, 'c'},
		{"namespace", required_argument, NULL, 'n'},
		{"deadline", required_argument, NULL, 'd'},
		{"times", required_argument, NULL, 't'},
		{0},
	};
	CLEANUP(kube_config_destroy) struct kube_config *config = NULL;
	const char *file = NULL, *context = NULL;
	struct tool tool = {.times = 1};
	struct error err;
	int c, r;

	while ((c = getopt_long(argc, argv, "+", options, NULL)) >= 0) {
		if (c == 'f')
			file = optarg;
		else if (c == 'c')
			context = optarg;
		else if (c == 'n')
			tool.namespace = optarg;
		else if (c == 'd')
			tool.deadline = atol(optarg);
		else if (c == 't')
			tool.times = atoi(optarg);
		else
			return 2;
	}
	tool.words = argv + optind;
	tool.n = argc - optind;
	if (tool.n < 2)
		return fail("a verb and a kind are missing");
	if (kube_config_load(&config, file, context, &err) < 0 ||
	    loop_create(&tool.loop, &err) < 0)
		return fail(err.text);
	r = run(&tool, config);
	loop_destroy(tool.loop);
	return r;
}
