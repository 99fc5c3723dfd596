/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/owner_record.h"

#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static void read_boot(char out[OWNER_WORD_MAX])
{
	size_t n;

	if (file_read("/proc/sys/kernel/random/boot_id", out,
		      OWNER_WORD_MAX - 1, &n, NULL) < 0)
		n = 0;
	out[n] = '\0';
	out[strcspn(out, " \n")] = '\0';
}

void owner_record_init(struct owner_record *out, const char *job,
		       const char *state)
{
	struct timespec now;

	*out = (struct owner_record){.pid = (unsigned)getpid()};
	text_make_safe(out->job, sizeof(out->job), job);
	if (gethostname(out->host, sizeof(out->host) - 1) < 0)
		out->host[0] = '\0';
	text_make_safe(out->host, sizeof(out->host), out->host);
	read_boot(out->boot);
	text_make_safe(out->state, sizeof(out->state), state);
	clock_gettime(CLOCK_REALTIME, &now);
	out->since = SECONDS(now.tv_sec) + now.tv_nsec / 1000000;
	if (getrandom(&out->incarnation, sizeof(out->incarnation), 0) !=
	    (ssize_t)sizeof(out->incarnation))
		out->incarnation = (uint64_t)now.tv_nsec << 32 | out->pid;
}

static const char *state_word(const struct owner_record *record)
{
	if (!record->left)
		return "lives";
	return record->without_rank ? "left ranks=none" : "left";
}

size_t owner_record_format(const struct owner_record *record,
			   char text[OWNER_RECORD_MAX])
{
	int n = snprintf(text, OWNER_RECORD_MAX,
			 "bellows-owner 1\n"
			 "job %s\nhost %s\nboot %s\npid %u\n"
			 "incarnation %016" PRIx64 "\nsince %" PRId64
			 "\nstate %s\nis %s\n",
			 record->job, record->host, record->boot, record->pid,
			 record->incarnation, record->since, record->state,
			 state_word(record));

	return (size_t)n;
}

/* ---- reading ---- */

/* Takes the line `key value` off the text; false: it does not begin with it. */
static bool take(const char **text, const char *key, char *value, size_t room)
{
	size_t n = strlen(key), length = strcspn(*text, "\n");

	if ((*text)[length] != '\n' || length <= n ||
	    strncmp(*text, key, n) != 0 || (*text)[n] != ' ' ||
	    length - n - 1 >= room)
		return false;
	memcpy(value, *text + n + 1, length - n - 1);
	value[length - n - 1] = '\0';
	*text += length + 1;
	return true;
}

/* The same of a number. */
static bool take_number(const char **text, const char *key, int base,
			uint64_t *out)
{
	char word[24], *end;

	if (!take(text, key, word, sizeof(word)) ||
	    strspn(word, "0123456789abcdef") != strlen(word) || !*word)
		return false;
	errno = 0;
	*out = strtoull(word, &end, base);
	return errno == 0 && *end == '\0';
}

static bool read_state(struct owner_record *out, const char *word)
{
	out->without_rank = strcmp(word, "left ranks=none") == 0;
	out->left = out->without_rank || strcmp(word, "left") == 0;
	return out->left || strcmp(word, "lives") == 0;
}

/* It is shown to people: no control characters, and the like. */
static void make_safe(struct owner_record *out)
{
	text_make_safe(out->job, sizeof(out->job), out->job);
	text_make_safe(out->host, sizeof(out->host), out->host);
	text_make_safe(out->boot, sizeof(out->boot), out->boot);
	text_make_safe(out->state, sizeof(out->state), out->state);
}

int owner_record_parse(struct owner_record *out, const char *text, size_t n)
{
	char copy[OWNER_RECORD_MAX], word[OWNER_WORD_MAX];
	const char *at = copy;
	uint64_t pid, since;

	*out = (struct owner_record){0};
	if (n >= sizeof(copy) || memchr(text, '\0', n))
		return -EINVAL;
	memcpy(copy, text, n);
	copy[n] = '\0';
	if (!take(&at, "bellows-owner", word, sizeof(word)) ||
	    strcmp(word, "1") != 0 ||
	    !take(&at, "job", out->job, sizeof(out->job)) ||
	    !take(&at, "host", out->host, sizeof(out->host)) ||
	    !take(&at, "boot", out->boot, sizeof(out->boot)) ||
	    !take_number(&at, "pid", 10, &pid) || pid > INT32_MAX ||
	    !take_number(&at, "incarnation", 16, &out->incarnation) ||
	    !take_number(&at, "since", 10, &since) || since > INT64_MAX ||
	    !take(&at, "state", out->state, sizeof(out->state)) ||
	    !take(&at, "is", word, sizeof(word)) || !read_state(out, word) ||
	    *at != '\0')
		return -EINVAL;
	out->pid = (unsigned)pid;
	out->since = (msec_t)since;
	make_safe(out);
	return 0;
}
