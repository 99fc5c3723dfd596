/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_TOPOLOGY_H
#define CORE_TOPOLOGY_H

/*
 * What an executor's machine is made of, as far as the executor may use it
 *
 * A domain is what one NUMA node and one package (a socket) have in common;
 * it has cores, and a core has one processor or, with hyperthreads, several.
 * Only processors that the executor may use are in it: a core that a cpuset
 * leaves in part has fewer than the machine gives it, and is one core still;
 * cores and domains of which nothing is left are not there.  A machine that
 * tells nothing of NUMA nodes has one, number 0.  A NUMA node without
 * processors of its own (memory alone) is no domain.
 *
 * It begins as zeroes, and is filled from the first domain to the last, each
 * with its cores.
 */

#include "base/error.h"
#include "core/processor_set.h"

enum { TOPOLOGY_DOMAINS_MAX = 64, TOPOLOGY_TEXT_MAX = 512 };

struct topology_core {
	uint16_t id; /* its lowest processor, whether usable or not: the same
		      * for each executor of the machine */
	uint16_t first, n; /* in processors */
};

struct topology_domain {
	unsigned package, node; /* physical numbers */
	uint64_t memory;        /* bytes of the node; 0: not known */
	bool whole; /* no affinity keeps the executor from processors of the
		     * package that are allowed to its container */
	unsigned first, n; /* in cores */
};

struct topology {
	bool knows_packages; /* false: all is package 0 */
	bool knows_cores;    /* false: each processor is taken for a core */
	uint64_t l2, l3;     /* bytes of one such cache; 0: none, not known */
	unsigned partial;    /* cores that a cpuset leaves in part */
	struct processor_set usable;
	struct topology_domain domains[TOPOLOGY_DOMAINS_MAX];
	struct topology_core cores[PROCESSORS_MAX];
	uint16_t processors[PROCESSORS_MAX];
	unsigned n_domains, n_cores, n_processors;
};

/* Adds a domain without cores, whatever it says of them.  -E2BIG, or -EINVAL
 * for one that is there. */
int topology_add_domain(struct topology *topology,
			const struct topology_domain *domain,
			struct error *err);

/* Adds a core to the newest domain.  -EINVAL if it has no processor, one that
 * is there already, or one that is lower than its id. */
int topology_add_core(struct topology *topology, unsigned id,
		      const struct processor_set *processors,
		      struct error *err);

/* -EINVAL unless it has a domain, each domain a core, and partial is a number
 * of these. */
int topology_check(const struct topology *topology, struct error *err);

/* The usable processors of a core, by its index. */
struct processor_set topology_core_set(const struct topology *topology,
				       unsigned core);

/* The domains of one package, of one NUMA node. */
enum topology_unit { TOPOLOGY_PACKAGE, TOPOLOGY_NODE };

/* The number of that unit which the domain belongs to. */
unsigned topology_number(const struct topology_domain *domain,
			 enum topology_unit unit);
/* Whether no domain before it belongs to the same unit. */
bool topology_is_first(const struct topology *topology, unsigned domain,
		       enum topology_unit unit);
unsigned topology_count(const struct topology *topology,
			enum topology_unit unit);
/* The usable processors of the unit of that number. */
struct processor_set topology_unit_set(const struct topology *topology,
				       enum topology_unit unit,
				       unsigned number);

/* "2 sockets, 2 NUMA nodes, 36 cores, processors 0-71", and a sentence about
 * each of what is not as usual.  Returns text; what does not fit is cut. */
const char *topology_text(const struct topology *topology,
			  char text[TOPOLOGY_TEXT_MAX]);

#endif
