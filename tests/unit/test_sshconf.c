/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "coordinator/launch/sshconf.h"
#include "tests/check.h"

static char text[8192];

static const struct ssh_peer anna = {
	.address = "127.0.0.1",
	.port = 40001,
	.user = "anna",
	.host_key = "ssh-ed25519 AAAAone",
};
static const struct ssh_peer distant = {
	.address = "fe80::1%eth0",
	.port = 22,
	.host_key = "ssh-ed25519 AAAAtwo",
};

static const char *print(void (*fn)(FILE *to, const struct sshconf *conf))
{
	const struct sshconf_host hosts[] = {{0, &anna}, {300, &distant}};
	const struct sshconf conf = {"/s/50%/key", "/s/known_hosts-2", hosts,
				     LENGTH(hosts)};
	FILE *to = fmemopen(text, sizeof(text), "w");

	fn(to, &conf);
	fclose(to);
	return text;
}

static void hosts_keep_their_aliases_and_say_what_they_stand_for(void)
{
	const char *all = print(sshconf_print);

	CHECK(strstr(all, "Host 127.1.0.1\n"
			  "\tHostName 127.0.0.1\n"
			  "\tPort 40001\n"
			  "\tHostKeyAlias bellows-0\n"
			  "\tUser anna\n") != NULL);
}

static void an_address_of_ipv6_and_no_user_can_be_written(void)
{
	const char *all = print(sshconf_print);

	CHECK(strstr(all, "Host 127.1.1.45\n"
			  "\tHostName fe80::1%%eth0\n"
			  "\tPort 22\n"
			  "\tHostKeyAlias bellows-300\n"
			  "Host *\n") != NULL);
}

static void nothing_but_the_files_of_the_job_is_read(void)
{
	const char *all = print(sshconf_print);

	CHECK(strstr(all, "\tIdentityFile \"/s/50%%/key\"\n") != NULL);
	CHECK(strstr(all, "\tUserKnownHostsFile \"/s/known_hosts-2\"\n") !=
	      NULL);
	CHECK(strstr(all, "\tGlobalKnownHostsFile /dev/null\n") != NULL);
	CHECK(strstr(all, "\tIdentityAgent none\n") != NULL);
}

static void a_host_key_that_is_another_ends_the_connection(void)
{
	CHECK(strstr(print(sshconf_print), "\tStrictHostKeyChecking yes\n") !=
	      NULL);
	CHECK_TEXT(print(sshconf_print_known_hosts),
		   "bellows-0 ssh-ed25519 AAAAone\n"
		   "bellows-300 ssh-ed25519 AAAAtwo\n");
}

static void good_peers_are_taken(void)
{
	static const char *const good[] = {"10.0.0.8", "::1", "fd00::a:2",
					   "fe80::1%eth0"};

	for (size_t i = 0; i < LENGTH(good); i++) {
		struct ssh_peer peer = anna;

		snprintf(peer.address, sizeof(peer.address), "%s", good[i]);
		CHECK(sshconf_check_peer(&peer, NULL) == 0);
	}
}

static void a_name_is_no_address(void)
{
	struct ssh_peer peer = anna;
	struct error err;

	strcpy(peer.address, "node7");
	CHECK(sshconf_check_peer(&peer, &err) < 0);
	CHECK_TEXT(err.text, "its address 'node7' is not one of IPv4 or IPv6, "
			     "and the ssh launcher looks up no names; "
			     "--address");
}

static void nobody_writes_lines_of_his_own_into_the_configuration(void)
{
	static const char *const users[] = {"a\nProxyCommand x", "-oX", "a b",
					    "%u"};
	static const char *const keys[] = {"ssh-ed25519 A\n* ssh-rsa B",
					   " ssh-ed25519 A", "k\"", "*,b c"};
	static const char *const addresses[] = {"", "1.2.3.4\n\tProxyCommand x",
						"1.2.3", "fe80::1%a b",
						"10.0.0.1%lo"};
	struct ssh_peer peer;

	for (size_t i = 0; i < LENGTH(users); i++) {
		peer = anna;
		strcpy(peer.user, users[i]);
		CHECK(sshconf_check_peer(&peer, NULL) < 0);
	}
	for (size_t i = 0; i < LENGTH(keys); i++) {
		peer = anna;
		strcpy(peer.host_key, keys[i]);
		CHECK(sshconf_check_peer(&peer, NULL) < 0);
	}
	for (size_t i = 0; i < LENGTH(addresses); i++) {
		peer = anna;
		strcpy(peer.address, addresses[i]);
		CHECK(sshconf_check_peer(&peer, NULL) < 0);
	}
}

static void a_port_is_from_1_to_65535(void)
{
	static const struct {
		unsigned port;
		bool good;
	} rows[] = {{0, false}, {1, true}, {65535, true}, {65536, false}};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct ssh_peer peer = anna;

		peer.port = rows[i].port;
		CHECK((sshconf_check_peer(&peer, NULL) == 0) == rows[i].good);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(hosts_keep_their_aliases_and_say_what_they_stand_for),
		TEST(an_address_of_ipv6_and_no_user_can_be_written),
		TEST(nothing_but_the_files_of_the_job_is_read),
		TEST(a_host_key_that_is_another_ends_the_connection),
		TEST(good_peers_are_taken),
		TEST(a_name_is_no_address),
		TEST(nobody_writes_lines_of_his_own_into_the_configuration),
		TEST(a_port_is_from_1_to_65535),
	};

	return run_tests(tests, LENGTH(tests));
}
