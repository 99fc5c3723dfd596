/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/exit.h"
#include "runner/kube/coordinator_pod.h"
#include "runner/kube/follow_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DRAIN SECONDS(10) /* from the end of the job to that of its log */

/* Likewise, to what the API says of its pod: until it is told that the run
 * waits, and until the run waits no longer. */
#define REPORT_LATE SECONDS(3)
#define REPORT      SECONDS(60)

static const char *job_name(const struct following *following)
{
	return following->config.job->name;
}

/* ---- leaving ---- */

/*
 * The coordinator says that its job was saved or cancelled a second or so
 * before the kubelet tells the API that the container has ended, or much
 * earlier on a node that is busy.  Until then the same command would find a job
 * that runs.
 */
static bool is_report_due(const struct following *following)
{
	const struct run *run = &following->run;

	return run->over && !following->reported && run->stop < STOP_END &&
	       loop_timer_is_set(&following->report) &&
	       kube_is_leave(run->exit_code);
}

static void conclude(struct following *following)
{
	struct run *run = &following->run;

	if (run->over) {
		run_conclude_over(run);
	} else if (following->failure[0]) {
		run->result.code = following->failure_code;
		snprintf(run->result.why, sizeof(run->result.why), "%s",
			 following->failure);
	} else {
		run->result.code = following->exit_code >= 0
					   ? following->exit_code
					   : EXIT_CANCELLED;
	}
	run_end(run);
}

/* The run ends once nothing is left to be told. */
static void settle(void *user)
{
	struct following *following = user;

	if (following->run.phase != RUN_LEAVING || !following->drained)
		return;
	run_over(&following->run);
	if (!is_report_due(following))
		conclude(following);
}

static void on_report_late(void *user)
{
	struct following *following = user;

	loop_timer_set(following->run.client.loop, &following->report,
		       REPORT - REPORT_LATE, settle, following);
	if (is_report_due(following))
		run_say(&following->run,
			"waiting until Kubernetes knows that the job's pod has "
			"ended: until then the same command is refused; a "
			"signal ends this wait");
}

static void on_drained(void *user)
{
	struct following *following = user;

	following->drained = true;
	settle(following);
}

void follow_leave(struct following *following)
{
	struct loop *loop = following->run.client.loop;

	if (following->run.phase == RUN_LEAVING)
		return;
	following->run.phase = RUN_LEAVING;
	loop_timer_clear(&following->run.patience);
	watch_stop(&following->run.watch);
	loop_timer_set(loop, &following->drain, following->log ? DRAIN : 0,
		       on_drained, following);
	loop_timer_set(loop, &following->report, REPORT_LATE, on_report_late,
		       following);
}

