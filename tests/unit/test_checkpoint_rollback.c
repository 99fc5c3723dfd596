/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/store_internal.h"
#include "coordinator/checkpoint/unreadable.h"
#include "tests/unit/checkpoint_bed.h"
#include "tests/unit/synced.h"

static void a_damaged_one_gives_way_to_the_one_before(void)
{
	const enum former_kind kinds[] = {FORMER_REPLACED, FORMER_UNKNOWN};

	for (int i = 0; i < 2; i++) {
		struct checkpoint newest, older = {0};

		CHECK(set_up(kinds[i]));
		put_by_renaming("state", "1");
		CHECK(keeps("1"));
		put_by_renaming("state", "2");
		CHECK(look(&bed.job.app, &newest, NULL) == 0);
		CHECK(checkpoint_store_roll_back(bed.store, &newest, false,
						 &older, NULL) == 0);
		CHECK(older.step == 1);
		CHECK_TEXT(read_it("state"), "1");
		CHECK_TEXT(read_it("parts/a"), "a");
		CHECK_TEXT(read_it(ADAPTER_KEPT "/damaged/state"), "2");
		CHECK(!checkpoint_store_has_suspect(bed.store));
		CHECK(!is_there(ADAPTER_KEPT "/aside"));
		CHECK(keeps("1")); /* ranks have gone on from it */
		tear_down();
	}
}

static bool go_back(struct error *err)
{
	struct checkpoint newest, older;

	return look(&bed.job.app, &newest, NULL) == 0 &&
	       checkpoint_store_roll_back(bed.store, &newest, false, &older,
					  err) == 0;
}

static bool keeps_two(void)
{
	bool keeps_first;

	if (!set_up(FORMER_REPLACED))
		return false;
	put_by_renaming("state", "1");
	keeps_first = keeps("1");
	put_by_renaming("state", "2");
	synced_forget();
	return keeps_first;
}

static void names_are_on_the_disk_before_others_are_removed(void)
{
	struct error err;

	CHECK(keeps_two() && go_back(&err));
	CHECK_TEXT(read_it("state"), "1");
	CHECK(synced_has(below(ADAPTER_KEPT "/aside")));
	CHECK(synced_has(below(ADAPTER_KEPT "/aside/parts")));
	CHECK(synced_has(bed.dir) && synced_has(below("parts")));
	tear_down();
}

static void a_disk_that_cannot_sync_loses_neither_checkpoint(void)
{
	struct error err;

	CHECK(keeps_two());
	synced.folder_error = EIO;
	CHECK(!go_back(&err));
	synced_forget();
	CHECK_TEXT(read_it("state"), "2");
	CHECK_TEXT(read_it(ADAPTER_KEPT "/1/state"), "1");
	tear_down();
}

static void what_is_the_damaged_one_too_is_passed_over(void)
{
	const uint64_t sizes[] = {STORE_SMALL + 1 /* links */, 0 /* copies */};

	for (int i = 0; i < 2; i++) {
		struct checkpoint bad, older = {0};

		CHECK(set_up(FORMER_REPLACED));
		bed.bytes = sizes[i];
		put_by_renaming("state", "1");
		CHECK(keeps("1"));
		put_by_renaming("parts/a", "b");
		put_by_renaming("state", "2");
		CHECK(keeps("2"));
		CHECK(look(&bed.job.app, &bad, NULL) == 0);
		CHECK(checkpoint_store_roll_back(bed.store, &bad, true, &older,
						 NULL) == 0);
		CHECK(older.step == 1);
		CHECK_TEXT(read_it("state"), "1");
		tear_down();
	}
}

