/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "base/tree.h"
#include "tests/check.h"
#include "tests/unit/tls_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/bellows-tls-XXXXXX";
static struct tls_identity own, read_back;

static const char *at(const char *name)
{
	static char paths[4][128];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

/* An identity made at that time, in the folder "a" of the root. */
static bool begin_at(time_t when, const char *name, const char *dns)
{
	struct tls_authority *authority = make_authority(when);
	bool good = authority && make_by(&own, authority, name, dns) &&
		    mkdir(root, 0700) == 0 &&
		    tls_identity_write(&own, at("a"), &err) == 0;

	tls_authority_destroy(authority);
	return good;
}

static bool begin(void)
{
	return begin_at(time(NULL), "executor", NULL);
}

static void end(void)
{
	tls_identity_fini(&own);
	tls_identity_fini(&read_back);
	tree_remove_path(root, NULL);
}

/* What reading the folder "a" says, behind its path. */
static const char *said(void)
{
	size_t n = strlen(root);

	strcpy(err.text, "nothing");
	tls_identity_read(&read_back, at("a"), &err);
	tls_identity_fini(&read_back);
	return strncmp(err.text, root, n) == 0 ? err.text + n : err.text;
}

static bool put(const char *name, mode_t mode, const char *text)
{
	return file_replace(at(name), mode, text, strlen(text), &err) == 0;
}

static mode_t mode_of(const char *name)
{
	struct stat st = {0};

	stat(at(name), &st);
	return st.st_mode & 07777;
}

static void what_was_written_is_read(void)
{
	CHECK(begin());
	CHECK(tls_identity_read(&read_back, at("a"), &err) == 0);
	CHECK_TEXT(read_back.ca, own.ca);
	CHECK_TEXT(read_back.cert, own.cert);
	CHECK_TEXT(read_back.key, own.key);
	CHECK_TEXT(read_back.name, "executor");
	CHECK(read_back.until > time(NULL) + HOUR - 60);
	CHECK(read_back.until <= time(NULL) + HOUR);
	end();
}

static void files_are_the_users_alone(void)
{
	CHECK(begin());
	CHECK(mode_of("a") == 0700);
	CHECK(mode_of("a/tls.key") == 0600);
	CHECK(mode_of("a/tls.crt") == 0600);
	CHECK(mode_of("a/ca.crt") == 0600);
	end();
}

static void a_folder_that_is_there_is_left_alone(void)
{
	CHECK(begin());
	CHECK(tls_identity_write(&own, at("a"), &err) == -EEXIST);
	end();
}

static void a_key_that_others_can_read_is_refused(void)
{
	CHECK(begin());
	CHECK(chmod(at("a/tls.key"), 0644) == 0);
	CHECK_TEXT(said(), "/a/tls.key: others can read it (mode 0644); chmod "
			   "600");
	end();
}

static void what_is_missing_is_named(void)
{
	CHECK(begin());
	unlink(at("a/tls.key"));
	CHECK_TEXT(said(), "/a/tls.key: No such file or directory");
	unlink(at("a/ca.crt"));
	CHECK(strstr(said(), "/a/ca.crt: No such file or directory"));
	end();
}

static void what_is_no_pem_is_named(void)
{
	CHECK(begin());
	CHECK(put("a/tls.key", 0600, own.cert));
	CHECK_TEXT(said(), "/a/tls.key: no private key in PEM that has no "
			   "password");
	CHECK(put("a/tls.crt", 0600,
		  "-----BEGIN CERTIFICATE-----\nQUJD\n"
		  "-----END CERTIFICATE-----\n"));
	CHECK_TEXT(said(), "/a/tls.crt: no certificate in PEM");
	CHECK(put("a/ca.crt", 0600, ""));
	CHECK_TEXT(said(), "/a/ca.crt: no certificate in PEM");
	end();
}

static void a_file_without_end_is_not_read(void)
{
	char *text = malloc(TLS_TEXT_MAX + 1);

	memset(text, 'x', TLS_TEXT_MAX);
	text[TLS_TEXT_MAX] = '\0';
	CHECK(begin());
	CHECK(put("a/ca.crt", 0600, text));
	CHECK_TEXT(said(), "/a/ca.crt: longer than 65535 bytes");
	free(text);
	end();
}

static void the_key_of_another_is_refused(void)
{
	struct tls_authority *authority = make_authority(time(NULL));
	struct tls_identity other = {0};

	CHECK(begin());
	CHECK(make_by(&other, authority, "executor", NULL));
	CHECK(put("a/tls.key", 0600, other.key));
	CHECK_TEXT(said(), "/a/tls.key: not the key of tls.crt");
	CHECK(put("a/tls.crt", 0600, other.cert));
	CHECK(strstr(said(), "/a/tls.crt: not signed by ca.crt: "));
	tls_identity_fini(&other);
	tls_authority_destroy(authority);
	end();
}

static void one_that_has_expired_is_refused_with_its_day(void)
{
	CHECK(begin_at(1700000000, "executor", NULL));
	CHECK_TEXT(said(), "/a/tls.crt: it expired on 2023-11-14 23:13 UTC");
	end();
}

static void one_that_is_not_valid_yet_is_refused(void)
{
	CHECK(begin_at(4000000000, "executor", NULL));
	CHECK(strstr(said(), "/a/tls.crt: it is valid from 2096-10-02 07:01 "
			     "UTC on"));
	end();
}

static void clocks_may_differ_by_five_minutes(void)
{
	CHECK(begin_at(time(NULL) + 290, "executor", NULL));
	CHECK_TEXT(said(), "nothing");
	end();
}

static void a_server_is_known_by_its_name_alone(void)
{
	CHECK(begin_at(time(NULL), "coordinator", SERVER));
	CHECK(tls_identity_serves(&own, SERVER, "x", &err) == 0);
	CHECK(tls_identity_serves(&own, "other.test", "x", &err) == -EINVAL);
	CHECK_TEXT(err.text, "x/tls.crt: it is of 'coordinator' and not for a "
			     "server called other.test, which the others look "
			     "for");
	end();
	CHECK(begin());
	CHECK(tls_identity_serves(&own, "executor", "x", &err) == -EINVAL);
	end();
}

/* ---- by standard input ---- */

static int read_text(const char *text)
{
	int pipes[2];

	if (pipe(pipes) < 0 || dup2(pipes[0], STDIN_FILENO) < 0 ||
	    write(pipes[1], text, strlen(text)) < 0)
		return -errno;
	close(pipes[0]);
	close(pipes[1]);
	return tls_identity_read(&read_back, "-", &err);
}

static void all_of_it_goes_through_a_pipe(void)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	CHECK(begin() && to);
	tls_identity_print(&own, to);
	fclose(to);
	CHECK(read_text(text) == 0);
	CHECK_TEXT(read_back.ca, own.ca);
	CHECK_TEXT(read_back.cert, own.cert);
	CHECK_TEXT(read_back.key, own.key);
	free(text);
	end();
}

