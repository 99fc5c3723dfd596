/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "coordinator/journal/journal.h"
#include "coordinator/journal/print.h"
#include "tests/unit/corpus.h"
#include "tests/unit/synced.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static char room[] = "/tmp/bellows-journal-XXXXXX";
static char path[64];

static const struct journal_entry some[] = {
	{.kind = JOURNAL_BEGUN,
	 .begun = {1763769600000, 2, 3, 4, true, true, JOURNAL_VERSION},
	 .text = "heat"},
	{.kind = JOURNAL_SEEN, .at = 5, .seen = {10, 1ULL << 63, 4, true}},
	{.kind = JOURNAL_EVENT,
	 .at = 812,
	 .event = {JOB_EV_RANKS_UP, 1, 4096, 0},
	 .text = "all ranks run where they belong"},
	{.kind = JOURNAL_EVENT,
	 .at = 900,
	 .event = {JOB_EV_LEAVE, 1, 2, 99999},
	 .text = ""},
	{.kind = JOURNAL_CHECKPOINT, .at = 940, .checkpoint = {300}},
	{.kind = JOURNAL_REPEATED, .at = 950, .repeated = {7}},
	{.kind = JOURNAL_NOTICE,
	 .at = 951,
	 .notice = {BELLOWS__V1__NOTICE_KIND__NOTICE_LOST},
	 .text = "worker-1 was lost"},
	{.kind = JOURNAL_REQUEST, .at = 960, .request = {2, 4}, .text = "a 1"},
	{.kind = JOURNAL_LIFE, .at = 1000, .life = {1763769601000, 5}},
	{.kind = JOURNAL_JOB,
	 .at = 1000,
	 .job = {.state = JOB_GROWING, .grant = JOB_NO_GRANT, .deadline = 7}},
	{.kind = JOURNAL_TALLY, .at = 1000, .tally = {.phases = {1, 2, 3}}},
	{.kind = JOURNAL_RESCALE,
	 .at = 1000,
	 .rescale = {.epoch = 2, .last_step = 900, .due = true, .failed = true},
	 .text = "why"},
	{.kind = JOURNAL_RESULT, .at = 1000, .text = "done"},
};

/* ---- lines ---- */

static bool is_same(const struct journal_entry *a,
		    const struct journal_entry *b)
{
	char one[JOURNAL_LINE_MAX], other[JOURNAL_LINE_MAX];
	size_t n = journal_format(a, one);

	return n == journal_format(b, other) && memcmp(one, other, n) == 0 &&
	       a->kind == b->kind && strcmp(a->text, b->text) == 0;
}

static void a_line_is_for_people_too(void)
{
	char line[JOURNAL_LINE_MAX];

	line[journal_format(&some[2], line)] = '\0';
	CHECK_TEXT(line + 8, " 812 event ranks-up 1 4096 0 all ranks run where "
			     "they belong\n");
	line[journal_format(&some[0], line)] = '\0';
	CHECK_TEXT(line + 8, " 0 begun 4 1763769600000 2 3 1 1 4 heat\n");
}

static void what_is_written_reads_back(void)
{
	char line[JOURNAL_LINE_MAX];
	struct journal_entry entry;

	for (size_t i = 0; i < LENGTH(some); i++) {
		size_t n = journal_format(&some[i], line);

		CHECK(journal_parse(line, n - 1, &entry) == 0);
		CHECK(is_same(&entry, &some[i]));
	}
}

static void every_event_has_a_word_of_its_own(void)
{
	struct journal_entry entry = some[2], back;
	char line[JOURNAL_LINE_MAX];

	for (int i = 0; i <= JOB_EV_SUSPEND; i++) {
		size_t n;

		entry.event.type = (enum job_event_type)i;
		n = journal_format(&entry, line);
		CHECK(journal_parse(line, n - 1, &back) == 0);
		CHECK(back.event.type == entry.event.type);
	}
}

static void a_text_stays_one_line(void)
{
	struct journal_entry entry = some[5], back;
	char line[JOURNAL_LINE_MAX];
	size_t n;

	memset(entry.text, 'x', sizeof(entry.text) - 1);
	memcpy(entry.text, "a\nb\tc", 5);
	n = journal_format(&entry, line);
	CHECK(journal_parse(line, n - 1, &back) == 0);
	CHECK(strncmp(back.text, "a b c", 5) == 0);
	CHECK(strlen(back.text) == sizeof(entry.text) - 1);
}

