/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "base/tree.h"
#include "monitor/provider.h"
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

/*
 * Executors are played by shell scripts that write down how they were started.
 * Everything happens in a directory of its own:
 *
 *   root/executor   the script     root/record     a line for each start
 *   root/state/     the provider's root/outside/   must never be touched
 */

#define RECORD   "echo \"$$ $*\" >>%s/record\n"
#define STAYS    RECORD "exec sleep 1000\n"
#define ENDS     RECORD "exit 3\n"
#define LEAVES   "trap 'exit 0' TERM\n" RECORD "while :; do sleep 0.1; done\n"
#define STUBBORN "trap '' TERM\n" RECORD "while :; do sleep 0.1; done\n"
/* with a child in a session of its own, which ignores SIGTERM too */
#define PARENT                                                                 \
	"(trap '' TERM; exec setsid sleep 1000) &\n"                           \
	"echo $! >>%s/children\n" RECORD "exec sleep 1000\n"

static char root[64];
static struct loop *loop;
static struct provider *provider;
static unsigned have, starts, losses;
static char last_how[64];

static void on_started(void *user, const char *name, unsigned n)
{
	have = n;
	starts++;
}

static void on_lost(void *user, const char *name, const char *how, unsigned n)
{
	have = n;
	losses++;
	snprintf(last_how, sizeof(last_how), "%s with %s", name, how);
}

static char trouble[256];

static void on_trouble(void *user, const char *text)
{
	snprintf(trouble, sizeof(trouble), "%s", text);
}

static const struct provider_events events = {
	.started = on_started,
	.lost = on_lost,
	.trouble = on_trouble,
};

static const char *at(const char *name)
{
	static char paths[4][256];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

static void write_file(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "we");

	fputs(text, file);
	fclose(file);
	chmod(path, mode);
}

static char *content(const char *name)
{
	static char text[8192];
	FILE *file = fopen(at(name), "re");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[n] = '\0';
	if (file)
		fclose(file);
	return text;
}

static unsigned recorded(void)
{
	unsigned n = 0;

	for (const char *c = content("record"); *c; c++)
		n += *c == '\n';
	return n;
}

static bool exists(const char *name)
{
	struct stat st;

	return lstat(at(name), &st) == 0;
}

static int create(struct error *err)
{
	const struct provider_config config = {
		.loop = loop,
		.coordinator = "unix:/c",
		.program = at("executor"),
		.state = at("state"),
		.slots = 2,
		.grace = 300,
		.events = &events,
	};

	return provider_find("local")->create(&provider, &config, err);
}

/* Also what a test left that was cut short by a lie. */
static void end(void)
{
	int tmp;

	provider = provider_destroy(provider);
	loop = loop_destroy(loop);
	if (root[0] == '\0')
		return;
	tmp = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tree_remove(tmp, strrchr(root, '/') + 1, NULL);
	close(tmp);
	root[0] = '\0';
}

static void begin(const char *script)
{
	char text[512];
	int n;

	end();
	log_init("test", LOG_ERROR);
	snprintf(root, sizeof(root), "/tmp/bellows-test-XXXXXX");
	if (!mkdtemp(root))
		perror(root);
	mkdir(at("state"), 0755);
	mkdir(at("outside"), 0755);
	write_file(at("outside/file"), "precious", 0644);
	n = snprintf(text, sizeof(text), "#!/bin/sh\n");
	snprintf(text + n, sizeof(text) - (size_t)n, script, root, root);
	write_file(at("executor"), text, 0755);

	have = starts = losses = 0;
	last_how[0] = '\0';
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	loop_create(&loop, NULL);
	create(NULL);
}

static void stop(void *user)
{
	loop_stop(loop, 0);
}

static void pass(msec_t time)
{
	struct loop_timer timer = {0};

	loop_timer_set(loop, &timer, time, stop, NULL);
	loop_run(loop);
	loop_timer_clear(&timer);
}

