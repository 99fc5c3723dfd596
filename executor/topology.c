/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/topology.h"

#include "base/cleanup.h"
#include "base/log.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

struct machine {
	hwloc_topology_t hwloc;
	hwloc_bitmap_t usable, left; /* left: in no domain yet */
	hwloc_bitmap_t domain, core; /* what is looked at */
	struct topology *out;
};

/* ---- from hwloc ---- */

static struct processor_set to_set(hwloc_const_bitmap_t bitmap)
{
	struct processor_set set = {0};
	int last = hwloc_bitmap_last(bitmap);

	for (int i = 0; i <= last; i++)
		if (hwloc_bitmap_isset(bitmap, (unsigned)i))
			processor_set_add(&set, (unsigned)i);
	return set;
}

/* The part of a core that is in the domain, if there is one. */
static int add_core(struct machine *at, hwloc_obj_t core, struct error *err)
{
	int id = hwloc_bitmap_first(core->complete_cpuset);
	struct processor_set set;

	hwloc_bitmap_and(at->core, core->cpuset, at->domain);
	if (hwloc_bitmap_iszero(at->core))
		return 0;
	set = to_set(at->core);
	at->out->partial +=
		!hwloc_bitmap_isequal(at->core, core->complete_cpuset);
	return topology_add_core(at->out, (unsigned)id, &set, err);
}

/* Of NUMA nodes that have the same processors the first one counts. */
static int add_domain(struct machine *at, hwloc_obj_t package, hwloc_obj_t node,
		      struct error *err)
{
	const hwloc_obj_type_t type =
		at->out->knows_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
	const struct topology_domain domain = {
		.package = at->out->knows_packages ? package->os_index : 0,
		.node = node->os_index,
		.memory = node->attr->numanode.local_memory,
		.whole = hwloc_bitmap_isincluded(package->cpuset, at->usable),
	};
	hwloc_obj_t core = NULL;
	int r;

	hwloc_bitmap_and(at->domain, package->cpuset, node->cpuset);
	hwloc_bitmap_and(at->domain, at->domain, at->left);
	if (hwloc_bitmap_iszero(at->domain))
		return 0;
	r = topology_add_domain(at->out, &domain, err);
	while (r == 0 &&
	       (core = hwloc_get_next_obj_by_type(at->hwloc, type, core)))
		r = add_core(at, core, err);
	hwloc_bitmap_andnot(at->left, at->left, at->domain);
	return r;
}

static int add_package(struct machine *at, hwloc_obj_t package,
		       struct error *err)
{
	hwloc_obj_t node = NULL;
	int r = 0;

	while (r == 0 && (node = hwloc_get_next_obj_by_type(
				  at->hwloc, HWLOC_OBJ_NUMANODE, node)))
		r = add_domain(at, package, node, err);
	return r;
}

static uint64_t cache_size(hwloc_topology_t hwloc, hwloc_obj_type_t type)
{
	hwloc_obj_t cache = hwloc_get_obj_by_type(hwloc, type, 0);

	return cache ? cache->attr->cache.size : 0;
}

static int fill(struct machine *at, const struct processor_set *usable,
		struct error *err)
{
	hwloc_obj_t package = NULL;
	int r = 0;

	for (int i = processor_set_next(usable, 0); i != NO_PROCESSOR;
	     i = processor_set_next(usable, (unsigned)i + 1))
		hwloc_bitmap_set(at->usable, (unsigned)i);
	hwloc_bitmap_copy(at->left, at->usable);
	at->out->knows_packages =
		hwloc_get_nbobjs_by_type(at->hwloc, HWLOC_OBJ_PACKAGE) > 0;
	at->out->knows_cores =
		hwloc_get_nbobjs_by_type(at->hwloc, HWLOC_OBJ_CORE) > 0;
	at->out->l2 = cache_size(at->hwloc, HWLOC_OBJ_L2CACHE);
	at->out->l3 = cache_size(at->hwloc, HWLOC_OBJ_L3CACHE);
	if (!at->out->knows_packages)
		r = add_package(at, hwloc_get_root_obj(at->hwloc), err);
	while (r == 0 && (package = hwloc_get_next_obj_by_type(
				  at->hwloc, HWLOC_OBJ_PACKAGE, package)))
		r = add_package(at, package, err);
	return r == 0 ? topology_check(at->out, err) : r;
}

/* hwloc's component x86 would move this thread from processor to processor to
 * find out what Linux has told already. */
