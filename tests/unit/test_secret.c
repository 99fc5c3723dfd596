/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "base/secret.h"
#include "tests/check.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* The reader of the secret is user 1000 of the groups 50 and 60. */
static bool is_private(uid_t owner, gid_t group, mode_t mode)
{
	static const gid_t groups[] = {50, 60};
	const struct stat st = {
		.st_mode = S_IFREG | mode, .st_uid = owner, .st_gid = group};

	return secret_is_private(&st, 1000, groups, LENGTH(groups));
}

static void a_file_of_ours_or_of_root_that_no_other_reads_is_private(void)
{
	CHECK(is_private(1000, 7, 0600));
	CHECK(is_private(1000, 7, 0400));
	CHECK(is_private(0, 7, 0600));
	CHECK(!is_private(1001, 50, 0600));
	CHECK(!is_private(1001, 50, 0440));
}

static void root_may_lend_a_file_to_a_group_of_ours(void)
{
	CHECK(is_private(0, 50, 0440));
	CHECK(is_private(0, 60, 0440));
	CHECK(is_private(0, 60, 0040));
	CHECK(!is_private(0, 0, 0440));
	CHECK(!is_private(0, 70, 0440));
	CHECK(!is_private(1000, 50, 0440));
}

static void a_file_that_more_than_a_group_reads_is_lent_to_nobody(void)
{
	static const mode_t modes[] = {0640, 0460, 0444,  0441,  0442,
				       0540, 0450, 04440, 02440, 0644};

	for (size_t i = 0; i < LENGTH(modes); i++)
		CHECK(!is_private(0, 50, modes[i]));
}

static void a_secret_is_opened_where_it_is_private(void)
{
	char path[] = "/tmp/bellows-secret-XXXXXX", expected[128];
	int fd = mkstemp(path);
	struct error err;

	CHECK(fd >= 0 && close(fd) == 0);
	fd = secret_open(path, "a letter", &err);
	CHECK(fd >= 0 && close(fd) == 0);
	CHECK(chmod(path, 0644) == 0);
	CHECK(secret_open(path, "a letter", &err) == -EPERM);
	snprintf(expected, sizeof(expected),
		 "%s: others can read it (mode 0644); chmod 600", path);
	CHECK_TEXT(err.text, expected);
	unlink(path);
	CHECK(secret_open("/tmp", "a letter", &err) == -EINVAL);
	CHECK_TEXT(err.text, "/tmp: no file with a letter");
	CHECK(secret_open("/none", "a letter", &err) == -ENOENT);
}

RUN_TESTS(TEST(a_file_of_ours_or_of_root_that_no_other_reads_is_private),
	  TEST(root_may_lend_a_file_to_a_group_of_ours),
	  TEST(a_file_that_more_than_a_group_reads_is_lent_to_nobody),
	  TEST(a_secret_is_opened_where_it_is_private))
