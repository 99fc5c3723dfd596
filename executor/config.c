/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/config.h"

#include "executor/cores.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
	"usage: bellows-executor --coordinator ADDR --name NAME [option...]\n"
	"\n"
	"Runs the ranks that the coordinator at ADDR orders, on this host.\n"
	"\n"
	"  --coordinator ADDR  host:port, or unix:PATH\n"
	"  --name NAME         of this executor; default: the host's name\n"
	"  --slots N           ranks it can run; default 1\n"
	"  --cores N           processors they may use; default: all that the\n"
	"                      limits of this host or container leave\n"
	"  --address HOST      where other executors reach it; default: none,\n"
	"                      all are on this machine\n"
	"  --token-file FILE   the token that the coordinator asks for; - is\n"
	"                      standard input\n"
	"  --tls DIR           encrypt, by the ca.crt, tls.crt and tls.key in\n"
	"                      DIR; - is standard input, behind the token\n"
	"  --unencrypted       call another machine without that\n"
	"  --tmpdir DIR        its own directory; default: $TMPDIR, or /tmp\n"
	"  --adapter FILE      an adapter of your own, if the job needs it; "
	"may "
	"be\n"
	"                      repeated\n"
	"  --patience SECONDS  without the coordinator, before its ranks are\n"
	"                      ended; default 30\n"
	"  --grace SECONDS     after SIGTERM, for the job to save and go on\n"
	"                      without it, before its ranks are ended; "
	"default\n"
	"                      25, 0: at once\n"
	"  --ready FILE        a file that is there while it can run ranks\n"
	"  --keep-rights       let ranks use setuid programs and, as root, "
	"all\n"
	"                      capabilities\n"
	"  --verbose           log more\n"
	"\n"
	"Example:\n"
	"  bellows-executor --coordinator 10.0.0.5:7000 --name w3 --slots 4 "
	"\\\n"
	"      --address 10.0.0.8\n"
	"\n"
	"SIGTERM asks the coordinator for its release; SIGINT, a second "
	"SIGTERM\n"
	"and one without a coordinator end it at once.\n"
	"\n"
	"Exit codes: 0 released by the coordinator; 64 usage; 69 coordinator\n"
	"not reached, or it refused; 71 the system failed; 143 ended by "
	"SIGTERM\n"
	"without a release.\n";

static const struct option options[] = {
	{"coordinator", required_argument, NULL, 'c'},
	{"name", required_argument, NULL, 'n'},
	{"slots", required_argument, NULL, 's'},
	{"cores", required_argument, NULL, 'k'},
	{"address", required_argument, NULL, 'a'},
	{"token-file", required_argument, NULL, 'T'},
	{"tls", required_argument, NULL, 'e'},
	{"unencrypted", no_argument, NULL, 'u'},
	{"tmpdir", required_argument, NULL, 't'},
	{"adapter", required_argument, NULL, 'm'},
	{"patience", required_argument, NULL, 'p'},
	{"grace", required_argument, NULL, 'g'},
	{"ready", required_argument, NULL, 'r'},
	{"keep-rights", no_argument, NULL, 'K'},
	{"verbose", no_argument, NULL, 'v'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{0},
};

static int number(const char *option, const char *text, unsigned min,
		  unsigned max, unsigned *out, struct error *err)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || value < min || value > max)
		return error_set(err, -EINVAL,
				 "--%s: '%s' is not a number from %u to %u",
				 option, text, min, max);
	*out = (unsigned)value;
	return 0;
}

static int duration(const char *option, const char *text, unsigned min,
		    msec_t *out, struct error *err)
{
	unsigned seconds = 0;
	int r = number(option, text, min, 86400, &seconds, err);

	*out = SECONDS(seconds);
	return r;
}

static int take(struct config *config, int option, struct error *err)
{
	switch (option) {
	case 'c':
		config->coordinator = optarg;
		return 0;
	case 'n':
		config->name = optarg;
		return 0;
	case 's':
		return number("slots", optarg, 1, 4096, &config->slots, err);
	case 'k':
		return number("cores", optarg, 1, 65536, &config->cores, err);
	case 'a':
		config->address = optarg;
		return 0;
	case 'T':
		config->token_file = optarg;
		return 0;
	case 'e':
		config->tls = optarg;
		return 0;
	case 'u':
		config->unencrypted = true;
		return 0;
	case 't':
		config->tmpdir = optarg;
		return 0;
	case 'm':
		return adapter_files_add(&config->adapters, optarg, err);
	case 'p':
		return duration("patience", optarg, 1, &config->patience, err);
	case 'g':
		return duration("grace", optarg, 0, &config->grace, err);
	case 'r':
		config->ready = optarg;
		return 0;
	case 'K':
		config->keep_rights = true;
		return 0;
	case 'v':
		config->verbose = true;
		return 0;
	case 'h':
		fputs(help, stdout);
		return 1;
	case 'V':
		puts("bellows-executor " VERSION);
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
	static char host[64];
	const char *tmpdir = getenv("TMPDIR");
	int option, r;

	gethostname(host, sizeof(host) - 1);
	*config = (struct config){
		.name = host,
		.address = "",
		.tmpdir = tmpdir ? tmpdir : "/tmp",
		.slots = 1,
		.cores = cores_available("/proc/self/cgroup", "/sys/fs/cgroup"),
		.patience = SECONDS(30),
		.grace = SECONDS(25),
	};
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		r = take(config, option, err);
		if (r != 0)
			return r;
	}
	if (optind < argc)
		return error_set(err, -EINVAL, "'%s': no argument is expected",
				 argv[optind]);
	if (!config->coordinator)
		return error_set(err, -EINVAL,
				 "--coordinator is missing; host:port or "
				 "unix:PATH");
	if (config->tls && config->unencrypted)
		return error_set(err, -EINVAL,
				 "--tls and --unencrypted: one of them");
	return 0;
}