static void half_of_it_is_refused(void)
{
	CHECK(begin());
	CHECK(read_text("") == -EINVAL);
	CHECK_TEXT(err.text, "standard input: there is no ca.crt in it");
	CHECK(read_text("--- ca.crt\nx\n--- tls.crt\ny\n") == -EINVAL);
	CHECK_TEXT(err.text, "standard input: there is no tls.key in it");
	CHECK(read_text("--- ca.crt\nx\n--- tls.crt\ny\n--- tls.key\nz\n"
			"--- other\n") == -EINVAL);
	CHECK_TEXT(err.text, "standard input/ca.crt: no certificate in PEM");
	end();
}

static void no_two_are_the_same(void)
{
	struct tls_authority *authority = make_authority(time(NULL));
	struct tls_identity one = {0}, other = {0};

	CHECK(make_by(&one, authority, "executor", NULL));
	CHECK(make_by(&other, authority, "executor", NULL));
	CHECK(strcmp(one.key, other.key) != 0);
	CHECK(strcmp(one.cert, other.cert) != 0);
	CHECK_TEXT(one.ca, other.ca);
	tls_identity_fini(&one);
	tls_identity_fini(&other);
	tls_authority_destroy(authority);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(what_was_written_is_read),
		TEST(files_are_the_users_alone),
		TEST(a_folder_that_is_there_is_left_alone),
		TEST(a_key_that_others_can_read_is_refused),
		TEST(what_is_missing_is_named),
		TEST(what_is_no_pem_is_named),
		TEST(a_file_without_end_is_not_read),
		TEST(the_key_of_another_is_refused),
		TEST(one_that_has_expired_is_refused_with_its_day),
		TEST(one_that_is_not_valid_yet_is_refused),
		TEST(clocks_may_differ_by_five_minutes),
		TEST(a_server_is_known_by_its_name_alone),
		TEST(all_of_it_goes_through_a_pipe),
		TEST(half_of_it_is_refused),
		TEST(no_two_are_the_same),
	};

	/* a name that nobody else has; each test makes the folder */
	return mkdtemp(root) && rmdir(root) == 0
		       ? run_tests(tests, sizeof(tests) / sizeof(tests[0]))
		       : 1;
}
