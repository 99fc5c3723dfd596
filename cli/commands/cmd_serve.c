/* SPDX-License-Identifier: Apache-2.0 */
#include "base/program.h"
#include "cli/commands/args.h"
#include "cli/commands/policies.h"
#include "cli/views/output.h"
#include "jobfile/exit.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 48 + ADAPTER_FILES_ARGS_MAX };

struct words {
	const char *at[WORDS_MAX];
	size_t n;
};

/* value: NULL: the option was not given. */
static void add(struct words *words, const char *option, const char *value)
{
	if (!value)
		return;
	words->at[words->n++] = option;
	words->at[words->n++] = value;
}

static const char *number(char text[24], long long value, const char *unit)
{
	snprintf(text, 24, "%lld%s", value, unit);
	return value ? text : NULL;
}

/* The options are those of bellows-scheduler, by the same names. */
int cmd_serve(const struct args *args, const struct output *output)
{
	const struct lookup *lookup = &args->lookup;
	char program[PATH_MAX], slots[24], gap[24];
	const struct sched_policy *policy;
	struct words words = {.n = 0};
	struct error err;

	if (args->policy && policy_read(&policy, args->policy, false, &err) < 0)
		return output_fail(output, EXIT_USAGE, "--policy: %s",
				   err.text);
	if (program_find_beside("bellows-scheduler", program, sizeof(program),
				&err) < 0)
		return output_fail(output, EXIT_SYSTEM, "%s", err.text);
	words.at[words.n++] = program;
	add(&words, "--slots", number(slots, args->slots, ""));
	add(&words, "--policy", args->policy);
	add(&words, "--hosts", args->hosts);
	add(&words, "--on", lookup->on);
	add(&words, "--namespace", lookup->namespace);
	add(&words, "--kubeconfig", lookup->kubeconfig);
	add(&words, "--context", lookup->context);
	add(&words, "--image", args->image);
	add(&words, "--cpu", args->cpu);
	add(&words, "--memory", args->memory);
	add(&words, "--claim", args->claim);
	add(&words, "--storage", args->storage);
	add(&words, "--storage-class", args->storage_class);
	if (args->plain)
		words.at[words.n++] = "--plain";
	add(&words, "--gap", number(gap, args->gap, "ms"));
	add(&words, "--state", lookup->state);
	add(&words, "--listen", args->listen);
	add(&words, "--token-file", lookup->token_file);
	add(&words, "--tls", lookup->tls);
	if (lookup->unencrypted)
		words.at[words.n++] = "--unencrypted";
	adapter_files_put(&args->adapters, words.at + words.n);
	execv(program, (char *const *)words.at);
	return output_fail(output, EXIT_SYSTEM, "%s: %s", program,
			   strerror(errno));
}
