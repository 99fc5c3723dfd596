/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "journal/journal_file.h"
#include "tests/check.h"
#include "tests/unit/full_disk.h"
#include "tests/unit/sealed.h"
#include "tests/unit/synced.h"

#include <stdlib.h>
#include <sys/syscall.h>

static char room[] = "/tmp/bellows-journal-XXXXXX";
static char path[64];

static const char *const some[] = {
	"0 begun heat", "5 seen 10", "812 ranks-up", "900 leave", "1000 done",
};

/* ---- lines ---- */

static void one_letter_that_is_another_is_seen(void)
{
	char line[LINE_ROOM];
	size_t n = seal(some[2], line) - 1;

	for (size_t i = 0; i < n; i++) {
		line[i] ^= 1;
		CHECK(!journal_line_open(line, n));
		line[i] ^= 1;
		CHECK(!journal_line_open(line, i));
	}
	CHECK(journal_line_open(line, n) == line + JOURNAL_LINE_HEAD);
}

/* ---- the file ---- */

static char seen[16][LINE_ROOM];
static size_t n_seen;

static bool see(void *user, const char *text, size_t n)
{
	if (strlen(text) != n)
		return false;
	snprintf(seen[n_seen++], sizeof(seen[0]), "%s", text);
	return n_seen < LENGTH(seen);
}

static const struct journal_end nothing;

static int open_journal(struct journal_file **out,
			const struct journal_end *end, struct error *err)
{
	return journal_file_open(out, path, "scheduler", end, err);
}

static int append(struct journal_file *journal, const char *text,
		  struct error *err)
{
	char line[LINE_ROOM];

	return journal_file_append(journal, line, seal(text, line), err);
}

static void write_some(void)
{
	struct journal_file *journal;
	struct error err;

	unlink(path);
	n_seen = 0;
	CHECK(open_journal(&journal, &nothing, &err) == 0);
	for (size_t i = 0; i < LENGTH(some); i++)
		CHECK(append(journal, some[i], &err) == 0);
	journal_file_close(journal);
}

static off_t size_of(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 ? st.st_size : -1;
}

static const struct journal_end *read_end(struct journal_end *end)
{
	n_seen = 0;
	if (journal_file_read(path, see, NULL, end, NULL) < 0)
		printf("# %s cannot be read\n", path);
	return end;
}

static void lines_that_are_written_together_are_whole_lines(void)
{
	char lines[3 * LINE_ROOM];
	struct journal_file *journal;
	struct journal_end end;
	size_t n = 0;

	unlink(path);
	n_seen = 0;
	CHECK(open_journal(&journal, &nothing, NULL) == 0);
	for (size_t i = 0; i < 3; i++)
		n += seal(some[i], lines + n);
	CHECK(journal_file_append(journal, lines, n, NULL) == 0);
	CHECK(journal_file_size(journal) == (off_t)n);
	journal_file_close(journal);
	CHECK(journal_file_read(path, see, NULL, &end, NULL) == 0);
	CHECK(n_seen == 3 && end.lines == 3 && !end.torn && !end.damaged);
	for (size_t i = 0; i < 3; i++)
		CHECK(strcmp(seen[i], some[i]) == 0);
}

static void a_last_line_that_is_torn_is_dropped_wherever_it_is(void)
{
	struct journal_end end;
	struct journal_file *journal;
	char last[LINE_ROOM];
	size_t n = seal(some[LENGTH(some) - 1], last);

	for (size_t cut = 1; cut < n; cut++) {
		write_some();
		CHECK(truncate(path, size_of(path) - (off_t)cut) == 0);
		CHECK(journal_file_read(path, see, NULL, &end, NULL) == 0);
		CHECK(end.torn && !end.damaged);
		CHECK(end.lines == LENGTH(some) - 1);
		CHECK(open_journal(&journal, &end, NULL) == 0);
		CHECK(append(journal, some[LENGTH(some) - 1], NULL) == 0);
		journal_file_close(journal);
		n_seen = 0;
		CHECK(journal_file_read(path, see, NULL, &end, NULL) == 0);
		CHECK(!end.torn && end.lines == LENGTH(some));
	}
}

static void damage(off_t at)
{
	CLEANUP(fclose) FILE *file = fopen(path, "r+e");

	CHECK(file && fseek(file, at, SEEK_SET) == 0);
	CHECK(fputc('#', file) == '#' && fflush(file) == 0);
}

