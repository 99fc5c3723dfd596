/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "executor/sshd_files.h"
#include "tests/check.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/bellows-sshd-XXXXXX";
static const char *const env[] = {"A=1", "B=two words", NULL};
static struct keypair host;

static struct sshd_place place_in(const char *dir)
{
	return (struct sshd_place){
		.dir = dir,
		.user = "anna",
		.listen = "::1",
		.port = 40001,
		.bindir = "/opt/b b",
		.authorized = "ssh-ed25519 AAAAjob\n",
		.env = env,
		.host = &host,
	};
}

static const char *config_of(const struct sshd_place *place)
{
	static char text[4096];
	FILE *to = fmemopen(text, sizeof(text), "w");

	sshd_print_config(to, place);
	fclose(to);
	return text;
}

static void it_listens_at_one_address_for_one_user(void)
{
	struct sshd_place place = place_in("/t/x");
	const char *text = config_of(&place);

	CHECK(strstr(text, "Port 40001\nListenAddress ::1\n") != NULL);
	CHECK(strstr(text, "\nAllowUsers anna\n") != NULL);
	CHECK(strstr(text, "\nHostKey \"/t/x/host_key\"\n") != NULL);
}

static void nothing_but_the_key_lets_anybody_in(void)
{
	struct sshd_place place = place_in("/t/x");
	const char *text = config_of(&place);

	CHECK(strstr(text, "\nAuthenticationMethods publickey\n") != NULL);
	CHECK(strstr(text, "\nPasswordAuthentication no\n") != NULL);
	CHECK(strstr(text, "\nKbdInteractiveAuthentication no\n") != NULL);
	CHECK(strstr(text, "\nUsePAM no\n") != NULL);
	CHECK(strstr(text, "\nDisableForwarding yes\n") != NULL);
}

static void whatever_is_asked_for_a_session_is_run(void)
{
	struct sshd_place place = place_in("/t/x");
	const char *text = config_of(&place);

	CHECK(strstr(text, "\nForceCommand exec '/opt/b b/bellows-launch' "
			   "--session\n") != NULL);
	CHECK(strstr(text, "\nSetEnv \"BELLOWS_SESSION=/t/x\" "
			   "\"HOME=/t/x/home\"\n") != NULL);
	CHECK(strstr(text, "\nAcceptEnv BELLOWS_EPOCH\n") != NULL);
}

static void a_percent_sign_in_a_path_is_itself(void)
{
	struct sshd_place place = place_in("/t/50%/x");

	CHECK(strstr(config_of(&place),
		     "\nAuthorizedKeysFile \"/t/50%%/x/authorized_keys\"\n") !=
	      NULL);
}

static void what_it_reads_is_for_nobody_else(void)
{
	static const char *const names[] = {"host_key", "authorized_keys",
					    "config", "environment"};
	struct sshd_place place = place_in(folder);
	struct stat st;
	char path[128];

	CHECK(keypair_make(&host, "", NULL) == 0);
	CHECK(sshd_write_files(&place, NULL) == 0);
	for (size_t i = 0; i < LENGTH(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		CHECK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600);
	}
}

static void the_environment_is_as_in_proc(void)
{
	char path[128], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/environment", folder);
	f = fopen(path, "re");
	CHECK(f && fread(text, 1, sizeof(text), f) == 16);
	CHECK(memcmp(text, "A=1\0B=two words", 16) == 0);
	fclose(f);
}

static void a_path_that_would_be_read_as_something_else_is_refused(void)
{
	static const char *const paths[] = {"/a'b", "/a\"b", "/a\nb", "/a\\b"};
	struct error err;

	for (size_t i = 0; i < LENGTH(paths); i++) {
		struct sshd_place place = place_in(folder);

		place.bindir = paths[i];
		CHECK(sshd_write_files(&place, &err) < 0);
		CHECK(strncmp(err.text, paths[i], strlen(paths[i])) == 0);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(it_listens_at_one_address_for_one_user),
		TEST(nothing_but_the_key_lets_anybody_in),
		TEST(whatever_is_asked_for_a_session_is_run),
		TEST(a_percent_sign_in_a_path_is_itself),
		TEST(what_it_reads_is_for_nobody_else),
		TEST(the_environment_is_as_in_proc),
		TEST(a_path_that_would_be_read_as_something_else_is_refused),
	};
	char command[64];
	int r;

	if (!mkdtemp(folder))
		return 1;
	r = run_tests(tests, LENGTH(tests));
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command) == 0 ? r : 1;
}
