/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/mpiexec.h"
#include "tests/check.h"

#include <stdlib.h>

static struct ledger ledger;
static struct layout layout;
static struct jobfile job;
static const char *own, *rankfile;

/* n members with one slot, of which the first run ranks; two cores each. */
static void set_up(int n, unsigned ranks)
{
	static const char *none[] = {NULL};
	struct introduction executor = {
		.address = "", .machine = "a", .slots = 1, .cores = 2};
	char name[16];
	int index, lost;

	memset(&ledger, 0, sizeof(ledger));
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "w%d", i);
		executor.name = name;
		member_join(&ledger, &executor, 0, &index, &lost);
		ledger.members[index].state = MEMBER_READY;
	}
	layout_make(&layout, &ledger, NULL, ranks,
		    &(const struct layout_wish){.per_member = 1});
	own = "";
	rankfile = NULL;
	job = (struct jobfile){.mpi_arguments = none, .network = NETWORK_AUTO};
}

static const char *words(void)
{
	static struct mpiexec_words out;
	static char text[2048];

	text[0] = '\0';
	if (mpiexec_words(&out, &job, &ledger, &layout, own, "H", rankfile, "A",
			  NULL) < 0)
		return "refused";
	for (int i = 0; out.argv[i]; i++) {
		strcat(text, i ? " " : "");
		strcat(text, out.argv[i]);
	}
	return text;
}

static bool has(const char *part)
{
	return strstr(words(), part) != NULL;
}

static void every_member_has_an_alias_that_leads_back_to_it(void)
{
	char alias[ALIAS_MAX];

	for (int i = 0; i < MEMBERS_MAX; i++) {
		mpiexec_alias(alias, i);
		CHECK(mpiexec_member(alias) == i);
	}
	mpiexec_alias(alias, 2);
	CHECK_TEXT(alias, "127.1.0.3");
}

