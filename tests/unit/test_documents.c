/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "base/time.h"
#include "coordinator/members/polled.h"
#include "core/job.h"
#include "monitor/pod_pool.h"
#include "rpc/connections.h"
#include "rpc/frames.h"
#include "rpc/limit.h"
#include "rpc/rpc.h"
#include "tests/check.h"

#include <stdlib.h>

/* A sentence of a document, and the constant that stands in it. */
static const struct {
	const char *file, *sentence;
	unsigned value;
} rows[] = {
	{"security", "| a message | %u MiB |", RPC_MESSAGE_MAX >> 20},
	{"security", "| %u MiB a call, then the call ends |",
	 RPC_QUEUE_MAX >> 20},
	{"security", "| %u, then one a second; ", LIMIT_BURST},
	{"security", "| %u of a host or a /64 of IPv6",
	 CONNECTIONS_STRANGERS_OF_HOST},
	{"security", "IPv6, %u in all; ", CONNECTIONS_STRANGERS},
	{"security", "calls at once, of a connection | %u; ",
	 CONNECTIONS_CALLS_MAX},
	{"security", "of a connection | %u at once, then ", FRAMES_HEADS_MAX},
	{"security", " at once, then %u a second, ", FRAMES_HEADS_RATE},
	{"reliability",
	 "- **A size that does not start** is tried %u times in all",
	 JOB_FAILURES_MAX},
	{"kub", "One that was silent for %u s, three of Kub's rounds",
	 POLLED_SILENCE / 1000},
	{"architecture", "after %u s; one whose pod is gone",
	 (unsigned)(POD_POOL_PARTED / 1000)},
};

/* The text with blanks in place of the ends of lines; to be freed. */
static char *document(const char *name)
{
	enum { ROOM = 1 << 20 };
	char path[512], *text = calloc(1, ROOM);
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/docs/%s.md", SOURCE_ROOT, name);
	f = fopen(path, "r");
	n = f && text ? fread(text, 1, ROOM - 1, f) : 0;
	if (f)
		fclose(f);
	for (size_t i = 0; i < n; i++)
		if (text[i] == '\n')
			text[i] = ' ';
	return text;
}

static void limits_in_the_documents_are_those_of_the_constants(void)
{
	for (size_t i = 0; i < LENGTH(rows); i++) {
		char sentence[256], *text = document(rows[i].file);
		bool is_there;

		snprintf(sentence, sizeof(sentence), rows[i].sentence,
			 rows[i].value);
		is_there = text && strstr(text, sentence);
		free(text);
		if (!is_there)
			note(rows[i].file, sentence);
		CHECK(is_there);
	}
	CHECK(LIMIT_EACH == SECONDS(1));
}

RUN_TESTS(TEST(limits_in_the_documents_are_those_of_the_constants))
