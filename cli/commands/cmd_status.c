/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/client.h"
#include "cli/kube_list.h"
#include "cli/views/output.h"
#include "jobfile/exit.h"
#include "proto/coordinator.h"
#include "runner/statedir.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

enum { JOBS_MAX = 1000 };

/* Of a coordinator that does not answer, the list waits so long. */
#define ANSWER SECONDS(2)

/* What is asked for a list: all at once, on one loop. */
struct asking {
	struct client client; /* its loop and rpc; no channel of its own */
	const struct args *args;
	Bellows__V1__Job *jobs[JOBS_MAX];
	struct rpc_channel *channels[JOBS_MAX];
	size_t n_jobs, n_channels, waiting;
};

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

	r = client_open(&client, args, name, &err);
	if (r == 0)
		r = client_call(&client, CALL_GET_JOB, &request.base,
				&bellows__v1__job__descriptor, PATIENCE, on_job,
				&job, &err);
	client_close(&client);
	if (r < 0)
		return output_fail(output, client_exit_code(r), "%s", err.text);
	if (!job)
		return output_fail(output, EXIT_INTERNAL, "out of memory");
	output->jobs(stdout, &job, 1, false);
	return EXIT_DONE;
}

static void on_answer(void *user, const struct rpc_status *status,
		      const ProtobufCMessage *answer)
{
	struct asking *asking = user;

	if (status->code == RPC_OK) {
		Bellows__V1__Job *job =
			job_copy((const Bellows__V1__Job *)answer);

		if (job)
			asking->jobs[asking->n_jobs++] = job;
	}
	if (--asking->waiting == 0)
		loop_stop(asking->client.loop, 0);
}

static void ask(struct asking *asking, const char *name)
{
	Bellows__V1__GetJobRequest request = BELLOWS__V1__GET_JOB_REQUEST__INIT;
	struct rpc_channel **channel = &asking->channels[asking->n_channels];
	struct client *client = &asking->client;

	if (asking->n_channels == JOBS_MAX ||
	    client_find(client, asking->args, name, NULL) < 0 ||
	    client_probe(client->address) < 0 ||
	    client_channel(channel, client, NULL) < 0)
		return;
	asking->n_channels++;
	asking->waiting++;
	rpc_call_unary(*channel, CALL_GET_JOB, &request.base,
		       &bellows__v1__job__descriptor, ANSWER, on_answer,
		       asking);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(Bellows__V1__Job *const *)a)->name,
		      (*(Bellows__V1__Job *const *)b)->name);
}

static int ask_all(struct asking *asking, const char *root, struct error *err)
{
	DIR *folder = opendir(root);
	int r;

	/* no folder: no job ever ran */
	if (!folder)
		return errno == ENOENT ? 0 : error_errno(err, "%s", root);
	r = loop_create(&asking->client.loop, err);
	if (r == 0)
		r = rpc_create(&asking->client.rpc, asking->client.loop, err);
	for (struct dirent *at = readdir(folder); r == 0 && at;
	     at = readdir(folder))
		if (statedir_is_name(at->d_name))
			ask(asking, at->d_name);
	closedir(folder);
	if (r == 0 && asking->waiting)
		r = loop_run(asking->client.loop);
	return r;
}

static int show_all(const struct args *args, const struct output *output)
{
	CLEANUP(free) struct asking *asking = calloc(1, sizeof(*asking));
	struct statedir root;
	struct error err = {""};
	int r;

	if (!asking)
		return output_fail(output, EXIT_INTERNAL, "out of memory");
	asking->args = args;
	r = statedir_root(&root, &args->lookup, &err);
	if (r == 0)
		r = ask_all(asking, root.path, &err);
	for (size_t i = 0; i < asking->n_channels; i++)
		rpc_channel_destroy(asking->channels[i]);
	client_close(&asking->client);
	if (r == 0) {
		qsort(asking->jobs, asking->n_jobs, sizeof(asking->jobs[0]),
		      by_name);
		output->jobs(stdout, asking->jobs, asking->n_jobs, true);
	}
	for (size_t i = 0; i < asking->n_jobs; i++)
		job_free(asking->jobs[i]);
	return r < 0 ? output_fail(output, EXIT_UNREACHABLE, "%s", err.text)
		     : EXIT_DONE;
}

int cmd_status(const struct args *args, const struct output *output)
{
	if (args->words.n || args->lookup.connect || args->lookup.state)
		return show_one(args, output);
	return args->lookup.on ? kube_list(args, output)
			       : show_all(args, output);
}
