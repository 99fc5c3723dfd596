/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/file.h"
#include "tests/check.h"
#include "tests/unit/synced.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_file-XXXXXX", path[64], beside[96];
static struct error err;

static void files_have_a_place_of_their_own(void)
{
	CHECK(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/ready", folder);
	snprintf(beside, sizeof(beside), "%s.%d.new", path, (int)getpid());
}

static void write_text(const char *to, const char *text)
{
	CLEANUP(fclose) FILE *file = fopen(to, "we");

	CHECK(file && fputs(text, file) >= 0);
}

static const char *read_text(void)
{
	static char text[32];
	CLEANUP(fclose) FILE *file = fopen(path, "re");

	text[0] = '\0';
	return file && fgets(text, sizeof(text), file) ? text : "nothing";
}

static void what_is_there_is_replaced_whole(void)
{
	struct stat st;

	write_text(path, "what was there before");
	CHECK(file_replace(path, 0600, "new", 3, &err) == 0);
	CHECK_TEXT(read_text(), "new");
	CHECK(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600);
	CHECK(access(beside, F_OK) < 0);
}

static void what_one_that_was_killed_has_left_is_in_nobodys_way(void)
{
	write_text(beside, "hal");
	CHECK(file_replace(path, 0600, "again", 5, &err) == 0);
	CHECK_TEXT(read_text(), "again");
	CHECK(access(beside, F_OK) < 0);
}

static void what_is_kept_is_on_the_disk_with_its_name(void)
{
	synced_forget();
	CHECK(file_replace(path, 0600, "new", 3, &err) == 0);
	CHECK(synced.n == 0);
	CHECK(file_keep(path, 0600, "kept", 4, &err) == 0);
	CHECK_TEXT(read_text(), "kept");
	CHECK(synced.n == 2);
	CHECK_TEXT(synced.paths[0], beside); /* before it is renamed */
	CHECK_TEXT(synced.paths[1], folder);
	synced_forget();
	CHECK(file_sync_name(path, &err) == 0);
	CHECK_TEXT(synced.paths[0], folder);
}

static void
a_folder_that_has_nothing_to_sync_is_no_error_and_a_bad_disk_is(void)
{
	synced_forget();
	synced.folder_error = EINVAL;
	CHECK(file_keep(path, 0600, "again", 5, &err) == 0);
	synced.folder_error = EIO;
	CHECK(file_keep(path, 0600, "again", 5, &err) == -EIO);
	CHECK(strstr(err.text, folder) && strstr(err.text, strerror(EIO)));
	CHECK(file_sync_name(path, &err) == -EIO);
	CHECK(file_sync_name("/nowhere/ready", &err) == -ENOENT);
	synced_forget();
}

static void a_folder_that_is_not_there_is_named(void)
{
	CHECK(file_replace("/nowhere/ready", 0600, "", 0, &err) < 0);
	CHECK(strstr(err.text, "/nowhere/ready"));
	CHECK(file_check("/nowhere/ready", &err) < 0);
	CHECK(strstr(err.text, "/nowhere"));
}

static void what_fits_is_read_and_a_folder_is_no_file(void)
{
	char text[4];
	size_t size;

	CHECK(file_read(path, text, sizeof(text), &size, &err) == 0);
	CHECK(size == 4 && memcmp(text, "agai", 4) == 0);
	CHECK(file_read(folder, text, sizeof(text), &size, &err) == -EINVAL);
	CHECK(strstr(err.text, folder) && strstr(err.text, "is not a file"));
	CHECK(file_read("/nowhere/ready", text, 4, &size, &err) == -ENOENT);
	CHECK(strstr(err.text, "/nowhere/ready"));
}

static void nothing_is_left_behind(void)
{
	CHECK(unlink(path) == 0);
	CHECK(rmdir(folder) == 0);
}

RUN_TESTS(TEST(files_have_a_place_of_their_own),
	  TEST(what_is_there_is_replaced_whole),
	  TEST(what_one_that_was_killed_has_left_is_in_nobodys_way),
	  TEST(what_is_kept_is_on_the_disk_with_its_name),
	  TEST(a_folder_that_has_nothing_to_sync_is_no_error_and_a_bad_disk_is),
	  TEST(a_folder_that_is_not_there_is_named),
	  TEST(what_fits_is_read_and_a_folder_is_no_file),
	  TEST(nothing_is_left_behind))
