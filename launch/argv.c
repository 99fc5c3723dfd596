/* SPDX-License-Identifier: Apache-2.0 */
#include "launch/argv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Digits alone: strtoull() takes blanks and signs too, and -1 for a number. */
static bool is_number(const char *text, uint64_t max, uint64_t *out)
{
	if (!text || !*text || text[strspn(text, "0123456789")] != '\0')
		return false;
	errno = 0;
	*out = strtoull(text, NULL, 10);
	return errno == 0 && *out <= max;
}

static int read_number(const char *name, char *(*env)(const char *name),
		       unsigned *out, struct error *err)
{
	uint64_t value = 0;

	if (!is_number(env(name), INT32_MAX, &value))
		return error_set(err, -EINVAL, "%s is not a number", name);
	*out = (unsigned)value;
	return 0;
}

static int read_socket(struct launch_argv *out, const char *name,
		       char *(*env)(const char *name), struct error *err)
{
	out->socket = env(name);
	if (!out->socket)
		return error_set(err, -EINVAL, "%s is not set", name);
	return read_number("BELLOWS_EPOCH", env, &out->epoch, err);
}

static int read_gate(struct launch_argv *out, char *(*env)(const char *name),
		     struct error *err)
{
	int r = read_socket(out, "BELLOWS_GATE", env, err);

	if (r == 0)
		r = read_number("OMPI_COMM_WORLD_RANK", env, &out->rank, err);
	if (r == 0)
		r = read_number("OMPI_COMM_WORLD_SIZE", env, &out->size, err);
	return r;
}

static int read_look(struct launch_argv *out, char **argv, struct error *err)
{
	out->role = ROLE_LOOK;
	out->dir = argv[2];
	return is_number(argv[3], UINT64_MAX, &out->room)
		       ? 0
		       : error_set(err, -EINVAL,
				   "--look DIR BYTES: '%.40s' is "
				   "not a number",
				   argv[3]);
}

/* The one option that there is. */
static int read_option(struct launch_argv *out, const char *option,
		       char *(*env)(const char *name), struct error *err)
{
	static const struct {
		const char *option;
		enum role role;
	} roles[] = {
		{"--help", ROLE_HELP},
		{"--version", ROLE_VERSION},
		{"--session", ROLE_SESSION},
		{"--gate", ROLE_GATE},
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (strcmp(option, roles[i].option) != 0)
			continue;
		out->role = roles[i].role;
		return out->role == ROLE_GATE ? read_gate(out, env, err) : 0;
	}
	return error_set(err, -EINVAL, "");
}

int argv_read(struct launch_argv *out, int argc, char **argv,
	      char *(*env)(const char *name), struct error *err)
{
	*out = (struct launch_argv){.role = ROLE_AGENT};
	if (argc == 2)
		return read_option(out, argv[1], env, err);
	if (argc == 4 && strcmp(argv[1], "--look") == 0)
		return read_look(out, argv, err);
	if (argc < 3 || argv[1][0] == '-')
		return error_set(err, -EINVAL, "");
	out->host = argv[1];
	out->command = argv + 2;
	return read_socket(out, "BELLOWS_AGENT", env, err);
}

char *argv_join(char **words)
{
	size_t size = 1;
	char *text, *at;

	for (char **w = words; *w; w++)
		size += strlen(*w) + 1;
	text = at = calloc(1, size);
	for (char **w = words; text && *w; w++) {
		at = stpcpy(at, *w);
		if (w[1])
			at = stpcpy(at, " ");
	}
	return text;
}
