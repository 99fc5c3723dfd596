/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/bare.h"

#include "base/log.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void bare_signal(struct launch *launch, int signo)
{
	if (launch->mpirun && jobfile_mpiexec_passes(signo))
		mpirun_signal(launch->mpirun, signo);
	else
		log_warn("epoch=%u mpiexec passes no %s on to its ranks",
			 launch->epoch, strsignal(signo));
}

static void bare_open(struct launch *launch)
{
	struct error err;

	if (bare_run(bare_of(launch), &err) < 0)
		launch_fail(launch, err.text, false, 0);
	else
		log_info("epoch=%u running ranks=%u executors=%d moved=%u",
			 launch->epoch, launch->layout.ranks, launch->layout.n,
			 launch->moved);
}

static int bare_begin(struct launch *launch, struct error *err)
{
	struct bare *bare = bare_of(launch);
	int r;

	bare->out = -1;
	bare->here = calloc(launch->layout.ranks, sizeof(*bare->here));
	if (!bare->here)
		return error_set(err, -ENOMEM, "out of memory");
	r = xmlout_create(&bare->xmlout, launch->layout.ranks, bare_on_line,
			  bare, err);
	return r < 0 ? r : bare_reach(bare, err);
}

static void bare_fini(struct launch *launch)
{
	struct bare *bare = bare_of(launch);

	bare_reach_no_more(bare);
	bare_drop_output(bare);
	xmlout_destroy(bare->xmlout);
	loop_timer_clear(&bare->begin);
	loop_timer_clear(&bare->term);
	loop_timer_clear(&bare->kill);
	loop_timer_clear(&bare->confirm);
	loop_timer_clear(&bare->look);
	free(bare->here);
}

const struct launch_ops launch_bare = {
	.size = sizeof(struct bare),
	.begin = bare_begin,
	.fini = bare_fini,
	.open = bare_open,
	.stop = bare_stop,
	.save = bare_save,
	.signal = bare_signal,
	.on_lost = bare_on_lost,
};
