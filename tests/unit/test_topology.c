/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/topology.h"

#include "base/list.h"
#include "coordinator/members/topologies.h"
#include "executor/affinity.h"
#include "tests/check.h"

#include <errno.h>
#include <stdlib.h>

static struct topology topology;
static struct error err;

static bool reads(const char *machine, const char *usable)
{
	struct processor_set set;

	return processor_set_parse(&set, usable) &&
	       topology_read(&topology, machine, &set, &err) == 0;
}

static const char *text(void)
{
	static char line[TOPOLOGY_TEXT_MAX];

	return topology_text(&topology, line);
}

static const char *unit(enum topology_unit which, unsigned number)
{
	static char list[PROCESSOR_SET_TEXT_MAX];
	const struct processor_set set =
		topology_unit_set(&topology, which, number);

	return processor_set_text(&set, list);
}

static void two_packages_have_their_cores_and_memory(void)
{
	CHECK(reads("package:2 numa:1(memory=64GB) l3:1(size=32MB) "
		    "l2:18(size=1MB) core:1 pu:1",
		    "0-1023"));
	CHECK_TEXT(text(), "2 sockets, 2 NUMA nodes, 36 cores, "
			   "processors 0-35");
	CHECK_TEXT(unit(TOPOLOGY_PACKAGE, 1), "18-35");
	CHECK_TEXT(unit(TOPOLOGY_NODE, 0), "0-17");
	CHECK(topology.domains[1].memory == 64000000000);
	CHECK(topology.domains[1].whole);
	CHECK(topology.l2 == 1000000 && topology.l3 == 32000000);
}

static void a_machine_that_tells_no_numa_nodes_has_one(void)
{
	CHECK(reads("package:1 core:4 pu:1", "0-1023"));
	CHECK_TEXT(text(), "1 socket, 1 NUMA node, 4 cores, processors 0-3");
	CHECK(topology.n_domains == 1);
	CHECK(reads("package:2 core:18 pu:1", "0-1023"));
	CHECK_TEXT(text(), "2 sockets, 1 NUMA node, 36 cores, processors 0-35");
	CHECK_TEXT(unit(TOPOLOGY_NODE, 0), "0-35");
	CHECK_TEXT(unit(TOPOLOGY_PACKAGE, 0), "0-17");
}

static void a_machine_that_tells_neither_sockets_nor_cores_is_one_socket(void)
{
	CHECK(reads("pu:4", "0-1023"));
	CHECK_TEXT(text(), "1 socket, 1 NUMA node, 4 cores, processors 0-3; "
			   "which sockets it has is not known; each processor "
			   "is taken for a core");
}

/* Linux numbers the second processors of all cores after the first ones. */
static const char hyperthreads[] =
	"package:2 numa:1 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)";

static void two_processors_of_a_core_are_one_core(void)
{
	struct processor_set core;
	char list[PROCESSOR_SET_TEXT_MAX];

	CHECK(reads(hyperthreads, "0-1023"));
	CHECK_TEXT(text(), "2 sockets, 2 NUMA nodes, 4 cores, processors 0-7; "
			   "a core with several processors counts once");
	core = topology_core_set(&topology, 3);
	CHECK_TEXT(processor_set_text(&core, list), "3,7");
	CHECK(topology.cores[3].id == 3);
}

static void a_cpuset_leaves_cores_in_part(void)
{
	struct processor_set core;
	char list[PROCESSOR_SET_TEXT_MAX];

	CHECK(reads(hyperthreads, "1,5,6"));
	CHECK_TEXT(text(), "2 sockets, 2 NUMA nodes, 2 cores, processors "
			   "1,5-6; a core with several processors counts once; "
			   "a cpuset leaves 1 of the cores in part");
	core = topology_core_set(&topology, 1);
	CHECK_TEXT(processor_set_text(&core, list), "6");
	CHECK(topology.cores[1].id == 2);
	CHECK(!topology.domains[0].whole && !topology.domains[1].whole);
	CHECK(reads(hyperthreads, "2,3,6,7"));
	CHECK(topology.n_domains == 1 && topology.domains[0].whole);
	CHECK(topology.domains[0].package == 1);
}

static void memory_alone_is_no_domain(void)
{
	CHECK(reads("[numa(memory=96GB)] package:1 [numa(memory=16GB)] "
		    "core:4 pu:1",
		    "0-1023"));
	CHECK(topology.n_domains == 1 && topology.n_cores == 4);
}

static void what_cannot_be_held_is_not_known(void)
{
	CHECK(!reads("package:65 core:1 pu:1", "0-1023"));
	CHECK_TEXT(err.text, "at most 64 domains");
	CHECK(!reads("package:1 core:4 pu:1", "4-7"));
	CHECK_TEXT(err.text, "it has no domain");
	CHECK(!reads("no machine", "0"));
}

static void this_machine_has_what_this_process_may_use(void)
{
	static struct topology got;
	Bellows__V1__Topology *here;
	struct processor_set usable;

	CHECK(affinity_read(&usable, 0, &err) == 0);
	here = topology_of_this_machine(&usable);
	CHECK(here);
	CHECK(topology_from_wire(&got, here, &err) == 0);
	bellows__v1__topology__free_unpacked(here, NULL);
	CHECK(got.n_cores >= 1 && got.n_processors >= got.n_cores);
	CHECK(processor_set_equals(&got.usable, &usable));
}

static void it_arrives_as_it_was_sent(void)
{
	static struct topology got;
	struct list kept;
	const struct topology *first, *second;
	Bellows__V1__Topology *message;

	CHECK(reads(hyperthreads, "1-7"));
	message = topology_to_wire(&topology);
	CHECK(message);
	CHECK(topology_from_wire(&got, message, &err) == 0);
	bellows__v1__topology__free_unpacked(message, NULL);
	CHECK(memcmp(&got, &topology, sizeof(got)) == 0);

	list_init(&kept);
	first = topologies_keep(&kept, &topology);
	second = topologies_keep(&kept, &got);
	CHECK(first && first == second);
	topologies_release(&kept, first);
	CHECK(!list_is_empty(&kept));
	topologies_release(&kept, second);
	CHECK(list_is_empty(&kept));
}

RUN_TESTS(TEST(two_packages_have_their_cores_and_memory),
	  TEST(a_machine_that_tells_no_numa_nodes_has_one),
	  TEST(a_machine_that_tells_neither_sockets_nor_cores_is_one_socket),
	  TEST(two_processors_of_a_core_are_one_core),
	  TEST(a_cpuset_leaves_cores_in_part), TEST(memory_alone_is_no_domain),
	  TEST(what_cannot_be_held_is_not_known),
	  TEST(this_machine_has_what_this_process_may_use),
	  TEST(it_arrives_as_it_was_sent))
