/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/unconfirmed.h"

#include "proto/bellows.pb-c.h"
#include "tests/check.h"

#include <errno.h>
#include <stdlib.h>

static struct unconfirmed list;
static uint64_t sent[8]; /* numbers of the messages that were sent again */
static size_t n_sent;

static struct error err;

/* A message with its number and a text. */
static int keep(const char *text)
{
	Bellows__V1__Launch launch = BELLOWS__V1__LAUNCH__INIT;

	launch.launch = unconfirmed_next(&list);
	launch.command = (char *)text;
	return unconfirmed_keep(&list, &launch.base, &err);
}

static void note_number(void *user, const ProtobufCMessage *message)
{
	const Bellows__V1__Launch *launch =
		(const Bellows__V1__Launch *)message;

	if (n_sent < sizeof(sent) / sizeof(*sent) &&
	    strcmp(launch->command, user) == 0)
		sent[n_sent++] = launch->launch;
}

static bool resends(const char *text, uint64_t first, size_t n)
{
	n_sent = 0;
	if (unconfirmed_resend(&list, note_number, (void *)text, &err) < 0 ||
	    n_sent != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (sent[i] != first + i)
			return false;
	return true;
}

static void what_is_not_confirmed_is_sent_again_in_order(void)
{
	unconfirmed_init(&list);
	for (int i = 0; i < 4; i++)
		CHECK(keep("a word") == 0);
	CHECK(resends("a word", 1, 4));
	unconfirmed_confirm(&list, 2);
	CHECK(resends("a word", 3, 2));
	CHECK(resends("a word", 3, 2));
	unconfirmed_confirm(&list, 4);
	CHECK(resends("a word", 0, 0) && list.bytes == 0);
	unconfirmed_clear(&list);
}

static void a_confirmation_that_comes_again_changes_nothing(void)
{
	unconfirmed_init(&list);
	for (int i = 0; i < 3; i++)
		CHECK(keep("again") == 0);
	unconfirmed_confirm(&list, 2);
	unconfirmed_confirm(&list, 1);
	unconfirmed_confirm(&list, 0);
	CHECK(resends("again", 3, 1));
	CHECK(keep("again") == 0 && list.last == 4);
	unconfirmed_clear(&list);
}

static void numbers_begin_anew_when_the_list_is_cleared(void)
{
	unconfirmed_init(&list);
	CHECK(keep("old") == 0 && keep("old") == 0);
	unconfirmed_clear(&list);
	CHECK(keep("new") == 0);
	CHECK(resends("new", 1, 1));
	unconfirmed_clear(&list);
}

static void a_number_is_taken_once(void)
{
	uint64_t taken = 0;

	CHECK(unconfirmed_take(&taken, 1) && !unconfirmed_take(&taken, 1));
	CHECK(unconfirmed_take(&taken, 2) && !unconfirmed_take(&taken, 1));
	CHECK(taken == 2);
}

static void a_message_without_a_number_is_always_taken(void)
{
	uint64_t taken = 7;

	CHECK(unconfirmed_take(&taken, 0) && unconfirmed_take(&taken, 0));
	CHECK(taken == 7);
}

static void so_many_messages_are_kept_and_no_more(void)
{
	unconfirmed_init(&list);
	for (int i = 0; i < UNCONFIRMED_MAX; i++) {
		CHECK(unconfirmed_has_room(&list) ==
		      (i <= UNCONFIRMED_MAX / 2));
		CHECK(keep("") == 0);
	}
	CHECK(keep("") == -ENOBUFS && list.is_full);
	CHECK(strstr(err.text, "16384 messages of"));
	unconfirmed_clear(&list);
}

static void so_many_bytes_are_kept_and_no_more(void)
{
	enum { LONG = UNCONFIRMED_BYTES_MAX / 4 };
	char *text = calloc(1, LONG + 1);

	CHECK(text);
	memset(text, 'x', LONG);
	unconfirmed_init(&list);
	for (int i = 0; i < 3; i++)
		CHECK(keep(text) == 0);
	CHECK(!unconfirmed_has_room(&list));
	CHECK(keep(text) == -ENOBUFS);
	unconfirmed_clear(&list);
	free(text);
}

/* A message in between is missing, so the peer must not see a later one. */
static void after_one_that_was_not_kept_no_other_is(void)
{
	enum { LONG = UNCONFIRMED_BYTES_MAX + 1 };
	char *text = calloc(1, LONG + 1);

	CHECK(text);
	memset(text, 'x', LONG);
	unconfirmed_init(&list);
	CHECK(keep("a") == 0);
	CHECK(keep(text) == -ENOBUFS);
	CHECK(keep("a") == -ENOBUFS && list.last == 1);
	unconfirmed_confirm(&list, 1);
	CHECK(keep("a") == -ENOBUFS && !unconfirmed_has_room(&list));
	unconfirmed_clear(&list);
	CHECK(keep("a") == 0);
	unconfirmed_clear(&list);
	free(text);
}

RUN_TESTS(TEST(what_is_not_confirmed_is_sent_again_in_order),
	  TEST(a_confirmation_that_comes_again_changes_nothing),
	  TEST(numbers_begin_anew_when_the_list_is_cleared),
	  TEST(a_number_is_taken_once),
	  TEST(a_message_without_a_number_is_always_taken),
	  TEST(so_many_messages_are_kept_and_no_more),
	  TEST(so_many_bytes_are_kept_and_no_more),
	  TEST(after_one_that_was_not_kept_no_other_is))