/* Runs the loop until the condition holds; false after ten seconds. */
#define UNTIL(condition)                                                       \
	__extension__({                                                        \
		msec_t until_ = loop_now() + SECONDS(10);                      \
		while (!(condition) && loop_now() < until_)                    \
			pass(5);                                               \
		(condition);                                                   \
	})

/* The pid in the record's line that has the name. */
static pid_t pid_of(const char *name)
{
	pid_t found = 0;

	for (char *line = strtok(content("record"), "\n"); line;
	     line = strtok(NULL, "\n"))
		if (strstr(line, name))
			found = (pid_t)atol(line);
	return found;
}

static bool is_alive(pid_t pid)
{
	return kill(pid, 0) == 0;
}

static void hold_starts_what_is_missing_and_may_be_repeated(void)
{
	begin(STAYS);
	CHECK(provider_hold(provider, 2, NULL) == 0 && have == 2);
	CHECK(provider_hold(provider, 2, NULL) == 0 && starts == 2);
	CHECK(provider_hold(provider, 3, NULL) == 0 && starts == 3);
	CHECK(UNTIL(recorded() == 3));
	CHECK(have == 3 && losses == 0);
	end();
}

static void executors_get_their_name_and_the_address(void)
{
	char expected[256];
	struct stat st;

	begin(STAYS);
	provider_hold(provider, 1, NULL);
	CHECK(UNTIL(recorded() == 1));
	snprintf(expected, sizeof(expected),
		 "%d --coordinator unix:/c --name worker-0 --slots 2 "
		 "--tmpdir %s/state/worker-0\n",
		 (int)pid_of("worker-0"), root);
	CHECK_TEXT(content("record"), expected);
	CHECK(stat(at("state/worker-0"), &st) == 0);
	CHECK(S_ISDIR(st.st_mode) && (st.st_mode & 07777) == 0700);
	CHECK(getsid(pid_of("worker-0")) == pid_of("worker-0"));
	end();
}

static void a_smaller_wish_ends_no_executor(void)
{
	begin(STAYS);
	provider_hold(provider, 3, NULL);
	CHECK(UNTIL(recorded() == 3));
	provider_hold(provider, 1, NULL);
	pass(100);
	CHECK(have == 3 && losses == 0);

	kill(pid_of("worker-2"), SIGTERM);
	CHECK(UNTIL(losses == 1));
	pass(100);
	CHECK(have == 2 && starts == 3);
	end();
}

static void what_dies_is_replaced_under_its_name_in_a_clean_directory(void)
{
	begin(STAYS);
	provider_hold(provider, 3, NULL);
	CHECK(UNTIL(recorded() == 3));
	write_file(at("state/worker-1/left"), "x", 0644);
	mkdir(at("state/worker-1/deep"), 0755);
	write_file(at("state/worker-1/deep/left"), "x", 0400);

	kill(pid_of("worker-1"), SIGKILL);
	CHECK(UNTIL(losses == 1));
	CHECK_TEXT(last_how, "worker-1 with signal 9");
	CHECK(UNTIL(starts == 4 && recorded() == 4));
	CHECK(have == 3 && is_alive(pid_of("worker-1")));
	CHECK(exists("state/worker-1") && !exists("state/worker-1/left"));
	CHECK(!exists("state/worker-1/deep"));
	end();
}

static void what_leaves_is_not_replaced_if_the_wish_falls_at_once(void)
{
	begin(LEAVES);
	provider_hold(provider, 1, NULL);
	CHECK(UNTIL(recorded() == 1));
	kill(pid_of("worker-0"), SIGTERM);
	CHECK(UNTIL(losses == 1));
	CHECK_TEXT(last_how, "worker-0 with exit code 0");
	provider_hold(provider, 0, NULL);
	pass(400);
	CHECK(starts == 1 && have == 0);
	end();
}

