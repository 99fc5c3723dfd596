/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/abi_check.h"

#include <errno.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 40 };

#define LOWER "abcdefghijklmnopqrstuvwxyz"

static int fit_abi(const struct adapter *adapter, struct error *err)
{
	if (adapter->abi == ADAPTER_ABI)
		return 0;
	return error_set(err, -EINVAL,
			 "is for ABI %u of adapters, this program has ABI %u; "
			 "%s",
			 adapter->abi, ADAPTER_ABI,
			 adapter->abi < ADAPTER_ABI
				 ? "build it again with this Bellows' "
				   "bellows/adapter.h"
				 : "install the Bellows it was built for, or "
				   "build it again with the bellows/adapter.h "
				   "of this one");
}

static int fit_name(const char *name, struct error *err)
{
	size_t n;

	if (!name || !*name)
		return error_set(err, -EINVAL,
				 "its adapter has no name; 1 to %d of a-z, 0-9 "
				 "and -",
				 NAME_MAX_LENGTH);
	n = strspn(name, LOWER "0123456789-");
	if (name[n] == '\0' && n <= NAME_MAX_LENGTH && strchr(LOWER, name[0]))
		return 0;
	return error_set(err, -EINVAL,
			 "'%.60s' is no name of an adapter; 1 to %d of a-z, "
			 "0-9 and -, the first one a letter",
			 name, NAME_MAX_LENGTH);
}

int abi_check(const struct adapter *adapter, struct error *err)
{
	int r = fit_abi(adapter, err);
	const char *missing;

	if (r == 0)
		r = fit_name(adapter->name, err);
	if (r < 0)
		return r;
	missing = !adapter->command      ? "command"
		  : !adapter->save       ? "save"
		  : !adapter->checkpoint ? "checkpoint"
					 : NULL;
	if (!missing)
		return 0;
	return error_set(err, -EINVAL,
			 "its adapter '%s' lacks the function '%s', which is "
			 "not optional",
			 adapter->name, missing);
}
