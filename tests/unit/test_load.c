/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/load.h"
#include "base/cleanup.h"
#include "base/list.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* A copy in the folder, for the build directory may be open to a group. */
static const char *module(const char *name)
{
	static char path[128];
	char command[512];

	snprintf(path, sizeof(path), "%s/%s.so", folder, name);
	snprintf(command, sizeof(command),
		 "cp '" MODULES "/%s.so' '%s' && chmod 600 '%s'", name, path,
		 path);
	if (system(command) != 0)
		printf("# cannot copy %s\n", name);
	return path;
}

/* What adapter_load() says, without the path and without the names that there
 * are; "" if it loads. */
static const char *refusal(const char *path)
{
	static struct error err;
	char *names;
	char prefix[192];
	size_t n;

	err.text[0] = '\0';
	if (adapter_load(path, &err) == 0)
		return "";
	names = strstr(err.text, "another one than ");
	if (names)
		strcpy(names, "another one");
	n = (size_t)snprintf(prefix, sizeof(prefix), "adapter %s: ", path);
	return strncmp(err.text, prefix, n) == 0 ? err.text + n : err.text;
}

static void what_is_wrong_with_an_adapter_is_said_in_a_sentence(void)
{
	CLEANUP(folder_remove) char *here = folder_create("load");
	static const struct {
		const char *module, *sentence;
	} cases[] = {
		{"older", "is for ABI 1 of adapters, this program has ABI 9; "
			  "build it again with this Bellows' "
			  "bellows/adapter.h"},
		{"newer", "is for ABI 99 of adapters, this program has ABI 9; "
			  "install the Bellows it was built for, or build it "
			  "again with the bellows/adapter.h of this one"},
		{"elsewhere", "has no bellows_adapter; it must export 'const "
			      "struct adapter bellows_adapter', see "
			      "bellows/adapter.h"},
		{"nameless", "its adapter has no name; 1 to 40 of a-z, 0-9 "
			     "and -"},
		{"misnamed", "'Some_Thing' is no name of an adapter; 1 to 40 "
			     "of a-z, 0-9 and -, the first one a letter"},
		{"taken", "the name 'parint' is taken; another one"},
		{"unsaved", "its adapter 'some' lacks the function 'save', "
			    "which is not optional"},
		{"crashes", "cannot be loaded: it crashed: SIGSEGV"},
		{"crashes_late", "cannot be loaded: it crashed: SIGABRT"},
		{"hangs", "cannot be loaded: it was not done within 5 s"},
		{"exits", "cannot be loaded: it ended the program, with "
			  "status 3"},
		{"undefined", "cannot be loaded: undefined symbol: "
			      "nobody_has_this"},
	};
	char before[256], after[256];

	CHECK(here);
	adapter_names(before, sizeof(before));
	for (size_t i = 0; i < LENGTH(cases); i++)
		CHECK_TEXT(refusal(module(cases[i].module)), cases[i].sentence);
	CHECK(!adapter_find("some"));
	CHECK_TEXT(adapter_names(after, sizeof(after)), before);
}

