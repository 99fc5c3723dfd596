/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/session_internal.h"

#include <string.h>

static bool is_own(const struct session *session)
{
	return !session->config->args->lookup.token_file &&
	       *session->token_file;
}

/* Where others can connect, they must not be able to join. */
static int make(struct session *session, struct error *err)
{
	const struct statedir *dir = session->config->dir;
	struct token *token = &session->client.token;
	char line[TOKEN_MAX + 1];
	int n, r = token_make(token, err);

	if (r < 0)
		return r;
	n = snprintf(line, sizeof(line), "%s\n", token->text);
	r = statedir_write(dir, "token", line, (size_t)n, err);
	explicit_bzero(line, sizeof(line));
	if (r == 0)
		snprintf(session->token_file, sizeof(session->token_file),
			 "%s/token", dir->path);
	return r;
}

int session_token_init(struct session *session, struct error *err)
{
	const struct args *args = session->config->args;
	const char *listen = session->config->listen;
	int r;

	if (args->lookup.token_file) {
		snprintf(session->token_file, sizeof(session->token_file), "%s",
			 args->lookup.token_file);
		r = token_read(&session->client.token, args->lookup.token_file,
			       err);
		return r < 0 ? error_wrap(err, r, "--token-file") : 0;
	}
	if (!listen || strncmp(listen, "unix:", 5) == 0)
		return 0;
	return make(session, err);
}

void session_token_fini(struct session *session)
{
	if (is_own(session))
		unlink(session->token_file);
}
