/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/check.h"
#include "tests/unit/rpc_room.h"
#include "tests/unit/tls_folder.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define ECHO "/test.room.Room/Echo"

static struct tls_authority *authority;
static struct tls_identity served, client;

/* A client with the name bob may not call ECHO. */
static int authorize(const char *path, const char *name, struct error *why)
{
	if (strcmp(name, "bob") != 0 || strcmp(path, ECHO) != 0)
		return 0;
	return error_set(why, -EACCES, "Echo is not for bob");
}

static bool serve_with(const struct tls_identity *tls, const char *token)
{
	struct rpc_server_config config = room_at("127.0.0.1:0");

	config.tls = tls;
	config.authorize = authorize;
	config.token = token;
	return begin_server(&config, &err);
}

/* A server with a certificate for SERVER; `name` calls, or nobody yet. */
static bool begin_with(const char *name, const char *token)
{
	const struct rpc_security security = {&client, SERVER, false};

	authority = make_authority(time(NULL));
	return authority && make_by(&served, authority, "server", SERVER) &&
	       make_by(&client, authority, name, NULL) &&
	       serve_with(&served, token) &&
	       rpc_channel_create(&channel, rpc, rpc_server_address(server),
				  &security, &err) == 0;
}

static bool begin_as(const char *name)
{
	return begin_with(name, NULL);
}

static void end(void)
{
	finish();
	tls_identity_fini(&served);
	tls_identity_fini(&client);
	authority = tls_authority_destroy(authority);
}

/* Whether a call by this identity, to a server of that name, is answered. */
static bool answers(const struct tls_identity *id, const char *peer)
{
	const struct rpc_security security = {id, peer, false};

	channel = rpc_channel_destroy(channel);
	forget();
	if (rpc_channel_create(&channel, rpc, rpc_server_address(server),
			       id ? &security : NULL, &err) < 0)
		return true;
	call_named(ECHO, "hello", 1500, "over:");
	return !await("over:") || last.code == RPC_OK;
}

static void a_certificate_of_the_same_authority_is_answered(void)
{
	CHECK(begin_as("alice"));
	call(ECHO, "hello");
	CHECK(await("OK:hello"));
	end();
}

static void streams_are_encrypted_too(void)
{
	CHECK(begin_as("alice"));
	CHECK(open_stream("/test.room.Room/Chat", NULL, 0));
	send_note("x");
	CHECK(await("got:x"));
	rpc_stream_half_close(stream);
	CHECK(await("end:OK"));
	end();
}

static void a_call_without_the_role_gets_permission_denied(void)
{
	CHECK(begin_as("bob"));
	call(ECHO, "hello");
	CHECK(await("PERMISSION_DENIED"));
	CHECK_TEXT(last.message, "Echo is not for bob");
	forget();
	call("/test.room.Room/Peer", "");
	CHECK(await("OK:ipv4:127.0.0.1:"));
	end();
}

static void the_token_is_asked_for_all_the_same(void)
{
	CHECK(begin_with("alice", "0123456789abcdef"));
	call(ECHO, "hello");
	CHECK(await("UNAUTHENTICATED"));
	forget();
	rpc_channel_set_metadata(channel, "authorization",
				 "Bearer 0123456789abcdef");
	call(ECHO, "hello");
	CHECK(await("OK:hello"));
	end();
}

static void a_caller_that_does_not_encrypt_is_not_answered(void)
{
	CHECK(begin_as("alice"));
	CHECK(!answers(NULL, NULL));
	CHECK(answers(&client, SERVER));
	end();
}

static void a_foreign_authority_is_not_answered(void)
{
	struct tls_authority *other = make_authority(time(NULL));
	struct tls_identity stranger = {0};

	CHECK(begin_as("alice"));
	CHECK(make_by(&stranger, other, "alice", NULL));
	/* it does not even believe the server */
	CHECK(!answers(&stranger, SERVER));
	CHECK(last.code == RPC_UNAVAILABLE);
	CHECK(strstr(last.message, "certificate verify failed"));
	/* nor the server it, if it does */
	free(stranger.ca);
	stranger.ca = strdup(client.ca);
	CHECK(!answers(&stranger, SERVER));
	tls_identity_fini(&stranger);
	tls_authority_destroy(other);
	end();
}

static void a_certificate_of_a_server_makes_no_client(void)
{
	struct tls_identity other = {0};

	CHECK(begin_as("alice"));
	CHECK(make_by(&other, authority, "alice", "alice.test"));
	CHECK(!answers(&other, SERVER));
	tls_identity_fini(&other);
	end();
}

static void a_client_cannot_pass_for_the_server(void)
{
	struct tls_identity other = {0};

	CHECK(begin_as("alice"));
	finish();
	CHECK(make_by(&other, authority, "carol", NULL));
	CHECK(serve_with(&client, NULL));
	CHECK(!answers(&other, SERVER));
	tls_identity_fini(&other);
	end();
}

