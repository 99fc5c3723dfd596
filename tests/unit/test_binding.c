/* SPDX-License-Identifier: Apache-2.0 */
#include "core/binding.h"

#include "base/list.h"
#include "tests/check.h"

enum { MACHINES = 4 };

static struct topology machines[MACHINES];
static struct ledger ledger;
static struct layout layout;
static struct processor_set planned[64];
static struct error why;

/* Cores as "0,4 1,5|2 3": a blank ends a core, a bar a domain.  Each domain is
 * a package and a NUMA node of its own. */
static const struct topology *machine(int number, const char *cores)
{
	struct topology *out = &machines[number];
	struct topology_domain domain = {.whole = true};
	char one[64];

	memset(out, 0, sizeof(*out));
	out->knows_packages = out->knows_cores = true;
	topology_add_domain(out, &domain, NULL);
	while (*cores) {
		size_t n = strcspn(cores, " |");
		struct processor_set set;

		snprintf(one, sizeof(one), "%.*s", (int)n, cores);
		processor_set_parse(&set, one);
		topology_add_core(out, (unsigned)processor_set_next(&set, 0),
				  &set, NULL);
		cores += n;
		if (*cores == '|') {
			domain.package = ++domain.node;
			topology_add_domain(out, &domain, NULL);
		}
		cores += *cores != '\0';
	}
	return out;
}

static void nobody(void)
{
	ledger.n = layout.n = 0;
	layout.ranks = 0;
	why.text[0] = '\0';
}

static void executor(const char *name, const char *node,
		     const struct topology *topology, unsigned ranks)
{
	struct member *m = &ledger.members[ledger.n];

	*m = (struct member){.topology = topology};
	snprintf(m->name, sizeof(m->name), "%s", name);
	snprintf(m->node, sizeof(m->node), "%s", node);
	layout.places[layout.n] =
		(struct place){.member = ledger.n++, .ranks = ranks};
	while (ranks-- > 0)
		layout.place_of[layout.ranks++] = (unsigned short)layout.n;
	layout.n++;
}

static enum binding_result result;

/* The processors of each rank, "0,4 1,5". */
static const char *plan(enum binding_unit unit)
{
	static char line[1024];
	char list[PROCESSOR_SET_TEXT_MAX];
	size_t n = 0;

	memset(planned, 0, sizeof(planned));
	line[0] = '\0';
	result = binding_plan(planned, &layout, &ledger, unit, &why);
	for (unsigned i = 0; i < layout.ranks; i++)
		n += (size_t)snprintf(line + n, sizeof(line) - n, "%s%s",
				      i ? " " : "",
				      processor_set_text(&planned[i], list));
	return line;
}

static void ranks_take_the_cores_in_their_order(void)
{
	nobody();
	executor("a", "n", machine(0, "0,4 1,5|2,6 3,7"), 3);
	CHECK_TEXT(plan(BINDING_CORE), "0,4 1,5 2,6");
	CHECK(result == BINDING_DONE);
}

static void executors_of_one_node_do_not_share_a_core(void)
{
	const struct topology *all = machine(0, "0,4 1,5 2,6 3,7");

	nobody();
	executor("a", "n", all, 1);
	executor("b", "m", all, 1);
	executor("c", "n", all, 2);
	CHECK_TEXT(plan(BINDING_CORE), "0,4 0,4 1,5 2,6");
	CHECK(result == BINDING_DONE);
}

static void a_rank_moves_for_one_that_has_no_other_core(void)
{
	nobody();
	executor("a", "n", machine(0, "0 1"), 1);
	executor("b", "n", machine(1, "1 2"), 1);
	executor("c", "n", machine(2, "0"), 1);
	CHECK_TEXT(plan(BINDING_CORE), "1 2 0");
	CHECK(result == BINDING_DONE);
}

