/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/config.h"

#include "base/list.h"
#include "base/options.h"
#include "base/text.h"
#include "core/sched_usage.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#define AT(member) offsetof(struct scheduler_config, member)

enum { SLOTS_MAX = 1000000 };
enum { NEEDS_KUBE = 1 }; /* the option says something of a cluster */

/* clang-format off */
static const struct option_row rows[] = {
	{ "slots", "N", OPTION_NUMBER, AT(slots), 0,
	  .help = "ranks that run at the same time, of all jobs together; default: "
	  "one for each processor", .max = SLOTS_MAX },
	{ "hosts", "FILE", OPTION_TEXT, AT(hosts), 0,
	  .help = "the hosts that the jobs run on, as of bellows run; with --slots" },
	{ "on", "PLACE", OPTION_TEXT, AT(lookup.on), 0,
	  .help = "kube: the jobs run in a namespace of a Kubernetes cluster; with "
	  "--slots" },
	{ "namespace", "NAME", OPTION_TEXT, AT(lookup.namespace), NEEDS_KUBE,
	  .help = "of the jobs; default: the context's" },
	{ "kubeconfig", "FILE", OPTION_TEXT, AT(lookup.kubeconfig), NEEDS_KUBE,
	  .help = "how to reach the cluster; default: as kubectl" },
	{ "context", "NAME", OPTION_TEXT, AT(lookup.context), NEEDS_KUBE,
	  .help = "of the kubeconfig; default: its current one" },
	{ "image", "IMAGE", OPTION_TEXT, AT(kube.image), NEEDS_KUBE,
	  .help = "of all pods; default: localhost/bellows-ADAPTER:dev" },
	{ "plain", NULL, OPTION_SWITCH, AT(kube.plain), NEEDS_KUBE,
	  .help = "Jobs of Kubernetes alone; default: Volcano's, if it is there" },
	{ "cpu", "QUANTITY", OPTION_TEXT, AT(kube.cpu), NEEDS_KUBE,
	  .help = "that each executor asks for; default: ranks_per_executor" },
	{ "memory", "QUANTITY", OPTION_TEXT, AT(kube.memory), NEEDS_KUBE,
	  .help = "likewise, as 2Gi; default: none" },
	{ "claim", "NAME", OPTION_TEXT, AT(kube.claim), NEEDS_KUBE,
	  .help = "the volume claim for /data; default: one for each job" },
	{ "storage", "QUANTITY", OPTION_TEXT, AT(kube.storage), NEEDS_KUBE,
	  .help = "size of the claims that are made; default: 1Gi" },
	{ "storage-class", "NAME", OPTION_TEXT, AT(kube.storage_class), NEEDS_KUBE,
	  .help = "their class; default: the cluster's" },
	{ "policy", "POLICY", OPTION_TEXT, AT(policy_name), 0,
	  .help = "the rules; default: bellows" },
	{ "gap", "TIME", OPTION_DURATION, AT(gap), 0,
	  .help = "between two changes of one job, at least; default: 3min" },
	{ "aging", "TIME", OPTION_DURATION, AT(aging), 0,
	  .help = "waiting so long doubles the importance of a job; default: 1h" },
	{ "state", "DIR", OPTION_TEXT, AT(lookup.state), 0,
	  .help = "the folder of the queue" },
	{ "listen", "ADDR", OPTION_TEXT, AT(listen), 0,
	  .help = "host:port (port 0: a free one), or unix:PATH; default: "
	  "unix:DIR/scheduler.sock" },
	{ "token-file", "FILE", OPTION_TEXT, AT(token_file), 0,
	  .help = "callers must have this token; mode 0600" },
	{ "tls", "DIR", OPTION_TEXT, AT(tls), 0,
	  .help = "encrypt, by the ca.crt, tls.crt and tls.key in DIR, and ask "
	  "callers for a client's certificate" },
	{ "unencrypted", NULL, OPTION_SWITCH, AT(unencrypted), 0,
	  .help = "listen to other machines without that, or to this one without a "
	  "token" },
	{ "log", "FILE", OPTION_TEXT, AT(log), 0,
	  .help = "log lines go there, and only errors to stderr" },
	{ "adapter", "FILE", OPTION_OTHER, AT(adapters), 0,
	  .help = "an adapter of your own; may be repeated",
	  .read = adapter_files_read },
	OPTION_ROWS_OF_ALL(struct scheduler_config),
};
/* clang-format on */