static void one_letter_that_is_another_is_seen(void)
{
	char line[JOURNAL_LINE_MAX];
	size_t n = journal_format(&some[2], line) - 1;
	struct journal_entry entry;

	for (size_t i = 0; i < n; i++) {
		line[i] ^= 1;
		CHECK(journal_parse(line, n, &entry) == -EINVAL);
		line[i] ^= 1;
		CHECK(journal_parse(line, i, &entry) == -EINVAL);
	}
	CHECK(journal_parse(line, n, &entry) == 0);
}

/* ---- the file ---- */

static struct journal_entry seen[16];
static size_t n_seen;

static bool see(void *user, const struct journal_entry *entry)
{
	seen[n_seen++] = *entry;
	return n_seen < LENGTH(seen);
}

static const struct journal_end nothing;

static int append(struct journal *journal, const struct journal_entry *entry,
		  struct error *err)
{
	char line[JOURNAL_LINE_MAX];

	return journal_append(journal, line, journal_format(entry, line), err);
}

static void write_some(void)
{
	struct journal *journal;
	struct error err;

	unlink(path);
	n_seen = 0;
	CHECK(journal_open(&journal, path, &nothing, &err) == 0);
	for (size_t i = 0; i < LENGTH(some); i++)
		CHECK(append(journal, &some[i], &err) == 0);
	journal_close(journal);
}

static off_t size_of(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 ? st.st_size : -1;
}

static void a_journal_reads_back_and_is_nobody_elses(void)
{
	struct journal_end end;
	struct stat st;

	write_some();
	CHECK(journal_read(path, see, NULL, &end, NULL) == 0);
	CHECK(n_seen == LENGTH(some) && end.lines == LENGTH(some));
	CHECK(!end.torn && !end.damaged && end.size == size_of(path));
	for (size_t i = 0; i < LENGTH(some); i++)
		CHECK(is_same(&seen[i], &some[i]));
	CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
}

static void lines_that_are_written_together_are_whole_lines(void)
{
	char lines[3 * JOURNAL_LINE_MAX];
	struct journal *journal;
	struct journal_end end;
	size_t n = 0;

	unlink(path);
	n_seen = 0;
	CHECK(journal_open(&journal, path, &nothing, NULL) == 0);
	for (size_t i = 0; i < 3; i++)
		n += journal_format(&some[i], lines + n);
	CHECK(journal_append(journal, lines, n, NULL) == 0);
	CHECK(journal_size(journal) == (off_t)n);
	journal_close(journal);
	CHECK(journal_read(path, see, NULL, &end, NULL) == 0);
	CHECK(n_seen == 3 && end.lines == 3 && !end.torn && !end.damaged);
	for (size_t i = 0; i < 3; i++)
		CHECK(is_same(&seen[i], &some[i]));
}

static void a_last_line_that_is_torn_is_dropped_wherever_it_is(void)
{
	struct journal_end end;
	struct journal *journal;
	char last[JOURNAL_LINE_MAX];
	size_t n = journal_format(&some[LENGTH(some) - 1], last);

	for (size_t cut = 1; cut < n; cut++) {
		write_some();
		CHECK(truncate(path, size_of(path) - (off_t)cut) == 0);
		CHECK(journal_read(path, see, NULL, &end, NULL) == 0);
		CHECK(end.torn && !end.damaged);
		CHECK(end.lines == LENGTH(some) - 1);
		CHECK(journal_open(&journal, path, &end, NULL) == 0);
		CHECK(append(journal, &some[LENGTH(some) - 1], NULL) == 0);
		journal_close(journal);
		n_seen = 0;
		CHECK(journal_read(path, see, NULL, &end, NULL) == 0);
		CHECK(!end.torn && end.lines == LENGTH(some));
	}
}

static void what_is_behind_a_damaged_line_is_not_believed(void)
{
	struct journal_end end;
	CLEANUP(fclose) FILE *file = NULL;

	write_some();
	file = fopen(path, "r+e");
	CHECK(file && fseek(file, 60, SEEK_SET) == 0);
	CHECK(fputc('#', file) == '#' && fflush(file) == 0);
	CHECK(journal_read(path, see, NULL, &end, NULL) == 0);
	CHECK(end.damaged && !end.torn);
	CHECK(end.lines < LENGTH(some) && n_seen == end.lines);
}

