/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "coordinator/journal/journal.h"
#include "coordinator/journal/print.h"
#include "tests/unit/corpus.h"

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
	{.kind = JOURNAL_BINDING,
	 .at = 952,
	 .binding = {2},
	 .text = "0=0,36 1-2=1,37"},
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
	CHECK_TEXT(line + 8, " 0 begun 5 1763769600000 2 3 1 1 4 heat\n");
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

/* ---- the file ---- */

static struct journal_entry seen[16];
static size_t n_seen;

static bool see(void *user, const struct journal_entry *entry)
{
	seen[n_seen++] = *entry;
	return n_seen < LENGTH(seen);
}

static void write_entries(const struct journal_entry *entries, size_t n)
{
	static const struct journal_end nothing;
	struct journal_file *file;
	char line[JOURNAL_LINE_MAX];

	unlink(path);
	CHECK(journal_file_open(&file, path, "coordinator", &nothing, NULL) ==
	      0);
	for (size_t i = 0; i < n; i++)
		CHECK(journal_file_append(file, line,
					  journal_format(&entries[i], line),
					  NULL) == 0);
	journal_file_close(file);
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

	write_entries(some, LENGTH(some));
	CHECK(journal_read(path, see, NULL, &end, NULL) == 0);
	CHECK(n_seen == LENGTH(some) && end.lines == LENGTH(some));
	CHECK(!end.torn && !end.damaged && end.size == size_of(path));
	for (size_t i = 0; i < LENGTH(some); i++)
		CHECK(is_same(&seen[i], &some[i]));
	CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
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

static void what_is_printed_cannot_steer_a_terminal(void)
{
	const struct journal_entry lines[] = {
		some[0],
		{.kind = JOURNAL_NOTICE,
		 .notice = {BELLOWS__V1__NOTICE_KIND__NOTICE_LOST},
		 .text = "w\xc2\x9b"
			 "2J was lost"},
	};
	CLEANUP(free) char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);

	write_entries(lines, LENGTH(lines));
	CHECK(journal_print(room, false, to, NULL) == 0);
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
	size_t n;
	FILE *to = open_memstream(&text, &n);

	write_entries(lines, LENGTH(lines));
	CHECK(journal_print(room, false, to, NULL) == 0);
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
		TEST(a_journal_reads_back_and_is_nobody_elses),
		TEST(a_journal_of_version_1_is_read_and_of_version_4_is_not),
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
