/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/local/internal.h"

#include <string.h>

static bool is_own(const struct local *local)
{
	return !local->config.lookup->token_file && *local->token_file;
}

/* Where others can connect, they must not be able to join. */
static int make(struct local *local, struct error *err)
{
	const struct state_dir *dir = local->config.dir;
	struct token *token = &local->run.client.token;
	char line[TOKEN_MAX + 1];
	int n, r = token_make(token, err);

	if (r < 0)
		return r;
	n = snprintf(line, sizeof(line), "%s\n", token->text);
	r = state_dir_write(dir, "token", line, (size_t)n, err);
	explicit_bzero(line, sizeof(line));
	if (r == 0)
		snprintf(local->token_file, sizeof(local->token_file),
			 "%s/token", dir->path);
	return r;
}

int local_token_init(struct local *local, struct error *err)
{
	const struct lookup *lookup = local->config.lookup;
	const char *listen = local->config.listen;
	int r;

	if (lookup->token_file) {
		snprintf(local->token_file, sizeof(local->token_file), "%s",
			 lookup->token_file);
		r = token_read(&local->run.client.token, lookup->token_file,
			       err);
		return r < 0 ? error_wrap(err, r, "--token-file") : 0;
	}
	if (!listen || strncmp(listen, "unix:", 5) == 0)
		return 0;
	return make(local, err);
}

void local_token_fini(struct local *local)
{
	if (is_own(local))
		unlink(local->token_file);
}
