/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/profile_program.h"

#include "base/program.h"
#include "cli/views/output.h"
#include "cli/views/place_report.h"
#include "jobfile/exit.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS_LEAST = 2, RANKS_MOST = 4 };
#define LIMIT MINUTES(5)

/* ---- before the run ---- */

static int check_words(const struct args *args, struct error *err)
{
	static const char *const of_file[] = {"repeat", "shares", "workloads",
					      "group"};
	const bool given[] = {args->repeat > 0, args->shares, args->workloads,
			      args->group};

	if (!args->command[0])
		return error_set(err, -EINVAL,
				 "there is no command behind '--'; usage: "
				 "bellows profile -- COMMAND [ARGUMENT ...]");
	if (args->words.n > 0)
		return error_set(err, -EINVAL,
				 "'%s' before '--' is one word too many: a "
				 "file of supersteps, or a command behind "
				 "'--', is measured",
				 args->words.at[0]);
	for (size_t i = 0; i < sizeof(given); i++)
		if (given[i])
			return error_set(err, -EINVAL,
					 "--%s goes with a file of supersteps, "
					 "not with -- COMMAND",
					 of_file[i]);
	return 0;
}

/* 0, or an exit status as that of a shell with a sentence. */
static int check_command(const char *name, struct error *err)
{
	char path[PATH_MAX];

	if (!strchr(name, '/')) {
		if (program_find(name, path, sizeof(path), err) == 0)
			return 0;
		return EXIT_NOT_FOUND;
	}
	if (access(name, X_OK) == 0)
		return 0;
	error_errno(err, "cannot run %s", name);
	return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* Beside this program, or where it is installed. */
static int find_library(char *path, size_t n, struct error *err)
{
	char dir[PATH_MAX];

	program_dir(dir, sizeof(dir));
	snprintf(path, n, "%s/" MPI_TIME_LIBRARY, dir);
	if (access(path, R_OK) < 0)
		snprintf(path, n, "%s/" MPI_TIME_FOLDER "/" MPI_TIME_LIBRARY,
			 dir);
	if (access(path, R_OK) < 0)
		return error_errno(err, "%s, which counts the calls of MPI",
				   path);
	if (strpbrk(path, " :"))
		return error_set(err, -EINVAL,
				 "%s cannot be loaded into programs: its path "
				 "has a space or a colon",
				 path);
	return 0;
}

static unsigned choose_ranks(const struct args *args, unsigned cores)
{
	unsigned ranks = cores > RANKS_MOST ? RANKS_MOST : cores;

	if (args->ranks > 0)
		return args->ranks;
	return ranks < RANKS_LEAST ? RANKS_LEAST : ranks;
}

/* ---- after it ---- */

static int fail_of_end(const struct place_report *report,
		       const struct output *output)
{
	int status = report->run.status;
	char how[64];

	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "mpiexec was killed by signal %d",
			 WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "it ended with status %d",
			 WEXITSTATUS(status));
	return output_fail(output, EXIT_SYSTEM,
			   "%s on %u ranks: %s, and a program that fails is "
			   "not measured",
			   report->config.command[0], report->config.ranks,
			   how);
}

static bool has_measures(const struct program_run *run)
{
	return run->mpi.ranks > 0 || run->has_touched || run->has_counters;
}

static int conclude(struct place_report *report, const struct args *args,
		    const struct output *output)
{
	const struct program_run *run = &report->run;

	if (!run->is_cut && run->status != 0)
		return fail_of_end(report, output);
	if (run->is_cut && !has_measures(run))
		return output_fail(output, EXIT_SYSTEM,
				   "%s was ended at the limit of %g s, before "
				   "anything could be measured; a longer "
				   "--limit would be right",
				   report->config.command[0],
				   1e-3 * (double)report->config.limit);
	place_report_judge(report);
	(args->json ? place_report_json : place_report_text)(stdout, report);
	return EXIT_DONE;
}

int profile_program(const struct args *args, const struct output *output)
{
	char library[2 * PATH_MAX], mpiexec[PATH_MAX];
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct place_report report;
	struct error err;
	int r = check_words(args, &err);

	if (r < 0)
		return output_fail(output, EXIT_USAGE, "%s", err.text);
	r = check_command(args->command[0], &err);
	if (r > 0)
		return output_fail(output, r, "%s", err.text);
	r = program_find("mpiexec", mpiexec, sizeof(mpiexec), &err);
	if (r == 0)
		r = find_library(library, sizeof(library), &err);
	report.config = (struct program_config){
		.command = args->command,
		.cores = cores > 0 ? (unsigned)cores : 1,
		.limit = args->limit ? args->limit : LIMIT,
		.library = library,
	};
	report.config.ranks = choose_ranks(args, report.config.cores);
	if (r == 0)
		r = program_run(&report.run, &report.config, &err);
	if (r < 0)
		return output_fail(
			output, r == -ECANCELED ? EXIT_CANCELLED : EXIT_SYSTEM,
			"%s", err.text);
	return conclude(&report, args, output);
}