static void what_is_behind_a_damaged_line_is_not_believed(void)
{
	struct journal_end end;

	write_some();
	damage(60);
	CHECK(journal_file_read(path, see, NULL, &end, NULL) == 0);
	CHECK(end.damaged && !end.torn);
	CHECK(end.lines < LENGTH(some) && n_seen == end.lines);
}

static void a_damaged_journal_is_kept_beside_what_is_believed(void)
{
	struct journal_end end, right;
	char damaged[80];
	off_t whole;

	write_some();
	damage(60);
	whole = size_of(path);
	snprintf(damaged, sizeof(damaged), "%s.damaged", path);
	CHECK(read_end(&end)->damaged);
	CHECK(journal_file_put_right(path, &end, NULL) == 0);
	CHECK(size_of(damaged) == whole);
	CHECK(read_end(&right)->lines == end.lines && !right.damaged);
	CHECK(size_of(path) == end.size && end.inode == 0);
	CHECK(unlink(damaged) == 0);
}

static void no_journal_is_no_damage(void)
{
	struct journal_end end;
	struct error err;

	unlink(path);
	CHECK(journal_file_read(path, see, NULL, &end, &err) == -ENOENT);
	CHECK(strstr(err.text, path) != NULL);
}

static void a_program_stops_when_another_writes_its_journal(void)
{
	struct journal_file *one, *other;
	struct journal_end end;
	struct error err;
	off_t size;

	write_some();
	CHECK(open_journal(&one, read_end(&end), NULL) == 0);
	CHECK(append(one, some[3], &err) == 0);
	CHECK(open_journal(&other, read_end(&end), NULL) == 0);
	CHECK(append(other, some[3], &err) == 0);
	size = size_of(path);
	CHECK(append(one, some[4], &err) == -EBUSY);
	CHECK(strstr(err.text, "another scheduler has written to it"));
	CHECK(size_of(path) == size);
	CHECK(unlink(path) == 0);
	CHECK(append(other, some[4], &err) == -EBUSY);
	journal_file_close(one);
	journal_file_close(other);
}

/* Two programs that have read the same journal. */
static void open_twice(struct journal_file **one, struct journal_file **other)
{
	struct journal_end end;

	write_some();
	CHECK(open_journal(one, read_end(&end), NULL) == 0);
	CHECK(open_journal(other, &end, NULL) == 0);
}

static void a_journal_that_is_replaced_is_another_programs(void)
{
	char line[LINE_ROOM];
	size_t n = seal(some[0], line);
	struct journal_file *one, *other;
	struct journal_end end;
	struct error err;

	open_twice(&one, &other);
	synced_forget();
	CHECK(journal_file_replace(one, line, n, &err) == 0);
	CHECK(synced_has(room) && journal_file_size(one) == size_of(path));
	CHECK(append(other, some[1], &err) == -EBUSY);
	CHECK(journal_file_replace(other, line, n, &err) == -EBUSY);
	CHECK(append(one, some[1], &err) == 0);
	CHECK(read_end(&end)->lines == 2 && !end.torn && !end.damaged);
	journal_file_close(one);
	journal_file_close(other);
}

static void one_that_another_has_written_to_is_not_replaced(void)
{
	char line[LINE_ROOM];
	size_t n = seal(some[0], line);
	struct journal_file *one, *other;
	struct journal_end end;
	struct error err;

	open_twice(&one, &other);
	CHECK(append(other, some[3], &err) == 0);
	CHECK(journal_file_replace(one, line, n, &err) == -EBUSY);
	CHECK(read_end(&end)->lines == LENGTH(some) + 1);
	CHECK(append(other, some[3], &err) == 0);
	journal_file_close(one);
	journal_file_close(other);
}

static void one_that_was_replaced_since_it_was_read_is_not_opened(void)
{
	char line[LINE_ROOM];
	size_t n = seal(some[0], line);
	struct journal_file *one, *other;
	struct journal_end end;
	struct error err;

	write_some();
	CHECK(open_journal(&one, read_end(&end), NULL) == 0);
	CHECK(journal_file_replace(one, line, n, &err) == 0);
	CHECK(open_journal(&other, &end, &err) == -EBUSY);
	CHECK(size_of(path) == (off_t)n);
	journal_file_close(one);
}