static void a_copy_is_good_when_the_newest_is_damaged_in_place(void)
{
	const enum former_kind kinds[] = {FORMER_REPLACED, FORMER_UNKNOWN};

	for (int i = 0; i < 2; i++) {
		struct checkpoint bad, older = {0};

		CHECK(set_up(kinds[i]));
		put_by_renaming("state", "7");
		CHECK(keeps("7"));
		CHECK(look(&bed.job.app, &bad, NULL) == 0);
		put_in_place("state", "8"); /* not to be seen by the adapter */
		CHECK(checkpoint_store_roll_back(bed.store, &bad, false, &older,
						 NULL) == 0);
		CHECK(older.step == 7 && older.mark == bad.mark);
		CHECK_TEXT(read_it("state"), "7");
		CHECK_TEXT(read_it(ADAPTER_KEPT "/damaged/state"), "8");
		tear_down();
	}
}

static void without_another_nothing_changes(void)
{
	struct checkpoint newest, older;
	struct error err;

	CHECK(set_up(FORMER_REPLACED));
	put_by_renaming("state", "1");
	CHECK(look(&bed.job.app, &newest, NULL) == 0);
	CHECK(checkpoint_store_roll_back(bed.store, &newest, false, &older,
					 &err) == -ENOENT);
	CHECK_TEXT(read_it("state"), "1");
	CHECK(keeps("1"));
	CHECK(checkpoint_store_roll_back(bed.store, &newest, false, &older,
					 &err) == -ENOENT);
	CHECK_TEXT(read_it("state"), "1");
	CHECK_TEXT(read_it("parts/a"), "a");
	CHECK(strncmp(err.text, "there is no other in ", 21) == 0);
	tear_down();
}

/* The second is suspect, and the first in its place. */
static bool doubt(struct checkpoint *newest)
{
	struct checkpoint older = {0};

	if (!set_up(FORMER_REPLACED))
		return false;
	put_by_renaming("state", "1");
	if (!keeps("1"))
		return false;
	put_by_renaming("state", "2");
	return look(&bed.job.app, newest, NULL) == 0 &&
	       checkpoint_store_roll_back(bed.store, newest, true, &older,
					  NULL) == 0 &&
	       older.step == 1;
}

static bool begin_again(void)
{
	checkpoint_store_destroy(bed.store);
	return checkpoint_store_create(&bed.store, bed.loop, &bed.job,
				       on_unkept, NULL, NULL) == 0;
}

static void a_guess_is_taken_back(void)
{
	struct checkpoint newest, older;

	CHECK(doubt(&newest));
	CHECK(begin_again()); /* be it by the next coordinator */
	CHECK(checkpoint_store_repair(bed.store, NULL) == CHECKPOINT_FOUND);
	CHECK(checkpoint_store_has_suspect(bed.store));
	CHECK(checkpoint_store_undo_rollback(bed.store, NULL) == 0);
	CHECK(!checkpoint_store_has_suspect(bed.store));
	CHECK_TEXT(read_it("state"), "2");
	CHECK_TEXT(read_it(ADAPTER_KEPT "/1/state"), "1");
	CHECK(look(&bed.job.app, &older, NULL) == 0);
	CHECK(older.mark == newest.mark);
	tear_down();
}

static void a_guess_that_was_right_is_kept_for_people(void)
{
	struct checkpoint newest;

	CHECK(doubt(&newest));
	checkpoint_store_confirm_damage(bed.store);
	CHECK(!checkpoint_store_has_suspect(bed.store));
	CHECK_TEXT(read_it(ADAPTER_KEPT "/damaged/state"), "2");
	CHECK_TEXT(read_it("state"), "1");
	tear_down();
}

static void a_guess_is_not_put_over_what_cannot_be_told(void)
{
	struct checkpoint newest;
	struct error err;

	CHECK(doubt(&newest));
	put_by_renaming("state", "!3");
	CHECK(checkpoint_store_undo_rollback(bed.store, &err) == -EBADMSG);
	CHECK_TEXT(read_it("state"), "!3");
	CHECK_TEXT(read_it(ADAPTER_KEPT "/suspect/state"), "2");
	tear_down();
}

