/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/store_internal.h"

#include "base/log.h"
#include "base/text.h"

#include <sys/statvfs.h>

/*
 * How a checkpoint is kept: a copy, a copy that shares its blocks, or links
 */

/* Why, as a text after "kept as ...". */
enum reason { UNKNOWN, IN_PLACE, NO_LINKS, SMALL, SHARED, LINKED };

static bool is_replaced(const struct checkpoint_store *store)
{
	return store->job->adapter->former == FORMER_REPLACED ||
	       store->habit == HABIT_REPLACES;
}

bool store_has_room(const struct checkpoint_store *store, uint64_t bytes,
		    uint64_t *left)
{
	struct statvfs st;

	*left = UINT64_MAX;
	if (statvfs(store_dir(store), &st) == 0)
		*left = (uint64_t)st.f_bavail * st.f_frsize;
	return *left / 2 >= bytes;
}

enum store_way store_choose_way(const struct checkpoint_store *store,
				uint64_t bytes)
{
	uint64_t left;

	if (!is_replaced(store) ||
	    (bytes <= STORE_SMALL && store_has_room(store, bytes, &left)))
		return WAY_COPY;
	if (!store->no_sharing)
		return WAY_SHARE;
	return store->no_links ? WAY_COPY : WAY_LINK;
}

static enum reason reason_of(const struct checkpoint_store *store)
{
	if (store->way == WAY_SHARE)
		return SHARED;
	if (store->way == WAY_LINK)
		return LINKED;
	if (is_replaced(store))
		return store->bytes <= STORE_SMALL ? SMALL : NO_LINKS;
	return store->habit == HABIT_IN_PLACE ? IN_PLACE : UNKNOWN;
}

void store_announce(struct checkpoint_store *store)
{
	static const char *const texts[] = {
		[UNKNOWN] = "a copy, for it is not known yet whether %s writes "
			    "it in place",
		[IN_PLACE] = "a copy, because %s writes it in place",
		[NO_LINKS] = "a copy, because the file system of %s has no "
			     "links",
		[SMALL] = "a copy, though %s replaces it, because it is small",
		[SHARED] = "a copy that shares its blocks until %s changes "
			   "them",
		[LINKED] = "hard links, because %s replaces its files",
	};
	enum reason reason = reason_of(store);
	char text[160];

	if (store->announced & 1u << reason)
		return;
	store->announced |= 1u << reason;
	snprintf(text, sizeof(text), texts[reason], store->job->adapter->name);
	log_info("the checkpoint is kept as %s: %.1f MB in %s", text,
		 (double)store->bytes / 1e6,
		 text_pause(loop_now() - store->since).s);
}
