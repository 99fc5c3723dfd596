/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_READY_H
#define EXECUTOR_READY_H

/*
 * A file that says that this executor can run ranks
 *
 * It is there while the executor is attached, was found fit for the job, and is
 * not about to leave: for a probe of Kubernetes, `test -e FILE`.
 */

#include "base/error.h"

struct executor;

/* Takes away one that another life has left, and looks whether there can be
 * one: 0 or -errno with a sentence. */
int ready_begin(const char *path, struct error *err);

/* Makes or removes it as things are now; nothing without --ready. */
void ready_tell(struct executor *ex);

#endif
