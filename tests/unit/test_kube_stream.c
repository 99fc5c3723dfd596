/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "kube/kube.h"
#include "kube/stream.h"
#include "tests/unit/corpus.h"

#include <errno.h>

static char heard[512];

static int hear(void *user, enum kube_stream_kind kind, const cJSON *object)
{
	static const char *const names[] = {"there", "gone", "bookmark",
					    "error"};
	const char *name = kube_text(object, "metadata.name");
	size_t n = strlen(heard);

	snprintf(heard + n, sizeof(heard) - n, "%s %s;", names[kind],
		 name ? name : "-");
	return user && strcmp(user, name) == 0 ? -ECANCELED : 0;
}

#define POD(type, name)                                                        \
	"{\"type\":\"" type "\",\"object\":{\"metadata\":{\"name\":\"" name    \
	"\"}}}\n"

/* What is heard of text that comes in pieces of n, or the sentence. */
static const char *heard_of(const char *text, size_t n)
{
	struct kube_stream stream = {0};
	static struct error err;
	int r = 0;

	*heard = '\0';
	for (size_t left = strlen(text); left > 0 && r == 0;) {
		size_t part = left < n ? left : n;

		r = kube_stream_feed(&stream, text, part, hear, NULL, &err);
		text += part;
		left -= part;
	}
	kube_stream_fini(&stream);
	return r == 0 ? heard : err.text;
}

static void every_type_of_event_is_heard(void)
{
	CHECK_TEXT(heard_of(POD("ADDED", "a") POD("MODIFIED", "b")
				    POD("DELETED", "c") POD("BOOKMARK", "d")
					    POD("ERROR", "e"),
			    10000),
		   "there a;there b;gone c;bookmark d;error e;");
}

static void lines_may_come_in_any_pieces(void)
{
	static const char text[] =
		POD("ADDED", "a") POD("DELETED", "a") POD("ADDED", "b");

	for (size_t n = 1; n < sizeof(text); n++)
		CHECK_TEXT(heard_of(text, n), "there a;gone a;there b;");
}

static void half_a_line_is_not_heard(void)
{
	CHECK_TEXT(heard_of(POD("ADDED", "a") "{\"type\":\"ADDED\"", 1000),
		   "there a;");
	CHECK_TEXT(heard_of("", 1), "");
}

static void empty_lines_and_returns_are_passed_over(void)
{
	CHECK_TEXT(
		heard_of("\n\r\n  \n{\"type\":\"ADDED\",\"object\":{}}\r\n", 7),
		"there -;");
}

static void what_is_no_event_ends_it_with_a_sentence(void)
{
	CHECK_TEXT(heard_of("<html>\n", 3), "a line that is not JSON");
	CHECK_TEXT(heard_of("{\"type\":\"ADDED\",\"object\":{}} x\n", 99),
		   "a line that is not JSON");
	CHECK_TEXT(heard_of("{\"type\":\"ADDED\",\"object\":[]}\n", 99),
		   "a line that is no event");
	CHECK_TEXT(heard_of("{\"object\":{}}\n", 99),
		   "a line that is no event");
	CHECK_TEXT(heard_of("7\n", 99), "a line that is no event");
	CHECK_TEXT(heard_of(POD("RENAMED", "a"), 99),
		   "an event of the unknown type 'RENAMED'");
}

static void a_line_without_end_is_cut_off_at_the_limit(void)
{
	struct kube_stream stream = {0};
	static char bytes[1 << 20];
	struct error err;
	int r = 0, n = 0;

	memset(bytes, 'x', sizeof(bytes));
	while (r == 0 && n++ < 100)
		r = kube_stream_feed(&stream, bytes, sizeof(bytes), hear, NULL,
				     &err);
	kube_stream_fini(&stream);
	CHECK(r == -EPROTO);
	CHECK(n == 5);
	CHECK_TEXT(err.text, "an event of more than 4 MiB");
}

static void the_hearer_may_end_it_between_two_events(void)
{
	static const char text[] = POD("ADDED", "a") POD("ADDED", "b");
	struct kube_stream stream = {0};

	*heard = '\0';
	CHECK(kube_stream_feed(&stream, text, strlen(text), hear,
			       (void *)(uintptr_t) "a", NULL) == -ECANCELED);
	CHECK_TEXT(heard, "there a;");
	kube_stream_fini(&stream);
}

static void the_corpus_of_the_fuzzer_passes(void)
{
	CHECK(replay_folder(CORPUS) > 0);
}

RUN_TESTS(TEST(every_type_of_event_is_heard),
	  TEST(lines_may_come_in_any_pieces), TEST(half_a_line_is_not_heard),
	  TEST(empty_lines_and_returns_are_passed_over),
	  TEST(what_is_no_event_ends_it_with_a_sentence),
	  TEST(a_line_without_end_is_cut_off_at_the_limit),
	  TEST(the_hearer_may_end_it_between_two_events),
	  TEST(the_corpus_of_the_fuzzer_passes))
