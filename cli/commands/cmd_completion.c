/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "cli/commands/help.h"
#include "cli/views/output.h"
#include "client/queue.h"
#include "jobfile/exit.h"
#include "proto/scheduler.h"
#include "runner/find.h"
#include "runner/state_dir.h"

#include <dirent.h>
#include <string.h>

#define PATIENCE SECONDS(1)

static void print_jobs(const struct args *args)
{
	struct state_dir root;
	DIR *folder = NULL;

	if (state_dir_root(&root, &args->lookup, NULL) == 0)
		folder = opendir(root.path);
	for (struct dirent *at = folder ? readdir(folder) : NULL; at;
	     at = readdir(folder))
		if (state_dir_is_name(at->d_name))
			puts(at->d_name);
	if (folder)
		closedir(folder);
}

static void on_queue(void *user, const ProtobufCMessage *answer)
{
	const Bellows__V1__Queue *queue = (const Bellows__V1__Queue *)answer;

	for (size_t i = 0; i < queue->n_jobs; i++)
		if (!listed_state_is_over(queue->jobs[i]->state))
			puts(text_safe(queue->jobs[i]->name).s);
}

/* A shell that completes a word wants no sentence. */
static void print_queue(const struct args *args)
{
	Bellows__V1__ListRequest request = BELLOWS__V1__LIST_REQUEST__INIT;
	struct client client = {0};

	if (queue_open(&client, &args->lookup, NULL) == 0)
		client_call(&client, CALL_LIST, &request.base,
			    &bellows__v1__queue__descriptor, PATIENCE, on_queue,
			    NULL, NULL);
	client_close(&client);
}

int cmd_completion(const struct args *args, const struct output *output)
{
	const char *what = args->words.at[0];

	if (strcmp(what, "bash") == 0)
		completion_print_bash(stdout);
	else if (strcmp(what, "zsh") == 0)
		completion_print_zsh(stdout);
	else if (strcmp(what, "jobs") == 0)
		print_jobs(args);
	else if (strcmp(what, "queue") == 0)
		print_queue(args);
	else
		return output_fail(output, EXIT_USAGE,
				   "no script for '%s': bash and zsh are known",
				   what);
	return EXIT_DONE;
}
