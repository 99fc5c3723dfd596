/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/adapter.h"
#include "coordinator/checkpoint/owner.h"
#include "coordinator/checkpoint/owner_folder.h"
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/test-owner-XXXXXX";
static struct error err;

static void set_up(void)
{
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	CHECK(mkdtemp(dir));
}

static void tear_down(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	CHECK(system(command) == 0);
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/" ADAPTER_OWNER "/%s", dir, name);
	return path;
}

static bool is_there(const char *name)
{
	return access(path_of(name), F_OK) == 0;
}

/* A coordinator that was begun here. */
static struct owner_record somebody(void)
{
	struct owner_record record;

	owner_record_init(&record, "heat", "/run/heat");
	return record;
}

/* ---- records ---- */

static void a_record_is_read_as_it_was_written(void)
{
	struct owner_record from = somebody(), to;
	char text[OWNER_RECORD_MAX];
	size_t n = owner_record_format(&from, text);

	CHECK(*from.boot && *from.host && from.pid == (unsigned)getpid());
	CHECK(owner_record_parse(&to, text, n) == 0);
	CHECK_TEXT(to.job, "heat");
	CHECK_TEXT(to.state, "/run/heat");
	CHECK_TEXT(to.host, from.host);
	CHECK_TEXT(to.boot, from.boot);
	CHECK(to.pid == from.pid && to.incarnation == from.incarnation);
	CHECK(to.since == from.since && !to.left && !to.without_rank);
	from.left = true;
	n = owner_record_format(&from, text);
	CHECK(owner_record_parse(&to, text, n) == 0);
	CHECK(to.left && !to.without_rank);
	from.without_rank = true;
	n = owner_record_format(&from, text);
	CHECK(owner_record_parse(&to, text, n) == 0);
	CHECK(to.left && to.without_rank);
}

static void the_longest_names_fit(void)
{
	struct owner_record from = somebody(), to;
	char text[OWNER_RECORD_MAX], long_name[5000];
	size_t n;

	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	owner_record_init(&from, long_name, long_name);
	memset(from.host, 'h', sizeof(from.host) - 1);
	memset(from.boot, 'b', sizeof(from.boot) - 1);
	from.pid = INT32_MAX;
	from.since = INT64_MAX;
	from.left = from.without_rank = true;
	n = owner_record_format(&from, text);
	CHECK(n < sizeof(text));
	CHECK(owner_record_parse(&to, text, n) == 0);
	CHECK_TEXT(to.state, from.state);
}

static void a_record_that_is_torn_is_none(void)
{
	struct owner_record from = somebody(), to;
	char text[OWNER_RECORD_MAX];
	size_t n = owner_record_format(&from, text);

	for (size_t i = 0; i < n; i++)
		CHECK(owner_record_parse(&to, text, i) == -EINVAL);
	text[n] = 'x';
	CHECK(owner_record_parse(&to, text, n + 1) == -EINVAL);
	text[20] = '\0';
	CHECK(owner_record_parse(&to, text, n) == -EINVAL);
}

/* No byte turns a record that lives into one that has left. */
static void a_byte_that_is_changed_makes_nobody_leave(void)
{
	struct owner_record from = somebody(), to;
	char text[OWNER_RECORD_MAX];
	size_t n = owner_record_format(&from, text);
	unsigned refused = 0;

	for (size_t i = 0; i < n; i++)
		for (int byte = 0; byte < 256; byte++) {
			char before = text[i];

			text[i] = (char)byte;
			if (owner_record_parse(&to, text, n) < 0)
				refused++;
			else
				CHECK(!to.left && to.pid <= INT32_MAX);
			text[i] = before;
		}
	CHECK(refused > 100 * 256); /* the keys alone are so long */
}

static void what_is_shown_has_no_control_characters(void)
{
	static const char text[] = "bellows-owner 1\njob he\x1b[2Jat\n"
				   "host a\xff\nboot \npid 1\nincarnation 2\n"
				   "since 3\nstate /x\ty\nis lives\n";
	struct owner_record to;

	CHECK(owner_record_parse(&to, text, strlen(text)) == 0);
	CHECK_TEXT(to.job, "he?[2Jat");
	CHECK_TEXT(to.host, "a?");
	CHECK_TEXT(to.state, "/x?y");
}

/* ---- claims ---- */

static int claim(uint64_t number, const struct owner_record *who)
{
	int lock = -1, r = owner_folder_claim(dir, number, who, &lock, &err);

	return r < 0 ? r : lock;
}

