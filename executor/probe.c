/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/probe.h"

#include "executor/executor.h"
#include "executor/host.h"
#include "executor/ready.h"
#include "jobfile/exit.h"
#include "loop/file_thread.h"

#include <errno.h>
#include <stdlib.h>

/* The thread's while it looks. */
struct look {
	struct jobfile *job; /* shared */
	uint64_t token;
	char failure[512]; /* of the MPI daemon; "": it is there */
	int r, exit_code;
	struct error err;
};

struct probe {
	struct executor *ex;
	struct file_thread *thread;
	struct file_call *look; /* under way; NULL: none */
};

static void answer(struct executor *ex, uint64_t token, const char *failure,
		   int exit_code)
{
	Bellows__V1__Probed probed = BELLOWS__V1__PROBED__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	ex->fit = failure == NULL;
	ready_tell(ex);
	probed.token = token;
	if (failure) {
		probed.failure = (char *)failure;
		probed.exit_code = (uint32_t)exit_code;
	}
	r.what_case = BELLOWS__V1__REPORT__WHAT_PROBED;
	r.probed = &probed;
	executor_report(ex, &r);
}

static void work(void *data)
{
	struct look *look = data;

	look->r = host_check(look->job, &look->exit_code, &look->err);
}

static void on_looked(void *owner, void *data)
{
	struct probe *probe = owner;
	const struct look *look = data;

	probe->look = NULL;
	if (look->r < 0)
		answer(probe->ex, look->token, look->err.text, look->exit_code);
	else
		answer(probe->ex, look->token,
		       *look->failure ? look->failure : NULL, EXIT_SYSTEM);
}

static void release(void *data)
{
	struct look *look = data;

	jobfile_destroy(look->job);
	free(look);
}

static void on_program_end(void *user, uint64_t token, int status,
			   const char *text, const char *failure)
{
	struct probe *probe = user;
	struct executor *ex = probe->ex;
	struct look *look = calloc(1, sizeof(*look));

	probe_forget(probe);
	if (look) {
		if (!failure && status != 0)
			failure = "cannot run orted: it is not in PATH";
		snprintf(look->failure, sizeof(look->failure), "%s",
			 failure ? failure : "");
		look->job = jobfile_share(ex->job);
		look->token = token;
		probe->look = file_thread_do(probe->thread, work, on_looked,
					     release, probe, look);
	}
	if (!probe->look)
		answer(ex, token, "out of memory", EXIT_SYSTEM);
}

void probe_order(struct probe *probe, uint64_t token)
{
	programs_start(probe->ex->programs, token, 0,
		       "command -v orted >/dev/null", on_program_end, probe);
}

void probe_forget(struct probe *probe)
{
	probe->look = file_call_abandon(probe->look);
}

int probe_create(struct probe **out, struct executor *ex, struct error *err)
{
	struct probe *probe = calloc(1, sizeof(*probe));
	int r;

	if (!probe)
		return error_set(err, -ENOMEM, "out of memory");
	probe->ex = ex;
	r = file_thread_create(&probe->thread, ex->loop, err);
	if (r < 0) {
		free(probe);
		return r;
	}
	*out = probe;
	return 0;
}

struct probe *probe_destroy(struct probe *probe)
{
	if (!probe)
		return NULL;
	probe_forget(probe);
	file_thread_destroy(probe->thread);
	free(probe);
	return NULL;
}
