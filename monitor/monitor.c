/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/monitor.h"

#include "base/log.h"
#include "client/job.h"
#include "client/watch.h"
#include "monitor/decide.h"
#include "monitor/owner.h"
#include "monitor/provision_error.h"
#include "monitor/status_publisher.h"
#include "proto/coordinator.h"
#include "rpc/connect.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* For executors to leave by themselves once the job is over. */
#define LEAVE_MAX SECONDS(10)

/* For executors to end once they are told to: those that have ranks wait 25 s
 * for the job to save. */
#define GRACE SECONDS(30)

/* For the last words to get out. */
#define TELL_MAX SECONDS(5)

enum monitor_state {
	MONITOR_WATCHING,
	MONITOR_LEAVING, /* the job is over */
};

struct monitor {
	const struct monitor_config *config;
	struct loop *loop;
	struct rpc *rpc;
	struct client client; /* of the coordinator */
	struct renew renew;   /* of its certificate, if it has one */
	struct watch watch;
	struct decide decide;
	struct provision_error provision_error;
	struct provider *provider;
	struct kube_config *kube;           /* NULL: there is no cluster */
	struct status_publisher *publisher; /* NULL: nothing is published */

	enum exit_code code;
	enum monitor_state state;
	struct loop_timer leave;
	unsigned have; /* executors alive */

	/* as logged last */
	Bellows__V1__State seen;
	unsigned wanted;
};

/* ---- the end ---- */

static void on_told(void *user)
{
	struct monitor *m = user;

	loop_stop(m->loop, m->code);
}

static void finish(struct monitor *m, enum exit_code code)
{
	m->code = code;
	if (m->publisher)
		status_publisher_finish(m->publisher, TELL_MAX, on_told, m);
	else
		loop_stop(m->loop, code);
}

static void on_leave_max(void *user)
{
	struct monitor *m = user;

	log_warn("have=%u executors did not leave by themselves", m->have);
	finish(m, EXIT_DONE);
}

static void leave(struct monitor *m, const char *why)
{
	if (m->state == MONITOR_LEAVING)
		return;

	log_info("job=%s over reason=\"%s\" have=%u", m->config->job->name, why,
		 m->have);
	m->state = MONITOR_LEAVING;
	watch_stop(&m->watch);
	decide_stop(&m->decide);
	provision_error_stop(&m->provision_error);
	provider_hold(m->provider, 0, NULL);
	if (m->have == 0)
		finish(m, EXIT_DONE);
	else
		loop_timer_set(m->loop, &m->leave, LEAVE_MAX, on_leave_max, m);
}

static void on_signal(void *user, int signo, pid_t sender)
{
	struct monitor *m = user;

	log_info("signal=%d sender=%d ending have=%u", signo, (int)sender,
		 m->have);
	/* it was told to go, and the job is not over */
	finish(m, m->state == MONITOR_LEAVING ? EXIT_DONE
					      : (enum exit_code)(128 + signo));
}

/* ---- the provider's events ---- */

static void on_started(void *user, const char *name, unsigned have)
{
	struct monitor *m = user;

	m->have = have;
}

static void on_lost(void *user, const char *name, const char *how,
		    unsigned have)
{
	struct monitor *m = user;

	m->have = have;
	log_info("executor=%s ended with=\"%s\" have=%u", name, how, have);
	if (m->state == MONITOR_LEAVING && have == 0)
		finish(m, EXIT_DONE);
}

static void on_trouble(void *user, const char *text)
{
	struct monitor *m = user;

	if (*text)
		log_warn("executors do not come: %s", text);
	provision_error_tell(&m->provision_error, text);
}

static void on_shared(void *user, const char *text)
{
	struct monitor *m = user;

	log_warn("%s", text);
	if (m->publisher)
		status_publisher_on_shared(m->publisher, text);
}

/* ---- the coordinator's events ---- */

static void log_job(struct monitor *m, const Bellows__V1__Job *job)
{
	if (job->state == m->seen && job->executors_wanted == m->wanted)
		return;
	log_info("job=%s state=%s size=%u target=%u wanted=%u reason=\"%s\"",
		 job->name, state_name(job->state), job->size, job->target,
		 job->executors_wanted, job->reason);
	m->seen = job->state;
	m->wanted = job->executors_wanted;
}

static void on_job(void *user, const Bellows__V1__Job *job)
{
	struct monitor *m = user;
	struct error err;

	log_job(m, job);
	if (m->publisher)
		status_publisher_on_job(m->publisher, job);
	if (state_is_over(job->state)) {
		leave(m, state_name(job->state));
		return;
	}
	provision_error_on_job(&m->provision_error, job);
	provider_on_job(m->provider, job);
	if (provider_hold(m->provider, job->executors_wanted, &err) < 0)
		log_error("hold=%u refused: %s", job->executors_wanted,
			  err.text);
	decide_on_job(&m->decide, job);
}

static void on_watch_end(void *user, int r, const struct error *err)
{
	struct monitor *m = user;

	if (r == 0 || r == -ESHUTDOWN) {
		leave(m, "the coordinator has ended");
		return;
	}
	log_error("coordinator=%s given up: %s", m->config->coordinator,
		  err->text);
	finish(m, EXIT_UNREACHABLE);
}

static void on_break(void *user, unsigned attempts, const struct error *err)
{
	if (attempts == 1)
		log_warn("coordinator=away reason=\"%s\"", err->text);
	else
		log_debug("coordinator=away attempts=%u reason=\"%s\"",
			  attempts, err->text);
}

