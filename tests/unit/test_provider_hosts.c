/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "base/tree.h"
#include "monitor/provider.h"
#include "tests/check.h"
#include "tests/unit/tls_folder.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

/*
 * Hosts are played by commands that write down how they were called:
 *
 *   root/good     runs the executor, a script that sleeps, in its own place
 *   root/dead     ends with 255, as ssh does
 *   root/release  makes executors that find it end with 0
 *   root/record   a line for each call:  "good n1 <executor's words>"
 *   root/token    reaches the executor as standard input, root/input
 *   root/tls      behind it, if connections are encrypted
 */

static char root[64];
static struct loop *loop;
static struct provider *provider;
static struct hosts *hosts;
static unsigned have, losses;
static char last_how[64];

static void on_started(void *user, const char *name, unsigned n)
{
	have = n;
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

static void write_file(const char *name, const char *text, mode_t mode)
{
	FILE *file = fopen(at(name), "we");

	fputs(text, file);
	fclose(file);
	chmod(at(name), mode);
}

static const char *content(const char *name)
{
	static char text[8192];
	FILE *file = fopen(at(name), "re");
	size_t n = file ? fread(text, 1, sizeof(text) - 1, file) : 0;

	text[n] = '\0';
	if (file)
		fclose(file);
	return text;
}

/* Calls so far that begin so. */
static unsigned calls(const char *begin)
{
	unsigned n = 0;

	for (const char *line = content("record"); *line;
	     line = strchr(line, '\n') + 1)
		n += strncmp(line, begin, strlen(begin)) == 0;
	return n;
}

static void end(void)
{
	int tmp;

	provider = provider_destroy(provider);
	loop = loop_destroy(loop);
	hosts = hosts_destroy(hosts);
	if (root[0] == '\0')
		return;
	tmp = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	tree_remove(tmp, strrchr(root, '/') + 1, NULL);
	close(tmp);
	root[0] = '\0';
}

static struct tls_identity identity;

static bool make_identity(void)
{
	struct tls_authority *authority = make_authority(time(NULL));
	bool good = authority &&
		    make_by(&identity, authority, "executor", NULL) &&
		    tls_identity_write(&identity, at("tls"), NULL) == 0;

	tls_authority_destroy(authority);
	return good;
}

/* kinds: of n1, n2, ...: 'g' good, 'd' dead; 's' first: encrypted */
static bool begin(const char *kinds)
{
	bool secure = *kinds == 's';
	struct provider_config config = {
		.coordinator = "10.0.0.1:7",
		.slots = 2,
		.grace = 300,
		.events = &events,
	};
	char text[1024] = "# of a test\n";

	end();
	log_init("test", LOG_ERROR);
	snprintf(root, sizeof(root), "/tmp/bellows-test-XXXXXX");
	if (!mkdtemp(root))
		return false;
	mkdir(at("state"), 0755);
	write_file("executor",
		   "#!/bin/sh\nhere=${0%/*}\n"
		   "cat >$here/input\n"
		   "while [ ! -e $here/release ]; do sleep 0.02; done\n",
		   0755);
	write_file("good",
		   "#!/bin/sh\necho good $* >>${0%/*}/record\nshift\n"
		   "exec \"$@\"\n",
		   0755);
	write_file("dead",
		   "#!/bin/sh\necho dead $* >>${0%/*}/record\nexit 255\n",
		   0755);
	kinds += secure;
	for (int i = 1; kinds[i - 1]; i++) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n,
			 "n%d 10.0.0.%d %s/%s n%d\n", i, i, root,
			 kinds[i - 1] == 'g' ? "good" : "dead", i);
	}
	write_file("hosts", text, 0644);
	write_file("token", "0123456789abcdef\n", 0600);
	if (secure && !make_identity())
		return false;

	have = losses = 0;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	loop_create(&loop, NULL);
	if (hosts_read(&hosts, at("hosts"), NULL) < 0)
		return false;
	config.loop = loop;
	config.hosts = hosts;
	config.program = at("executor");
	config.state = at("state");
	config.token_file = at("token");
	config.tls = secure ? at("tls") : NULL;
	config.keep_rights = secure;
	return provider_find("hosts")->create(&provider, &config, NULL) == 0;
}

static void on_turn(void *user)
{
	loop_stop(loop, 0);
}

/* One turn of the loop, of 20 ms at the most. */
static bool turn(void)
{
	struct loop_timer timer = {0};

	loop_timer_set(loop, &timer, 20, on_turn, NULL);
	loop_run(loop);
	loop_timer_clear(&timer);
	return true;
}

static bool before(msec_t deadline)
{
	return turn() && loop_now() < deadline;
}

static void pass(msec_t time)
{
	msec_t until = loop_now() + time;

	while (before(until))
		continue;
}

#define UNTIL(condition)                                                       \
	__extension__({                                                        \
		msec_t until_ = loop_now() + SECONDS(30);                      \
		while (!(condition) && before(until_))                         \
			continue;                                              \
		(condition);                                                   \
	})