/* It can be followed no longer; of the job itself nothing is known. */
static void lose(struct following *following, const char *why)
{
	const struct reach *reach = following->config.reach;
	struct error err;

	if (!following->run.client.route ||
	    client_gone(&following->run.client, &err) == 0)
		run_say(&following->run,
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

	if (following->run.phase == RUN_LEAVING)
		on_drained(following);
}

static void on_log_trouble(void *user, const struct kube_answer *answer)
{
	struct following *following = user;

	if (following->run.phase == RUN_LEAVING) /* the pod is gone */
		on_drained(following);
	else
		run_say(&following->run, "no output: %s", answer->text);
}

static void follow_log(struct following *following, const char *pod)
{
	static const struct kube_log_events events = {
		.lines = follow_on_lines,
		.paused = on_log_paused,
		.trouble = on_log_trouble,
	};
	const struct reach *reach = following->config.reach;
	struct error err;

	if (!following->log &&
	    kube_log_start(&following->log, reach_kube(reach),
			   reach_namespace(reach), pod, "coordinator", &events,
			   following, &err) < 0)
		run_say(&following->run, "no output: %s", err.text);
}

/* ---- watching the job ---- */

static void on_job(void *user, const Bellows__V1__Job *job)
{
	struct following *following = user;

	run_job(&following->run, job);
}

static void on_watch_end(void *user, int r, const struct error *err)
{
	struct following *following = user;

	if (following->run.client.route)
		following->exit_code =
			route_exit_code(following->run.client.route);
	if (r < 0 && !following->run.over && following->exit_code < 0 &&
	    !following->run.asked) {
		lose(following, err->text);
		return;
	}
	follow_leave(following);
}

static void begin_watch(struct following *following)
{
	static const struct watch_events events = {
		.on_job = on_job,
		.on_end = on_watch_end,
	};
	struct client *client = &following->run.client;
	struct error err;

	route_lend(client->route, client);
	if (client_connect(client, &err) < 0) {
		lose(following, err.text);
		return;
	}
	watch_start(&following->run.watch, client, client_patience(client),
		    &events, following);
}

static void on_route(void *user, int r, const char *text)
{
	struct following *following = user;

	if (r < 0)
		lose(following, text);
	else if (following->run.phase == RUN_WATCHING)
		begin_watch(following);
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
	if (following->run.phase != RUN_STARTING || change == KUBE_GONE ||
	    !name || kube_text(pod, "metadata.deletionTimestamp"))
		return;
	kube_pod_tell(state, sizeof(state), pod);
	if (kube_pod_runs(pod) || kube_pod_is_over(pod))
		follow_log(following, name);
	if (kube_pod_is_over(pod)) {
		on_pod_over(following, pod, state);
	} else if (kube_pod_runs(pod)) {
		following->run.phase = RUN_WATCHING;
		loop_timer_clear(&following->run.patience);
		if (route_create(&route, following->config.reach,
				 job_name(following), pod, on_route, following,
				 &err) < 0)
			lose(following, err.text);
		else
			route_lend(route, &following->run.client);
	} else if (is_worth_telling(state) &&
		   strcmp(state, following->told) != 0) {
		strcpy(following->told, state);
		run_say(&following->run, "pod %s: %s", name, state);
	}
}

static void on_pods_trouble(void *user, const struct kube_answer *answer)
{
	struct following *following = user;

	if (following->run.phase != RUN_STARTING)
		return;
	if (answer->r == -EACCES)
		lose(following, answer->text);
	else
		run_say(&following->run, "%s", answer->text);
}

static int watch_pods(struct following *following, struct error *err)
{
	static const struct kube_watch_events events = {
		.object = on_pod,
		.trouble = on_pods_trouble,
	};
	const struct reach *reach = following->config.reach;
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

/* ---- the kind ---- */

static bool hears(const struct run *run)
{
	return run->phase == RUN_WATCHING && run->client.channel;
}

static void leave(struct run *run)
{
	follow_leave(following_of(run));
}

static void hurry(struct run *run)
{
	conclude(following_of(run));
}

static void hold(struct run *run)
{
	struct following *following = following_of(run);

	if (following->log)
		kube_log_hold(following->log, run->held);
}

static void destroy(struct run *run)
{
	struct following *following = following_of(run);

	kube_cancel(following->deletion);
	kube_watch_stop(following->pods);
	kube_log_stop(following->log);
	loop_timer_clear(&following->drain);
	loop_timer_clear(&following->report);
	run_fini(run);
	free(following);
}

static const struct run_kind kind = {
	.ending = "deleting the job",
	.to_end = "delete the job",
	.hears = hears,
	.end = follow_delete,
	.kill = leave,
	.leave = leave,
	.late = follow_late,
	.hurry = hurry,
	.hold = hold,
	.destroy = destroy,
};

int follow_start(struct run **out, struct loop *loop,
		 const struct follow_config *config,
		 const struct run_events *events, void *user, struct error *err)
{
	struct following *following = calloc(1, sizeof(*following));
	struct run *run;
	int r;

	if (!following)
		return error_set(err, -ENOMEM, "out of memory");
	run = &following->run;
	run_init(run, &kind, loop, config->job->name, events, user);
	run->save_deadline = config->job->checkpoint_deadline;
	following->config = *config;
	following->exit_code = -1;
	r = watch_pods(following, err);
	if (r < 0) {
		run_destroy(run);
		return r;
	}
	run_set_patience(run, config->job->wait_deadline);
	*out = run;
	return 0;
}