static void nothing_is_left_of_an_adapter_that_hangs(void)
{
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

static void what_is_no_shared_object_is_refused(void)
{
	CLEANUP(folder_remove) char *here = folder_create("load");
	char path[128];
	FILE *file;

	CHECK(here);
	snprintf(path, sizeof(path), "%s/text", here);
	CHECK_TEXT(refusal(path), "cannot be read: No such file or directory");
	file = fopen(path, "w");
	CHECK(file && fputs("#!/bin/sh\n# longer than a head\n", file) >= 0 &&
	      fclose(file) == 0 && chmod(path, 0700) == 0);
	CHECK_TEXT(refusal(path), "is not a shared object; build one with cc "
				  "-shared -fPIC");
	CHECK(truncate(path, 0) == 0);
	CHECK_TEXT(refusal(path), "is not a shared object; build one with cc "
				  "-shared -fPIC");
	CHECK_TEXT(refusal(here), "is not a file");
}

static void what_others_can_write_to_is_refused(void)
{
	CLEANUP(folder_remove) char *here = folder_create("load");
	const char *path;
	char wanted[192];

	CHECK(here);
	path = module("good");
	CHECK(chmod(path, 0620) == 0);
	CHECK_TEXT(refusal(path), "others can write to it (mode 0620): chmod "
				  "go-w it");
	CHECK(chmod(path, 0602) == 0);
	CHECK_TEXT(refusal(path), "others can write to it (mode 0602): chmod "
				  "go-w it");
	CHECK(chmod(path, 0600) == 0 && chmod(here, 01777) == 0);
	snprintf(wanted, sizeof(wanted),
		 "others can write to %s (mode 1777): chmod go-w it", here);
	CHECK_TEXT(refusal(path), wanted);
	CHECK(chmod(here, 0700) == 0);
	if (geteuid() != 0) {
		printf("# not root: no file is given to another user\n");
		return;
	}
	CHECK(chown(path, 12345, 0) == 0);
	CHECK_TEXT(refusal(path), "it belongs to user 12345; it must be root's "
				  "or this user's own");
	CHECK(chown(path, 0, 0) == 0 && chown(here, 12345, 0) == 0);
	snprintf(wanted, sizeof(wanted),
		 "%s belongs to user 12345; it must be root's or this user's "
		 "own",
		 here);
	CHECK_TEXT(refusal(path), wanted);
	CHECK(chown(here, 0, 0) == 0);
}

static void a_good_adapter_is_found_like_any_other(void)
{
	CLEANUP(folder_remove) char *here = folder_create("load");
	static const char *const settings[] = {"speed=/no/such/file", NULL};
	static const char *const unknown[] = {"spead=1", NULL};
	struct adapter_app app = {.settings = settings, .checkpoint_dir = "/c"};
	const struct adapter *some;
	const char *path;
	struct error err;
	char before[256], after[256];

	CHECK(here);
	path = module("good");
	adapter_names(before, sizeof(before));
	CHECK_TEXT(refusal(path), "");
	some = adapter_find("some");
	CHECK(some);
	CHECK_TEXT(adapter_names(after, sizeof(after)),
		   strcat(before, ", some"));
	CHECK(some->check(&app, &err) == -ENOENT);
	CHECK_TEXT(err.text, "speed at /no/such/file: No such file or "
			     "directory");
	app.settings = unknown;
	CHECK(some->check(&app, &err) == -EINVAL);
	CHECK_TEXT(err.text, "some: settings: there is no 'spead'; speed");
	CHECK_TEXT(refusal(path), "the name 'some' is taken; another one");
}

static void files_become_arguments_and_are_bounded(void)
{
	struct adapter_files files = {0};
	const char *argv[ADAPTER_FILES_ARGS_MAX + 1];
	struct error err;

	CHECK(adapter_files_put(NULL, argv) == argv && !argv[0]);
	for (int i = 0; i < ADAPTERS_ADDED_MAX; i++)
		CHECK(adapter_files_add(&files, "a.so", &err) == 0);
	CHECK(adapter_files_add(&files, "b.so", &err) == -E2BIG);
	CHECK_TEXT(err.text, "--adapter b.so: at most 16 adapters");
	CHECK(adapter_files_put(&files, argv) == argv + ADAPTER_FILES_ARGS_MAX);
	CHECK_TEXT(argv[30], "--adapter");
	CHECK_TEXT(argv[31], "a.so");
	CHECK(!argv[32]);
	CHECK(adapter_files_load(&files, &err) == -ENOENT);
	CHECK_TEXT(err.text, "adapter a.so: cannot be read: No such file or "
			     "directory");
}

RUN_TESTS(TEST(what_is_wrong_with_an_adapter_is_said_in_a_sentence),
	  TEST(nothing_is_left_of_an_adapter_that_hangs),
	  TEST(what_is_no_shared_object_is_refused),
	  TEST(what_others_can_write_to_is_refused),
	  TEST(a_good_adapter_is_found_like_any_other),
	  TEST(files_become_arguments_and_are_bounded))
