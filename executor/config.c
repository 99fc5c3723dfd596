/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/config.h"

#include "base/list.h"
#include "base/options.h"
#include "executor/cores.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AT(member) offsetof(struct executor_config, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ "coordinator", "ADDR", OPTION_TEXT, AT(coordinator), 0,
	  .help = "host:port, or unix:PATH" },
	{ "name", "NAME", OPTION_TEXT, AT(name), 0,
	  .help = "of this executor; default: the host's name" },
	{ "slots", "N", OPTION_NUMBER, AT(slots), 0,
	  .help = "ranks it can run; default 1", .min = 1, .max = 4096 },
	{ "cores", "N", OPTION_NUMBER, AT(cores), 0,
	  .help = "processors they may use; default: all that the limits of this host "
	  "or container leave", .min = 1, .max = 65536 },
	{ "address", "HOST", OPTION_TEXT, AT(address), 0,
	  .help = "where other executors reach it; default: none, all are on this "
	  "machine" },
	{ "token-file", "FILE", OPTION_TEXT, AT(token_file), 0,
	  .help = "the token that the coordinator asks for; - is standard input" },
	{ "tls", "DIR", OPTION_TEXT, AT(tls), 0,
	  .help = "encrypt, by the ca.crt, tls.crt and tls.key in DIR; - is standard "
	  "input, behind the token" },
	{ "unencrypted", NULL, OPTION_SWITCH, AT(unencrypted), 0,
	  .help = "call another machine without that" },
	{ "tmpdir", "DIR", OPTION_TEXT, AT(tmpdir), 0,
	  .help = "its own directory; default: $TMPDIR, or /tmp" },
	{ "adapter", "FILE", OPTION_OTHER, AT(adapters), 0,
	  .help = "an adapter of your own, if the job needs it; may be repeated",
	  .read = adapter_files_read },
	{ "patience", "SECONDS", OPTION_SECONDS, AT(patience), 0,
	  .help = "without the coordinator, before its ranks are ended; default 30",
	  .min = 1, .max = OPTION_SECONDS_MAX },
	{ "grace", "SECONDS", OPTION_SECONDS, AT(grace), 0,
	  .help = "after SIGTERM, for the job to save and go on without it, before "
	  "its ranks are ended; default 25, 0: at once", .min = 0, .max = OPTION_SECONDS_MAX },
	{ "ready", "FILE", OPTION_TEXT, AT(ready), 0,
	  .help = "a file that is there while it can run ranks" },
	{ "keep-rights", NULL, OPTION_SWITCH, AT(keep_rights), 0,
	  .help = "let ranks use setuid programs and, as root, all capabilities" },
	OPTION_ROWS_OF_ALL(struct executor_config),
};
/* clang-format on */

static const struct options options = {rows, LENGTH(rows),
				       .advice = "--help lists the options"};

void executor_print_help(void)
{
	fputs("usage: bellows-executor --coordinator ADDR --name NAME "
	      "[option...]\n"
	      "\n"
	      "Runs the ranks that the coordinator at ADDR orders, on this "
	      "host.\n"
	      "\n",
	      stdout);
	options_print(stdout, &options, 20);
	fputs("\n"
	      "Example:\n"
	      "  bellows-executor --coordinator 10.0.0.5:7000 --name w3 "
	      "--slots 4 \\\n"
	      "      --address 10.0.0.8\n"
	      "\n"
	      "SIGTERM asks the coordinator for its release; SIGINT, a second "
	      "SIGTERM\n"
	      "and one without a coordinator end it at once.\n"
	      "\n"
	      "Exit codes: 0 released by the coordinator; 64 usage; 69 "
	      "coordinator\n"
	      "not reached, or it refused; 71 the system failed; 143 ended by "
	      "SIGTERM\n"
	      "without a release.\n",
	      stdout);
}

static int check(const struct executor_config *config, struct error *err)
{
	if (!config->coordinator)
		return error_set(err, -EINVAL,
				 "--coordinator is missing; host:port or "
				 "unix:PATH");
	if (config->tls && config->unencrypted)
		return error_set(err, -EINVAL,
				 "--tls and --unencrypted: one of them");
	return 0;
}

int executor_config_read(struct executor_config *config, int argc, char **argv,
			 struct error *err)
{
	static char host[64];
	const char *tmpdir = getenv("TMPDIR");
	int r;

	gethostname(host, sizeof(host) - 1);
	*config = (struct executor_config){
		.name = host,
		.address = "",
		.tmpdir = tmpdir ? tmpdir : "/tmp",
		.slots = 1,
		.cores = cores_available("/proc/self/cgroup", "/sys/fs/cgroup"),
		.patience = SECONDS(30),
		.grace = SECONDS(25),
	};
	r = options_read(&options, config, argc, argv, err);
	if (r < 0 || config->help || config->version)
		return r;
	return check(config, err);
}