static void a_journal_is_there_after_a_power_cut(void)
{
	struct journal_file *journal;
	struct error err;

	unlink(path);
	synced_forget();
	CHECK(open_journal(&journal, &nothing, &err) == 0);
	CHECK(synced_has(room));
	journal_file_close(journal);
	synced.folder_error = EIO;
	CHECK(open_journal(&journal, &nothing, &err) == -EIO);
	CHECK(strstr(err.text, room));
	synced_forget();
}

/* ---- a disk that is full ---- */

static bool keeps_remains; /* it does not let them be cut off */

int ftruncate(int fd, off_t size)
{
	if (keeps_remains) {
		errno = EIO;
		return -1;
	}
	return (int)syscall(SYS_ftruncate, fd, size);
}

/* The lines of some, and room for the half of another. */
static void fill(struct journal_file **journal, bool remains)
{
	struct journal_end end;
	struct error err;

	write_some();
	CHECK(open_journal(journal, read_end(&end), NULL) == 0);
	full_disk_begin(end.size + 10);
	keeps_remains = remains;
	CHECK(append(*journal, some[3], &err) == (remains ? -EIO : -ENOSPC));
	CHECK(strstr(err.text, path));
	CHECK(size_of(path) == end.size + (remains ? 10 : 0));
	full_disk_end();
	keeps_remains = false;
}

static void what_a_full_disk_did_not_take_is_appended_again(void)
{
	struct journal_file *journal;
	char lines[2 * LINE_ROOM];
	struct journal_end end;
	struct error err;
	size_t n = seal(some[3], lines);

	n += seal(some[4], lines + n);
	for (int remains = 0; remains < 2; remains++) {
		fill(&journal, remains);
		CHECK(journal_file_append(journal, lines, n, &err) == 0);
		CHECK(read_end(&end)->lines == LENGTH(some) + 2);
		CHECK(!end.torn && !end.damaged);
		CHECK_TEXT(seen[LENGTH(some)], some[3]);
		journal_file_close(journal);
	}
}

static void what_another_wrote_since_is_no_remains(void)
{
	struct journal_file *journal, *other;
	struct journal_end end;
	struct error err;

	fill(&journal, true);
	CHECK(open_journal(&other, read_end(&end), NULL) == 0);
	CHECK(end.torn && append(other, "1", NULL) == 0);
	CHECK(append(journal, some[3], &err) == -EBUSY);
	CHECK(read_end(&end)->lines == LENGTH(some) + 1 && !end.torn);
	journal_file_close(journal);
	journal_file_close(other);
}

static void a_journal_that_another_replaced_since_is_not_appended_to(void)
{
	struct journal_file *journal, *other;
	char lines[LENGTH(some) * LINE_ROOM];
	struct journal_end end;
	struct error err;
	size_t n = 0;

	for (size_t i = 0; i < LENGTH(some); i++)
		n += seal(some[i], lines + n);
	fill(&journal, false);
	CHECK(open_journal(&other, read_end(&end), NULL) == 0);
	CHECK(journal_file_replace(other, lines, n, NULL) == 0);
	CHECK(append(journal, some[3], &err) == -EBUSY);
	CHECK(read_end(&end)->lines == LENGTH(some) && !end.torn);
	journal_file_close(journal);
	journal_file_close(other);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(one_letter_that_is_another_is_seen),
		TEST(lines_that_are_written_together_are_whole_lines),
		TEST(a_last_line_that_is_torn_is_dropped_wherever_it_is),
		TEST(what_is_behind_a_damaged_line_is_not_believed),
		TEST(a_damaged_journal_is_kept_beside_what_is_believed),
		TEST(no_journal_is_no_damage),
		TEST(a_program_stops_when_another_writes_its_journal),
		TEST(a_journal_that_is_replaced_is_another_programs),
		TEST(one_that_another_has_written_to_is_not_replaced),
		TEST(one_that_was_replaced_since_it_was_read_is_not_opened),
		TEST(a_journal_is_there_after_a_power_cut),
		TEST(what_a_full_disk_did_not_take_is_appended_again),
		TEST(what_another_wrote_since_is_no_remains),
		TEST(a_journal_that_another_replaced_since_is_not_appended_to),
	};
	int r;

	if (!mkdtemp(room))
		return 1;
	snprintf(path, sizeof(path), "%s/journal", room);
	r = run_tests(tests, LENGTH(tests));
	unlink(path);
	return rmdir(room) == 0 ? r : 1;
}
