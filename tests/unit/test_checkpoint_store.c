/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/store_internal.h"
#include "tests/unit/checkpoint_bed.h"

static void what_is_replaced_is_kept_by_links(void)
{
	CHECK(set_up(FORMER_REPLACED));
	bed.bytes = STORE_SMALL + 1;
	put_by_renaming("state", "1");
	CHECK(keeps("1"));
	CHECK(is_same("state", ADAPTER_KEPT "/1/state"));
	CHECK(is_same("parts/a", ADAPTER_KEPT "/1/parts/a"));
	put_by_renaming("state", "2");
	CHECK(keeps("2"));
	CHECK_TEXT(read_it(ADAPTER_KEPT "/2/state"), "1");
	put_by_renaming("state", "3");
	CHECK(keeps("3"));
	CHECK_TEXT(read_it(ADAPTER_KEPT "/2/state"), "2");
	CHECK(!is_there(ADAPTER_KEPT "/new") && *told == '\0');
	tear_down();
}

static void what_is_written_in_place_is_copied(void)
{
	CHECK(set_up(FORMER_UNKNOWN));
	for (char i = '1'; i < '5'; i++) {
		const char text[] = {i, '\0'}, before[] = {i - 1, '\0'};

		put_in_place("state", text);
		CHECK(keeps(text));
		CHECK(!is_same("state", ADAPTER_KEPT "/1/state"));
		if (i > '1')
			CHECK_TEXT(read_it(ADAPTER_KEPT "/2/state"), before);
	}
	tear_down();
}

static void what_is_small_is_copied_though_it_is_replaced(void)
{
	CHECK(set_up(FORMER_REPLACED));
	put_by_renaming("state", "1");
	CHECK(keeps("1"));
	put_by_renaming("state", "2");
	CHECK(keeps("2"));
	put_in_place("state", "!2"); /* by whatever damages it */
	CHECK_TEXT(read_it(ADAPTER_KEPT "/1/state"), "2");
	CHECK_TEXT(read_it(ADAPTER_KEPT "/2/state"), "1");
	tear_down();
}

static void a_copy_that_does_not_reach_the_disk_is_not_kept(void)
{
	const char *former = getenv("PATH");
	char path[4096];

	CHECK(former && set_up(FORMER_UNKNOWN));
	snprintf(path, sizeof(path), "%s:%.3000s", below("bin"), former);
	CHECK(mkdir(below("bin"), 0700) == 0);
	put_in_place("bin/sync", "#!/bin/sh\nexit 1\n");
	CHECK(chmod(below("bin/sync"), 0700) == 0);
	put_in_place("state", "1");
	former = strdup(former);
	setenv("PATH", path, 1);
	checkpoint_store_keep(bed.store);
	CHECK(comes("told", "it cannot be copied"));
	setenv("PATH", former, 1);
	free((char *)former);
	CHECK(!is_there(ADAPTER_KEPT "/1") && !is_there(ADAPTER_KEPT "/new"));
	tear_down();
}

static void that_files_are_replaced_is_seen(void)
{
	CHECK(set_up(FORMER_UNKNOWN));
	bed.bytes = STORE_SMALL + 1;
	CHECK(unlink(below("parts/a")) == 0);
	put_by_renaming("parts/a", "a");
	put_by_renaming("state", "1");
	CHECK(keeps("1") && !is_same("state", ADAPTER_KEPT "/1/state"));
	put_by_renaming("parts/a", "b");
	put_by_renaming("state", "2");
	CHECK(keeps("2") && is_same("state", ADAPTER_KEPT "/1/state"));
	put_by_renaming("parts/a", "c");
	put_in_place("state", "3"); /* it changes its mind */
	CHECK(keeps("3") && !is_same("state", ADAPTER_KEPT "/1/state"));
	/* the link to the second would be of the third */
	CHECK_TEXT(read_it(ADAPTER_KEPT "/2/state"), "1");
	tear_down();
}

