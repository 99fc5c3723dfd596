/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/processors.h"

#include "base/log.h"
#include "executor/affinity.h"
#include "executor/executor.h"
#include "executor/topology.h"

void processors_begin(struct executor *ex)
{
	struct error err;

	if (affinity_read(&ex->usable, 0, &err) == 0)
		ex->topology = topology_of_this_machine(&ex->usable);
	else
		log_warn("the topology of this machine is not known: %s",
			 err.text);
}

static void report(struct executor *ex)
{
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	r.what_case = BELLOWS__V1__REPORT__WHAT_TOPOLOGY;
	r.topology = ex->topology;
	executor_report(ex, &r);
}

void processors_look(struct executor *ex)
{
	struct processor_set usable;
	struct error unused;

	if (!ex->topology || affinity_read(&usable, 0, &unused) < 0 ||
	    processor_set_equals(&usable, &ex->usable))
		return;
	processors_end(ex);
	processors_begin(ex);
	if (ex->topology)
		report(ex);
}

void processors_end(struct executor *ex)
{
	if (ex->topology)
		bellows__v1__topology__free_unpacked(ex->topology, NULL);
	ex->topology = NULL;
}
