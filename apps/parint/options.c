/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/parint/options.h"
#include "apps/parint/checkpoint.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char options_help[] =
	"usage: mpiexec [-n RANKS] parint --array-size N --iterations N"
	" --nloop N\n"
	"                                 [--checkpoint FILE] [--steps]\n"
	"\n"
	"Computes on an array of doubles, shared among the ranks, and prints a"
	" digest\n"
	"of the result, which is the same for every number of ranks.\n"
	"\n"
	"  --array-size N     elements of the array\n"
	"  --iterations N     how often all of it is worked on\n"
	"  --nloop N          arithmetic operations on an element each time\n"
	"  --checkpoint FILE  go on from FILE if it exists; on SIGUSR1 to all"
	" ranks,\n"
	"                     write FILE and leave\n"
	"  --steps            print every iteration with the time of day,"
	" and the time\n"
	"                     that MPI_Init took\n"
	"  --help, --version  print this or the version and leave\n"
	"\n"
	"exit status: 0 done or checkpoint written, 64 wrong command line,"
	" 65 the\n"
	"checkpoint is damaged or of another run, 71 out of memory, 73 the"
	" folder for\n"
	"the checkpoint is missing, 74 the checkpoint cannot be read.\n";

/* clang-format off */
enum {
	OPTION_ARRAY_SIZE, OPTION_ITERATIONS, OPTION_NLOOP, OPTION_CHECKPOINT,
	OPTION_STEPS, OPTION_HELP, OPTION_VERSION,
};

static const struct option names[] = {
	{ "array-size", required_argument, NULL, OPTION_ARRAY_SIZE },
	{ "iterations", required_argument, NULL, OPTION_ITERATIONS },
	{ "nloop",      required_argument, NULL, OPTION_NLOOP      },
	{ "checkpoint", required_argument, NULL, OPTION_CHECKPOINT },
	{ "steps",      no_argument,       NULL, OPTION_STEPS      },
	{ "help",       no_argument,       NULL, OPTION_HELP       },
	{ "version",    no_argument,       NULL, OPTION_VERSION    },
	{ NULL,         0,                 NULL, 0                 },
};
/* clang-format on */

static int number(uint64_t *out, const char *name, const char *text,
		  struct error *err)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 10);
	if (text[strspn(text, "0123456789")] != '\0' || end == text ||
	    errno == ERANGE || *out == 0 || *out > CHECKPOINT_ELEMENTS_MAX)
		return error_set(err, -EINVAL,
				 "--%s: '%.40s' is not a number from 1 to "
				 "%" PRIu64,
				 name, text, CHECKPOINT_ELEMENTS_MAX);
	return 0;
}

static int set_option(struct options *out, int option, struct error *err)
{
	const char *name = names[option].name;

	switch (option) {
	case OPTION_ARRAY_SIZE:
		return number(&out->array_size, name, optarg, err);
	case OPTION_ITERATIONS:
		return number(&out->iterations, name, optarg, err);
	case OPTION_NLOOP:
		return number(&out->nloop, name, optarg, err);
	case OPTION_CHECKPOINT:
		out->checkpoint = optarg;
		return *optarg ? 0
			       : error_set(err, -EINVAL,
					   "--checkpoint: no file is named");
	case OPTION_STEPS:
		out->steps = true;
		return 0;
	case OPTION_HELP:
		out->help = true;
		return 0;
	default:
		out->version = true;
		return 0;
	}
}

static int complete(const struct options *o, struct error *err)
{
	const char *missing = !o->array_size   ? "array-size"
			      : !o->iterations ? "iterations"
			      : !o->nloop      ? "nloop"
					       : NULL;

	if (o->help || o->version || !missing)
		return 0;
	return error_set(err, -EINVAL, "--%s is missing; see --help", missing);
}

int options_parse(struct options *out, int argc, char **argv, struct error *err)
{
	*out = (struct options){0};
	optind = 0;
	for (;;) {
		int at = optind ? optind : 1;
		int option = getopt_long(argc, argv, "+:", names, NULL);
		int r;

		if (option == -1)
			break;
		if (option == '?' || option == ':')
			return error_set(err, -EINVAL, "%.80s: %s", argv[at],
					 option == ':' ? "its value is missing"
						       : "no such option; see "
							 "--help");
		r = set_option(out, option, err);
		if (r < 0)
			return r;
	}
	if (optind < argc)
		return error_set(err, -EINVAL,
				 "'%.80s' is not an option; see --help",
				 argv[optind]);
	return complete(out, err);
}
