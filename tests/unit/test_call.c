/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "executor/gate.h"
#include "tests/check.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/*
 * Ranks are children of this process.  Each becomes what is asked of it when it
 * gets a byte, answers with one, and ends with the number of signals it got
 * when its pipe is closed.
 */

enum {
	RANKS = 3,
	PATIENCE = 60000,
	NEVER = 1000, /* until this, in LOOK_EVERY */
	LOOK_EVERY = 5,
};

static struct loop *loop;
static struct ranks ranks;
static struct start start;
static struct rank rank[RANKS];
static int orders[RANKS], answers[RANKS];
static volatile sig_atomic_t got;

static void on_signal(int signo)
{
	got++;
}

static void obey(char order)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	switch (order) {
	case 'c':
		signal(SIGUSR1, on_signal);
		break;
	case 'i':
		signal(SIGUSR1, SIG_IGN);
		break;
	case 'b':
		sigprocmask(SIG_BLOCK, &set, NULL);
		break;
	case 'u':
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		break;
	}
}

static void be_rank(int in, int out)
{
	char order;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while ((n = TEMP_FAILURE_RETRY(read(in, &order, 1))) > 0) {
		obey(order);
		if (write(out, &order, 1) != 1)
			break;
	}
	_exit(got);
}

static void begin_rank(unsigned i)
{
	int in[2], out[2];
	pid_t pid;

	if (pipe(in) < 0 || pipe(out) < 0)
		abort();
	pid = fork();
	if (pid == 0) {
		for (unsigned j = 0; j < i; j++)
			close(orders[j]);
		close(in[1]);
		close(out[0]);
		be_rank(in[0], out[1]);
	}
	close(in[0]);
	close(out[1]);
	orders[i] = in[1];
	answers[i] = out[0];
	rank[i] = (struct rank){
		.start = &start,
		.ranks = &ranks,
		.state = RANK_RUNS,
		.rank = i,
		.pid = pid,
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
		.conn = -1,
	};
	list_append(&start.members, &rank[i].link);
}

static void begin(void)
{
	if (loop_create(&loop, NULL) < 0)
		abort();
	ranks = (struct ranks){.loop = loop};
	list_init(&ranks.starts);
	start = (struct start){
		.ranks = &ranks, .epoch = 1, .state = START_RUNNING};
	list_init(&start.members);
	list_append(&ranks.starts, &start.link);
	for (unsigned i = 0; i < RANKS; i++)
		begin_rank(i);
}

static void have(unsigned i, char order)
{
	if (write(orders[i], &order, 1) != 1 ||
	    read(answers[i], &order, 1) != 1)
		printf("# rank %u does not answer\n", i);
}

static void have_all(char order)
{
	for (unsigned i = 0; i < RANKS; i++)
		have(i, order);
}

/* How many signals a rank got, in the end; -1: it was ended by one. */
static int count(unsigned i)
{
	int status;

	close(orders[i]);
	waitpid(rank[i].pid, &status, 0);
	close(answers[i]);
	close(rank[i].pidfd);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* As "1 0 1". */
static const char *end(void)
{
	static char text[64];
	size_t n = 0;

	for (unsigned i = 0; i < RANKS; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d",
				      i ? " " : "", count(i));
	loop_timer_clear(&start.call_again);
	loop = loop_destroy(loop);
	return text;
}

static void call(bool first_only, bool once, msec_t patience)
{
	const struct ranks_call how = {
		.signo = SIGUSR1,
		.first_only = first_only,
		.once = once,
		.patience = patience,
	};

	ranks_call(&ranks, 1, &how);
}

static void stop(void *user)
{
	loop_stop(loop, 0);
}

struct wait {
	int rank; /* that is not to be called any more; -1: any */
	unsigned looks;
	struct loop_timer timer;
};

static void look(void *user)
{
	struct wait *wait = user;
	bool over = wait->rank < 0 ? !loop_timer_is_set(&start.call_again)
				   : !rank[wait->rank].called;

	if (over || ++wait->looks > NEVER)
		stop(NULL);
	else
		loop_timer_set(loop, &wait->timer, LOOK_EVERY, look, wait);
}

/* Until a rank was called; -1: until no rank is to be called any more. */
static void run_until_called(int number)
{
	struct wait wait = {.rank = number};

	loop_timer_set(loop, &wait.timer, 0, look, &wait);
	loop_run(loop);
	loop_timer_clear(&wait.timer);
}

static void run_for(msec_t time)
{
	struct loop_timer timer = {0};

	loop_timer_set(loop, &timer, time, stop, NULL);
	loop_run(loop);
}

static void ranks_that_catch_it_are_called_at_once(void)
{
	begin();
	have_all('c');
	call(false, false, PATIENCE);
	CHECK(!loop_timer_is_set(&start.call_again));
	CHECK_TEXT(end(), "1 1 1");
}

static void a_rank_without_a_handler_is_called_when_it_has_one(void)
{
	begin();
	have(0, 'c');
	have(2, 'c');
	call(false, false, PATIENCE);
	CHECK(!rank[0].called && rank[1].called && !rank[2].called);
	run_for(50);
	CHECK(rank[1].called);
	have(1, 'c');
	run_until_called(1);
	CHECK_TEXT(end(), "1 1 1");
}

static void a_rank_that_never_has_one_is_left_alone(void)
{
	begin();
	have(0, 'c');
	have(2, 'i');
	call(false, false, 50);
	run_until_called(-1);
	CHECK(!rank[1].called);
	have(1, 'c'); /* too late */
	run_for(50);
	CHECK_TEXT(end(), "1 0 0");
}

static void a_rank_that_blocks_it_gets_it(void)
{
	begin();
	have_all('b');
	call(false, false, PATIENCE);
	run_until_called(-1);
	have_all('c');
	have_all('u');
	CHECK_TEXT(end(), "1 1 1");
}

static void a_rank_that_blocked_it_for_a_moment_is_not_ended(void)
{
	begin();
	have_all('b');
	call(false, false, PATIENCE);
	have_all('u');
	run_for(50);
	CHECK(rank[0].called && rank[1].called && rank[2].called);
	have_all('c');
	run_until_called(-1);
	CHECK_TEXT(end(), "1 1 1");
}

static void rank_0_alone_is_called(void)
{
	begin();
	call(true, false, PATIENCE);
	have_all('c');
	run_until_called(-1);
	CHECK_TEXT(end(), "1 0 0");
}

static void once_means_each_rank_once(void)
{
	begin();
	have(0, 'c');
	call(false, true, 50);
	run_until_called(-1); /* in vain for two of them */
	have_all('c');
	call(false, true, PATIENCE);
	call(false, true, PATIENCE);
	CHECK_TEXT(end(), "1 1 1");
}

static void ranks_that_are_told_to_leave_are_not_called_any_more(void)
{
	begin();
	call(false, false, PATIENCE);
	ranks_stop(&ranks, 1, PATIENCE);
	have_all('c');
	run_for(50);
	loop_timer_clear(&start.term);
	loop_timer_clear(&start.kill);
	CHECK_TEXT(end(), "0 0 0");
}

RUN_TESTS(TEST(ranks_that_catch_it_are_called_at_once),
	  TEST(a_rank_without_a_handler_is_called_when_it_has_one),
	  TEST(a_rank_that_never_has_one_is_left_alone),
	  TEST(a_rank_that_blocks_it_gets_it),
	  TEST(a_rank_that_blocked_it_for_a_moment_is_not_ended),
	  TEST(rank_0_alone_is_called), TEST(once_means_each_rank_once),
	  TEST(ranks_that_are_told_to_leave_are_not_called_any_more))
