/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/config.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
	"usage: bellows-coordinator --job FILE --state DIR [option...]\n"
	"\n"
	"Runs one job: waits for its executors, runs mpiexec over them, and\n"
	"checkpoints and relaunches it at another size when it is asked to.\n"
	"May be process 1 of a container.\n"
	"\n"
	"  --job FILE     the job file\n"
	"  --state DIR    for its socket, address, logs; made if it is "
	"missing\n"
	"  --listen ADDR  host:port (port 0: a free one), or unix:PATH;\n"
	"                 default: unix:DIR/coordinator.sock\n"
	"  --token-file FILE  who calls must have this token; mode 0600\n"
	"  --tls DIR      encrypt, by the ca.crt, tls.crt and tls.key in DIR,\n"
	"                 and ask who calls for a certificate of its role\n"
	"  --unencrypted  listen to other machines without that, or to this\n"
	"                 one without a token\n"
	"  --health ADDR  an address that tells health alone, to everybody\n"
	"  --kub ADDR     an address for Kub's programs alone, unencrypted\n"
	"  --log FILE     log lines go there, and only errors to stderr\n"
	"  --metrics ADDR host:port of http://ADDR/metrics, for Prometheus:\n"
	"                 unencrypted, for everybody; or none, the default\n"
	"  --adapter FILE an adapter of your own; may be repeated\n"
	"  --once         a job that has ended in this state directory is not\n"
	"                 begun again: end as it did\n"
	"  --history      tell what happened to the job of this state "
	"directory,\n"
	"                 and end\n"
	"  --check        read the job file, say what is wrong, and end\n"
	"  --verbose      log more\n"
	"\n"
	"Example:\n"
	"  bellows-coordinator --job heat.yaml --state /run/heat \\\n"
	"      --listen 0.0.0.0:7000 --tls keys/coordinator\n"
	"\n"
	"SIGTERM and SIGINT save and stop the job; a second one cancels it.\n"
	"SIGHUP, SIGUSR1, SIGUSR2 and SIGWINCH go to the ranks.\n"
	"\n"
	"Exit codes: 0 done; 64 usage; 65 job file refused; 69 executors "
	"never\n"
	"came; 70 internal error; 71 system error; 73 checkpoint directory\n"
	"unusable; 75 saved and stopped, the same command resumes; 130\n"
	"cancelled; any other: the application's own.\n";

static const struct option options[] = {
	{"job", required_argument, NULL, 'j'},
	{"state", required_argument, NULL, 's'},
	{"listen", required_argument, NULL, 'l'},
	{"token-file", required_argument, NULL, 't'},
	{"tls", required_argument, NULL, 'e'},
	{"unencrypted", no_argument, NULL, 'u'},
	{"health", required_argument, NULL, 'H'},
	{"kub", required_argument, NULL, 'k'},
	{"log", required_argument, NULL, 'o'},
	{"metrics", required_argument, NULL, 'm'},
	{"adapter", required_argument, NULL, 'a'},
	{"once", no_argument, NULL, '1'},
	{"history", no_argument, NULL, 'y'},
	{"check", no_argument, NULL, 'n'},
	{"verbose", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{0},
};

static int take(struct config *config, int option, struct error *err)
{
	switch (option) {
	case 'j':
		config->job = optarg;
		return 0;
	case 's':
		config->state = optarg;
		return 0;
	case 'l':
		config->listen = optarg;
		return 0;
	case 't':
		config->token_file = optarg;
		return 0;
	case 'e':
		config->tls = optarg;
		return 0;
	case 'u':
		config->unencrypted = true;
		return 0;
	case 'H':
		config->health = optarg;
		return 0;
	case 'k':
		config->kub = optarg;
		return 0;
	case 'o':
		config->log = optarg;
		return 0;
	case 'm':
		config->metrics = strcmp(optarg, "none") ? optarg : NULL;
		return 0;
	case 'a':
		return adapter_files_add(&config->adapters, optarg, err);
	case '1':
		config->once = true;
		return 0;
	case 'y':
		config->history = true;
		return 0;
	case 'n':
		config->check = true;
		return 0;
	case 'v':
		config->verbose = true;
		return 0;
	case 'h':
		fputs(help, stdout);
		return 1;
	case 'V':
		puts("bellows-coordinator " VERSION);
		return 1;
	default:
		return error_set(err, -EINVAL,
				 "an option is unknown or lacks its value; "
				 "see --help");
	}
}

int config_parse(struct config *config, int argc, char **argv,
		 struct error *err)
{
	int option, r;

	*config = (struct config){0};
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		r = take(config, option, err);
		if (r != 0)
			return r;
	}
	if (optind < argc)
		return error_set(err, -EINVAL, "'%s': no argument is expected",
				 argv[optind]);
	if (!config->job && !config->history)
		return error_set(err, -EINVAL, "--job is missing; a job file");
	if (!config->state && !config->check)
		return error_set(err, -EINVAL,
				 "--state is missing; a directory");
	if (config->tls && config->unencrypted)
		return error_set(err, -EINVAL,
				 "--tls and --unencrypted: one of them");
	return 0;
}
