/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/placement.h"

#include "base/list.h"
#include "coordinator/launch/mpiexec.h"
#include "tests/check.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static struct ledger ledger;
static struct layout layout;
static struct topology topology;
static struct jobfile job;
static struct placement placement;
static struct error err;

/* One package whose processors are every step-th of so many. */
static void package(unsigned number, unsigned n, unsigned from, unsigned step,
		    bool whole)
{
	const struct topology_domain domain = {
		.package = number, .node = number, .whole = whole};

	topology.knows_packages = topology.knows_cores = true;
	topology_add_domain(&topology, &domain, NULL);
	for (unsigned i = 0; i < n; i++) {
		struct processor_set one = {0};

		processor_set_add(&one, from + i * step);
		topology_add_core(&topology, from + i * step, &one, NULL);
	}
}

static void set_up(enum placement_bind bind, bool strict)
{
	static const char *none[] = {NULL};

	placement_fini(&placement);
	memset(&placement, 0, sizeof(placement));
	memset(&ledger, 0, sizeof(ledger));
	memset(&topology, 0, sizeof(topology));
	job = (struct jobfile){
		.mpi_arguments = none, .bind = bind, .bind_strict = strict};
	layout.n = 0;
	layout.ranks = 0;
}

static void executor(unsigned ranks, const struct topology *its)
{
	struct member *m = &ledger.members[ledger.n];

	snprintf(m->name, sizeof(m->name), "w%d", ledger.n);
	m->topology = its;
	layout.places[layout.n] =
		(struct place){.member = ledger.n++, .ranks = ranks};
	while (ranks-- > 0)
		layout.place_of[layout.ranks++] = (unsigned short)layout.n;
	layout.n++;
}

static int plan(void)
{
	return placement_plan(&placement, &job, &ledger, &layout, &err);
}

static const char *rankfile(void)
{
	static char text[1024];
	char path[] = "/tmp/test-rankfile-XXXXXX";
	int fd = mkstemp(path);
	ssize_t n;

	placement_write_rankfile(&placement, path, &ledger, &layout, NULL);
	n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	close(fd);
	unlink(path);
	return text;
}

static void each_rank_has_a_line_with_its_executor_and_processors(void)
{
	set_up(BIND_CORE, true);
	package(0, 4, 0, 1, true);
	executor(1, &topology);
	executor(2, &topology);
	CHECK(plan() == 0);
	CHECK_TEXT(rankfile(), "rank 0=127.1.0.1 slot=0\n"
			       "rank 1=127.1.0.2 slot=1\n"
			       "rank 2=127.1.0.2 slot=2\n");
}

/* 23 even numbers take 59 bytes. */
static void a_long_list_is_written_as_a_whole_package(void)
{
	set_up(BIND_SOCKET, true);
	package(3, 23, 0, 2, true);
	package(5, 4, 1, 2, true);
	executor(2, &topology);
	CHECK(plan() == 0);
	CHECK_TEXT(rankfile(), "rank 0=127.1.0.1 slot=3:*\n"
			       "rank 1=127.1.0.1 slot=3:*\n");
}

/* mpiexec dies of 64: "127.1.0.1 slot=" and a list of 49. */
static void a_list_is_written_up_to_63_bytes_of_a_line(void)
{
	set_up(BIND_SOCKET, true);
	package(0, 18, 0, 2, false); /* 0,2,...,34: 48 bytes */
	executor(1, &topology);
	CHECK(plan() == 0);
	CHECK(strlen(strchr(rankfile(), '=')) - 2 == 63);
	set_up(BIND_SOCKET, true);
	package(0, 18, 0, 2, false);
	ledger.n = 9; /* 127.1.0.10: one more */
	executor(1, &topology);
	CHECK(plan() == -ENODEV);
}

