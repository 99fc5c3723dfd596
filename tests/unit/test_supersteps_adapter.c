/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/adapters.h"
#include "apps/supersteps/saved.h"
#include "base/file.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define NAME "supersteps"

static struct error err;
static struct saved saved;

static int look(struct checkpoint *out)
{
	const struct adapter_app app = {.checkpoint_dir = folder};

	return adapter_supersteps.checkpoint(&app, out, &err);
}

static int write_saved(unsigned next)
{
	saved = (struct saved){.next = next,
			       .steps = 40,
			       .change = 0.000125,
			       .n_done = 2,
			       .done = {"affinity", "atomic"}};
	return saved_write(&saved, folder, &err);
}

static void what_was_saved_is_read(void)
{
	CLEANUP(folder_remove) char *here = folder_create(NAME);
	struct checkpoint found;

	CHECK(here && look(&found) == 1);
	CHECK(write_saved(17) == 0 && look(&found) == 0);
	CHECK(found.step == 17 && found.files == 1 && found.bytes > 60);
	saved = (struct saved){.next = 0};
	CHECK(saved_read(&saved, folder, &err) == 0);
	CHECK(saved.next == 17 && saved.steps == 40);
	CHECK(saved.change == 0.000125);
	CHECK(saved_is_done(&saved, "atomic") && !saved_is_done(&saved, "a"));
	CHECK(saved.bytes == found.bytes && saved.written == found.mark);
}

static void two_saves_of_one_step_differ(void)
{
	CLEANUP(folder_remove) char *here = folder_create(NAME);
	struct checkpoint first, second;

	CHECK(here && write_saved(17) == 0 && look(&first) == 0);
	CHECK(saved_write(&saved, folder, &err) == 0 && look(&second) == 0);
	CHECK(first.step == second.step && first.mark != second.mark);
}

/* Each byte in turn is another one, or the last one. */
static void what_is_damaged_is_told(void)
{
	CLEANUP(folder_remove) char *here = folder_create(NAME);
	char text[512], other[512];
	struct checkpoint found;
	size_t n;

	CHECK(here && write_saved(17) == 0);
	CHECK(file_read(below(SAVED_NAME), text, sizeof(text), &n, &err) == 0);
	for (size_t i = 0; i < n; i++) {
		memcpy(other, text, n);
		other[i] ^= 1;
		CHECK(file_replace(below(SAVED_NAME), 0600, other, n, &err) ==
		      0);
		CHECK(look(&found) == -EBADMSG);
		CHECK(file_replace(below(SAVED_NAME), 0600, text, i, &err) ==
		      0);
		CHECK(look(&found) == -EBADMSG);
	}
	CHECK(strstr(err.text, "/" SAVED_NAME " is damaged: it is not what "
			       "bellows-supersteps has written"));
}

static enum line_kind of_line(const char *line, struct line_facts *facts)
{
	const struct adapter_app app = {.checkpoint_dir = folder};

	*facts = (struct line_facts){.step = 0};
	return adapter_supersteps.on_line(&app, line, facts);
}

static void lines_of_the_program_are_known(void)
{
	struct line_facts facts;

	CHECK(of_line("supersteps: step 3 of 40: 0.250 s, a was last",
		      &facts) == LINE_PROGRESS);
	CHECK(facts.step == 3 && facts.total == 40);
	CHECK(of_line("supersteps: goes on from step 4 of 6", &facts) ==
	      LINE_RESUMED);
	CHECK(facts.step == 4 && facts.total == 6);
	CHECK(of_line("supersteps: all 6 steps are done, 2 of them in 1.000 s",
		      &facts) == LINE_FINISHED);
	CHECK(of_line("supersteps: checkpoint /x is damaged: it is torn",
		      &facts) == LINE_UNREADABLE);
	CHECK(of_line("supersteps: cannot write checkpoint: full", &facts) ==
	      LINE_SAVE_FAILED);
	CHECK(of_line("supersteps: rank 3 needs 1500 shares for its pod",
		      &facts) == LINE_SHARES);
	CHECK(facts.rank == 3 && facts.shares == 1500);
	CHECK(of_line("step 3 of 40", &facts) == LINE_OTHER);
}

static void the_checkpoint_directory_is_the_adapter_s(void)
{
	const char *const command[] = {"bellows-supersteps", "app.json",
				       "--checkpoint=x", NULL};
	const char *const fine[] = {"bellows-supersteps", "app.json", NULL};
	struct adapter_app app = {.command = command, .checkpoint_dir = "/ck"};
	const char *argv[ADAPTER_ARGS_MAX];

	CHECK(adapter_supersteps.check(&app, &err) == -EINVAL);
	CHECK(strstr(err.text, "leave it out"));
	app.command = fine;
	CHECK(adapter_supersteps.check(&app, &err) == 0);
	CHECK(adapter_supersteps.command(&app, NULL, argv, NULL, 0, &err) == 0);
	CHECK_TEXT(argv[1], "app.json");
	CHECK_TEXT(argv[2], "--checkpoint");
	CHECK_TEXT(argv[3], "/ck");
	CHECK(!argv[4]);
}

RUN_TESTS(TEST(what_was_saved_is_read), TEST(two_saves_of_one_step_differ),
	  TEST(what_is_damaged_is_told), TEST(lines_of_the_program_are_known),
	  TEST(the_checkpoint_directory_is_the_adapter_s))