static int load(hwloc_topology_t hwloc, const char *synthetic,
		struct error *err)
{
	if (synthetic && hwloc_topology_set_synthetic(hwloc, synthetic) < 0)
		return error_set(err, -EINVAL, "hwloc knows no machine \"%s\"",
				 synthetic);
	hwloc_topology_set_components(
		hwloc, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	return hwloc_topology_load(hwloc) == 0 ? 0 : error_errno(err, "hwloc");
}

int topology_read(struct topology *out, const char *synthetic,
		  const struct processor_set *usable, struct error *err)
{
	struct machine at = {.out = out};
	int r;

	*out = (struct topology){0};
	if (hwloc_topology_init(&at.hwloc) < 0)
		return error_errno(err, "hwloc");
	at.usable = hwloc_bitmap_alloc();
	at.left = hwloc_bitmap_alloc();
	at.domain = hwloc_bitmap_alloc();
	at.core = hwloc_bitmap_alloc();
	if (at.usable && at.left && at.domain && at.core)
		r = load(at.hwloc, synthetic, err);
	else
		r = error_set(err, -ENOMEM, "out of memory");
	if (r == 0)
		r = fill(&at, usable, err);
	hwloc_bitmap_free(at.usable);
	hwloc_bitmap_free(at.left);
	hwloc_bitmap_free(at.domain);
	hwloc_bitmap_free(at.core);
	hwloc_topology_destroy(at.hwloc);
	return r;
}

/* ---- to the coordinator ---- */

static Bellows__V1__TopologyCore *core_to_wire(const struct topology *topology,
					       unsigned core)
{
	const struct processor_set set = topology_core_set(topology, core);
	char text[PROCESSOR_SET_TEXT_MAX];
	Bellows__V1__TopologyCore *to = malloc(sizeof(*to));

	if (!to)
		return NULL;
	bellows__v1__topology_core__init(to);
	to->id = topology->cores[core].id;
	to->processors = strdup(processor_set_text(&set, text));
	return to;
}

static Bellows__V1__TopologyDomain *
domain_to_wire(const struct topology *topology,
	       const struct topology_domain *from)
{
	Bellows__V1__TopologyDomain *to = malloc(sizeof(*to));

	if (!to)
		return NULL;
	bellows__v1__topology_domain__init(to);
	to->package = from->package;
	to->node = from->node;
	to->memory = from->memory;
	to->whole = from->whole;
	to->core = calloc(from->n, sizeof(*to->core));
	while (to->core && to->n_core < from->n) {
		Bellows__V1__TopologyCore *core = core_to_wire(
			topology, from->first + (unsigned)to->n_core);

		if (!core)
			break;
		to->core[to->n_core++] = core;
	}
	return to;
}

static bool is_whole(const Bellows__V1__Topology *message,
		     const struct topology *topology)
{
	size_t cores = 0;

	for (size_t i = 0; i < message->n_domain; i++)
		for (size_t j = 0; j < message->domain[i]->n_core; j++)
			cores +=
				message->domain[i]->core[j]->processors != NULL;
	return cores == topology->n_cores;
}

Bellows__V1__Topology *topology_to_wire(const struct topology *topology)
{
	Bellows__V1__Topology *to = malloc(sizeof(*to));

	if (!to)
		return NULL;
	bellows__v1__topology__init(to);
	to->packages = topology->knows_packages;
	to->cores = topology->knows_cores;
	to->l2 = topology->l2;
	to->l3 = topology->l3;
	to->partial = topology->partial;
	to->domain = calloc(topology->n_domains, sizeof(*to->domain));
	while (to->domain && to->n_domain < topology->n_domains) {
		Bellows__V1__TopologyDomain *domain = domain_to_wire(
			topology, &topology->domains[to->n_domain]);

		if (!domain)
			break;
		to->domain[to->n_domain++] = domain;
	}
	if (is_whole(to, topology))
		return to;
	bellows__v1__topology__free_unpacked(to, NULL);
	return NULL;
}

Bellows__V1__Topology *
topology_of_this_machine(const struct processor_set *usable)
{
	CLEANUP(free) struct topology *topology = malloc(sizeof(*topology));
	char text[TOPOLOGY_TEXT_MAX];
	struct error err;

	if (!topology)
		return NULL;
	if (topology_read(topology, NULL, usable, &err) < 0) {
		log_warn("the topology of this machine is not known: %s",
			 err.text);
		return NULL;
	}
	log_info("this machine: %s", topology_text(topology, text));
	return topology_to_wire(topology);
}
