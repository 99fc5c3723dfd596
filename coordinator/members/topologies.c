/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/members/topologies.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct kept_topology {
	struct list link;
	unsigned users;
	struct topology topology;
};

/* ---- from an executor ---- */

static int read_core(struct topology *out,
		     const Bellows__V1__TopologyCore *from, struct error *err)
{
	struct processor_set set;

	if (!processor_set_parse(&set, from->processors))
		return error_set(err, -EINVAL,
				 "processors: \"%.40s\" is no list of numbers "
				 "below %d",
				 from->processors, PROCESSORS_MAX);
	return topology_add_core(out, from->id, &set, err);
}

static int read_domain(struct topology *out,
		       const Bellows__V1__TopologyDomain *from,
		       struct error *err)
{
	const struct topology_domain domain = {
		.package = from->package,
		.node = from->node,
		.memory = from->memory,
		.whole = from->whole,
	};
	int r = topology_add_domain(out, &domain, err);

	for (size_t i = 0; r == 0 && i < from->n_core; i++) {
		r = read_core(out, from->core[i], err);
		if (r < 0)
			error_wrap(err, r, "core %zu", i);
	}
	return r;
}

int topology_from_wire(struct topology *out, const Bellows__V1__Topology *from,
		       struct error *err)
{
	int r = 0;

	memset(out, 0, sizeof(*out));
	out->knows_packages = from->packages;
	out->knows_cores = from->cores;
	out->l2 = from->l2;
	out->l3 = from->l3;
	out->partial = from->partial;
	for (size_t i = 0; r == 0 && i < from->n_domain; i++) {
		r = read_domain(out, from->domain[i], err);
		if (r < 0)
			error_wrap(err, r, "domain %zu", i);
	}
	if (r == 0)
		r = topology_check(out, err);
	return r < 0 ? error_wrap(err, -EINVAL, "topology") : 0;
}

/* ---- kept ---- */

const struct topology *topologies_keep(struct list *topologies,
				       const struct topology *topology)
{
	struct kept_topology *kept;

	list_for_each (at, topologies) {
		kept = CONTAINER(at, struct kept_topology, link);
		if (memcmp(&kept->topology, topology, sizeof(*topology)) == 0) {
			kept->users++;
			return &kept->topology;
		}
	}
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		return NULL;
	kept->users = 1;
	memcpy(&kept->topology, topology, sizeof(*topology));
	list_append(topologies, &kept->link);
	return &kept->topology;
}

static void drop(struct kept_topology *kept)
{
	list_remove(&kept->link);
	free(kept);
}

void topologies_release(struct list *topologies,
			const struct topology *topology)
{
	list_for_each (at, topologies) {
		struct kept_topology *kept =
			CONTAINER(at, struct kept_topology, link);

		if (&kept->topology == topology && --kept->users == 0)
			drop(kept);
	}
}

void topologies_clear(struct list *topologies)
{
	list_for_each (at, topologies)
		drop(CONTAINER(at, struct kept_topology, link));
}
