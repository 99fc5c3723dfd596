/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kube_follow_internal.h"

#include "base/text.h"
#include "cli/views/timeline.h"
#include "jobfile/exit.h"
#include "runner/kube/pods.h"

#include <errno.h>
#include <string.h>

#define DRAIN  SECONDS(10) /* from the end of the job to that of its log */
#define REPORT SECONDS(10) /* likewise, to what the API says of its pod */

static const char *job_name(const struct following *following)
{
	return following->config->job->name;
}

/* ---- leaving ---- */

/*
 * That a job was saved or cancelled comes from the coordinator, a second or so
 * before the kubelet tells the API that its container has ended.  Until then
 * the same command would find a job that runs.
 */
static bool is_report_due(const struct following *following)
{
	return following->over && !following->reported &&
	       following->stop != FOLLOW_DELETE &&
	       loop_timer_is_set(&following->report) &&
	       kube_is_leave(show_last(following->show)->exit_code);
}

/* Ends the loop once nothing is left to be told. */
static void settle(void *user)
{
	struct following *following = user;

	if (following->log && !show_is_full(following->show))
		kube_log_hold(following->log, false);
	if (following->phase != FOLLOW_LEAVING || !following->drained)
		return;
	show_over(following->show);
	if (show_is_empty(following->show) && !is_report_due(following))
		loop_stop(following->client->loop, 0);
}

static void on_drained(void *user)
{
	struct following *following = user;

	following->drained = true;
	settle(following);
}

void follow_leave(struct following *following)
{
	struct loop *loop = following->client->loop;

	if (following->phase == FOLLOW_LEAVING)
		return;
	following->phase = FOLLOW_LEAVING;
	loop_timer_clear(&following->patience);
	watch_stop(&following->watch);
	loop_timer_set(loop, &following->drain, following->log ? DRAIN : 0,
		       on_drained, following);
	loop_timer_set(loop, &following->report, REPORT, settle, following);
}

/* It can be followed no longer; of the job itself nothing is known. */
static void lose(struct following *following, const char *why)
{
	const struct reach *reach = following->config->reach;
	struct error err;

	if (!following->client->route ||
	    client_gone(following->client, &err) == 0)
		show_say(following->show,
			 "the job is left as it is: 'bellows watch %s --on "
			 "kube%s' follows it",
			 job_name(following), reach_words(reach));
	snprintf(following->failure, sizeof(following->failure), "%s", why);
	following->failure_code = EXIT_UNREACHABLE;
	follow_leave(following);
}

/* ---- the log ---- */

static void on_log_paused(void *user)
{
	struct following *following = user;

	if (following->phase == FOLLOW_LEAVING)
		on_drained(following);
}

static void on_log_trouble(void *user, const struct kube_answer *answer)
{
	struct following *following = user;

	if (following->phase == FOLLOW_LEAVING) /* the pod is gone */
		on_drained(following);
	else
		show_say(following->show, "no output: %s", answer->text);
}

static void follow_log(struct following *following, const char *pod)
{
	static const struct kube_log_events events = {
		.lines = follow_on_lines,
		.paused = on_log_paused,
		.trouble = on_log_trouble,
	};
	const struct reach *reach = following->config->reach;
	struct error err;

	if (!following->log &&
	    kube_log_start(&following->log, reach_kube(reach),
			   reach_namespace(reach), pod, "coordinator", &events,
			   following, &err) < 0)
		show_say(following->show, "no output: %s", err.text);
}

/* ---- watching the job ---- */

static void on_job(void *user, const Bellows__V1__Job *job)
{
	struct following *following = user;

	show_job(following->show, job);
	following->over = state_is_over(job->state);
}

static void on_watch_end(void *user, int r, const struct error *err)
{
	struct following *following = user;

	if (following->client->route)
		following->exit_code =
			route_exit_code(following->client->route);
	if (r < 0 && !following->over && following->exit_code < 0 &&
	    !following->asked) {
		lose(following, err->text);
		return;
	}
	follow_leave(following);
}

static void begin(struct following *following)
{
	static const struct watch_events events = {
		.on_job = on_job,
		.on_end = on_watch_end,
	};
	struct client *client = following->client;
	struct error err;

	route_lend(client->route, client);
	if (client_connect(client, &err) < 0) {
		lose(following, err.text);
		return;
	}
	watch_start(&following->watch, client, client_patience(client), &events,
		    following);
}

static void on_route(void *user, int r, const char *text)
{
	struct following *following = user;

	if (r < 0)
		lose(following, text);
	else if (following->phase == FOLLOW_WATCHING)
		begin(following);
}

/* ---- the coordinator's pod ---- */

/* What passes by itself is not worth a line. */
static bool is_worth_telling(const char *state)
{
	static const char *const passing[] = {
		"Pending",
		"Pending: ContainerCreating",
		"Pending: PodInitializing",
		"Running",
	};

	for (size_t i = 0; i < LENGTH(passing); i++)
		if (strcmp(state, passing[i]) == 0)
			return false;
	return true;
}

