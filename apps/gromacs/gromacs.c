/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The adapter of GROMACS: gmx_mpi mdrun
 *
 *     argv             the command and its options
 *     options          which of them do not go with a job whose size changes
 *     files            where its checkpoint and its log are
 *     cpt              what is in a checkpoint
 *     checkpoint_find  which checkpoint counts
 *     start            how it is started, and how it goes on
 *     trial            whether it runs on a number of ranks
 *     log_parser       what it says
 */

#include "apps/adapter.h"
#include "apps/gromacs/checkpoint_find.h"
#include "apps/gromacs/files.h"
#include "apps/gromacs/log_parser.h"
#include "apps/gromacs/options.h"
#include "apps/gromacs/start.h"
#include "apps/gromacs/trial.h"

#include <errno.h>
#include <signal.h>

static int checkpoint(const struct adapter_app *app, struct checkpoint *out,
		      struct error *err)
{
	struct found_checkpoint found;
	int r = checkpoint_find(app, &found, err);

	if (r < 0)
		return r == -ENOENT ? 1 : r;
	*out = (struct checkpoint){
		.step = found.cpt.step,
		.mark = found.cpt.mark,
		.files = 1,
		.bytes = found.cpt.bytes,
	};
	return 0;
}

static int files(const struct adapter_app *app, const struct checkpoint *of,
		 int (*each)(void *user, const char *name), void *user,
		 struct error *err)
{
	struct found_checkpoint found;
	int r = checkpoint_find(app, &found, err);

	if (r < 0 || !of || found.cpt.mark != of->mark)
		return r == -ENOENT ? 0 : r;
	return each(user, found.name);
}

/* One signal to one rank: it tells the others.  A second would have it stop
 * earlier, a third without a checkpoint. */
static enum save_kind save(const struct adapter_app *app, int *signo)
{
	*signo = SIGTERM;
	return SAVE_SIGNAL_FIRST;
}

static int trial(const struct adapter_app *app, unsigned ranks,
		 const char *argv[ADAPTER_ARGS_MAX], char *text,
		 size_t text_size, struct error *err)
{
	return trial_command(app, argv, text, text_size, err);
}

static enum line_kind on_line(const struct adapter_app *app, const char *line,
			      struct line_facts *facts)
{
	return log_parser_read(line, facts);
}

static bool says_end(const struct adapter_app *app)
{
	return true;
}

const struct adapter adapter_gromacs = {
	.abi = ADAPTER_ABI,
	.name = "gromacs",
	.signal_once = true,
	.first_writes = true,
	.writes_itself = true,
	.stops_alike = true,
	.former = FORMER_STAYS,
	.says_end = says_end,
	.check = options_check,
	.accepts = options_accept,
	.trial = trial,
	.reason = trial_reason,
	.passes = trial_passes,
	.prepare = start_prepare,
	.command = start_command,
	.save = save,
	.checkpoint = checkpoint,
	.files = files,
	.log = files_log_path,
	.on_line = on_line,
};
