/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/token.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/stat.h>

static const char scheme[] = "Bearer ";

int token_make(struct token *token, struct error *err)
{
	unsigned char bytes[32];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return error_errno(err, "no random bytes for a token");
	for (size_t i = 0; i < sizeof(bytes); i++)
		sprintf(token->text + 2 * i, "%02x", bytes[i]);
	explicit_bzero(bytes, sizeof(bytes));
	return 0;
}

static int check_file(int fd, const char *path, struct error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_errno(err, "%s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "%s: no file with a token",
				 path);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return error_set(err, -EPERM,
				 "%s: belongs to somebody else (user %u)", path,
				 (unsigned)st.st_uid);
	if (st.st_mode & 077)
		return error_set(err, -EPERM,
				 "%s: others can read it (mode %04o); chmod "
				 "600",
				 path, (unsigned)st.st_mode & 07777);
	return 0;
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

int token_read(struct token *token, const char *path, struct error *err)
{
	CLEANUP(close)
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char text[TOKEN_MAX + 1];
	ssize_t n;
	int r;

	if (fd < 0)
		return error_errno(err, "%s", path);
	r = check_file(fd, path, err);
	if (r < 0)
		return r;
	n = read(fd, text, sizeof(text));
	if (n < 0)
		return error_errno(err, "%s", path);
	n -= n > 0 && text[n - 1] == '\n';
	r = check_text(text, (size_t)n, path, err);
	if (r == 0) {
		memcpy(token->text, text, (size_t)n);
		token->text[n] = '\0';
	}
	explicit_bzero(text, sizeof(text));
	return r;
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
