/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/opening.h"

#include "base/log.h"
#include "executor/executor.h"
#include "rpc/copy.h"

#include <limits.h>

static void open_gates(struct executor *ex, const Bellows__V1__Open *open)
{
	const struct ranks_command command = {
		.argv = open->argv,
		.n_argv = open->n_argv,
		.env = open->env,
		.n_env = open->n_env,
		.dir = open->dir,
		.ranks = open->ranks,
		.claim = ex->claim.fd,
	};

	ranks_open(ex->ranks, open->epoch, &command);
}

/* That of rank 0. */
static bool has_log(const struct executor *ex, unsigned epoch,
		    char path[PATH_MAX])
{
	const struct adapter *adapter = ex->job->adapter;
	struct error err;
	int r;

	if (!adapter->log || !ranks_holds(ex->ranks, epoch, 0))
		return false;
	r = adapter->log(&ex->job->app, path, PATH_MAX, &err);
	if (r < 0)
		log_warn("epoch=%u the log is not followed: %s", epoch,
			 err.text);
	return r == 0;
}

void opening_forget(struct executor *ex)
{
	if (ex->opening)
		bellows__v1__open__free_unpacked(ex->opening, NULL);
	ex->opening = NULL;
}

void opening_on_log_begun(void *user, unsigned epoch)
{
	struct executor *ex = user;
	Bellows__V1__Open *open = ex->opening;

	if (!open || open->epoch != epoch)
		return;
	ex->opening = NULL;
	open_gates(ex, open);
	bellows__v1__open__free_unpacked(open, NULL);
}

void opening_order(struct executor *ex, const Bellows__V1__Open *open)
{
	char path[PATH_MAX];

	if (!has_log(ex, open->epoch, path)) {
		open_gates(ex, open);
		return;
	}
	if (ex->opening)
		opening_on_log_begun(ex, ex->opening->epoch);
	ex->opening = (Bellows__V1__Open *)message_copy(&open->base);
	if (ex->opening)
		tail_follow(ex->tail, open->epoch, path);
	else
		open_gates(ex, open);
}
