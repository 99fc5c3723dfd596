/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_PROCESSORS_H
#define EXECUTOR_PROCESSORS_H

/*
 * The processors that the executor may use
 *
 * They are read when it begins, and told when it joins.  A cpuset or an
 * affinity may change while it runs, so each heartbeat looks at them, and a
 * change is reported: the coordinator plans the next start by it.
 */

struct executor;

void processors_begin(struct executor *ex);
void processors_look(struct executor *ex);
void processors_end(struct executor *ex);

#endif