static void an_executor_is_started_by_its_hosts_command(void)
{
	char expected[512];

	CHECK(begin("gg"));
	CHECK(provider_hold(provider, 1, NULL) == 0 && have == 1);
	CHECK(UNTIL(calls("good") == 1));
	snprintf(expected, sizeof(expected),
		 "good n1 %s/executor --coordinator 10.0.0.1:7 --name n1 "
		 "--slots 2 --address 10.0.0.1 --token-file -\n",
		 root);
	CHECK_TEXT(content("record"), expected);
	CHECK(UNTIL(*content("input")));
	CHECK_TEXT(content("input"), "0123456789abcdef\n");
	end();
}

static void its_certificate_follows_the_token(void)
{
	char expected[512], *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	CHECK(begin("sg") && to);
	CHECK(provider_hold(provider, 1, NULL) == 0);
	CHECK(UNTIL(strstr(content("input"), "END PRIVATE KEY")));
	snprintf(expected, sizeof(expected),
		 "good n1 %s/executor --coordinator 10.0.0.1:7 --name n1 "
		 "--slots 2 --address 10.0.0.1 --token-file - --tls - "
		 "--keep-rights\n",
		 root);
	CHECK_TEXT(content("record"), expected);
	fputs("0123456789abcdef\n", to);
	tls_identity_print(&identity, to);
	fclose(to);
	CHECK_TEXT(content("input"), text);
	free(text);
	tls_identity_fini(&identity);
	end();
}

static void the_first_free_hosts_of_the_file_get_one_each(void)
{
	CHECK(begin("ggg"));
	provider_hold(provider, 2, NULL);
	provider_hold(provider, 2, NULL);
	CHECK(UNTIL(calls("good n1") == 1 && calls("good n2") == 1));
	CHECK(have == 2 && calls("good") == 2);
	end();
}

static void more_than_there_are_hosts_is_as_many_as_there_are(void)
{
	CHECK(begin("gg"));
	CHECK(provider_hold(provider, 3, NULL) == 0);
	CHECK(UNTIL(calls("good") == 2));
	pass(200);
	CHECK(have == 2 && calls("good") == 2);
	CHECK_TEXT(trouble, "3 executors are wanted, the hosts file has 2");
	provider_hold(provider, 2, NULL);
	CHECK_TEXT(trouble, "");
	end();
}

static void for_a_dead_host_the_next_one_is_taken(void)
{
	CHECK(begin("dgg"));
	provider_hold(provider, 2, NULL);
	CHECK(UNTIL(calls("good") == 2));
	CHECK(have == 2 && calls("dead") == 1);
	CHECK_TEXT(last_how, "n1 with exit code 255");
	pass(1000);
	CHECK(calls("dead") == 1);
	end();
}

static void a_dead_host_is_tried_ever_more_rarely(void)
{
	msec_t began;

	CHECK(begin("gd"));
	began = loop_now();
	provider_hold(provider, 2, NULL);
	CHECK(UNTIL(losses == 5));
	/* 500 + 800 + 1280 + 2048 ms, 20 % off at the most */
	CHECK(loop_now() - began >= 3700);
	provider_hold(provider, 2, NULL);
	pass(1500);
	CHECK(calls("dead") == 5 && have == 1);

	provider_hold(provider, 3, NULL);
	CHECK(UNTIL(calls("dead") == 6));
	end();
}

static void an_executor_that_left_at_once_and_is_wanted_was_unfit(void)
{
	CHECK(begin("g"));
	write_file("release", "", 0644);
	provider_hold(provider, 1, NULL);
	CHECK(UNTIL(losses == 1));
	/* one is known to be unfit after 0.2 s, and then rests */
	CHECK(UNTIL(calls("good") == 5));
	CHECK(UNTIL(losses == 5));
	pass(1500);
	CHECK(calls("good") == 5);
	end();
}

static void a_host_that_was_released_is_used_again_at_once(void)
{
	CHECK(begin("g"));
	for (unsigned i = 1; i <= 7; i++) {
		provider_hold(provider, 1, NULL);
		CHECK(UNTIL(calls("good") == i));
		write_file("release", "", 0644);
		CHECK(UNTIL(losses == i));
		provider_hold(provider, 0, NULL);
		unlink(at("release"));
		pass(300);
	}
	end();
}

static void destroy_ends_the_commands_and_what_they_became(void)
{
	CHECK(begin("gg"));
	provider_hold(provider, 2, NULL);
	CHECK(UNTIL(calls("good") == 2));
	provider = provider_destroy(provider);
	CHECK(rmdir(at("state")) == 0);
	end();
}

RUN_TESTS(TEST(an_executor_is_started_by_its_hosts_command),
	  TEST(its_certificate_follows_the_token),
	  TEST(the_first_free_hosts_of_the_file_get_one_each),
	  TEST(more_than_there_are_hosts_is_as_many_as_there_are),
	  TEST(for_a_dead_host_the_next_one_is_taken),
	  TEST(a_dead_host_is_tried_ever_more_rarely),
	  TEST(an_executor_that_left_at_once_and_is_wanted_was_unfit),
	  TEST(a_host_that_was_released_is_used_again_at_once),
	  TEST(destroy_ends_the_commands_and_what_they_became))