static void one_number_goes_to_one_coordinator(void)
{
	struct owner_record a = somebody(), b = somebody();
	struct owner_sight sight;
	int lock;

	set_up();
	lock = claim(1, &a);
	CHECK(lock >= 0 && claim(1, &b) == -EEXIST);
	CHECK(owner_folder_look(dir, &a, 1, &sight, &err) == 0);
	CHECK(sight.mine && sight.newest == 1 && sight.newer.number == 0);
	CHECK(owner_folder_look(dir, &b, 1, &sight, &err) == 0);
	CHECK(!sight.mine && sight.newer.number == 1);
	CHECK(sight.newer.record.incarnation == a.incarnation);
	close(lock);
	tear_down();
}

/* From two processes: exactly one of them has it each time. */
static void of_two_that_claim_at_once_one_wins(void)
{
	enum { ROUNDS = 200 };
	int from[2], n = 0;
	char won[2 * ROUNDS + 1];
	ssize_t k;

	set_up();
	CHECK(pipe(from) == 0);
	for (int i = 0; i < 2; i++)
		if (fork() == 0) {
			struct owner_record who = somebody();

			for (unsigned j = 1; j <= ROUNDS; j++)
				if (claim(j, &who) >= 0)
					(void)!write(from[1], "x", 1);
			_exit(0);
		}
	close(from[1]);
	while ((k = read(from[0], won, sizeof(won))) > 0)
		n += (int)k;
	close(from[0]);
	CHECK(n == ROUNDS);
	CHECK(is_there("owner-1") && is_there("owner-200"));
	tear_down();
}

static void the_lock_tells_whether_one_here_lives(void)
{
	struct owner_record a = somebody(), b = somebody();
	struct owner_sight sight;
	int lock;

	set_up();
	lock = claim(4, &a);
	CHECK(owner_folder_look(dir, &b, 0, &sight, &err) == 0);
	CHECK(sight.newest == 4 && sight.before.number == 4);
	CHECK(sight.before.step == OWNERSHIP_REFUSE);
	close(lock);
	CHECK(owner_folder_look(dir, &b, 0, &sight, &err) == 0);
	CHECK(sight.before.step == OWNERSHIP_FENCE);
	tear_down();
}

static void of_several_records_the_one_that_asks_for_most_counts(void)
{
	struct owner_record a = somebody(), b = somebody();
	struct owner_sight sight;

	set_up();
	a.left = a.without_rank = true;
	close(claim(1, &a));
	strcpy(b.boot, "another");
	close(claim(2, &b));
	b.left = true;
	close(claim(3, &b));
	CHECK(owner_folder_look(dir, &a, 0, &sight, &err) == 0);
	CHECK(sight.newest == 3 && sight.before.number == 2);
	CHECK(sight.before.step == OWNERSHIP_WAIT);
	CHECK(owner_folder_leave(dir, 2, &b, &err) == 0);
	CHECK(owner_folder_look(dir, &a, 0, &sight, &err) == 0);
	CHECK(sight.before.step == OWNERSHIP_FENCE);
	tear_down();
}

