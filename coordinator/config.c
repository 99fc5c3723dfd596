/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/config.h"

#include "base/list.h"
#include "base/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(struct coordinator_config, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ "job", "FILE", OPTION_TEXT, AT(job), 0,
	  .help = "the job file" },
	{ "folder", "DIR", OPTION_TEXT, AT(folder), 0,
	  .help = "relative directories in FILE start from DIR; default: the folder "
	  "of FILE" },
	{ "want", "N", OPTION_NUMBER, AT(want), 0,
	  .help = "ranks that the job should have; default: ranks.initial, or as "
	  "stated before" },
	{ "grant", "N", OPTION_NUMBER, AT(grant), 0,
	  .help = "ranks that it may have; default: any number, or as stated before" },
	{ "state", "DIR", OPTION_TEXT, AT(state), 0,
	  .help = "for its socket, address, logs; made if it is missing" },
	{ "journal", "DIR", OPTION_TEXT, AT(journal), 0,
	  .help = "a folder for its journal, made if it is missing; default: that of "
	  "--state" },
	{ "listen", "ADDR", OPTION_TEXT, AT(listen), 0,
	  .help = "host:port (port 0: a free one), or unix:PATH; default: "
	  "unix:DIR/coordinator.sock" },
	{ "token-file", "FILE", OPTION_TEXT, AT(token_file), 0,
	  .help = "callers must have this token; mode 0600" },
	{ "tls", "DIR", OPTION_TEXT, AT(tls), 0,
	  .help = "encrypt, by the ca.crt, tls.crt and tls.key in DIR, and ask "
	  "callers for a certificate of their role" },
	{ "unencrypted", NULL, OPTION_SWITCH, AT(unencrypted), 0,
	  .help = "listen to other machines without that, or to this one without a "
	  "token" },
	{ "health", "ADDR", OPTION_TEXT, AT(health), 0,
	  .help = "an address that answers GET /healthz, to everybody" },
	{ "kub", "ADDR", OPTION_TEXT, AT(kub), 0,
	  .help = "an address for Kub's programs alone, unencrypted" },
	{ "grace", "SECONDS", OPTION_SECONDS, AT(grace), 0,
	  .help = "after SIGTERM, for the job to save; default 25",
	  .min = 0, .max = OPTION_SECONDS_MAX },
	{ "log", "FILE", OPTION_TEXT, AT(log), 0,
	  .help = "log lines go there, and only errors to stderr" },
	{ "metrics", "ADDR", OPTION_TEXT, AT(metrics), 0,
	  .help = "host:port of http://ADDR/metrics, for Prometheus: unencrypted, for "
	  "everybody; or none, the default" },
	{ "adapter", "FILE", OPTION_OTHER, AT(adapters), 0,
	  .help = "an adapter of your own; may be repeated",
	  .read = adapter_files_read },
	{ "once", NULL, OPTION_SWITCH, AT(once), 0,
	  .help = "a job that has ended in this state directory is not begun again: "
	  "end as it did" },
	{ "history", NULL, OPTION_SWITCH, AT(history), 0,
	  .help = "tell what happened to the job of this state directory, and end" },
	{ "json", NULL, OPTION_SWITCH, AT(json), 0,
	  .help = "with --history: JSON, one object a line" },
	{ "check", NULL, OPTION_SWITCH, AT(check), 0,
	  .help = "read the job file, say what is wrong, and end" },
	OPTION_ROWS_OF_ALL(struct coordinator_config),
};
/* clang-format on */

static const struct options options = {rows, LENGTH(rows),
				       .advice = "--help lists the options"};

void coordinator_print_help(void)
{
	fputs("usage: bellows-coordinator --job FILE --state DIR [option...]\n"
	      "\n"
	      "Runs one job: waits for its executors, runs mpiexec over them, "
	      "and\n"
	      "checkpoints and relaunches it at another size when it is asked "
	      "to.\n"
	      "May be process 1 of a container.\n"
	      "\n",
	      stdout);
	options_print(stdout, &options, 20);
	fputs("\n"
	      "Example:\n"
	      "  bellows-coordinator --job heat.yaml --state /run/heat \\\n"
	      "      --listen 0.0.0.0:7000 --tls keys/coordinator\n"
	      "\n"
	      "SIGTERM saves the job and hands it over to the next "
	      "coordinator; a\n"
	      "second one does not wait for the checkpoint.  SIGINT saves and "
	      "stops the\n"
	      "job; a second one cancels it.\n"
	      "SIGHUP, SIGUSR1, SIGUSR2 and SIGWINCH go to the ranks.\n"
	      "\n"
	      "Exit codes: 0 done; 64 usage; 65 job file refused; 69 executors "
	      "never\n"
	      "came; 70 internal error; 71 system error; 73 checkpoint "
	      "directory\n"
	      "unusable; 75 saved and stopped, the same command resumes; 78 "
	      "no\n"
	      "checkpoint that is kept can be read; 130 cancelled; any other: "
	      "the\n"
	      "application's own.\n",
	      stdout);
}

static int check(const struct coordinator_config *config, struct error *err)
{
	if (!config->job && !config->history)
		return error_set(err, -EINVAL, "--job is missing; a job file");
	if (!config->state && !config->check)
		return error_set(err, -EINVAL,
				 "--state is missing; a directory");
	if (config->json && !config->history)
		return error_set(err, -EINVAL, "--json goes with --history");
	if (config->tls && config->unencrypted)
		return error_set(err, -EINVAL,
				 "--tls and --unencrypted: one of them");
	return 0;
}

int coordinator_config_read(struct coordinator_config *config, int argc,
			    char **argv, struct error *err)
{
	int r;

	*config = (struct coordinator_config){.grace = SECONDS(25)};
	r = options_read(&options, config, argc, argv, err);
	if (r < 0 || config->help || config->version)
		return r;
	if (config->metrics && strcmp(config->metrics, "none") == 0)
		config->metrics = NULL;
	return check(config, err);
}
