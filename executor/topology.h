/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_TOPOLOGY_H
#define EXECUTOR_TOPOLOGY_H

/*
 * The topology of this machine, by hwloc
 *
 * hwloc leaves out what the cpuset of the control group forbids; what the
 * affinity forbids is left out here.
 */

#include "core/topology.h"
#include "proto/bellows.pb-c.h"

/* Reads the topology as far as these processors are in it.  synthetic: a
 * machine as hwloc describes it ("package:2 core:18 pu:1"); NULL: this one.
 * -E2BIG with a sentence if core/topology.h cannot hold it, -EINVAL if nothing
 * is left. */
int topology_read(struct topology *out, const char *synthetic,
		  const struct processor_set *usable, struct error *err);

/* What this machine leaves to this thread, as a message: to be freed with
 * bellows__v1__topology__free_unpacked().  NULL: it is not known, and the log
 * says why.  usable: the processors. */
Bellows__V1__Topology *
topology_of_this_machine(const struct processor_set *usable);

/* The message, to be freed with bellows__v1__topology__free_unpacked(); NULL
 * without memory. */
Bellows__V1__Topology *topology_to_wire(const struct topology *topology);

#endif
