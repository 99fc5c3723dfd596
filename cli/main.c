/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "base/log.h"
#include "base/program.h"
#include "cli/commands/help.h"
#include "cli/commands/run_status.h"
#include "cli/views/output.h"
#include "jobfile/exit.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <string.h>

/* A descriptor of ours must never be taken for one of the three. */
static int open_standard(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)
			return -errno;
	} while (fd <= STDERR_FILENO);
	return close(fd);
}

enum { IN_CLUSTER = ON_RUN | ON_JOB };

/* As `kubectl bellows`, what it is about is in a cluster. */
static bool is_plugin(const char *program)
{
	const char *slash = strrchr(program, '/');

	return strcmp(slash ? slash + 1 : program, "kubectl-bellows") == 0;
}

static int run_command(const struct command *command, bool plugin, int argc,
		       const char *const *argv)
{
	struct args args = {
		.lookup = lookup_of_environment(),
		.term = getenv("TERM"),
	};
	const struct output *output;
	struct error err;
	int code, r;

	if (plugin && (command->bit & IN_CLUSTER))
		args.lookup.on = "kube";
	r = args_read(&args, command, argc, argv, &err);
	output = args.json ? &output_json : &output_text;
	if (r < 0) {
		code = output_fail(output, EXIT_USAGE, "%s", err.text);
		if (args.status)
			code = run_status_keep(args.status, code, output);
	} else if (args.help) {
		help_print_command(stdout, command);
		code = EXIT_DONE;
	} else {
		code = command->run(&args, output);
	}
	args_fini(&args);
	return code;
}

static int dispatch(int argc, const char *const *argv)
{
	const struct command *command;

	if (argc < 2) {
		help_print(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		help_print(stdout);
		return EXIT_DONE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("bellows " VERSION);
		return EXIT_DONE;
	}
	command = command_find(argv[1]);
	if (!command)
		return output_fail(&output_text, EXIT_USAGE,
				   "there is no command '%s'; 'bellows help' "
				   "lists them",
				   argv[1]);
	return run_command(command, is_plugin(argv[0]), argc - 2, argv + 2);
}

/* What a reader leaves is its own decision. */
static int end_output(int code)
{
	errno = EIO; /* of a write before */
	if (code != EXIT_DONE || (fflush(stdout) == 0 && !ferror(stdout)) ||
	    errno == EPIPE)
		return code;
	return output_fail(&output_text, EXIT_SYSTEM, "standard output: %s",
			   strerror(errno));
}

int main(int argc, char **argv)
{
	if (open_standard() < 0)
		return EXIT_SYSTEM;
	setlocale(LC_CTYPE, "");
	log_init("bellows", LOG_WARN);
	program_set_path();
	signal(SIGPIPE, SIG_IGN);
	return end_output(dispatch(argc, (const char *const *)argv));
}
