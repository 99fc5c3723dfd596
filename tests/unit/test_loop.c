/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/loop.h"
#include "loop/spawn.h"
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct loop *loop;
static char trace[256];

static void add(const char *word)
{
	strncat(trace, word, sizeof(trace) - strlen(trace) - 1);
}

static void begin(void)
{
	trace[0] = '\0';
	loop_create(&loop, NULL);
}

static void stop(void *user)
{
	add("stop ");
	loop_stop(loop, 7);
}

static void say(void *user)
{
	add(user);
}

static void timers_fire_in_the_order_of_their_times(void)
{
	struct loop_timer a = {0}, b = {0}, c = {0}, d = {0};

	begin();
	loop_timer_set(loop, &c, 30, stop, NULL);
	loop_timer_set(loop, &a, 10, say, "a ");
	loop_timer_set(loop, &b, 20, say, "b ");
	loop_timer_set(loop, &d, 5, say, "d ");
	loop_timer_clear(&d);
	CHECK(loop_run(loop) == 7);
	CHECK_TEXT(trace, "a b stop ");
	CHECK(!loop_timer_is_set(&a));
	loop = loop_destroy(loop);
}

static struct loop_fd *one, *other;

static void say_once(void *user, uint32_t events)
{
	add(user);
	one = loop_fd_remove(one);
}

static void what_callbacks_put_off_is_done_after_each_of_them(void)
{
	struct loop_timer a = {0}, b = {0}, c = {0};
	int fds[2];

	begin();
	CHECK(pipe(fds) == 0);
	loop_fd_add(&one, loop, fds[1], EPOLLOUT, say_once, "write ", NULL);
	loop_after_each(loop, say, "then ");
	loop_timer_set(loop, &a, 10, say, "a ");
	loop_timer_set(loop, &b, 10, say, "b ");
	loop_timer_set(loop, &c, 10, stop, NULL);
	CHECK(loop_run(loop) == 7);
	CHECK_TEXT(trace, "write then a then b then stop ");
	close(fds[0]);
	close(fds[1]);
	loop = loop_destroy(loop);
}

static void remove_both(void *user, uint32_t events)
{
	add("once ");
	one = loop_fd_remove(one);
	other = loop_fd_remove(other);
}

static void an_event_already_fetched_for_a_removed_source_is_dropped(void)
{
	struct loop_timer end = {0};
	int a[2], b[2];

	begin();
	CHECK(pipe2(a, O_CLOEXEC) == 0 && pipe2(b, O_CLOEXEC) == 0);
	CHECK(write(a[1], "x", 1) == 1 && write(b[1], "x", 1) == 1);
	loop_fd_add(&one, loop, a[0], EPOLLIN, remove_both, NULL, NULL);
	loop_fd_add(&other, loop, b[0], EPOLLIN, remove_both, NULL, NULL);
	loop_timer_set(loop, &end, 10, stop, NULL);
	loop_run(loop);
	CHECK_TEXT(trace, "once stop ");
	for (int i = 0; i < 2; i++) {
		close(a[i]);
		close(b[i]);
	}
	loop = loop_destroy(loop);
}

static int left;

static void on_exit_code(void *user, pid_t pid, int status)
{
	char word[16];

	snprintf(word, sizeof(word), "%d ",
		 WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status));
	add(word);
	if (--left == 0)
		loop_stop(loop, 0);
}

static void run(const char *script)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	const struct spawn child = {
		.argv = argv, .in = -1, .out = -1, .err = -1};
	pid_t pid;

	CHECK(spawn(&child, &pid, NULL) == 0);
	CHECK(loop_child_add(loop, pid, on_exit_code, NULL, NULL) == 0);
}

static void every_exit_code_reaches_its_callback(void)
{
	begin();
	for (int code = 0; code < 256; code += 51) {
		char script[16];

		snprintf(script, sizeof(script), "exit %d", code);
		left = 1;
		run(script);
		loop_run(loop);
	}
	left = 1;
	run("kill -USR1 $$");
	loop_run(loop);
	CHECK_TEXT(trace, "0 51 102 153 204 255 -10 ");
	CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
	loop = loop_destroy(loop);
}