static const struct options options = {rows, LENGTH(rows),
				       .advice = "--help lists the options"};

void scheduler_print_help(void)
{
	fputs("usage: bellows-scheduler [option...]\n"
	      "\n"
	      "Runs the jobs of a queue, here or elsewhere: which job has "
	      "how many slots, and\n"
	      "when.  'bellows submit' puts jobs into the queue, 'bellows "
	      "queue' "
	      "shows it.\n"
	      "\n",
	      stdout);
	options_print(stdout, &options, 20);
	fputs("\n"
	      "SIGTERM and SIGINT end it; its jobs run on, and the next "
	      "scheduler of the\n"
	      "same folder goes on with them.\n"
	      "\n"
	      "Exit codes: 0 told to end; 64 usage; 65 hosts file or "
	      "kubeconfig "
	      "refused; 70 "
	      "internal error; 71 "
	      "system "
	      "error.\n",
	      stdout);
}

static unsigned processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0
		       ? (unsigned)CPU_COUNT(&set)
		       : 1;
}

static int find_policy(struct scheduler_config *config, struct error *err)
{
	char names[400];

	config->policy = sched_policy_find(config->policy_name);
	if (config->policy && !config->policy->published)
		return 0;
	return error_set(err, -EINVAL, "--policy %s: one of %s",
			 text_safe(config->policy_name).s,
			 sched_policy_names(names, sizeof(names), false));
}

static bool is_given(const struct scheduler_config *config,
		     const struct option_row *row)
{
	const void *member = (const char *)config + row->offset;

	return row->kind == OPTION_SWITCH
		       ? *(const bool *)member
		       : *(const char *const *)member != NULL;
}

/* NULL: there is none. */
static const char *option_of_kube(const struct scheduler_config *config)
{
	for (size_t i = 0; i < LENGTH(rows); i++)
		if (rows[i].set & NEEDS_KUBE && is_given(config, &rows[i]))
			return rows[i].name;
	return NULL;
}

static int check_place(const struct scheduler_config *config, struct error *err)
{
	const char *on = config->lookup.on;

	if (on && strcmp(on, "kube") != 0)
		return error_set(err, -EINVAL,
				 "--on: '%s' is no place that jobs can be in; "
				 "kube is",
				 text_safe(on).s);
	if (on && (config->hosts || config->adapters.n > 0))
		return error_set(err, -EINVAL,
				 "--%s does not go with --on kube",
				 config->hosts ? "hosts" : "adapter");
	if (!on && option_of_kube(config))
		return error_set(err, -EINVAL, "--%s needs --on kube",
				 option_of_kube(config));
	if ((on || config->hosts) && config->slots == 0)
		return error_set(err, -EINVAL,
				 "--%s %s: --slots N says how many ranks run "
				 "there at the same time",
				 on ? "on" : "hosts", on ? on : config->hosts);
	return 0;
}

int scheduler_config_read(struct scheduler_config *config, int argc,
			  char **argv, struct error *err)
{
	int r;

	*config = (struct scheduler_config){
		.policy_name = "bellows",
		.gap = MINUTES(3),
		.aging = SECONDS(SCHED_AGING),
		.lookup = lookup_of_environment(),
	};
	r = options_read(&options, config, argc, argv, err);
	if (r < 0 || config->help || config->version)
		return r;
	if (config->tls && config->unencrypted)
		return error_set(err, -EINVAL,
				 "--tls and --unencrypted: one of them");
	r = check_place(config, err);
	if (r < 0)
		return r;
	if (config->slots == 0)
		config->slots = processors();
	return find_policy(config, err);
}
