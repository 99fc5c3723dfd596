/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any command line and environment of bellows-launch: words and numbers as they
 * were given, or a refusal
 *
 * Texts that end with NUL: "KEY=value" up to an empty one, then the words.
 */

#include "launch/argv.h"

#include "base/cleanup.h"
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <inttypes.h>

enum { TEXTS_MAX = 64 };

static char *variables[TEXTS_MAX + 1];

static char *lookup(const char *name)
{
	size_t n = strlen(name);

	for (char **at = variables; *at; at++)
		if (strncmp(*at, name, n) == 0 && (*at)[n] == '=')
			return *at + n + 1;
	return NULL;
}

static void is_written(const char *text, uint64_t number)
{
	char same[24];

	HOLD(text);
	while (text[0] == '0' && text[1])
		text++;
	snprintf(same, sizeof(same), "%" PRIu64, number);
	HOLD(strcmp(text, same) == 0);
}

static void is_the_number(const char *name, unsigned number)
{
	is_written(lookup(name), number);
}

static void are_the_words(char **argv, const char *text)
{
	for (; *argv; argv++) {
		size_t n = strlen(*argv);

		HOLD(strncmp(text, *argv, n) == 0);
		text += n;
		HOLD(*text == (argv[1] ? ' ' : '\0'));
		text += argv[1] != NULL;
	}
}

static void check(const struct launch_argv *words, char **argv)
{
	CLEANUP(free) char *command = NULL;

	switch (words->role) {
	case ROLE_AGENT:
		HOLD(words->host == argv[1] && *words->host != '-');
		HOLD(words->socket == lookup("BELLOWS_AGENT"));
		is_the_number("BELLOWS_EPOCH", words->epoch);
		command = argv_join(words->command);
		HOLD(command && words->command[0]);
		are_the_words(argv + 2, command);
		return;
	case ROLE_GATE:
		HOLD(words->socket == lookup("BELLOWS_GATE"));
		is_the_number("BELLOWS_EPOCH", words->epoch);
		is_the_number("OMPI_COMM_WORLD_RANK", words->rank);
		is_the_number("OMPI_COMM_WORLD_SIZE", words->size);
		return;
	case ROLE_LOOK:
		HOLD(words->dir == argv[2] && argv[3] && !argv[4]);
		is_written(argv[3], words->room);
		return;
	case ROLE_SESSION:
	case ROLE_HELP:
	case ROLE_VERSION:
		HOLD(argv[1] && !argv[2]);
		return;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(free) char *text = fuzz_text(data, size);
	char *argv[TEXTS_MAX + 2] = {(char *)"bellows-launch"};
	char *at = text, *end = text + size;
	struct launch_argv words;
	struct error err = {""};
	int n = 0, argc = 1, r;

	for (; at < end && *at && n < TEXTS_MAX; at += strlen(at) + 1)
		variables[n++] = at;
	variables[n] = NULL;
	for (at++; at < end && argc <= TEXTS_MAX; at += strlen(at) + 1)
		argv[argc++] = at;
	r = argv_read(&words, argc, argv, lookup, &err);
	if (r == 0)
		check(&words, argv);
	else
		HOLD(r == -EINVAL);
	return 0;
}
