/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_METHODS_H
#define SCHEDULER_METHODS_H

#include "scheduler/service.h"

enum { SCHEDULER_METHODS = 8 };

extern const struct rpc_method scheduler_methods[SCHEDULER_METHODS];

#endif
