/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/args.h"
#include "cli/views/output.h"
#include "jobfile/exit.h"

int cmd_validate(const struct args *args, const struct output *output)
{
	CLEANUP(jobfile_destroy) struct jobfile *job = NULL;
	struct error err;

	if (adapter_files_load(&args->adapters, &err) < 0)
		return output_fail(output, EXIT_USAGE, "%s", err.text);
	if (args->schema) {
		jobfile_print_schema();
		return EXIT_DONE;
	}
	if (args->words.n == 0)
		return output_fail(output, EXIT_USAGE,
				   "validate needs a job file");
	if (jobfile_read_mending(&job, args->words.at[0], NULL,
				 output == &output_text ? stdout : NULL,
				 &err) < 0)
		return output_fail(output, EXIT_JOBFILE, "%s", err.text);
	output->spec(stdout, job);
	return EXIT_DONE;
}
