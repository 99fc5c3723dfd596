/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/token.h"

#include "base/cleanup.h"
#include "base/random.h"
#include "base/secret.h"
#include "base/text.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define INPUT_PATIENCE SECONDS(10)

enum { DIGITS = 64 }; /* of what token_make() makes */

static const char scheme[] = "Bearer ";

int token_make(struct token *token, struct error *err)
{
	return random_hex(token->text, DIGITS + 1, err);
}

static int check_text(const char *text, size_t n, const char *path,
		      struct error *err)
{
	for (size_t i = 0; i < n; i++)
		if (text[i] <= ' ' || text[i] > '~')
			n = 0;
	if (n >= TOKEN_MIN && n < TOKEN_MAX)
		return 0;
	return error_set(err, -EINVAL,
			 "%s: a token is one line of %d to %d printable "
			 "characters without blanks",
			 path, TOKEN_MIN, TOKEN_MAX - 1);
}

/* Takes the token out of text, which is wiped. */
static int take_text(struct token *token, char *text, size_t n,
		     const char *path, struct error *err)
{
	int r;

	n = text_line_length(text, n);
	r = check_text(text, n, path, err);
	if (r == 0) {
		memcpy(token->text, text, n);
		token->text[n] = '\0';
	}
	explicit_bzero(text, TOKEN_MAX + 1);
	return r;
}

/* Reads up to the end of a line, which may come in parts and slowly, and no
 * further: what follows is for another reader. */
static int read_input(struct token *token, struct error *err)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	char text[TOKEN_MAX + 1];
	size_t n = 0;
	ssize_t k = 1;

	while (k > 0 && n < sizeof(text) && (n == 0 || text[n - 1] != '\n')) {
		if (poll(&input, 1, INPUT_PATIENCE) == 0)
			return error_set(err, -ETIMEDOUT,
					 "no token came on standard input "
					 "within 10 s");
		k = read(STDIN_FILENO, text + n, 1);
		if (k < 0)
			return error_errno(err, "standard input");
		n += (size_t)k;
	}
	return take_text(token, text, n, "standard input", err);
}

static int read_file(struct token *token, const char *path, struct error *err)
{
	CLEANUP(close) int fd = secret_open(path, "a token", err);
	char text[TOKEN_MAX + 1];
	ssize_t n;

	if (fd < 0)
		return fd;
	n = read(fd, text, sizeof(text));
	if (n < 0)
		return error_errno(err, "%s", path);
	return take_text(token, text, (size_t)n, path, err);
}

int token_read(struct token *token, const char *path, struct error *err)
{
	return strcmp(path, "-") == 0 ? read_input(token, err)
				      : read_file(token, path, err);
}

int token_use(struct rpc_channel *channel, const struct token *token,
	      struct error *err)
{
	char header[sizeof(scheme) + TOKEN_MAX];
	int r = 0;

	if (*token->text == '\0')
		return 0;
	snprintf(header, sizeof(header), "%s%s", scheme, token->text);
	r = rpc_channel_set_metadata(channel, "authorization", header);
	explicit_bzero(header, sizeof(header));
	return r < 0 ? error_set(err, r, "the token cannot be sent: %s",
				 strerror(-r))
		     : 0;
}

bool token_is_in(const char *token, const char *header, size_t n)
{
	size_t size = strlen(token), begin = strlen(scheme);
	volatile unsigned char differ;

	if (n < begin || strncasecmp(header, scheme, begin) != 0)
		return false;
	differ = n - begin != size;
	for (size_t i = 0; i < size; i++)
		differ |= (unsigned char)(token[i] ^
					  (begin + i < n ? header[begin + i]
							 : 0));
	return differ == 0;
}