static void failing_starts_back_off_until_the_wish_changes(void)
{
	msec_t began;

	begin(ENDS);
	began = loop_now();
	provider_hold(provider, 1, NULL);
	CHECK(UNTIL(losses == 5));
	/* 200 + 320 + 512 + 819 ms, 20 % off at the most */
	CHECK(loop_now() - began >= 1480);
	CHECK(strstr(trouble, "5 starts of executors in a row failed"));
	provider_hold(provider, 1, NULL); /* the same wish ends no pause */
	CHECK(starts == 5 && recorded() == 5 && !exists("state/worker-0"));

	CHECK(UNTIL(losses == 6)); /* it is tried again all the same */
	CHECK(strstr(trouble, "6 starts of executors in a row failed"));
	provider_hold(provider, 2, NULL);
	CHECK(starts == 8 && *trouble == '\0');
	end();
}

static void executors_that_fail_together_are_one_failure(void)
{
	begin(ENDS);
	provider_hold(provider, 8, NULL);
	CHECK(UNTIL(losses == 8));
	CHECK(UNTIL(starts == 16));
	end();
}

static void a_missing_program_is_refused(void)
{
	struct error err;
	char expected[256];

	begin(STAYS);
	provider = provider_destroy(provider);
	unlink(at("executor"));
	CHECK(create(&err) == -ENOENT);
	snprintf(expected, sizeof(expected),
		 "cannot run %s/executor: No such file or directory", root);
	CHECK_TEXT(err.text, expected);
	end();
}

static void a_program_that_vanishes_is_a_failing_start(void)
{
	begin(STAYS);
	unlink(at("executor"));
	CHECK(provider_hold(provider, 1, NULL) == 0);
	CHECK(have == 0 && !exists("state/worker-0"));
	write_file(at("executor"), "#!/bin/sh\nexec sleep 1000\n", 0755);
	CHECK(UNTIL(have == 1));
	end();
}

static void a_state_directory_has_one_provider(void)
{
	struct provider *first;
	struct error err;
	char expected[256];

	begin(STAYS);
	first = provider;
	provider = NULL;
	CHECK(create(&err) == -EBUSY);
	snprintf(expected, sizeof(expected),
		 "%s/state: another monitor uses it", root);
	CHECK_TEXT(err.text, expected);
	provider = first;
	end();
}

static void a_state_directory_that_others_may_write_is_refused(void)
{
	struct error err;
	char expected[256];

	begin(STAYS);
	provider = provider_destroy(provider);
	chmod(at("state"), 01777);
	CHECK(create(&err) == -EPERM);
	snprintf(expected, sizeof(expected),
		 "%s/state: others than this user may write there", root);
	CHECK_TEXT(err.text, expected);
	end();
}

static void too_many_executors_are_refused(void)
{
	struct error err;

	begin(STAYS);
	CHECK(provider_hold(provider, 5000, &err) == -ERANGE);
	CHECK_TEXT(err.text, "local provider: 5000 executors; at most 4096");
	CHECK(have == 0);
	end();
}

static void destroy_ends_all_and_leaves_nothing(void)
{
	pid_t pids[3];

	begin(STAYS);
	provider_hold(provider, 3, NULL);
	CHECK(UNTIL(recorded() == 3));
	pids[0] = pid_of("worker-0");
	pids[1] = pid_of("worker-1");
	pids[2] = pid_of("worker-2");
	provider = provider_destroy(provider);
	for (int i = 0; i < 3; i++)
		CHECK(!is_alive(pids[i]));
	CHECK(rmdir(at("state")) == 0);
	end();
}

static void destroy_kills_what_ignores_sigterm(void)
{
	pid_t pid;
	msec_t began;

	begin(STUBBORN);
	provider_hold(provider, 1, NULL);
	CHECK(UNTIL(recorded() == 1));
	pid = pid_of("worker-0");
	began = loop_now();
	provider = provider_destroy(provider);
	CHECK(loop_now() - began >= 300 && loop_now() - began < 2000);
	CHECK(!is_alive(pid));
	CHECK(rmdir(at("state")) == 0);
	end();
}

