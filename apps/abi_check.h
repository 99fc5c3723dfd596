/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_ABI_CHECK_H
#define APPS_ABI_CHECK_H

#include "apps/adapter.h"

/* Whether an adapter of unknown origin is as apps/adapter.h wants it: its ABI
 * first, and nothing else if that is another one; then its name and the
 * functions that are not optional.  0 or -EINVAL with a sentence. */
int abi_check(const struct adapter *adapter, struct error *err);

#endif