/* Two cpusets leave one processor of core 0 each. */
static void halves_of_a_core_are_one_core(void)
{
	struct topology *half = &machines[1];
	struct processor_set four = {0};
	const struct topology_domain domain = {.whole = false};

	memset(half, 0, sizeof(*half));
	half->knows_cores = true;
	processor_set_add(&four, 4);
	topology_add_domain(half, &domain, NULL);
	topology_add_core(half, 0, &four, NULL);
	nobody();
	executor("a", "n", machine(0, "0"), 1);
	executor("b", "n", half, 1);
	CHECK_TEXT(plan(BINDING_CORE), "0 4");
	CHECK(result == BINDING_PARTLY);
	CHECK_TEXT(why.text, "executor a and those that share its processors: "
			     "2 ranks have 1 core");
}

static void with_too_few_cores_no_rank_of_the_node_has_one(void)
{
	const struct topology *two = machine(0, "0,2 1,3");

	nobody();
	executor("a", "n", two, 2);
	executor("b", "m", two, 2);
	executor("c", "n", two, 1);
	CHECK_TEXT(plan(BINDING_CORE), "0-3 0-3 0,2 1,3 0-3");
	CHECK(result == BINDING_PARTLY);
	CHECK_TEXT(why.text, "executor a and those that share its processors: "
			     "3 ranks have 2 cores");
	nobody();
	executor("a", "n", two, 3);
	plan(BINDING_CORE);
	CHECK_TEXT(why.text, "executor a: 3 ranks have 2 cores");
}

static void a_socket_gets_ranks_by_its_cores(void)
{
	const struct topology *uneven = machine(0, "0 1 2 3|4 5");

	nobody();
	executor("a", "n", uneven, 2);
	executor("b", "n", uneven, 4);
	CHECK_TEXT(plan(BINDING_SOCKET), "0-3 0-3 4-5 0-3 0-3 4-5");
	CHECK(result == BINDING_DONE);
	CHECK_TEXT(plan(BINDING_NUMA), "0-3 0-3 4-5 0-3 0-3 4-5");
}

/* Two packages of one NUMA node, as a machine has that tells no NUMA nodes. */
static void one_numa_node_is_all_that_there_is(void)
{
	machine(0, "0 1|2 3");
	machines[0].domains[1].node = 0;
	nobody();
	executor("a", "n", &machines[0], 2);
	CHECK_TEXT(plan(BINDING_NUMA), "0-3 0-3");
	CHECK_TEXT(plan(BINDING_SOCKET), "0-1 2-3");
	CHECK(result == BINDING_DONE);
}

static void what_a_machine_does_not_tell_its_ranks_are_not_bound_to(void)
{
	machine(0, "0 1");
	machine(1, "0 1");
	machines[0].knows_packages = machines[0].knows_cores = false;
	nobody();
	executor("a", "n", &machines[1], 1);
	executor("b", "m", &machines[0], 1);
	CHECK_TEXT(plan(BINDING_CORE), "0 0-1");
	CHECK(result == BINDING_PARTLY);
	CHECK_TEXT(why.text, "executor b does not know its cores");
	plan(BINDING_SOCKET);
	CHECK_TEXT(why.text, "executor b does not know its sockets");
	plan(BINDING_NUMA);
	CHECK(result == BINDING_DONE);
}

static void without_a_topology_nothing_is_planned(void)
{
	nobody();
	executor("a", "n", machine(0, "0 1"), 1);
	executor("b", "m", NULL, 1);
	CHECK_TEXT(plan(BINDING_NUMA), " ");
	CHECK(result == BINDING_UNKNOWN);
	CHECK_TEXT(why.text, "the topology of executor b is not known");
}

RUN_TESTS(TEST(ranks_take_the_cores_in_their_order),
	  TEST(executors_of_one_node_do_not_share_a_core),
	  TEST(a_rank_moves_for_one_that_has_no_other_core),
	  TEST(halves_of_a_core_are_one_core),
	  TEST(with_too_few_cores_no_rank_of_the_node_has_one),
	  TEST(a_socket_gets_ranks_by_its_cores),
	  TEST(one_numa_node_is_all_that_there_is),
	  TEST(what_a_machine_does_not_tell_its_ranks_are_not_bound_to),
	  TEST(without_a_topology_nothing_is_planned))