static void a_job_begins_with_a_whole_one(void)
{
	CHECK(set_up(FORMER_REPLACED));
	CHECK(checkpoint_store_repair(bed.store, NULL) == CHECKPOINT_FOUND);
	put_by_renaming("state", "1");
	CHECK(checkpoint_store_repair(bed.store, NULL) == CHECKPOINT_FOUND);
	CHECK(keeps("1"));
	put_by_renaming("state", "!2");
	CHECK(checkpoint_store_repair(bed.store, NULL) ==
	      CHECKPOINT_ROLLED_BACK);
	CHECK_TEXT(read_it("state"), "1");
	CHECK(keeps("1"));
	put_by_renaming("state", ""); /* cut off at its beginning */
	CHECK(checkpoint_store_repair(bed.store, NULL) ==
	      CHECKPOINT_ROLLED_BACK);
	CHECK_TEXT(read_it("state"), "1");
	tear_down();
}

static void an_emptied_directory_is_a_wish_to_begin_anew(void)
{
	CHECK(set_up(FORMER_REPLACED));
	put_by_renaming("state", "1");
	CHECK(keeps("1"));
	CHECK(unlink(below("state")) == 0 && unlink(below("parts/a")) == 0);
	CHECK(checkpoint_store_repair(bed.store, NULL) == CHECKPOINT_ONLY_KEPT);
	CHECK(!is_there("state"));
	tear_down();
}

static void what_was_broken_off_is_done_again(void)
{
	/* as it is amid checkpoint_store_roll_back(): nothing, or a part, is
	 * put back */
	for (int part = 0; part < 2; part++) {
		CHECK(set_up(FORMER_REPLACED));
		put_by_renaming("state", "1");
		CHECK(keeps("1"));
		put_by_renaming("state", "2");
		CHECK(mkdir(below(ADAPTER_KEPT "/aside"), 0700) == 0);
		CHECK(rename(below("state"),
			     below(ADAPTER_KEPT "/aside/state")) == 0);
		CHECK(unlink(below("parts/a")) == 0);
		CHECK(!part || link(below(ADAPTER_KEPT "/1/state"),
				    below("state")) == 0);
		CHECK(checkpoint_store_repair(bed.store, NULL) ==
		      CHECKPOINT_ROLLED_BACK);
		CHECK_TEXT(read_it("state"), "1");
		CHECK(is_there("parts/a"));
		CHECK_TEXT(read_it(ADAPTER_KEPT "/damaged/state"), "2");
		tear_down();
	}
}

static void what_is_put_back_tells_nothing_of_how_it_is_written(void)
{
	struct checkpoint newest, older = {0};

	CHECK(set_up(FORMER_UNKNOWN));
	CHECK(unlink(below("parts/a")) == 0);
	files[1] = NULL;
	put_in_place("state", "1");
	CHECK(keeps("1"));
	put_in_place("state", "torn");
	CHECK(look(&bed.job.app, &newest, NULL) == 0);
	CHECK(checkpoint_store_roll_back(bed.store, &newest, false, &older,
					 NULL) == 0);
	CHECK(keeps("1"));
	CHECK(!is_same("state", ADAPTER_KEPT "/1/state"));
	files[1] = "parts/*";
	tear_down();
}

static void a_directory_that_cannot_be_read_is_no_empty_one(void)
{
	struct error err;

	CHECK(set_up(FORMER_REPLACED));
	bed.job.app.checkpoint_dir = "/proc/self/mem/no";
	CHECK(checkpoint_store_repair(bed.store, &err) == -ENOTDIR);
	bed.job.app.checkpoint_dir = bed.dir;
	tear_down();
}

static void an_application_that_keeps_two_has_only_the_newest_set_aside(void)
{
	struct checkpoint newest, older;

	CHECK(set_up(FORMER_STAYS));
	put_by_renaming("state", "1");
	checkpoint_store_keep(bed.store);
	CHECK(!is_there(ADAPTER_KEPT));
	CHECK(look(&bed.job.app, &newest, NULL) == 0);
	CHECK(checkpoint_store_roll_back(bed.store, &newest, false, &older,
					 NULL) == -ENOENT);
	CHECK_TEXT(read_it("state"), "1");
	tear_down();
}

