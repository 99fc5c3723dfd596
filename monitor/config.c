/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/config.h"

#include "base/list.h"
#include "monitor/owner.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option_kind {
	OPTION_SWITCH,
	OPTION_TEXT,
	OPTION_SECONDS,
	OPTION_ADAPTER, /* may be repeated */
};

struct row {
	const char *name, *value; /* value: NULL for a switch */
	enum option_kind kind;
	size_t offset; /* in struct config */
	const char *help;
};

#define AT(member) offsetof(struct config, member)

/* clang-format off */
static const struct row rows[] = {
	{ "job",         "FILE",    OPTION_TEXT,    AT(job),
	  "the job file" },
	{ "coordinator", "ADDRESS", OPTION_TEXT,    AT(coordinator),
	  "where the job's coordinator listens" },
	{ "token-file",  "FILE",    OPTION_TEXT,    AT(token_file),
	  "the token that the coordinator asks for" },
	{ "tls",         "DIR",     OPTION_TEXT,    AT(tls),
	  "encrypt, by the ca.crt, tls.crt and tls.key in DIR" },
	{ "executor-tls", "DIR",    OPTION_TEXT,    AT(executor_tls),
	  "local, hosts: the same, for executors" },
	{ "unencrypted", NULL,      OPTION_SWITCH,  AT(unencrypted),
	  "call another machine without that; executors do, too" },
	{ "provider",    "NAME",    OPTION_TEXT,    AT(provider),
	  "who creates executors: local, hosts with --hosts, or kube" },
	{ "hosts",       "FILE",    OPTION_TEXT,    AT(hosts),
	  "the hosts to create them on, one a line; see bellows(1)" },
	{ "owner",       "OWNER",   OPTION_TEXT,    AT(cluster.owner),
	  "kube: vcjob/NAME, job/NAME or pod/NAME that the pods belong to" },
	{ "mode",        "MODE",    OPTION_TEXT,    AT(cluster.mode),
	  "kube: pods of our own, or replicas of the owner's task (pods)" },
	{ "task",        "NAME",    OPTION_TEXT,    AT(cluster.task),
	  "kube: the Volcano Job's task of executors (worker)" },
	{ "template",    "NAME",    OPTION_TEXT,    AT(cluster.podtemplate),
	  "kube: PodTemplate of executors (the owner's name and -worker)" },
	{ "namespace",   "NAME",    OPTION_TEXT,    AT(cluster.namespace),
	  "kube: of the owner (the context's, or this pod's)" },
	{ "kubeconfig",  "FILE",    OPTION_TEXT,    AT(cluster.kubeconfig),
	  "kube: as of kubectl (KUBECONFIG, this pod's, ~/.kube/config)" },
	{ "context",     "NAME",    OPTION_TEXT,    AT(cluster.context),
	  "kube: of the kubeconfig (its current one)" },
	{ "state",       "DIR",     OPTION_TEXT,    AT(state),
	  "for the executors' temporary files (a new one in TMPDIR)" },
	{ "adapter",     "FILE",    OPTION_ADAPTER, AT(adapters),
	  "an adapter of your own, also for executors; repeatable" },
	{ "patience",    "SECONDS", OPTION_SECONDS, AT(patience),
	  "for a coordinator that does not answer (30)" },
	{ "verbose",     NULL,      OPTION_SWITCH,  AT(verbose),
	  "log more" },
	{ "help",        NULL,      OPTION_SWITCH,  AT(help),
	  "print this" },
	{ "version",     NULL,      OPTION_SWITCH,  AT(version),
	  "print the version" },
};
/* clang-format on */

static int set_seconds(unsigned *seconds, const char *name, const char *text,
		       struct error *err)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (text[0] < '0' || text[0] > '9' || *end || n == 0 || n > 86400)
		return error_set(err, -EINVAL,
				 "--%s %s: a number of seconds from 1 to 86400",
				 name, text);
	*seconds = (unsigned)n;
	return 0;
}

static int set(struct config *config, const struct row *row, const char *text,
	       struct error *err)
{
	void *at = (char *)config + row->offset;

	switch (row->kind) {
	case OPTION_SWITCH:
		*(bool *)at = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)at = text;
		return 0;
	case OPTION_SECONDS:
		return set_seconds(at, row->name, text, err);
	case OPTION_ADAPTER:
		return adapter_files_add(at, text, err);
	}
	return 0;
}

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

static int complete(const struct config *config, struct error *err)
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

int config_read(struct config *config, int argc, char **argv, struct error *err)
{
	struct option options[LENGTH(rows) + 1] = {0};
	int index, c, r;

	*config = (struct config){
		.patience = 30,
		.temporary = variable("TMPDIR", "/tmp"),
	};
	for (size_t i = 0; i < LENGTH(rows); i++)
		options[i] = (struct option){
			.name = rows[i].name,
			.has_arg =
				rows[i].value ? required_argument : no_argument,
		};

	while ((c = getopt_long(argc, argv, ":", options, &index)) != -1) {
		if (c == ':')
			return error_set(err, -EINVAL, "%s needs a value",
					 argv[optind - 1]);
		if (c == '?')
			return error_set(err, -EINVAL, "%s is not an option",
					 argv[optind - 1]);
		r = set(config, &rows[index], optarg, err);
		if (r < 0)
			return r;
	}
	if (optind < argc)
		return error_set(err, -EINVAL, "%s is not an option",
				 argv[optind]);
	if (!config->provider)
		config->provider = config->hosts ? "hosts" : "local";
	return complete(config, err);
}

void config_print_help(void)
{
	puts("usage: bellows-monitor --job FILE --coordinator ADDRESS "
	     "[OPTION...]\n"
	     "Keeps the executors of one job alive and decides when it is "
	     "rescaled.\n");
	for (size_t i = 0; i < LENGTH(rows); i++) {
		char left[64];

		snprintf(left, sizeof(left), "--%s %s", rows[i].name,
			 rows[i].value ? rows[i].value : "");
		printf("  %-23s %s\n", left, rows[i].help);
	}
	puts("\nExit status: 0 the job is over (whatever its result), 64 wrong "
	     "options,\n65 the job file or hosts file is refused, 69 the "
	     "coordinator cannot "
	     "be reached,\n70 internal error, 71 the system refuses "
	     "something.");
}
