/* SPDX-License-Identifier: Apache-2.0 */
#include "base/program.h"
#include "cli/commands/args.h"
#include "cli/exit_code.h"
#include "cli/views/output.h"
#include "jobfile/exit.h"
#include "proto/bellows.pb-c.h"
#include "proto/coordinator.h"
#include "runner/find.h"
#include "runner/state_dir.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Of the whole: a journal has 4 MiB. */
#define ANSWER SECONDS(60)

struct asking {
	struct client client;
	struct error err;
};

/* ---- the coordinator tells it ---- */

static void on_text(void *user, const ProtobufCMessage *message)
{
	const ProtobufCBinaryData *text =
		&((const Bellows__V1__HistoryText *)message)->text;

	fwrite(text->data, 1, text->len, stdout);
}

static void on_end(void *user, const struct rpc_status *status)
{
	struct asking *asking = user;
	int r = status->code == RPC_OK
			? 0
			: client_explain(&asking->client, status, &asking->err);

	loop_stop(asking->client.loop, r);
}

static int ask(struct asking *asking, const struct args *args)
{
	static const struct rpc_stream_events events = {
		.on_message = on_text,
		.on_end = on_end,
	};
	Bellows__V1__HistoryRequest request =
		BELLOWS__V1__HISTORY_REQUEST__INIT;
	const char *name = args->words.n > 0 ? args->words.at[0] : NULL;
	struct client *client = &asking->client;
	struct rpc_stream *stream;
	int r = job_open(client, &args->lookup, name, &asking->err);

	request.json = args->json;
	if (r == 0)
		r = rpc_stream_open(&stream, client->channel, CALL_HISTORY,
				    &request.base,
				    &bellows__v1__history_text__descriptor,
				    ANSWER, &events, asking, &asking->err);
	return r < 0 ? r : loop_run(client->loop);
}

static int call(const struct args *args, const struct output *output)
{
	struct asking asking = {0};
	int r = ask(&asking, args);

	client_close(&asking.client);
	return r < 0 ? output_fail(output, exit_code_of(r), "%s",
				   asking.err.text)
		     : EXIT_DONE;
}

/* ---- the journal is read, whether the job is over or not ---- */

/* bellows-coordinator --history prints the journal; the coordinator of a job
 * that runs is not disturbed. */
static int print(const struct args *args, const struct output *output)
{
	char folder[PATH_MAX], program[PATH_MAX + 32];
	struct state_dir dir;
	struct error err;
	int r = state_dir_of(&dir, &args->lookup,
			     args->words.n > 0 ? args->words.at[0] : NULL,
			     &err);

	if (r < 0)
		return output_fail(output, EXIT_USAGE, "%s", err.text);
	snprintf(program, sizeof(program), "%s/bellows-coordinator",
		 program_dir(folder, sizeof(folder)));
	execl(program, program, "--history", "--state", dir.path,
	      args->json ? "--json" : (char *)NULL, (char *)NULL);
	return output_fail(output, EXIT_SYSTEM, "%s: %s", program,
			   strerror(errno));
}

int cmd_history(const struct args *args, const struct output *output)
{
	if (args->lookup.on || args->lookup.connect)
		return call(args, output);
	if (args->words.n == 0 && !args->lookup.state)
		return output_fail(output, EXIT_USAGE,
				   "history needs the name of a job, or "
				   "--state");
	return print(args, output);
}