static void on_pod_over(struct following *following, const cJSON *pod,
			const char *state)
{
	following->exit_code = kube_pod_exit_code(pod);
	snprintf(following->failure, sizeof(following->failure),
		 "the coordinator ended before it was reached: pod %s: %s",
		 kube_text(pod, "metadata.name"), state);
	following->failure_code = following->exit_code > 0
					  ? following->exit_code
					  : EXIT_UNREACHABLE;
	if (following->exit_code == 0)
		following->failure[0] = '\0';
	follow_leave(following);
}

static void on_pod(void *user, enum kube_change change, const cJSON *pod)
{
	struct following *following = user;
	const char *name = kube_text(pod, "metadata.name");
	char state[sizeof(following->told)];
	struct route *route;
	struct error err;

	following->reported = change == KUBE_GONE || kube_pod_is_over(pod) ||
			      kube_pod_has_left(pod);
	settle(following);
	if (following->phase != FOLLOW_COMING || change == KUBE_GONE || !name ||
	    kube_text(pod, "metadata.deletionTimestamp"))
		return;
	kube_pod_tell(state, sizeof(state), pod);
	if (kube_pod_runs(pod) || kube_pod_is_over(pod))
		follow_log(following, name);
	if (kube_pod_is_over(pod)) {
		on_pod_over(following, pod, state);
	} else if (kube_pod_runs(pod)) {
		following->phase = FOLLOW_WATCHING;
		loop_timer_clear(&following->patience);
		if (route_create(&route, following->config->reach,
				 job_name(following), pod, on_route, following,
				 &err) < 0)
			lose(following, err.text);
		else
			route_lend(route, following->client);
	} else if (is_worth_telling(state) &&
		   strcmp(state, following->told) != 0) {
		strcpy(following->told, state);
		show_say(following->show, "pod %s: %s", name, state);
	}
}

static void on_pods_trouble(void *user, const struct kube_answer *answer)
{
	struct following *following = user;

	if (following->phase != FOLLOW_COMING)
		return;
	if (answer->r == -EACCES)
		lose(following, answer->text);
	else
		show_say(following->show, "%s", answer->text);
}

static int watch_pods(struct following *following, struct error *err)
{
	static const struct kube_watch_events events = {
		.object = on_pod,
		.trouble = on_pods_trouble,
	};
	const struct reach *reach = following->config->reach;
	char query[160];
	const struct kube_target target = {
		.kind = &kube_pods,
		.namespace = reach_namespace(reach),
		.query = query,
	};

	kube_find_query(query, sizeof(query), job_name(following));
	return kube_watch_start(&following->pods, reach_kube(reach), &target,
				&events, following, err);
}

/* ---- all of it ---- */

static int start(struct following *following, struct error *err)
{
	const struct show_config show =
		show_of_run(following->config->args, following->config->output,
			    settle, following);
	int r = show_create(&following->show, following->client->loop, &show,
			    err);

	if (r == 0)
		r = follow_stop_init(following, err);
	if (r == 0)
		r = watch_pods(following, err);
	if (r < 0)
		return r;
	follow_set_patience(following, following->config->job->wait_deadline);
	return 0;
}

static int conclude(const struct following *following)
{
	const struct output *output = following->config->output;
	const Bellows__V1__Job *job = show_last(following->show);

	if (following->over) {
		if (job->exit_code == 0 || following->asked ||
		    !following->config->args->quiet)
			return job->exit_code;
		return output_fail(output, job->exit_code, "%s: %s",
				   state_name(job->state), job->reason);
	}
	if (following->failure[0])
		return output_fail(output, following->failure_code, "%s",
				   following->failure);
	if (following->exit_code >= 0)
		return following->exit_code;
	return EXIT_CANCELLED;
}

static void following_fini(struct following *following)
{
	watch_stop(&following->watch);
	kube_cancel(following->deletion);
	kube_watch_stop(following->pods);
	kube_log_stop(following->log);
	loop_timer_clear(&following->patience);
	loop_timer_clear(&following->drain);
	loop_timer_clear(&following->report);
	show_destroy(following->show);
}

int kube_follow(const struct kube_follow_config *config)
{
	struct following following = {
		.config = config,
		.client = config->client,
		.exit_code = -1,
	};
	const char *timeline = config->args->timeline;
	struct error err;
	int code, r;

	r = start(&following, &err);
	if (r == 0)
		r = loop_run(following.client->loop);
	if (r == 0 && timeline && show_last(following.show) &&
	    timeline_save(timeline, show_last(following.show), &err) < 0)
		fprintf(stderr, "bellows: no timeline: %s\n", err.text);
	code = r < 0 ? output_fail(config->output, EXIT_SYSTEM, "%s", err.text)
		     : conclude(&following);
	following_fini(&following);
	return code;
}
