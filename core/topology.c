/* SPDX-License-Identifier: Apache-2.0 */
#include "core/topology.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int topology_add_domain(struct topology *topology,
			const struct topology_domain *domain, struct error *err)
{
	struct topology_domain *new;

	if (topology->n_domains == TOPOLOGY_DOMAINS_MAX)
		return error_set(err, -E2BIG, "at most %d domains",
				 TOPOLOGY_DOMAINS_MAX);
	for (unsigned i = 0; i < topology->n_domains; i++)
		if (topology->domains[i].package == domain->package &&
		    topology->domains[i].node == domain->node)
			return error_set(
				err, -EINVAL,
				"package %u with NUMA node %u is there "
				"twice",
				domain->package, domain->node);
	new = &topology->domains[topology->n_domains++];
	new->package = domain->package;
	new->node = domain->node;
	new->memory = domain->memory;
	new->whole = domain->whole;
	new->first = topology->n_cores;
	return 0;
}

int topology_add_core(struct topology *topology, unsigned id,
		      const struct processor_set *processors, struct error *err)
{
	int at = processor_set_next(processors, 0);
	struct topology_core *new;

	if (at == NO_PROCESSOR)
		return error_set(err, -EINVAL, "core %u has no processor", id);
	if (id > (unsigned)at)
		return error_set(err, -EINVAL,
				 "core %u has processor %d; it is named by its "
				 "lowest",
				 id, at);
	if (processor_set_overlaps(&topology->usable, processors))
		return error_set(err, -EINVAL,
				 "core %u has a processor of another core", id);
	processor_set_join(&topology->usable, processors);
	new = &topology->cores[topology->n_cores++];
	*new = (struct topology_core){
		.id = (uint16_t)id, .first = (uint16_t)topology->n_processors};
	for (; at != NO_PROCESSOR;
	     at = processor_set_next(processors, (unsigned)at + 1), new->n++)
		topology->processors[topology->n_processors++] = (uint16_t)at;
	topology->domains[topology->n_domains - 1].n++;
	return 0;
}

int topology_check(const struct topology *topology, struct error *err)
{
	for (unsigned i = 0; i < topology->n_domains; i++)
		if (topology->domains[i].n == 0)
			return error_set(err, -EINVAL, "domain %u has no core",
					 i);
	if (topology->partial > topology->n_cores)
		return error_set(err, -EINVAL,
				 "partial: %u cores, of %u that are there",
				 topology->partial, topology->n_cores);
	return topology->n_domains > 0
		       ? 0
		       : error_set(err, -EINVAL, "it has no domain");
}

struct processor_set topology_core_set(const struct topology *topology,
				       unsigned core)
{
	const struct topology_core *at = &topology->cores[core];
	struct processor_set set = {0};

	for (unsigned i = 0; i < at->n; i++)
		processor_set_add(&set, topology->processors[at->first + i]);
	return set;
}

unsigned topology_number(const struct topology_domain *domain,
			 enum topology_unit unit)
{
	return unit == TOPOLOGY_PACKAGE ? domain->package : domain->node;
}

bool topology_is_first(const struct topology *topology, unsigned domain,
		       enum topology_unit unit)
{
	const struct topology_domain *at = topology->domains;

	for (unsigned i = 0; i < domain; i++)
		if (topology_number(&at[i], unit) ==
		    topology_number(&at[domain], unit))
			return false;
	return true;
}

unsigned topology_count(const struct topology *topology,
			enum topology_unit unit)
{
	unsigned n = 0;

	for (unsigned i = 0; i < topology->n_domains; i++)
		n += topology_is_first(topology, i, unit);
	return n;
}

struct processor_set topology_unit_set(const struct topology *topology,
				       enum topology_unit unit, unsigned number)
{
	struct processor_set set = {0};

	for (unsigned i = 0; i < topology->n_domains; i++) {
		const struct topology_domain *domain = &topology->domains[i];

		if (topology_number(domain, unit) != number)
			continue;
		for (unsigned j = 0; j < domain->n; j++) {
			const struct processor_set core =
				topology_core_set(topology, domain->first + j);

			processor_set_join(&set, &core);
		}
	}
	return set;
}

/* ---- for people ---- */

static void say(char text[TOPOLOGY_TEXT_MAX], size_t *n, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void say(char text[TOPOLOGY_TEXT_MAX], size_t *n, const char *fmt, ...)
{
	va_list args;
	int more;

	va_start(args, fmt);
	more = vsnprintf(text + *n, TOPOLOGY_TEXT_MAX - *n, fmt, args);
	va_end(args);
	*n += (size_t)more;
	if (*n >= TOPOLOGY_TEXT_MAX)
		*n = TOPOLOGY_TEXT_MAX - 1;
}

static void say_number(char text[TOPOLOGY_TEXT_MAX], size_t *n, unsigned number,
		       const char *what)
{
	say(text, n, "%s%u %s%s", *n ? ", " : "", number, what,
	    number == 1 ? "" : "s");
}

const char *topology_text(const struct topology *topology,
			  char text[TOPOLOGY_TEXT_MAX])
{
	char list[PROCESSOR_SET_TEXT_MAX];
	unsigned nodes = topology_count(topology, TOPOLOGY_NODE);
	size_t n = 0;

	say_number(text, &n, topology_count(topology, TOPOLOGY_PACKAGE),
		   "socket");
	say_number(text, &n, nodes, "NUMA node");
	say_number(text, &n, topology->n_cores, "core");
	say(text, &n, ", processors %.200s",
	    processor_set_text(&topology->usable, list));
	if (!topology->knows_packages)
		say(text, &n, "; which sockets it has is not known");
	if (!topology->knows_cores)
		say(text, &n, "; each processor is taken for a core");
	if (topology->n_processors > topology->n_cores)
		say(text, &n, "; a core with several processors counts once");
	if (topology->partial > 0)
		say(text, &n, "; a cpuset leaves %u of the cores in part",
		    topology->partial);
	return text;
}