static void what_an_executor_left_running_ends_with_it(void)
{
	pid_t child;

	begin(PARENT);
	provider_hold(provider, 1, NULL);
	CHECK(UNTIL(recorded() == 1));
	child = (pid_t)atol(content("children"));
	CHECK(is_alive(child));
	/* the child has left the executor's session */
	CHECK(UNTIL(getsid(child) != pid_of("worker-0")));
	provider_hold(provider, 0, NULL);
	kill(pid_of("worker-0"), SIGKILL);
	CHECK(UNTIL(losses == 1));
	CHECK(UNTIL(!is_alive(child)));
	end();
}

static void links_in_the_directory_are_removed_not_followed(void)
{
	begin(STAYS);
	provider_hold(provider, 1, NULL);
	CHECK(UNTIL(recorded() == 1));
	CHECK(symlink(at("outside"), at("state/worker-0/link")) == 0);
	CHECK(symlink(at("outside/file"), at("state/worker-0/file")) == 0);
	CHECK(symlink("../..", at("state/worker-0/up")) == 0);
	provider = provider_destroy(provider);
	CHECK(!exists("state/worker-0"));
	CHECK_TEXT(content("outside/file"), "precious");
	end();
}

static void a_directory_exchanged_for_a_link_is_not_followed(void)
{
	begin(STAYS);
	provider_hold(provider, 1, NULL);
	CHECK(UNTIL(recorded() == 1));
	CHECK(rename(at("state/worker-0"), at("state/moved")) == 0);
	CHECK(symlink(at("outside"), at("state/worker-0")) == 0);
	provider = provider_destroy(provider);
	CHECK(!exists("state/worker-0") && exists("state/moved"));
	CHECK_TEXT(content("outside/file"), "precious");
	end();
}

static void adopt_clears_what_a_former_provider_left_and_nothing_else(void)
{
	begin(STAYS);
	mkdir(at("state/worker-7"), 0700);
	write_file(at("state/worker-7/file"), "x", 0644);
	CHECK(symlink(at("outside"), at("state/worker-8")) == 0);
	mkdir(at("state/worker-x"), 0700);
	mkdir(at("state/worker-"), 0700);
	CHECK(provider_adopt(provider, NULL) == 0);
	CHECK(!exists("state/worker-7") && !exists("state/worker-8"));
	CHECK(exists("state/worker-x") && exists("state/worker-"));
	CHECK_TEXT(content("outside/file"), "precious");
	end();
}

RUN_TESTS(TEST(hold_starts_what_is_missing_and_may_be_repeated),
	  TEST(executors_get_their_name_and_the_address),
	  TEST(a_smaller_wish_ends_no_executor),
	  TEST(what_dies_is_replaced_under_its_name_in_a_clean_directory),
	  TEST(what_leaves_is_not_replaced_if_the_wish_falls_at_once),
	  TEST(failing_starts_back_off_until_the_wish_changes),
	  TEST(executors_that_fail_together_are_one_failure),
	  TEST(a_missing_program_is_refused),
	  TEST(a_program_that_vanishes_is_a_failing_start),
	  TEST(a_state_directory_has_one_provider),
	  TEST(a_state_directory_that_others_may_write_is_refused),
	  TEST(too_many_executors_are_refused),
	  TEST(destroy_ends_all_and_leaves_nothing),
	  TEST(destroy_kills_what_ignores_sigterm),
	  TEST(what_an_executor_left_running_ends_with_it),
	  TEST(links_in_the_directory_are_removed_not_followed),
	  TEST(a_directory_exchanged_for_a_link_is_not_followed),
	  TEST(adopt_clears_what_a_former_provider_left_and_nothing_else))
