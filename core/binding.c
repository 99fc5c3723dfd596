/* SPDX-License-Identifier: Apache-2.0 */
#include "core/binding.h"

#include "core/topology.h"

#include <string.h>

enum { NOBODY = -1 };

/* The executors of one node, those of the layout that have that of a place. */
struct node {
	const struct layout *layout;
	const struct ledger *ledger;
	struct processor_set *planned; /* by rank */
	const char *name;
	/* By the number of a core: */
	int rank[PROCESSORS_MAX];  /* that has it, or NOBODY */
	int place[PROCESSORS_MAX]; /* of that rank */
	bool seen[PROCESSORS_MAX]; /* in the search at hand */
};

/* Ranks of one socket or NUMA node. */
struct load {
	unsigned number, ranks;
};

static const struct member *member_at(const struct layout *layout,
				      const struct ledger *ledger, int place)
{
	return &ledger->members[layout->places[place].member];
}

static const struct topology *topology_at(const struct node *node, int place)
{
	return member_at(node->layout, node->ledger, place)->topology;
}

static bool is_on(const struct node *node, int place)
{
	return strcmp(member_at(node->layout, node->ledger, place)->node,
		      node->name) == 0;
}

/* ---- by core ---- */

static void take(struct node *node, int place, int rank, unsigned core)
{
	const struct topology *topology = topology_at(node, place);
	unsigned id = topology->cores[core].id;

	node->rank[id] = rank;
	node->place[id] = place;
	node->planned[rank] = topology_core_set(topology, core);
}

/* Finds the rank a core that is free, or one whose rank can have another. */
static bool find_core(struct node *node, int place, int rank)
{
	const struct topology *topology = topology_at(node, place);

	for (unsigned i = 0; i < topology->n_cores; i++)
		if (node->rank[topology->cores[i].id] == NOBODY) {
			take(node, place, rank, i);
			return true;
		}
	for (unsigned i = 0; i < topology->n_cores; i++) {
		unsigned id = topology->cores[i].id;

		if (node->seen[id])
			continue;
		node->seen[id] = true;
		if (find_core(node, node->place[id], node->rank[id])) {
			take(node, place, rank, i);
			return true;
		}
	}
	return false;
}

static bool bind_to_cores(struct node *node)
{
	for (int i = 0; i < PROCESSORS_MAX; i++)
		node->rank[i] = NOBODY;
	for (unsigned rank = 0; rank < node->layout->ranks; rank++) {
		int place = node->layout->place_of[rank];

		if (!is_on(node, place))
			continue;
		memset(node->seen, 0, sizeof(node->seen));
		if (!find_core(node, place, (int)rank))
			return false;
	}
	return true;
}

/* ---- by socket or NUMA node ---- */

static struct load *find_load(struct load *loads, unsigned *n, unsigned number)
{
	for (unsigned i = 0; i < *n; i++)
		if (loads[i].number == number)
			return &loads[i];
	/* more than the processors of a node cannot be */
	if (*n == PROCESSORS_MAX)
		return &loads[0];
	loads[*n] = (struct load){.number = number};
	return &loads[(*n)++];
}

static unsigned cores_of(const struct topology *topology,
			 enum topology_unit unit, unsigned number)
{
	unsigned n = 0;

	for (unsigned i = 0; i < topology->n_domains; i++)
		if (topology_number(&topology->domains[i], unit) == number)
			n += topology->domains[i].n;
	return n;
}

/* The one that has the fewest ranks for its cores, this one counted. */
static struct load *find_least(const struct topology *topology,
			       enum topology_unit unit, struct load *loads,
			       unsigned *n)
{
	struct load *least = NULL;
	uint64_t least_cores = 0;

	for (unsigned i = 0; i < topology->n_domains; i++) {
		unsigned number = topology_number(&topology->domains[i], unit);
		uint64_t cores = cores_of(topology, unit, number);
		struct load *at = find_load(loads, n, number);

		if (!least || (at->ranks + 1) * least_cores <
				      (least->ranks + 1) * cores) {
			least = at;
			least_cores = cores;
		}
	}
	return least;
}

