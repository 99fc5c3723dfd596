/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/args.h"
#include "cli/exit_code.h"
#include "cli/views/output.h"
#include "client/job.h"
#include "jobfile/exit.h"
#include "proto/coordinator.h"
#include "runner/find.h"
#include "runner/list.h"

#include <errno.h>
#include <string.h>

static void on_job(void *user, const ProtobufCMessage *answer)
{
	*(Bellows__V1__Job **)user = job_copy((const Bellows__V1__Job *)answer);
}

static int show_one(const struct args *args, const struct output *output)
{
	Bellows__V1__GetJobRequest request = BELLOWS__V1__GET_JOB_REQUEST__INIT;
	const char *name = args->words.n ? args->words.at[0] : NULL;
	CLEANUP(job_free) Bellows__V1__Job *job = NULL;
	struct client client = {0};
	struct error err;
	int r;

	r = job_open(&client, &args->lookup, name, &err);
	if (r == 0)
		r = client_call(&client, CALL_GET_JOB, &request.base,
				&bellows__v1__job__descriptor, CLIENT_PATIENCE,
				on_job, &job, &err);
	client_close(&client);
	if (r < 0)
		return output_fail(output, exit_code_of(r), "%s", err.text);
	if (!job)
		return output_fail(output, EXIT_INTERNAL, "out of memory");
	output->jobs(stdout, &job, 1, false);
	return EXIT_DONE;
}

static int show_all(const struct args *args, const struct output *output)
{
	CLEANUP(free) struct job_list *list = calloc(1, sizeof(*list));
	Bellows__V1__Job *jobs[JOB_LIST_MAX];
	struct error err;
	int r, code = EXIT_DONE;

	if (!list)
		return output_fail(output, EXIT_INTERNAL, "out of memory");
	r = list_jobs(list, &args->lookup, &err);
	for (size_t i = 0; i < list->n; i++)
		jobs[i] = list->at[i]->job;
	if (r < 0)
		code = output_fail(output, exit_code_of(r), "%s", err.text);
	else
		output->jobs(stdout, jobs, list->n, true);
	job_list_fini(list);
	return code;
}

int cmd_status(const struct args *args, const struct output *output)
{
	if (args->words.n || args->lookup.connect || args->lookup.state)
		return show_one(args, output);
	return show_all(args, output);
}
