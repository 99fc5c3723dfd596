/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "base/tree.h"
#include "rpc/renew.h"
#include "tests/check.h"
#include "tests/unit/rpc_room.h"
#include "tests/unit/tls_folder.h"

#define ECHO "/test.room.Room/Echo"

static char root[] = "/tmp/bellows-renew-XXXXXX";
static struct tls_authority *first, *second; /* the second replaces the first */

/* ---- a folder ---- */

static struct renew renew;
static struct tls_identity got;
static unsigned news, faults;
static struct error told;

static void on_news(void *user, const struct tls_identity *now,
		    const struct error *fault)
{
	struct tls_identity copy = {0};

	if (fault) {
		faults++;
		told = *fault;
		return;
	}
	news++;
	if (tls_identity_set(&copy, now->ca, now->cert, now->key, "copy",
			     time(NULL), &err) == 0) {
		tls_identity_fini(&got);
		got = copy;
	}
}

static bool put(const struct tls_identity *identity)
{
	return tree_remove_path(root, &err) == 0 &&
	       tls_identity_write(identity, root, &err) == 0;
}

static bool begin_folder(struct tls_identity *identity)
{
	news = faults = 0;
	first = make_authority(time(NULL));
	return first && make_by(identity, first, "executor", NULL) &&
	       put(identity) && loop_create(&loop, NULL) == 0;
}

static void end_folder(struct tls_identity *identity)
{
	renew_end(&renew);
	tls_identity_fini(identity);
	tls_identity_fini(&got);
	first = tls_authority_destroy(first);
	loop = loop_destroy(loop);
	tree_remove_path(root, NULL);
}

static void what_is_new_is_handed_on_once(void)
{
	struct tls_identity identity = {0}, later = {0};

	CHECK(begin_folder(&identity));
	renew_begin(&renew, loop, root, &identity, on_news, NULL);
	renew_now(&renew);
	CHECK(news == 0 && faults == 0);

	CHECK(make_by(&later, first, "executor", NULL) && put(&later));
	renew_now(&renew);
	renew_now(&renew);
	CHECK(news == 1 && faults == 0);
	CHECK_TEXT(got.key, later.key);
	tls_identity_fini(&later);
	end_folder(&identity);
}

static void what_is_wrong_is_told_once_until_it_is_right_again(void)
{
	struct tls_identity identity = {0};
	char path[64], expected[128];

	CHECK(begin_folder(&identity));
	renew_begin(&renew, loop, root, &identity, on_news, NULL);
	snprintf(path, sizeof(path), "%s/tls.crt", root);
	snprintf(expected, sizeof(expected), "%s: no certificate in PEM", path);
	for (unsigned times = 1; times < 3; times++) {
		CHECK(file_replace(path, 0600, "x", 1, &err) == 0);
		renew_now(&renew);
		renew_now(&renew);
		CHECK(faults == times);
		CHECK_TEXT(told.text, expected);
		CHECK(put(&identity));
		renew_now(&renew);
		CHECK(news == 0 && faults == times);
	}
	end_folder(&identity);
}

static void its_time_comes_again_and_again(void)
{
	struct tls_identity identity = {0};

	CHECK(begin_folder(&identity));
	renew_begin(&renew, loop, root, &identity, on_news, NULL);
	CHECK(loop_timer_is_set(&renew.timer));
	renew.timer.fn(renew.timer.user);
	CHECK(loop_timer_is_set(&renew.timer));
	renew_end(&renew);
	CHECK(!loop_timer_is_set(&renew.timer));
	end_folder(&identity);
}

static void what_has_not_changed_is_read_seldom(void)
{
	struct tls_identity identity = {0}, later = {0};
	unsigned looks = 0;

	CHECK(begin_folder(&identity));
	renew_begin(&renew, loop, root, &identity, on_news, NULL);
	renew.timer.fn(renew.timer.user);
	do
		renew.timer.fn(renew.timer.user);
	while (++looks < 100 && renew.passed > 0);
	CHECK(looks == RENEW_ANYWAY && news == 0 && faults == 0);

	renew.timer.fn(renew.timer.user);
	CHECK(renew.passed == 1);
	CHECK(make_by(&later, first, "executor", NULL) && put(&later));
	renew.timer.fn(renew.timer.user);
	CHECK(renew.passed == 0 && news == 1);
	CHECK_TEXT(got.key, later.key);
	CHECK(tree_remove_path(root, &err) == 0);
	renew.timer.fn(renew.timer.user);
	renew.timer.fn(renew.timer.user);
	CHECK(renew.passed == 0 && faults == 1);
	tls_identity_fini(&later);
	end_folder(&identity);
}