static void bind_to_units(struct node *node, enum topology_unit unit)
{
	struct load loads[PROCESSORS_MAX];
	unsigned n = 0;

	for (unsigned rank = 0; rank < node->layout->ranks; rank++) {
		int place = node->layout->place_of[rank];
		const struct topology *topology = topology_at(node, place);
		struct load *least;

		if (!is_on(node, place))
			continue;
		least = find_least(topology, unit, loads, &n);
		least->ranks++;
		node->planned[rank] =
			topology_unit_set(topology, unit, least->number);
	}
}

/* ---- the nodes ---- */

static void leave_free(struct node *node)
{
	for (unsigned rank = 0; rank < node->layout->ranks; rank++) {
		int place = node->layout->place_of[rank];

		if (is_on(node, place))
			node->planned[rank] = topology_at(node, place)->usable;
	}
}

static bool knows_unit(const struct topology *topology, enum binding_unit unit)
{
	switch (unit) {
	case BINDING_CORE:
		return topology->knows_cores;
	case BINDING_SOCKET:
		return topology->knows_packages;
	case BINDING_NUMA: /* there is always one */
		return true;
	}
	return false;
}

/* The first place of the node whose executor does not know; NOBODY: each does.
 */
static int find_ignorant(const struct node *node, enum binding_unit unit)
{
	for (int i = 0; i < node->layout->n; i++)
		if (is_on(node, i) && !knows_unit(topology_at(node, i), unit))
			return i;
	return NOBODY;
}

static void describe_crowd(const struct node *node, int place,
			   struct error *why)
{
	struct processor_set cores = {0};
	unsigned ranks = 0, executors = 0;

	for (int i = place; i < node->layout->n; i++) {
		const struct topology *topology;

		if (!is_on(node, i))
			continue;
		topology = topology_at(node, i);
		executors++;
		ranks += node->layout->places[i].ranks;
		for (unsigned j = 0; j < topology->n_cores; j++)
			processor_set_add(&cores, topology->cores[j].id);
	}
	error_describe(why, "executor %s%s: %u ranks have %u core%s",
		       member_at(node->layout, node->ledger, place)->name,
		       executors > 1 ? " and those that share its processors"
				     : "",
		       ranks, processor_set_count(&cores),
		       processor_set_count(&cores) == 1 ? "" : "s");
}

/* place: the first one of the node.  False: its ranks are not bound. */
static bool bind_node(struct node *node, int place, enum binding_unit unit,
		      struct error *why)
{
	int ignorant = find_ignorant(node, unit);

	if (ignorant != NOBODY) {
		error_describe(
			why, "executor %s does not know its %ss",
			member_at(node->layout, node->ledger, ignorant)->name,
			binding_unit_name(unit));
	} else if (unit != BINDING_CORE) {
		bind_to_units(node, unit == BINDING_SOCKET ? TOPOLOGY_PACKAGE
							   : TOPOLOGY_NODE);
		return true;
	} else if (bind_to_cores(node)) {
		return true;
	} else {
		describe_crowd(node, place, why);
	}
	leave_free(node);
	return false;
}

static bool is_first_of_node(const struct layout *layout,
			     const struct ledger *ledger, int place)
{
	for (int i = 0; i < place; i++)
		if (strcmp(member_at(layout, ledger, i)->node,
			   member_at(layout, ledger, place)->node) == 0)
			return false;
	return true;
}

enum binding_result binding_plan(struct processor_set *planned,
				 const struct layout *layout,
				 const struct ledger *ledger,
				 enum binding_unit unit, struct error *why)
{
	struct node node = {
		.layout = layout, .ledger = ledger, .planned = planned};
	enum binding_result result = BINDING_DONE;
	struct error other;

	for (int i = 0; i < layout->n; i++)
		if (!member_at(layout, ledger, i)->topology) {
			error_describe(why,
				       "the topology of executor %s is not "
				       "known",
				       member_at(layout, ledger, i)->name);
			return BINDING_UNKNOWN;
		}
	for (int i = 0; i < layout->n; i++) {
		if (!is_first_of_node(layout, ledger, i))
			continue;
		node.name = member_at(layout, ledger, i)->node;
		if (bind_node(&node, i, unit,
			      result == BINDING_DONE ? why : &other))
			continue;
		result = BINDING_PARTLY;
	}
	return result;
}

const char *binding_unit_name(enum binding_unit unit)
{
	static const char *const names[] = {
		[BINDING_CORE] = "core",
		[BINDING_SOCKET] = "socket",
		[BINDING_NUMA] = "NUMA node",
	};

	return names[unit];
}
