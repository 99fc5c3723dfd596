/* SPDX-License-Identifier: Apache-2.0 */
#include "base/program.h"
#include "cli/commands/args.h"
#include "cli/views/output.h"
#include "jobfile/exit.h"
#include "runner/state_dir.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* bellows-coordinator --history prints the journal; the coordinator of a job
 * that runs is not disturbed. */
int cmd_history(const struct args *args, const struct output *output)
{
	char folder[PATH_MAX], program[PATH_MAX + 32];
	struct state_dir dir;
	struct error err;
	int r;

	if (args->words.n == 0 && !args->lookup.state)
		return output_fail(output, EXIT_USAGE,
				   "history needs the name of a job, or "
				   "--state");
	r = state_dir_of(&dir, &args->lookup,
			 args->words.n > 0 ? args->words.at[0] : NULL, &err);
	if (r < 0)
		return output_fail(output, EXIT_USAGE, "%s", err.text);
	snprintf(program, sizeof(program), "%s/bellows-coordinator",
		 program_dir(folder, sizeof(folder)));
	execl(program, program, "--history", "--state", dir.path,
	      args->json ? "--json" : (char *)NULL, (char *)NULL);
	return output_fail(output, EXIT_SYSTEM, "%s: %s", program,
			   strerror(errno));
}
