/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/args.h"
#include "cli/views/output.h"
#include "jobfile/exit.h"
#include "runner/keys.h"
#include "runner/state_dir.h"

int cmd_keys(const struct args *args, const struct output *output)
{
	CLEANUP(keys_fini) struct keys keys = {0};
	const char *job = args->name ? args->name : "job";
	struct error err;

	if (state_dir_check_name(job, &err) < 0)
		return output_fail(output, EXIT_USAGE, "--name: %s", err.text);
	if (keys_make(&keys, job, args->lifetime, &err) < 0 ||
	    keys_write(&keys, args->words.at[0], &err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", err.text);
	return EXIT_DONE;
}
