/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_BINDING_H
#define CORE_BINDING_H

/*
 * Which processors each rank of a layout is to be bound to
 *
 * Executors of one node share its processors, whichever of them each may use.
 *
 * By core: each rank has a core of its own, the first that is free in the order
 * of its executor's topology; ranks of other executors move to other cores if
 * that is what it takes.  If the node has too few, none of its ranks is bound
 * to a core: a rank that shares one with another would hold up all.
 *
 * By socket, by NUMA node: each rank may run on all cores of one of them, the
 * one that has the fewest ranks for its cores; ranks share it.
 *
 * A rank that is not bound may use all processors that its executor may.
 */

#include "base/error.h"
#include "core/layout.h"
#include "core/processor_set.h"

enum binding_unit { BINDING_CORE, BINDING_SOCKET, BINDING_NUMA };

enum binding_result {
	BINDING_DONE,    /* each rank is bound as asked for */
	BINDING_PARTLY,  /* ranks of some nodes are not */
	BINDING_UNKNOWN, /* nothing is planned: a topology is not known */
};

/* planned: of each rank, layout->ranks of them; the caller's.  why: of the
 * first executor that is not DONE. */
enum binding_result binding_plan(struct processor_set *planned,
				 const struct layout *layout,
				 const struct ledger *ledger,
				 enum binding_unit unit, struct error *why);

/* "core", "socket", "NUMA node" */
const char *binding_unit_name(enum binding_unit unit);

#endif