static void children_start_with_clean_signals_and_three_descriptors(void)
{
	int open_to_all = dup(2);

	begin();
	loop_signal_add(loop, SIGTERM, NULL, NULL, NULL);
	signal(SIGPIPE, SIG_IGN);
	left = 1;
	run("test $(ls /proc/self/fd | wc -l) = 4 &&"
	    " grep -q 'SigBlk:.0000000000000000' /proc/self/status &&"
	    " grep -q 'SigIgn:.0000000000000000' /proc/self/status");
	loop_run(loop);
	signal(SIGPIPE, SIG_DFL);
	close(open_to_all);
	CHECK_TEXT(trace, "0 ");
	loop = loop_destroy(loop);
}

static void a_pipe_that_nobody_reads_is_an_error(void)
{
	int pipes[2];

	CHECK(loop_create(&loop, NULL) == 0);
	CHECK(pipe(pipes) == 0);
	close(pipes[0]);
	CHECK(write(pipes[1], "x", 1) < 0 && errno == EPIPE);
	close(pipes[1]);
	loop_destroy(loop);
}

static void a_file_that_is_too_large_is_an_error(void)
{
	struct rlimit before, none = {0};
	FILE *file = tmpfile();
	ssize_t n;
	int why;

	begin();
	CHECK(file && getrlimit(RLIMIT_FSIZE, &before) == 0);
	none.rlim_max = before.rlim_max;
	setrlimit(RLIMIT_FSIZE, &none);
	n = write(fileno(file), "x", 1);
	why = errno;
	setrlimit(RLIMIT_FSIZE, &before);
	fclose(file);
	loop = loop_destroy(loop);
	CHECK(n < 0 && why == EFBIG);
}

static void a_program_that_is_missing_is_named(void)
{
	const char *argv[] = {"/no/such/program", NULL};
	const struct spawn child = {
		.argv = argv, .in = -1, .out = -1, .err = -1};
	struct error err;
	pid_t pid;

	begin();
	CHECK(spawn(&child, &pid, &err) == -ENOENT);
	CHECK_TEXT(err.text,
		   "cannot run /no/such/program: No such file or directory");
	loop = loop_destroy(loop);
}

static void an_environment_entry_replaces_the_one_of_its_key(void)
{
	const char *base[] = {"A=1", "AB=2", "C=3", NULL};
	const char *more[] = {"A=9", "D=4"};
	char **env = spawn_environment(base, more, 2);

	CHECK(env);
	CHECK_TEXT(env[0], "AB=2");
	CHECK_TEXT(env[1], "C=3");
	CHECK_TEXT(env[2], "A=9");
	CHECK_TEXT(env[3], "D=4");
	CHECK(!env[4]);
	free(env);
}

static void on_signal(void *user, int signo, pid_t sender)
{
	add(signo == SIGUSR1 ? "usr1 " : "usr2 ");
	if (sender != getpid())
		add("stranger ");
	if (signo == SIGUSR2)
		loop_stop(loop, 0);
}

static void signals_are_read_with_their_sender(void)
{
	begin();
	loop_signal_add(loop, SIGUSR1, on_signal, NULL, NULL);
	loop_signal_add(loop, SIGUSR2, on_signal, NULL, NULL);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR2);
	loop_run(loop);
	CHECK_TEXT(trace, "usr1 usr2 ");
	loop = loop_destroy(loop);
}

static void a_signal_that_is_ignored_is_told_from_others(void)
{
	signal(SIGHUP, SIG_IGN);
	CHECK(loop_signal_is_ignored(SIGHUP));
	signal(SIGHUP, SIG_DFL);
	CHECK(!loop_signal_is_ignored(SIGHUP));
}

RUN_TESTS(TEST(timers_fire_in_the_order_of_their_times),
	  TEST(what_callbacks_put_off_is_done_after_each_of_them),
	  TEST(an_event_already_fetched_for_a_removed_source_is_dropped),
	  TEST(every_exit_code_reaches_its_callback),
	  TEST(children_start_with_clean_signals_and_three_descriptors),
	  TEST(a_pipe_that_nobody_reads_is_an_error),
	  TEST(a_file_that_is_too_large_is_an_error),
	  TEST(a_program_that_is_missing_is_named),
	  TEST(an_environment_entry_replaces_the_one_of_its_key),
	  TEST(signals_are_read_with_their_sender),
	  TEST(a_signal_that_is_ignored_is_told_from_others))