static void what_is_no_record_is_passed_over(void)
{
	struct owner_record a = somebody();
	struct owner_sight sight;
	static const char *const names[] = {"owner-",
					    "owner-0",
					    "owner-01",
					    "owner-1x",
					    "owner--1",
					    "new-1",
					    "owner-1234567890123456789"};

	set_up();
	CHECK(owner_folder_look(dir, &a, 0, &sight, &err) == 0);
	CHECK(sight.newest == 0);
	CHECK(mkdir(path_of(""), 0700) == 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		close(open(path_of(names[i]), O_WRONLY | O_CREAT, 0600));
	CHECK(owner_folder_look(dir, &a, 0, &sight, &err) == 0);
	CHECK(sight.newest == 0 && sight.before.number == 0);
	/* a name that leads elsewhere is a record of nobody knows whom */
	CHECK(symlink("/etc/passwd", path_of("owner-5")) == 0);
	CHECK(mkdir(path_of("owner-6"), 0700) == 0);
	CHECK(mkfifo(path_of("owner-7"), 0600) == 0);
	CHECK(owner_folder_look(dir, &a, 0, &sight, &err) == 0);
	CHECK(sight.newest == 7 && !sight.before.readable);
	CHECK(sight.before.step == OWNERSHIP_WAIT);
	tear_down();
}

static void the_numbers_may_be_used_up(void)
{
	struct owner_record a = somebody();

	set_up();
	CHECK(claim(UINT64_C(1000000000000000000), &a) == -ERANGE);
	tear_down();
}

static void only_older_records_are_pruned(void)
{
	struct owner_record a = somebody();

	set_up();
	for (unsigned i = 8; i <= 12; i++)
		close(claim(i, &a));
	owner_folder_prune(dir, 10);
	CHECK(!is_there("owner-8") && !is_there("owner-9"));
	CHECK(is_there("owner-10") && is_there("owner-12"));
	owner_folder_remove(dir, 10); /* another one has it */
	CHECK(is_there("owner-12"));
	owner_folder_remove(dir, 12);
	CHECK(!is_there(""));
	tear_down();
}

/* ---- the life of an owner ---- */

static struct loop *loop;
static struct loop_timer patience;
static unsigned owned;
static msec_t seen;
static char lost[512];

static void on_owned(void *user)
{
	owned++;
	loop_stop(loop, 0);
}

static void on_seen(void *user, msec_t until)
{
	seen = until;
	if (user)
		loop_stop(loop, 0);
}

static void on_lost(void *user, const char *text)
{
	snprintf(lost, sizeof(lost), "%s", text);
	loop_stop(loop, 0);
}

static const struct checkpoint_owner_events events = {on_owned, on_seen,
						      on_lost};

static void out_of_patience(void *user)
{
	loop_stop(loop, -ETIMEDOUT);
}

static int run_loop(void)
{
	loop_timer_set(loop, &patience, SECONDS(60), out_of_patience, NULL);
	return loop_run(loop);
}

static struct checkpoint_owner *begin(void *user)
{
	struct checkpoint_owner *owner = NULL;

	owned = 0;
	seen = 0;
	lost[0] = '\0';
	if (checkpoint_owner_create(&owner, loop, dir, "heat", "/run/heat",
				    &events, user, &err) < 0)
		return NULL;
	return owner;
}

static void an_owner_renews_itself_with_each_look(void)
{
	struct checkpoint_owner *owner;
	msec_t first;

	set_up();
	CHECK(loop_create(&loop, &err) == 0);
	owner = begin(&loop);
	CHECK(owner && !*checkpoint_owner_waits_for(owner));
	first = seen;
	CHECK(first > loop_now() && run_loop() == 0);
	CHECK(seen > first && seen <= loop_now() + OWNERSHIP_LEASE);
	checkpoint_owner_leave(owner, CHECKPOINT_OWNER_IS_DONE);
	CHECK(!is_there(""));
	loop_timer_clear(&patience);
	loop_destroy(loop);
	tear_down();
}

static void one_that_is_overtaken_is_told_once(void)
{
	struct owner_record other = somebody();
	struct checkpoint_owner *owner;

	set_up();
	CHECK(loop_create(&loop, &err) == 0);
	owner = begin(NULL);
	strcpy(other.host, "far");
	CHECK(owner && claim(2, &other) >= 0);
	CHECK(run_loop() == 0 && owned == 0);
	CHECK(strstr(lost, "of host far, has taken checkpoint.dir"));
	checkpoint_owner_leave(owner, CHECKPOINT_OWNER_IS_DONE);
	CHECK(is_there("owner-2")); /* it is another's by now */
	loop_timer_clear(&patience);
	loop_destroy(loop);
	tear_down();
}

static void a_wait_ends_when_the_other_has_left(void)
{
	struct owner_record other = somebody();
	struct checkpoint_owner *owner;

	set_up();
	CHECK(loop_create(&loop, &err) == 0);
	strcpy(other.boot, "another");
	close(claim(1, &other));
	owner = begin(NULL);
	CHECK(owner && *checkpoint_owner_waits_for(owner));
	other.left = true;
	CHECK(owner_folder_leave(dir, 1, &other, &err) == 0);
	CHECK(run_loop() == 0 && owned == 1);
	CHECK(!*checkpoint_owner_waits_for(owner));
	CHECK(checkpoint_owner_is_fenced(owner));
	checkpoint_owner_leave(owner, CHECKPOINT_OWNER_LEAVES_NO_RANK);
	loop_timer_clear(&patience);
	loop_destroy(loop);
	tear_down();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_record_is_read_as_it_was_written),
		TEST(the_longest_names_fit),
		TEST(a_record_that_is_torn_is_none),
		TEST(a_byte_that_is_changed_makes_nobody_leave),
		TEST(what_is_shown_has_no_control_characters),
		TEST(one_number_goes_to_one_coordinator),
		TEST(of_two_that_claim_at_once_one_wins),
		TEST(the_lock_tells_whether_one_here_lives),
		TEST(of_several_records_the_one_that_asks_for_most_counts),
		TEST(what_is_no_record_is_passed_over),
		TEST(the_numbers_may_be_used_up),
		TEST(only_older_records_are_pruned),
		TEST(an_owner_renews_itself_with_each_look),
		TEST(one_that_is_overtaken_is_told_once),
		TEST(a_wait_ends_when_the_other_has_left),
	};

	return run_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