static void the_only_one_that_is_damaged_stays_as_it_is(void)
{
	const struct checkpoint unknown = {0};
	struct unreadable found;
	char sentence[256];

	CHECK(set_up(FORMER_REPLACED));
	put_in_place("state", "!1");
	CHECK(checkpoint_store_repair(bed.store, NULL) ==
	      CHECKPOINT_UNREADABLE);
	CHECK(unreadable_is_there(bed.store, -EBADMSG));
	unreadable_settle(&found, bed.store, &unknown);
	CHECK(!found.begins_anew);
	snprintf(
		sentence, sizeof(sentence),
		"checkpoint %s/state, of 2 files, cannot be read, and no older "
		"one is kept that can be; put a copy of it back, or ",
		bed.dir);
	CHECK(strncmp(found.text, sentence, strlen(sentence)) == 0);
	CHECK_TEXT(read_it("state"), "!1");
	CHECK_TEXT(read_it("parts/a"), "a");
	CHECK(!is_there(ADAPTER_KEPT "/unreadable-1"));
	tear_down();
}

static void what_is_unreadable_is_set_aside_for_good(void)
{
	const struct checkpoint unknown = {0};
	struct unreadable found;

	CHECK(set_up(FORMER_REPLACED));
	bed.job.begins_anew = true;
	for (char i = '1'; i < '3'; i++) {
		const char name[] = {'!', i, '\0'};

		put_in_place("state", name);
		put_in_place("parts/a", "a");
		unreadable_settle(&found, bed.store, &unknown);
		CHECK(found.begins_anew);
		CHECK(!is_there("state") && !is_there("parts/a"));
		CHECK(!unreadable_is_there(bed.store, 1));
		checkpoint_store_clear(bed.store); /* the job is done */
	}
	CHECK_TEXT(read_it(ADAPTER_KEPT "/unreadable-1/state"), "!1");
	CHECK_TEXT(read_it(ADAPTER_KEPT "/unreadable-2/state"), "!2");
	CHECK_TEXT(read_it(ADAPTER_KEPT "/unreadable-2/parts/a"), "a");
	tear_down();
}

static void a_first_one_that_is_not_whole_is_none(void)
{
	CHECK(set_up(FORMER_UNKNOWN));
	put_in_place("state", ""); /* written no further */
	CHECK(checkpoint_store_repair(bed.store, NULL) == CHECKPOINT_FOUND);
	CHECK(unreadable_is_there(bed.store, 1)); /* of a job that had one */
	tear_down();
}

RUN_TESTS(TEST(a_damaged_one_gives_way_to_the_one_before),
	  TEST(names_are_on_the_disk_before_others_are_removed),
	  TEST(a_disk_that_cannot_sync_loses_neither_checkpoint),
	  TEST(what_is_the_damaged_one_too_is_passed_over),
	  TEST(a_copy_is_good_when_the_newest_is_damaged_in_place),
	  TEST(without_another_nothing_changes), TEST(a_guess_is_taken_back),
	  TEST(a_guess_that_was_right_is_kept_for_people),
	  TEST(a_guess_is_not_put_over_what_cannot_be_told),
	  TEST(a_job_begins_with_a_whole_one),
	  TEST(an_emptied_directory_is_a_wish_to_begin_anew),
	  TEST(what_was_broken_off_is_done_again),
	  TEST(what_is_put_back_tells_nothing_of_how_it_is_written),
	  TEST(a_directory_that_cannot_be_read_is_no_empty_one),
	  TEST(the_only_one_that_is_damaged_stays_as_it_is),
	  TEST(what_is_unreadable_is_set_aside_for_good),
	  TEST(a_first_one_that_is_not_whole_is_none),
	  TEST(an_application_that_keeps_two_has_only_the_newest_set_aside))
