/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_MEMBERS_TOPOLOGIES_H
#define COORDINATOR_MEMBERS_TOPOLOGIES_H

/*
 * The topologies of the executors in the ledger
 *
 * Executors on machines that are alike share one, so that thousands of them
 * take little memory.
 */

#include "base/list.h"
#include "core/topology.h"
#include "proto/bellows.pb-c.h"

/* Reads what an executor says of its machine; -EINVAL with a sentence that
 * names the field. */
int topology_from_wire(struct topology *out, const Bellows__V1__Topology *from,
		       struct error *err);

/* topologies: of struct kept_topology.  Returns one equal to it that stays
 * until it is released, or NULL without memory. */
const struct topology *topologies_keep(struct list *topologies,
				       const struct topology *topology);
/* NULL: nothing is done. */
void topologies_release(struct list *topologies,
			const struct topology *topology);
void topologies_clear(struct list *topologies);

#endif
