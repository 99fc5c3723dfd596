/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/adapters.h"
#include "apps/parint/checkpoint.h"
#include "base/cleanup.h"
#include "base/list.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

static void put(const char *name, const void *data, size_t size)
{
	int fd = open(below(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		printf("# cannot write %s\n", name);
	close(fd);
}

static void adapters_are_found_by_name(void)
{
	char names[64], few[8];

	CHECK(adapter_find("parint") == &adapter_parint);
	CHECK(adapter_find("generic") == &adapter_generic);
	CHECK(!adapter_find("Parint") && !adapter_find(""));
	CHECK_TEXT(adapter_names(names, sizeof(names)),
		   "cm1, generic, gromacs, lammps, parint, supersteps");
	CHECK_TEXT(adapter_names(few, sizeof(few)), "cm1, ge");
	CHECK(adapter_parint.abi == ADAPTER_ABI);
	CHECK(adapter_generic.abi == ADAPTER_ABI);
}

static const char *const parint_command[] = {"parint", "--nloop", "4", NULL};

static struct adapter_app parint_app(void)
{
	return (struct adapter_app){
		.command = parint_command,
		.dir = "/",
		.checkpoint_dir = folder,
	};
}

static void parint_gets_its_checkpoint_at_the_end_of_the_command(void)
{
	const struct adapter_app app = {.command = parint_command,
					.checkpoint_dir = "/ckpt"};
	const struct checkpoint restart = {.step = 4};
	const char *argv[ADAPTER_ARGS_MAX];
	char text[64];
	struct error err;

	for (int i = 0; i < 2; i++) {
		CHECK(adapter_parint.command(&app, i ? &restart : NULL, argv,
					     text, sizeof(text), &err) == 0);
		CHECK_TEXT(argv[0], "parint");
		CHECK_TEXT(argv[2], "4");
		CHECK_TEXT(argv[3], "--checkpoint");
		CHECK_TEXT(argv[4], "/ckpt/parint.ckpt");
		CHECK(!argv[5]);
	}
	CHECK(adapter_parint.command(&app, NULL, argv, text, 17, &err) ==
	      -E2BIG);
	CHECK_TEXT(err.text, "parint: the path of the checkpoint is longer "
			     "than 16 bytes");
}

static void parint_takes_as_many_arguments_as_there_is_room_for(void)
{
	const char *command[ADAPTER_ARGS_MAX + 1] = {NULL};
	const char *argv[ADAPTER_ARGS_MAX];
	struct adapter_app app = {.command = command, .checkpoint_dir = "/c"};
	char text[64];
	struct error err;

	for (size_t i = 0; i < ADAPTER_ARGS_MAX - 3; i++)
		command[i] = "x";
	CHECK(adapter_parint.check(&app, &err) == 0);
	CHECK(adapter_parint.command(&app, NULL, argv, text, sizeof(text),
				     &err) == 0);
	CHECK(!argv[ADAPTER_ARGS_MAX - 1]);
	command[ADAPTER_ARGS_MAX - 3] = "x";
	CHECK(adapter_parint.check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text,
		   "parint: the command has 510 arguments; at most 509");
	CHECK(adapter_parint.command(&app, NULL, argv, text, sizeof(text),
				     &err) == -E2BIG);
}

static void parint_refuses_a_checkpoint_in_the_command(void)
{
	static const char *const given[] = {"--checkpoint", "--checkpoint=a",
					    "--check", "--c=a"};
	static const char *const others[] = {"--steps", "--", "-c", "c",
					     "--checkpoints"};
	struct error err;

	for (size_t i = 0; i < LENGTH(given); i++) {
		const char *command[] = {"parint", given[i], "x", NULL};
		const struct adapter_app app = {.command = command};

		CHECK(adapter_parint.check(&app, &err) == -EINVAL);
	}
	CHECK_TEXT(err.text,
		   "parint: the command has --c=a; leave it out, the "
		   "checkpoint is always parint.ckpt in the checkpoint "
		   "directory");
	for (size_t i = 0; i < LENGTH(others); i++) {
		const char *command[] = {"parint", others[i], NULL};
		const struct adapter_app app = {.command = command};

		CHECK(adapter_parint.check(&app, &err) == 0);
	}
}

static void parint_is_saved_by_a_signal_to_all(void)
{
	int signo = 0;

	CHECK(adapter_parint.save(NULL, &signo) == SAVE_SIGNAL_ALL);
	CHECK(signo == SIGUSR1);
}

static struct checkpoint_header header_of_three(void)
{
	struct checkpoint_header header = {
		.magic = CHECKPOINT_MAGIC,
		.version = CHECKPOINT_VERSION,
		.array_at = CHECKPOINT_ARRAY_AT,
		.array_size = 3,
		.nloop = 4,
		.iteration = 7,
		.iterations = 10,
	};

	header.seal = checkpoint_seal(&header);
	return header;
}

static void put_checkpoint(struct checkpoint_header header, size_t size)
{
	char file[CHECKPOINT_ARRAY_AT + 4 * sizeof(double)] = {0};

	memcpy(file, &header, sizeof(header));
	put("parint.ckpt", file, size);
}

static void parint_tells_a_whole_checkpoint(void)
{
	CLEANUP(folder_remove) char *here = folder_create("parint");
	struct checkpoint_header header = header_of_three();
	const struct adapter_app app = parint_app();
	struct checkpoint first, second;
	struct error err;

	CHECK(here);
	CHECK(adapter_parint.checkpoint(&app, &first, &err) == 1);
	put("parint.ckpt.tmp", "torn", 4);
	CHECK(adapter_parint.checkpoint(&app, &first, &err) == 1);
	put_checkpoint(header, CHECKPOINT_ARRAY_AT + 24);
	CHECK(adapter_parint.checkpoint(&app, &first, &err) == 0);
	CHECK(first.step == 7 && first.files == 1);
	CHECK(first.bytes == CHECKPOINT_ARRAY_AT + 24);
	CHECK(adapter_parint.checkpoint(&app, &second, &err) == 0);
	CHECK(first.mark == second.mark);
	header.written++;
	header.seal = checkpoint_seal(&header);
	put_checkpoint(header, CHECKPOINT_ARRAY_AT + 24);
	CHECK(adapter_parint.checkpoint(&app, &second, &err) == 0);
	CHECK(second.step == 7 && first.mark != second.mark);
}

static int judge(struct checkpoint_header header, size_t size, char *why)
{
	const struct adapter_app app = parint_app();
	struct checkpoint out;
	struct error err = {""};
	int r;

	put_checkpoint(header, size);
	r = adapter_parint.checkpoint(&app, &out, &err);
	snprintf(why, sizeof(err.text), "%.*s", (int)strlen(err.text),
		 err.text + (r < 0 ? strlen("checkpoint /parint.ckpt is ") +
					     strlen(folder)
				   : 0));
	return r;
}

static void parint_tells_what_is_wrong_with_a_checkpoint(void)
{
	CLEANUP(folder_remove) char *here = folder_create("parint");
	const size_t size = CHECKPOINT_ARRAY_AT + 24;
	struct checkpoint_header header = header_of_three();
	char why[sizeof(struct error)];

	CHECK(here);
	CHECK(judge(header, 0, why) == -EBADMSG);
	CHECK_TEXT(why, "damaged: its header is cut short");
	CHECK(judge(header, sizeof(header) - 1, why) == -EBADMSG);
	CHECK_TEXT(why, "damaged: its header is cut short");
	CHECK(judge(header, size - 1, why) == -EBADMSG);
	CHECK_TEXT(why, "damaged: it has 4119 bytes, not 4120");
	CHECK(judge(header, size + 8, why) == -EBADMSG);
	CHECK_TEXT(why, "damaged: it has 4128 bytes, not 4120");
	header.iteration++;
	CHECK(judge(header, size, why) == -EBADMSG);
	CHECK_TEXT(why, "damaged: its seal is wrong");
	header.array_size = UINT64_MAX;
	header.seal = checkpoint_seal(&header);
	CHECK(judge(header, size, why) == -EBADMSG);
	CHECK_TEXT(why, "damaged: its seal is wrong");
	header.version = 9;
	CHECK(judge(header, size, why) == -EBADMSG);
	CHECK_TEXT(why, "of version 9, not 1");
	header.magic[0] = 'X';
	CHECK(judge(header, size, why) == -EBADMSG);
	CHECK_TEXT(why, "not a checkpoint of parint");
}

static void every_byte_of_a_header_is_sealed(void)
{
	CLEANUP(folder_remove) char *here = folder_create("parint");
	const struct checkpoint_header good = header_of_three();
	char why[sizeof(struct error)];

	CHECK(here);
	CHECK(judge(good, CHECKPOINT_ARRAY_AT + 24, why) == 0);
	for (size_t i = 0; i < sizeof(good); i++) {
		struct checkpoint_header header = good;

		((char *)&header)[i] ^= 4;
		CHECK(judge(header, CHECKPOINT_ARRAY_AT + 24, why) < 0);
	}
}

static void a_directory_in_place_of_the_checkpoint_is_refused(void)
{
	CLEANUP(folder_remove) char *here = folder_create("parint");
	const struct adapter_app app = parint_app();
	struct checkpoint out;
	struct error err;

	CHECK(here && mkdir(below("parint.ckpt"), 0700) == 0);
	CHECK(adapter_parint.checkpoint(&app, &out, &err) == -EBADMSG);
	CHECK(strstr(err.text, "/parint.ckpt is not a file"));
}

static int count(void *user, const char *name)
{
	int *n = user;

	return strcmp(name, "parint.ckpt") == 0 ? ++*n - 1 : -EINVAL;
}

static void parint_has_one_file_that_it_replaces(void)
{
	const struct adapter_app app = parint_app();
	int n = 0;

	CHECK(adapter_parint.former == FORMER_REPLACED);
	CHECK(!adapter_parint.writes_itself);
	CHECK(adapter_parint.files(&app, NULL, count, &n, NULL) == 0);
	CHECK(n == 1);
	CHECK(adapter_parint.files(&app, NULL, count, &n, NULL) == 1);
}

static void the_digest_knows_places_but_not_shares(void)
{
	const double x[] = {1, 2, 3, 2}, swapped[] = {1, 3, 2, 2};
	uint64_t whole = digest_elements(x, 0, 4);

	CHECK(whole == digest_elements(x, 0, 1) + digest_elements(x + 1, 1, 3));
	CHECK(whole != digest_elements(swapped, 0, 4));
	CHECK(whole != digest_elements(x, 1, 4));
	CHECK(digest_elements(x, 0, 0) == 0);
}

static void lines_of_parint_are_understood(void)
{
	static const struct {
		const char *line;
		enum line_kind kind;
		uint64_t step, total;
	} cases[] = {
		{"parint: iteration 3 of 50", LINE_PROGRESS, 3, 50},
		{"parint: iteration 3 of 50 at 1.000002", LINE_PROGRESS, 3, 50},
		{"parint: iteration 3 of 50x", LINE_OTHER, 0, 0},
		{"parint: iteration 3 of", LINE_OTHER, 0, 0},
		{" parint: iteration 3 of 50", LINE_OTHER, 0, 0},
		{"parint: resumed at iteration 3 of 50", LINE_RESUMED, 3, 0},
		{"parint: checkpoint at iteration 3, 4 bytes, wrote in 1 s",
		 LINE_OTHER, 0, 0},
		{"parint: cannot write checkpoint /c: No space left on device; "
		 "computing on",
		 LINE_SAVE_FAILED, 0, 0},
		{"cannot write checkpoint", LINE_OTHER, 0, 0},
		{"parint: checkpoint /c is damaged: its seal is wrong",
		 LINE_UNREADABLE, 0, 0},
		{"parint: cannot read checkpoint /c: Input/output error",
		 LINE_UNREADABLE, 0, 0},
		{"parint: checkpoint /c is of nloop 3, not 4", LINE_OTHER, 0,
		 0},
		{"parint: digest 96ed69de4cc5cdc0", LINE_FINISHED, 0, 0},
		{"", LINE_OTHER, 0, 0},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct line_facts facts = {0};

		CHECK(adapter_parint.on_line(NULL, cases[i].line, &facts) ==
		      cases[i].kind);
		CHECK(facts.step == cases[i].step);
		CHECK(facts.total == cases[i].total);
	}
}

RUN_TESTS(TEST(adapters_are_found_by_name),
	  TEST(parint_gets_its_checkpoint_at_the_end_of_the_command),
	  TEST(parint_takes_as_many_arguments_as_there_is_room_for),
	  TEST(parint_refuses_a_checkpoint_in_the_command),
	  TEST(parint_is_saved_by_a_signal_to_all),
	  TEST(parint_tells_a_whole_checkpoint),
	  TEST(parint_tells_what_is_wrong_with_a_checkpoint),
	  TEST(every_byte_of_a_header_is_sealed),
	  TEST(a_directory_in_place_of_the_checkpoint_is_refused),
	  TEST(parint_has_one_file_that_it_replaces),
	  TEST(the_digest_knows_places_but_not_shares),
	  TEST(lines_of_parint_are_understood))