static void on_return(void *user, unsigned attempts)
{
	log_info("coordinator=reached attempts=%u", attempts + 1);
}

/* ---- beginning and end ---- */

static const struct provider_events provider_events = {
	.started = on_started,
	.lost = on_lost,
	.trouble = on_trouble,
	.shared = on_shared,
};

static const struct watch_events watch_events = {
	.on_job = on_job,
	.on_end = on_watch_end,
	.on_break = on_break,
	.on_return = on_return,
};

static int begin_providing(struct monitor *m, struct error *err)
{
	const struct provider_config config = {
		.loop = m->loop,
		.coordinator = m->config->coordinator,
		.token_file = m->config->token_file,
		.tls = m->config->executor_tls,
		.keep_rights = m->config->job->keep_rights,
		.unencrypted = m->config->unencrypted,
		.program = m->config->program,
		.state = m->config->state,
		.adapters = m->config->adapters,
		.slots = m->config->job->ranks_per_executor,
		.exclusive = m->config->job->exclusive,
		.hosts = m->config->hosts,
		.cluster = m->config->cluster,
		.kube = m->kube,
		.grace = GRACE,
		.events = &provider_events,
		.user = m,
	};
	int r = m->config->provider->create(&m->provider, &config, err);

	return r < 0 ? r : provider_adopt(m->provider, err);
}

static const struct kube_kind *kind_of(enum owner_kind kind)
{
	switch (kind) {
	case OWNER_VCJOB:
		return &kube_vcjobs;
	case OWNER_JOB:
		return &kube_jobs;
	case OWNER_POD:
		return &kube_pods;
	}
	return NULL;
}

static int begin_telling(struct monitor *m, struct error *err)
{
	const struct provider_cluster *where = m->config->cluster;
	struct owner_name owner;
	struct status_publisher_config config = {.loop = m->loop,
						 .kube = m->kube,
						 .owner = owner.name,
						 .job = m->config->job->name};
	int r = owner_parse(&owner, where->owner, err);

	if (r < 0)
		return r;
	config.kind = kind_of(owner.kind);
	config.namespace = where->namespace ? where->namespace
					    : kube_config_namespace(m->kube);
	return status_publisher_create(&m->publisher, &config, err);
}

/* Executors, and Events where they are pods. */
static int begin_with_cluster(struct monitor *m, struct error *err)
{
	const struct provider_cluster *where = m->config->cluster;
	int r = kube_config_load(&m->kube, where->kubeconfig, where->context,
				 err);

	if (r == 0)
		r = begin_providing(m, err);
	return r < 0 ? r : begin_telling(m, err);
}

/* -ENOKEY: the command line lacks something. */
static int connect_to(struct monitor *m, struct error *err)
{
	const struct monitor_config *config = m->config;
	const struct connect_config how = {
		.target = config->coordinator,
		.peer = COORDINATOR_TLS_NAME,
		.token_file = config->token_file,
		.tls = config->tls,
		.unencrypted = config->unencrypted,
	};

	m->client.loop = m->loop;
	m->client.rpc = m->rpc;
	snprintf(m->client.name, sizeof(m->client.name), "%s",
		 config->job->name);
	snprintf(m->client.address, sizeof(m->client.address), "%s",
		 config->coordinator);
	return connect_open(&m->client.channel, &m->renew, m->rpc, m->loop,
			    &how, err);
}

static int begin_all(struct monitor *m, struct error *err)
{
	int r = loop_create(&m->loop, err);

	if (r < 0)
		return r;
	r = loop_signal_add(m->loop, SIGTERM, on_signal, m, err);
	if (r < 0)
		return r;
	r = loop_signal_add(m->loop, SIGINT, on_signal, m, err);
	if (r < 0)
		return r;
	r = m->config->provider == &provider_kube ? begin_with_cluster(m, err)
						  : begin_providing(m, err);
	if (r < 0)
		return r;
	r = rpc_create(&m->rpc, m->loop, err);
	if (r < 0)
		return r;
	r = connect_to(m, err);
	if (r < 0)
		return r;
	r = decide_init(&m->decide, m->loop, m->client.channel, m->config->job,
			err);
	if (r < 0)
		return r;
	provision_error_start(&m->provision_error, m->loop, m->client.channel);
	watch_start(&m->watch, &m->client, m->config->patience, &watch_events,
		    m);
	return 0;
}

static void end(struct monitor *m)
{
	loop_timer_clear(&m->leave);
	watch_stop(&m->watch);
	decide_stop(&m->decide);
	provision_error_stop(&m->provision_error);
	m->publisher = status_publisher_destroy(m->publisher);
	renew_end(&m->renew);
	client_close(&m->client);
	decide_fini(&m->decide);
	m->provider = provider_destroy(m->provider);
	m->kube = kube_config_destroy(m->kube);
	m->rpc = rpc_destroy(m->rpc);
	m->loop = loop_destroy(m->loop);
}

enum exit_code monitor_run(const struct monitor_config *config)
{
	struct monitor m = {.config = config};
	struct error err;
	int code = begin_all(&m, &err);

	if (code < 0) {
		log_error("%s", err.text);
		code = code == -ENOKEY ? EXIT_USAGE : EXIT_SYSTEM;
	} else {
		code = loop_run(m.loop);
	}
	end(&m);
	return code < 0 ? EXIT_INTERNAL : (enum exit_code)code;
}
