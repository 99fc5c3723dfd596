/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/options.h"

#include "base/list.h"
#include "base/options.h"
#include "monitor/owner.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct monitor_options, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ "job",         "FILE",    OPTION_TEXT,    AT(job), 0,
	  .help = "the job file" },
	{ "folder",      "DIR",     OPTION_TEXT,    AT(folder), 0,
	  .help = "relative directories in FILE start from DIR (the folder of FILE)" },
	{ "coordinator", "ADDRESS", OPTION_TEXT,    AT(coordinator), 0,
	  .help = "where the job's coordinator listens" },
	{ "token-file",  "FILE",    OPTION_TEXT,    AT(token_file), 0,
	  .help = "the token that the coordinator asks for" },
	{ "tls",         "DIR",     OPTION_TEXT,    AT(tls), 0,
	  .help = "encrypt, by the ca.crt, tls.crt and tls.key in DIR" },
	{ "executor-tls", "DIR",    OPTION_TEXT,    AT(executor_tls), 0,
	  .help = "local, hosts: the same, for executors" },
	{ "unencrypted", NULL,      OPTION_SWITCH,  AT(unencrypted), 0,
	  .help = "call another machine without that; executors do, too" },
	{ "provider",    "NAME",    OPTION_TEXT,    AT(provider), 0,
	  .help = "what creates executors: local, hosts with --hosts, or kube" },
	{ "hosts",       "FILE",    OPTION_TEXT,    AT(hosts), 0,
	  .help = "the hosts to create them on, one a line; see bellows(1)" },
	{ "owner",       "OWNER",   OPTION_TEXT,    AT(cluster.owner), 0,
	  .help = "kube: vcjob/NAME, job/NAME or pod/NAME that the pods belong to" },
	{ "mode",        "MODE",    OPTION_TEXT,    AT(cluster.mode), 0,
	  .help = "kube: pods of our own, or replicas of the owner's task (pods)" },
	{ "task",        "NAME",    OPTION_TEXT,    AT(cluster.task), 0,
	  .help = "kube: the Volcano Job's task of executors (worker)" },
	{ "template",    "NAME",    OPTION_TEXT,    AT(cluster.podtemplate), 0,
	  .help = "kube: PodTemplate of executors (the owner's name and -worker)" },
	{ "namespace",   "NAME",    OPTION_TEXT,    AT(cluster.namespace), 0,
	  .help = "kube: of the owner (the context's, or this pod's)" },
	{ "kubeconfig",  "FILE",    OPTION_TEXT,    AT(cluster.kubeconfig), 0,
	  .help = "kube: as of kubectl (KUBECONFIG, this pod's, ~/.kube/config)" },
	{ "context",     "NAME",    OPTION_TEXT,    AT(cluster.context), 0,
	  .help = "kube: of the kubeconfig (its current one)" },
	{ "state",       "DIR",     OPTION_TEXT,    AT(state), 0,
	  .help = "for the executors' temporary files (a new one in TMPDIR)" },
	{ "adapter",     "FILE",    OPTION_OTHER,   AT(adapters), 0,
	  .help = "an adapter of your own, also for executors; repeatable",
	  .read = adapter_files_read },
	{ "patience",    "SECONDS", OPTION_SECONDS, AT(patience), 0,
	  .help = "for a coordinator that does not answer (30)", .min = 1, .max = 86400 },
	OPTION_ROWS_OF_ALL(struct monitor_options),
};
/* clang-format on */

static const struct options options = {rows, LENGTH(rows),
				       .advice = "--help lists the options"};

static const char *variable(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && value[0] ? value : otherwise;
}

static bool has_cluster(const struct provider_cluster *cluster)
{
	return cluster->owner || cluster->mode || cluster->task ||
	       cluster->podtemplate || cluster->namespace ||
	       cluster->kubeconfig || cluster->context;
}

static int complete_cluster(const struct provider_cluster *cluster,
			    struct error *err)
{
	bool replicas = cluster->mode && strcmp(cluster->mode, "replicas") == 0;
	struct owner_name owner;
	int r;

	if (!cluster->owner)
		return error_set(err, -EINVAL,
				 "--provider kube needs --owner vcjob/NAME, "
				 "job/NAME or pod/NAME");
	r = owner_parse(&owner, cluster->owner, err);
	if (r < 0)
		return r;
	if (cluster->mode && !replicas && strcmp(cluster->mode, "pods") != 0)
		return error_set(err, -EINVAL, "--mode %s: pods or replicas",
				 cluster->mode);
	if (owner.kind == OWNER_VCJOB && cluster->podtemplate)
		return error_set(err, -EINVAL,
				 "--template is for job/NAME and pod/NAME; a "
				 "Volcano Job has the one of its --task");
	if (owner.kind == OWNER_VCJOB)
		return 0;
	if (replicas || cluster->task)
		return error_set(err, -EINVAL,
				 "--%s is for a Volcano Job; --owner %s has no "
				 "task",
				 replicas ? "mode replicas" : "task",
				 cluster->owner);
	return 0;
}

static int complete(const struct monitor_options *config, struct error *err)
{
	if (config->help || config->version)
		return 0;
	if (!config->job)
		return error_set(err, -EINVAL, "--job FILE is missing");
	if (!config->coordinator)
		return error_set(err, -EINVAL,
				 "--coordinator ADDRESS is missing");
	if (config->tls && config->unencrypted)
		return error_set(err, -EINVAL,
				 "--tls and --unencrypted: one of them");
	if (strcmp(config->provider, "hosts") == 0 && !config->hosts)
		return error_set(err, -EINVAL,
				 "--provider hosts needs --hosts FILE");
	if (strcmp(config->provider, "hosts") != 0 && config->hosts)
		return error_set(err, -EINVAL,
				 "--hosts FILE is for --provider hosts");
	if (strcmp(config->provider, "kube") == 0)
		return complete_cluster(&config->cluster, err);
	if (config->tls && !config->executor_tls)
		return error_set(err, -EINVAL,
				 "--tls needs --executor-tls DIR, for the "
				 "executors that are started here");
	return has_cluster(&config->cluster)
		       ? error_set(err, -EINVAL,
				   "--owner, --mode, --task, --template, "
				   "--namespace, --kubeconfig and --context "
				   "are for --provider kube")
		       : 0;
}

int monitor_options_read(struct monitor_options *config, int argc, char **argv,
			 struct error *err)
{
	int r;

	*config = (struct monitor_options){
		.patience = SECONDS(30),
		.temporary = variable("TMPDIR", "/tmp"),
	};
	r = options_read(&options, config, argc, argv, err);
	if (r < 0)
		return r;
	if (!config->provider)
		config->provider = config->hosts ? "hosts" : "local";
	return complete(config, err);
}

void monitor_print_help(void)
{
	puts("usage: bellows-monitor --job FILE --coordinator ADDRESS "
	     "[OPTION...]\n"
	     "Keeps the executors of one job alive and decides when it is "
	     "rescaled.\n");
	options_print(stdout, &options, 23);
	puts("\nExit status: 0 the job is over (whatever its result), 64 wrong "
	     "options,\n65 the job file or hosts file is refused, 69 the "
	     "coordinator cannot "
	     "be reached,\n70 internal error, 71 the system refuses "
	     "something, 130 and 143 told to\nend by SIGINT and SIGTERM.");
}