static void no_journal_is_no_damage(void)
{
	struct journal_end end;
	struct error err;

	unlink(path);
	CHECK(journal_read(path, see, NULL, &end, &err) == -ENOENT);
	CHECK(strstr(err.text, path) != NULL);
}

static const struct journal_end *read_end(struct journal_end *end)
{
	n_seen = 0;
	if (journal_read(path, see, NULL, end, NULL) < 0)
		printf("# %s cannot be read\n", path);
	return end;
}

static void a_coordinator_stops_when_another_writes_its_journal(void)
{
	struct journal *one, *other;
	struct journal_end end;
	struct error err;
	off_t size;

	write_some();
	CHECK(journal_open(&one, path, read_end(&end), NULL) == 0);
	CHECK(append(one, &some[3], &err) == 0);
	CHECK(journal_open(&other, path, read_end(&end), NULL) == 0);
	CHECK(append(other, &some[7], &err) == 0);
	size = size_of(path);
	CHECK(append(one, &some[4], &err) == -EBUSY);
	CHECK(strstr(err.text, "another coordinator has written to it"));
	CHECK(size_of(path) == size);
	CHECK(unlink(path) == 0);
	CHECK(append(other, &some[4], &err) == -EBUSY);
	journal_close(one);
	journal_close(other);
}

/* Two coordinators that have read the same journal. */
static void open_twice(struct journal **one, struct journal **other)
{
	struct journal_end end;

	write_some();
	CHECK(journal_open(one, path, read_end(&end), NULL) == 0);
	CHECK(journal_open(other, path, &end, NULL) == 0);
}

static size_t write_line(char line[JOURNAL_LINE_MAX])
{
	return journal_format(&some[0], line);
}

static void a_journal_that_is_replaced_is_another_coordinators(void)
{
	char line[JOURNAL_LINE_MAX];
	size_t n = write_line(line);
	struct journal *one, *other;
	struct journal_end end;
	struct error err;

	open_twice(&one, &other);
	synced_forget();
	CHECK(journal_replace(one, line, n, &err) == 0);
	CHECK(synced_has(room) && journal_size(one) == size_of(path));
	CHECK(append(other, &some[1], &err) == -EBUSY);
	CHECK(journal_replace(other, line, n, &err) == -EBUSY);
	CHECK(append(one, &some[1], &err) == 0);
	CHECK(read_end(&end)->lines == 2 && !end.torn && !end.damaged);
	journal_close(one);
	journal_close(other);
}

static void one_that_another_has_written_to_is_not_replaced(void)
{
	char line[JOURNAL_LINE_MAX];
	size_t n = write_line(line);
	struct journal *one, *other;
	struct journal_end end;
	struct error err;

	open_twice(&one, &other);
	CHECK(append(other, &some[7], &err) == 0);
	CHECK(journal_replace(one, line, n, &err) == -EBUSY);
	CHECK(read_end(&end)->lines == LENGTH(some) + 1);
	CHECK(append(other, &some[7], &err) == 0);
	journal_close(one);
	journal_close(other);
}

static void one_that_was_replaced_since_it_was_read_is_not_opened(void)
{
	char line[JOURNAL_LINE_MAX];
	size_t n = write_line(line);
	struct journal *one, *other;
	struct journal_end end;
	struct error err;

	write_some();
	CHECK(journal_open(&one, path, read_end(&end), NULL) == 0);
	CHECK(journal_replace(one, line, n, &err) == 0);
	CHECK(journal_open(&other, path, &end, &err) == -EBUSY);
	CHECK(size_of(path) == (off_t)n);
	journal_close(one);
}

static void a_journal_of_version_1_is_read_and_of_version_4_is_not(void)
{
	struct journal_entry begun = some[0], back;
	char line[JOURNAL_LINE_MAX];
	size_t n;

	begun.begun.version = 1;
	n = journal_format(&begun, line);
	CHECK(journal_parse(line, n - 1, &back) == 0);
	begun.begun.version = JOURNAL_VERSION + 1;
	n = journal_format(&begun, line);
	CHECK(journal_parse(line, n - 1, &back) == -EINVAL);
}