static void what_is_no_alias_means_nobody(void)
{
	static const char *const wrong[] = {
		"",           "127.0.0.1",   "127.1.0.0", "127.1.16.1",
		"127.1.0.3x", "127.1.0.999", "10.1.0.3",  "worker-0",
		"127.1.0.",   "127.2.0.1",
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		CHECK(mpiexec_member(wrong[i]) == NO_MEMBER);
}

static void ranks_of_one_machine_talk_over_loopback(void)
{
	set_up(2, 2);
	CHECK_TEXT(words(),
		   "mpiexec --hostfile H -np 2 --map-by slot --bind-to none "
		   "--stdin none "
		   "--mca plm rsh --mca plm_rsh_no_tree_spawn 1 "
		   "--mca orte_leave_session_attached 1 "
		   "--mca plm_rsh_agent A --mca pml ob1 "
		   "--mca btl tcp,self,vader --mca osc ^ucx --mca mtl ^ofi "
		   "--mca mpi_event_tick_rate 1000 "
		   "--mca btl_tcp_if_include lo --mca oob_tcp_if_include lo");
}

static void ranks_that_are_bound_have_a_rankfile(void)
{
	set_up(2, 2);
	rankfile = "R";
	CHECK(has("mpiexec --hostfile H -np 2 --rankfile R "
		  "--mca rmaps_rank_file_physical 1 "
		  "--mca hwloc_base_use_hwthreads_as_cpus 1 --stdin none "));
	CHECK(!has("--map-by") && !has("--bind-to"));
}

static void hosts_apart_use_their_networks(void)
{
	set_up(2, 2);
	strcpy(ledger.members[1].machine, "b");
	CHECK(has("--mca pml ob1") && !has("if_include lo"));
}

/* n members on hosts apart, of which the first run ranks. */
static void set_apart(int n, unsigned ranks, const char *const *addresses)
{
	set_up(n, ranks);
	for (int i = 0; i < n; i++) {
		struct member *m = &ledger.members[i];

		snprintf(m->machine, sizeof(m->machine), "m%d", i);
		snprintf(m->node, sizeof(m->node), "m%d", i);
		snprintf(m->address, sizeof(m->address), "%s", addresses[i]);
	}
}

static void hosts_are_told_the_network_that_their_addresses_share(void)
{
	static const char *const hosts[] = {"10.0.0.17", "10.0.0.18",
					    "10.0.0.21", "172.17.0.1"};

	set_apart(4, 3, hosts);
	own = "10.0.0.1:7000";
	CHECK(has("--mca btl_tcp_if_include 10.0.0.16/29 "
		  "--mca oob_tcp_if_include 10.0.0.0/27"));
	/* mpiexec's own address is not known */
	own = "unix:/run/c";
	CHECK(has("--mca btl_tcp_if_include 10.0.0.16/29"));
	CHECK(!has("oob_tcp_if_include"));
	/* nothing in common */
	own = "192.168.0.1:7000";
	CHECK(!has("oob_tcp_if_include"));
	set_apart(4, 4, hosts);
	CHECK(!has("if_include"));
}

static void one_rank_on_another_host_is_not_reached_by_loopback(void)
{
	static const char *const hosts[] = {"10.0.0.2"};

	set_apart(1, 1, hosts);
	own = "10.0.0.1:7000";
	CHECK(has("--mca oob_tcp_if_include 10.0.0.0/30"));
	/* a prefix of all 32 bits would mean all networks */
	own = "10.0.0.2:7000";
	CHECK(has("--mca oob_tcp_if_include 10.0.0.2/31"));
}

static void hosts_with_ipv6_alone_are_told_so(void)
{
	static const char *const hosts[] = {"fd00::2", "fd00::3"};
	static const char *const mixed[] = {"fd00::2", "10.0.0.3"};

	set_apart(2, 2, hosts);
	own = "[fd00::1]:7000";
	CHECK(has("--mca btl_tcp_disable_family 4 "
		  "--mca oob_tcp_disable_ipv4_family 1"));
	CHECK(!has("if_include"));
	set_apart(2, 2, mixed);
	CHECK(!has("family") && !has("if_include"));
}

static void a_network_that_the_job_file_names_is_left_to_it(void)
{
	static const char *const hosts[] = {"10.0.0.2", "10.0.0.3"};
	static const char *words[] = {"--mca", "btl_tcp_if_exclude", "docker0",
				      NULL};

	set_apart(2, 2, hosts);
	own = "10.0.0.1:7000";
	job.mpi_arguments = words;
	CHECK(!has("btl_tcp_if_include") && has("oob_tcp_if_include"));
	job.network = NETWORK_ANY;
	CHECK(!has("if_include"));
}

static void a_fast_network_is_never_taken_from_a_user(void)
{
	set_up(2, 2);
	ledger.members[1].fast_network = true;
	CHECK(!has("--mca pml") && !has("--mca btl"));
	CHECK(strstr(mpiexec_network(&job, &ledger, &layout), "fast network"));

	job.network = NETWORK_TCP;
	CHECK(has("--mca pml ob1"));
}

static void open_mpi_chooses_for_hosts_that_say_nothing_of_their_network(void)
{
	set_up(2, 2);
	for (int i = 0; i < 2; i++)
		ledger.members[i].polled = true;
	CHECK(!has("--mca pml") && !has("--mca btl"));
	CHECK(strstr(mpiexec_network(&job, &ledger, &layout), "not known"));

	job.network = NETWORK_TCP;
	CHECK(has("--mca pml ob1"));
}

static void open_mpi_chooses_when_the_job_file_says_so(void)
{
	set_up(2, 2);
	job.network = NETWORK_ANY;
	CHECK(!has("--mca pml"));
}

static void more_ranks_than_cores_yield(void)
{
	set_up(4, 2);
	CHECK(!has("mpi_yield_when_idle"));
	set_up(4, 3);
	CHECK(has("--mca mpi_yield_when_idle 1"));
}

/* With addresses of their own, and nothing that limits their processors. */
static void pods_of_one_node_share_its_processors(void)
{
	set_up(4, 3);
	for (int i = 0; i < 4; i++)
		snprintf(ledger.members[i].machine, MEMBER_TEXT_MAX, "a/%d", i);
	CHECK(has("--mca mpi_yield_when_idle 1"));
	strcpy(ledger.members[2].node, "b");
	CHECK(!has("mpi_yield_when_idle"));
}

static void pods_with_processors_of_their_own_do_not_yield(void)
{
	set_up(4, 4);
	for (int i = 0; i < 4; i++) {
		struct member *m = &ledger.members[i];

		snprintf(m->machine, MEMBER_TEXT_MAX, "a/%d", i);
		m->cores = 1;
		m->node_cores = 4;
	}
	CHECK(!has("mpi_yield_when_idle"));
}

static void arguments_of_the_job_file_come_last_and_are_bounded(void)
{
	static const char *few[] = {"--mca", "btl", "^vader", NULL};
	static const char *many[MPIEXEC_ARGS_MAX + 1];

	set_up(2, 2);
	job.mpi_arguments = few;
	CHECK(has("lo --mca btl ^vader") && !has("^vader --mca"));

	for (int i = 0; i < MPIEXEC_ARGS_MAX; i++)
		many[i] = "x";
	job.mpi_arguments = many;
	CHECK_TEXT(words(), "refused");
}

static void a_trial_runs_on_this_host_alone(void)
{
	static const char *const app[] = {"md", "-x", NULL};
	struct mpiexec_trial_words words;
	size_t n = 0;

	set_up(1, 1);
	job.mpi_arguments = (const char *[]){"--mca", "coll", "^han", NULL};
	CHECK(mpiexec_trial(&words, &job, 7, app, NULL) == 0);
	CHECK_TEXT(words.argv[0], "mpiexec");
	CHECK_TEXT(words.argv[2], "7");
	CHECK_TEXT(words.argv[3], "--oversubscribe");
	while (words.argv[n]) {
		CHECK(strcmp(words.argv[n], "--hostfile") != 0);
		n++;
	}
	CHECK_TEXT(words.argv[n - 7], "odls_base_sigkill_timeout");
	CHECK_TEXT(words.argv[n - 3], "^han");
	CHECK_TEXT(words.argv[n - 2], "md");
	CHECK_TEXT(words.argv[n - 1], "-x");
}

static const char *hostfile(void)
{
	static char text[256];
	char path[] = "/tmp/test-hostfile-XXXXXX";
	int fd = mkstemp(path);
	ssize_t n;

	if (mpiexec_write_hostfile(path, &ledger, &layout, NULL) < 0)
		return "not written";
	n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	close(fd);
	unlink(path);
	return text;
}

static void the_hostfile_names_each_executor_by_its_alias(void)
{
	set_up(3, 3);
	CHECK_TEXT(hostfile(), "127.1.0.1 slots=1 # w0\n"
			       "127.1.0.2 slots=1 # w1\n"
			       "127.1.0.3 slots=1 # w2\n");
}

static void ranks_that_are_not_in_order_have_a_line_each(void)
{
	set_up(3, 3);
	layout.place_of[1] = 2;
	layout.place_of[2] = 1;
	CHECK_TEXT(hostfile(), "127.1.0.1 # w0: rank 0\n"
			       "127.1.0.3 # w2: rank 1\n"
			       "127.1.0.2 # w1: rank 2\n");
	CHECK(has("--map-by seq --bind-to none"));
	CHECK(!has("--map-by slot"));
}

RUN_TESTS(TEST(every_member_has_an_alias_that_leads_back_to_it),
	  TEST(what_is_no_alias_means_nobody),
	  TEST(ranks_of_one_machine_talk_over_loopback),
	  TEST(ranks_that_are_bound_have_a_rankfile),
	  TEST(hosts_apart_use_their_networks),
	  TEST(hosts_are_told_the_network_that_their_addresses_share),
	  TEST(one_rank_on_another_host_is_not_reached_by_loopback),
	  TEST(hosts_with_ipv6_alone_are_told_so),
	  TEST(a_network_that_the_job_file_names_is_left_to_it),
	  TEST(a_fast_network_is_never_taken_from_a_user),
	  TEST(open_mpi_chooses_for_hosts_that_say_nothing_of_their_network),
	  TEST(open_mpi_chooses_when_the_job_file_says_so),
	  TEST(ranks_that_are_not_in_order_have_a_line_each),
	  TEST(more_ranks_than_cores_yield),
	  TEST(pods_of_one_node_share_its_processors),
	  TEST(pods_with_processors_of_their_own_do_not_yield),
	  TEST(arguments_of_the_job_file_come_last_and_are_bounded),
	  TEST(a_trial_runs_on_this_host_alone),
	  TEST(the_hostfile_names_each_executor_by_its_alias))