static void what_a_rankfile_cannot_say_is_told(void)
{
	set_up(BIND_SOCKET, false);
	package(0, 23, 0, 2, false);
	executor(1, &topology);
	CHECK(plan() == 0);
	CHECK(!placement.planned);
	CHECK_TEXT(placement.trouble,
		   "the ranks are not bound to a socket each: processors "
		   "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,"
		   "42,44 of rank 0 are more than a line of mpiexec's rankfile "
		   "takes");
}

static void where_it_is_strict_there_is_no_start(void)
{
	set_up(BIND_CORE, true);
	package(0, 1, 0, 1, true);
	executor(2, &topology);
	CHECK(plan() == -ENODEV);
	CHECK_TEXT(err.text, "ranks cannot be bound to a core each: executor "
			     "w0: 2 ranks have 1 core");
	job.bind_strict = false;
	placement_fini(&placement);
	CHECK(plan() == 0);
	CHECK_TEXT(placement.trouble, "some ranks are not bound to a core "
				      "each: executor w0: 2 ranks have 1 core");
	CHECK_TEXT(rankfile(), "rank 0=127.1.0.1 slot=0\n"
			       "rank 1=127.1.0.1 slot=0\n");
	set_up(BIND_NUMA, false);
	executor(1, NULL);
	CHECK(plan() == 0 && !placement.planned);
	CHECK_TEXT(placement.trouble,
		   "the ranks are not bound to a NUMA node each: the topology "
		   "of executor w0 is not known");
}

static void nothing_is_planned_where_nothing_is_asked_for(void)
{
	set_up(BIND_NONE, false);
	executor(1, NULL);
	CHECK(plan() == 0 && !placement.planned && !*placement.trouble);
	CHECK(placement_compare(&placement, 0, "7", &err) == 0);
}

static void a_rank_that_is_bound_elsewhere_is_told_with_the_plan(void)
{
	static const struct {
		const char *found, *sentence;
	} rows[] = {
		{"0-1", "rank 1 is bound to processors 0-1, planned was 1"},
		{"0", "rank 1 is bound to processor 0, planned was 1"},
		{"", "which processors rank 1 is bound to is not known, "
		     "planned was 1"},
	};

	set_up(BIND_CORE, true);
	package(0, 4, 0, 1, true);
	executor(2, &topology);
	CHECK(plan() == 0);
	CHECK(placement_compare(&placement, 1, "1", &err) == 0);
	for (size_t i = 0; i < LENGTH(rows); i++) {
		CHECK(placement_compare(&placement, 1, rows[i].found, &err) ==
		      -EXDEV);
		CHECK_TEXT(err.text, rows[i].sentence);
	}
}

static void ranks_are_told_in_short_and_in_pieces(void)
{
	char text[64];

	set_up(BIND_CORE, false);
	package(0, 2, 0, 1, true);
	executor(3, &topology);
	CHECK(plan() == 0);
	CHECK(placement_text(&placement, 0, text, sizeof(text)) == 3);
	CHECK_TEXT(text, "0-2=0-1");

	set_up(BIND_CORE, false);
	package(0, 4, 0, 1, true);
	executor(4, &topology);
	CHECK(plan() == 0);
	CHECK(placement_text(&placement, 0, text, sizeof(text)) == 4);
	CHECK_TEXT(text, "0=0 1=1 2=2 3=3");
	CHECK(placement_text(&placement, 0, text, 8) == 2);
	CHECK_TEXT(text, "0=0 1=1");
	CHECK(placement_text(&placement, 2, text, 8) == 4);
	CHECK_TEXT(text, "2=2 3=3");
}

RUN_TESTS(TEST(each_rank_has_a_line_with_its_executor_and_processors),
	  TEST(a_long_list_is_written_as_a_whole_package),
	  TEST(a_list_is_written_up_to_63_bytes_of_a_line),
	  TEST(what_a_rankfile_cannot_say_is_told),
	  TEST(where_it_is_strict_there_is_no_start),
	  TEST(nothing_is_planned_where_nothing_is_asked_for),
	  TEST(a_rank_that_is_bound_elsewhere_is_told_with_the_plan),
	  TEST(ranks_are_told_in_short_and_in_pieces))