static void a_journal_is_there_after_a_power_cut(void)
{
	struct journal *journal;
	struct error err;

	unlink(path);
	synced_forget();
	CHECK(journal_open(&journal, path, &nothing, &err) == 0);
	CHECK(synced_has(room));
	journal_close(journal);
	synced.folder_error = EIO;
	CHECK(journal_open(&journal, path, &nothing, &err) == -EIO);
	CHECK(strstr(err.text, room));
	synced_forget();
}

static void a_full_disk_leaves_no_half_line(void)
{
	struct journal *journal;
	struct error err;

	if (journal_open(&journal, "/dev/full", &nothing, &err) < 0)
		return; /* not everywhere can it be truncated */
	CHECK(append(journal, &some[0], &err) < 0);
	CHECK(strstr(err.text, "/dev/full") != NULL);
	journal_close(journal);
}

static void what_is_printed_cannot_steer_a_terminal(void)
{
	const struct journal_entry notice = {
		.kind = JOURNAL_NOTICE,
		.notice = {BELLOWS__V1__NOTICE_KIND__NOTICE_LOST},
		.text = "w\xc2\x9b"
			"2J was lost",
	};
	CLEANUP(free) char *text = NULL;
	struct journal *journal;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	unlink(path);
	CHECK(journal_open(&journal, path, &nothing, NULL) == 0);
	CHECK(append(journal, &some[0], NULL) == 0);
	CHECK(append(journal, &notice, NULL) == 0);
	journal_close(journal);
	CHECK(journal_print(room, to, NULL) == 0);
	fclose(to);
	CHECK_TEXT(strstr(text, "notice"), "notice: w?2J was lost\n");
}

static void what_a_rescale_cost_is_printed(void)
{
	const struct journal_entry lines[] = {
		some[0],
		{.kind = JOURNAL_JOB, .at = 9000},
		{.kind = JOURNAL_RESCALE,
		 .at = 9000,
		 .rescale = {.from = 2,
			     .to = 4,
			     .asked = 1000,
			     .ordered = 2000,
			     .last_step = 2300,
			     .saved = 2400,
			     .stopped = 2400,
			     .up = 2500,
			     .stepped = 4000}},
		{.kind = JOURNAL_RESULT, .at = 9000, .text = "done"},
	};
	CLEANUP(free) char *text = NULL;
	struct journal *journal;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	unlink(path);
	CHECK(journal_open(&journal, path, &nothing, NULL) == 0);
	for (size_t i = 0; i < LENGTH(lines); i++)
		CHECK(append(journal, &lines[i], NULL) == 0);
	journal_close(journal);
	CHECK(journal_print(room, to, NULL) == 0);
	fclose(to);
	CHECK_TEXT(strstr(text, "ended"),
		   "ended: done; the pause was 2.000 s (still computing 0.300 "
		   "s, writing 0.100 s, standing still 1.600 s)\n");
}

static void the_corpus_of_the_fuzzer_passes(void)
{
	CHECK(replay_folder(CORPUS) > 0);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_line_is_for_people_too),
		TEST(what_is_written_reads_back),
		TEST(every_event_has_a_word_of_its_own),
		TEST(a_text_stays_one_line),
		TEST(one_letter_that_is_another_is_seen),
		TEST(a_journal_reads_back_and_is_nobody_elses),
		TEST(lines_that_are_written_together_are_whole_lines),
		TEST(a_last_line_that_is_torn_is_dropped_wherever_it_is),
		TEST(what_is_behind_a_damaged_line_is_not_believed),
		TEST(no_journal_is_no_damage),
		TEST(a_coordinator_stops_when_another_writes_its_journal),
		TEST(a_journal_that_is_replaced_is_another_coordinators),
		TEST(one_that_another_has_written_to_is_not_replaced),
		TEST(one_that_was_replaced_since_it_was_read_is_not_opened),
		TEST(a_journal_of_version_1_is_read_and_of_version_4_is_not),
		TEST(a_journal_is_there_after_a_power_cut),
		TEST(a_full_disk_leaves_no_half_line),
		TEST(what_is_printed_cannot_steer_a_terminal),
		TEST(what_a_rescale_cost_is_printed),
		TEST(the_corpus_of_the_fuzzer_passes),
	};
	int r;

	if (!mkdtemp(room))
		return 1;
	snprintf(path, sizeof(path), "%s/journal", room);
	r = run_tests(tests, LENGTH(tests));
	unlink(path);
	return rmdir(room) == 0 ? r : 1;
}