static void the_same_checkpoint_is_kept_once(void)
{
	const enum former_kind kinds[] = {FORMER_REPLACED, FORMER_UNKNOWN};

	for (int i = 0; i < 2; i++) {
		CHECK(set_up(kinds[i]));
		put_by_renaming("state", "1");
		CHECK(keeps("1"));
		checkpoint_store_keep(bed.store);
		CHECK(!is_there(ADAPTER_KEPT "/new"));
		checkpoint_store_destroy(
			bed.store); /* and by the next coordinator */
		CHECK(checkpoint_store_create(&bed.store, bed.loop, &bed.job,
					      on_unkept, NULL, NULL) == 0);
		checkpoint_store_keep(bed.store);
		CHECK(!is_there(ADAPTER_KEPT "/new"));
		CHECK(!is_there(ADAPTER_KEPT "/2"));
		tear_down();
	}
}

static void a_new_name_tells_nothing_of_how_it_is_written(void)
{
	CHECK(set_up(FORMER_UNKNOWN));
	put_in_place("state", "1");
	CHECK(keeps("1"));
	CHECK(rename(below("parts/a"), below("parts/b")) == 0);
	put_by_renaming("state", "2");
	CHECK(keeps("2"));
	CHECK(!is_same("state", ADAPTER_KEPT "/1/state"));
	tear_down();
}

static void what_is_being_written_is_not_kept(void)
{
	CHECK(set_up(FORMER_REPLACED));
	put_by_renaming("state", "1");
	checkpoint_store_keep_settled(bed.store);
	put_by_renaming("state", "2");
	checkpoint_store_keep_settled(bed.store);
	CHECK(!is_there(ADAPTER_KEPT));
	checkpoint_store_keep_settled(bed.store); /* it is as it was */
	CHECK(comes(ADAPTER_KEPT "/1/state", "2"));
	tear_down();
}

static void nothing_is_kept_of_what_is_done(void)
{
	CHECK(set_up(FORMER_REPLACED));
	put_by_renaming("state", "1");
	CHECK(keeps("1"));
	checkpoint_store_clear(bed.store);
	CHECK(!is_there(ADAPTER_KEPT));
	CHECK_TEXT(read_it("state"), "1");
	tear_down();
}

static void a_copy_that_would_fill_the_disk_is_not_made(void)
{
	CHECK(set_up(FORMER_UNKNOWN));
	bed.bytes = UINT64_MAX;
	put_in_place("state", "1");
	checkpoint_store_keep(bed.store);
	CHECK(!is_there(ADAPTER_KEPT));
	CHECK(strstr(told,
		     " MiB are free, and a copy would take 17592186044415"));
	tear_down();
}

static void a_link_takes_no_room(void)
{
	CHECK(set_up(FORMER_REPLACED));
	bed.bytes = UINT64_MAX;
	put_by_renaming("state", "1");
	CHECK(keeps("1"));
	CHECK(*told == '\0');
	tear_down();
}

static void one_checkpoint_is_kept_if_the_job_file_says_so(void)
{
	CHECK(set_up(FORMER_REPLACED));
	checkpoint_store_destroy(bed.store);
	bed.job.checkpoint_keep_one = true;
	CHECK(checkpoint_store_create(&bed.store, bed.loop, &bed.job, on_unkept,
				      NULL, NULL) == 0);
	put_by_renaming("state", "1");
	checkpoint_store_keep(bed.store);
	CHECK(!is_there(ADAPTER_KEPT));
	tear_down();
}

RUN_TESTS(TEST(what_is_replaced_is_kept_by_links),
	  TEST(what_is_small_is_copied_though_it_is_replaced),
	  TEST(a_copy_that_does_not_reach_the_disk_is_not_kept),
	  TEST(what_is_written_in_place_is_copied),
	  TEST(that_files_are_replaced_is_seen),
	  TEST(the_same_checkpoint_is_kept_once),
	  TEST(a_new_name_tells_nothing_of_how_it_is_written),
	  TEST(what_is_being_written_is_not_kept),
	  TEST(nothing_is_kept_of_what_is_done),
	  TEST(a_copy_that_would_fill_the_disk_is_not_made),
	  TEST(a_link_takes_no_room),
	  TEST(one_checkpoint_is_kept_if_the_job_file_says_so))