static void standard_input_is_not_read_again(void)
{
	struct tls_identity identity = {0};

	CHECK(begin_folder(&identity));
	renew_begin(&renew, loop, "-", &identity, on_news, NULL);
	CHECK(!loop_timer_is_set(&renew.timer));
	end_folder(&identity);
}

/* ---- connections ---- */

static struct tls_identity served, client;

static bool serve_with(const struct tls_identity *tls)
{
	struct rpc_server_config config = room_at("127.0.0.1:0");

	config.tls = tls;
	return begin_server(&config, &err);
}

static bool connect_with(const struct tls_identity *own)
{
	const struct rpc_security security = {own, SERVER, false};

	channel = rpc_channel_destroy(channel);
	forget();
	return rpc_channel_create(&channel, rpc, rpc_server_address(server),
				  &security, &err) == 0;
}

static bool is_answered(void)
{
	forget();
	call_named(ECHO, "hello", 1500, "over:");
	return await("over:") && last.code == RPC_OK;
}

/* Both sides, by the first authority. */
static bool begin_pair(void)
{
	first = make_authority(time(NULL));
	second = make_authority(time(NULL));
	return first && second && make_by(&served, first, "server", SERVER) &&
	       make_by(&client, first, "alice", NULL) && serve_with(&served) &&
	       connect_with(&client);
}

static void end_pair(void)
{
	finish();
	tls_identity_fini(&served);
	tls_identity_fini(&client);
	first = tls_authority_destroy(first);
	second = tls_authority_destroy(second);
}

static void a_server_that_is_renewed_shows_the_new_one(void)
{
	struct tls_identity later = {0}, other = {0};

	CHECK(begin_pair());
	CHECK(is_answered());
	CHECK(make_by(&later, second, "server", SERVER));
	rpc_server_renew(server, &later);
	/* a client that is connected stays so */
	CHECK(is_answered());
	/* a new connection is made by the new authority, not by the old one */
	CHECK(connect_with(&client) && !is_answered());
	CHECK(make_by(&other, second, "alice", NULL));
	CHECK(connect_with(&other) && is_answered());
	tls_identity_fini(&later);
	tls_identity_fini(&other);
	end_pair();
}

static void a_server_that_is_renewed_twice_shows_the_last_one(void)
{
	struct tls_identity later = {0}, other = {0};

	CHECK(begin_pair());
	CHECK(make_by(&later, second, "server", SERVER));
	rpc_server_renew(server, &later);
	rpc_server_renew(server, &served);
	CHECK(is_answered());
	CHECK(make_by(&other, second, "alice", NULL));
	CHECK(connect_with(&other) && !is_answered());
	tls_identity_fini(&later);
	tls_identity_fini(&other);
	end_pair();
}

static void a_channel_that_is_renewed_goes_on_with_the_new_one(void)
{
	struct tls_identity later = {0}, other = {0};

	CHECK(begin_pair());
	CHECK(is_answered());
	CHECK(make_by(&later, second, "server", SERVER));
	CHECK(make_by(&other, second, "alice", NULL));
	rpc_server_renew(server, &later);
	rpc_channel_renew(channel, &other);
	CHECK(is_answered());
	tls_identity_fini(&later);
	tls_identity_fini(&other);
	end_pair();
}

static void a_stream_outlives_the_renewal_of_its_channel(void)
{
	struct tls_identity other = {0};

	CHECK(begin_pair());
	CHECK(open_stream("/test.room.Room/Chat", NULL, 0));
	send_note("x");
	CHECK(await("got:x"));
	CHECK(make_by(&other, first, "bob", NULL));
	rpc_channel_renew(channel, &other);
	send_note("y");
	CHECK(await("got:y"));
	rpc_stream_half_close(stream);
	CHECK(await("end:OK"));
	CHECK(is_answered());
	tls_identity_fini(&other);
	end_pair();
}

static void nothing_of_grpc_is_left_behind(void)
{
	CHECK(grpc_has_ended());
}

int main(void)
{
	static const struct test tests[] = {
		TEST(what_is_new_is_handed_on_once),
		TEST(what_is_wrong_is_told_once_until_it_is_right_again),
		TEST(its_time_comes_again_and_again),
		TEST(what_has_not_changed_is_read_seldom),
		TEST(standard_input_is_not_read_again),
		TEST(a_server_that_is_renewed_shows_the_new_one),
		TEST(a_server_that_is_renewed_twice_shows_the_last_one),
		TEST(a_channel_that_is_renewed_goes_on_with_the_new_one),
		TEST(a_stream_outlives_the_renewal_of_its_channel),
		TEST(nothing_of_grpc_is_left_behind),
	};
	int r = 1;

	if (mkdtemp(root))
		r = run_tests(tests, LENGTH(tests));
	tree_remove_path(root, NULL);
	return r;
}