static void a_server_of_another_name_is_not_believed(void)
{
	CHECK(begin_as("alice"));
	CHECK(!answers(&client, "other.test"));
	CHECK(strstr(last.message, "other.test"));
	CHECK(answers(&client, SERVER));
	end();
}

/* An hour was all that it had: identity and authority are both over. */
static void one_that_has_expired_is_not_answered(void)
{
	struct tls_authority *old;
	struct tls_identity late = {0};

	CHECK(begin_as("alice"));
	old = make_authority(time(NULL) - 2 * HOUR);
	CHECK(old && make_by(&late, old, "alice", NULL));
	free(late.ca);
	late.ca = strdup(client.ca);
	CHECK(!answers(&late, SERVER));
	tls_identity_fini(&late);
	tls_authority_destroy(old);
	end();
}

/* Bytes that are no TLS disturb no other connection. */
static void garbage_is_hung_up_on(void)
{
	static const char *const lines[] = {
		"GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"\x16\x03\x01\xff\xff", "\xff\xff\xff\xff"};
	struct sockaddr_in to = {.sin_family = AF_INET};
	int fds[LENGTH(lines)];

	CHECK(begin_as("alice"));
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons(
		(uint16_t)atoi(strrchr(rpc_server_address(server), ':') + 1));
	for (size_t i = 0; i < LENGTH(lines); i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		CHECK(connect(fds[i], (void *)&to, sizeof(to)) == 0);
		CHECK(write(fds[i], lines[i], strlen(lines[i])) > 0);
	}
	call(ECHO, "hello");
	CHECK(await("OK:hello"));
	for (size_t i = 0; i < LENGTH(lines); i++)
		close(fds[i]);
	call(ECHO, "again");
	CHECK(await("OK:again"));
	end();
}

static void nobody_calls_another_machine_unencrypted_by_accident(void)
{
	static const char *const far[] = {"10.0.0.5:7000", "heat:7000",
					  "[fd00::5]:7000", "dns:heat:7000"};
	static const char *const near[] = {"127.0.0.1:7000", "unix:/x",
					   "[::1]:7000", "localhost:7000"};
	const struct tls_identity none = {0};
	struct rpc_security security = {&none, SERVER, false};

	CHECK(begin_as("alice"));
	for (size_t i = 0; i < LENGTH(far); i++) {
		channel = rpc_channel_destroy(channel);
		security.unencrypted = false;
		CHECK(rpc_channel_create(&channel, rpc, far[i], &security,
					 &err) == -ENOKEY);
		CHECK(strncmp(err.text, far[i], strlen(far[i])) == 0);
		CHECK(!channel);
		security.unencrypted = true;
		CHECK(rpc_channel_create(&channel, rpc, far[i], &security,
					 &err) == 0);
	}
	security.unencrypted = false;
	for (size_t i = 0; i < LENGTH(near); i++) {
		channel = rpc_channel_destroy(channel);
		CHECK(rpc_channel_create(&channel, rpc, near[i], &security,
					 &err) == 0);
	}
	end();
}

/* ---- health alone ---- */

static void a_server_without_methods_tells_health_and_nothing_else(void)
{
	const struct rpc_server_config config = {
		.listen = "127.0.0.1:0",
		.services = room_services,
		.n_services = 1,
	};
	static const char *const others[] = {
		ECHO, "/grpc.reflection.v1.ServerReflection/"
		      "ServerReflectionInfo"};

	CHECK(loop_create(&loop, NULL) == 0);
	CHECK(rpc_create(&rpc, loop, NULL) == 0);
	CHECK(rpc_server_create(&server, rpc, &config, &err) == 0);
	CHECK(rpc_channel_create(&channel, rpc, rpc_server_address(server),
				 NULL, &err) == 0);
	for (size_t i = 0; i < LENGTH(others); i++) {
		forget();
		call(others[i], "");
		CHECK(await("UNIMPLEMENTED"));
	}
	forget();
	call("/grpc.health.v1.Health/Check", "");
	/* an answer came; that it is no note is this room's want */
	CHECK(await("INTERNAL"));
	CHECK(strstr(last.message, "not a test.room.Note") != NULL);
	end();
}

static void nothing_of_grpc_is_left_behind(void)
{
	CHECK(grpc_has_ended());
}

RUN_TESTS(TEST(a_certificate_of_the_same_authority_is_answered),
	  TEST(streams_are_encrypted_too),
	  TEST(a_call_without_the_role_gets_permission_denied),
	  TEST(the_token_is_asked_for_all_the_same),
	  TEST(a_caller_that_does_not_encrypt_is_not_answered),
	  TEST(a_foreign_authority_is_not_answered),
	  TEST(a_certificate_of_a_server_makes_no_client),
	  TEST(a_client_cannot_pass_for_the_server),
	  TEST(a_server_of_another_name_is_not_believed),
	  TEST(one_that_has_expired_is_not_answered),
	  TEST(garbage_is_hung_up_on),
	  TEST(nobody_calls_another_machine_unencrypted_by_accident),
	  TEST(a_server_without_methods_tells_health_and_nothing_else),
	  TEST(nothing_of_grpc_is_left_behind))
