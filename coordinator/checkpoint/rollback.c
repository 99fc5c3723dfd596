/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "coordinator/checkpoint/store_internal.h"

#include <errno.h>

/*
 * Going back to the checkpoint before
 *
 * The one that is no good is set aside first, by renaming; then the other one
 * is linked to its place, and only when it is whole there does it leave the
 * folder that it was kept in.  A coordinator that finds an aside/ knows that
 * this was broken off, and does it again.  Each checkpoint's new names are on
 * the disk before its old ones are removed, so a power cut loses none.
 */

bool checkpoint_is_damaged(int looked)
{
	return looked == 1 || looked == -EBADMSG;
}

static bool has_kept(const struct checkpoint_store *store)
{
	for (size_t i = 0; i < LENGTH(store_slots); i++)
		if (store_has_folder(store, store_slots[i]))
			return true;
	return false;
}

/* From folder to the checkpoint's place.  Nothing is lost if some stay. */
static int bring_back(struct checkpoint_store *store, const char *name,
		      struct error *err)
{
	CLEANUP(names_fini) struct names names = {0};
	char from[STORE_PATH_MAX];
	int r = names_below(&names, store_folder(store, name, from), err);

	if (r == 0 && names_any(&names, store_dir(store)))
		return error_set(err, -EEXIST, "there are others in %s",
				 store_dir(store));
	if (r == 0)
		r = names_move(&names, from, store_dir(store), err);
	if (r == 0)
		r = names_sync(&names, store_dir(store), err);
	if (r == 0)
		store_remove_folder(store, name);
	return r;
}

/* Puts the files of 1/ or 2/ back: 0, or what the adapter says of them. */
static int put_back(struct checkpoint_store *store, const char *slot,
		    struct checkpoint *out, struct error *err)
{
	CLEANUP(names_fini) struct names names = {0};
	char from[STORE_PATH_MAX];
	int r = names_below(&names, store_folder(store, slot, from), err);

	if (r == 0)
		r = names_link(&names, from, store_dir(store), err);
	if (r == 0)
		r = names_sync(&names, store_dir(store), err);
	if (r == 0)
		r = store_look(store, out, err);
	if (r == 0) {
		store_remove_folder(store, slot);
	} else if (checkpoint_is_damaged(r)) {
		names_remove(&names, store_dir(store), NULL);
		store_remove_folder(store, slot);
	} else if (names_move(&names, store_dir(store), from, NULL) == 0) {
		names_remove(&names, store_dir(store), NULL); /* links */
	}
	return r;
}

/* What was set aside, under another name, or a copy of it as it is now.  A
 * large copy is not compared: ranks wait. */
static bool is_aside(const struct checkpoint_store *store, const char *slot)
{
	CLEANUP(names_fini) struct names names = {0};
	char aside[STORE_PATH_MAX], kept[STORE_PATH_MAX];

	names_below(&names, store_folder(store, "aside", aside), NULL);
	store_folder(store, slot, kept);
	return names_same(&names, aside, kept) ||
	       names_equal(&names, aside, kept, STORE_SMALL);
}

/* The newest that is kept: 0, or as store_look(). */
static int take_kept(struct checkpoint_store *store, struct checkpoint *out,
		     struct error *err)
{
	int r = 1;

	store_forget_habit(store);
	for (size_t i = 0; checkpoint_is_damaged(r) && i < LENGTH(store_slots);
	     i++) {
		if (!store_has_folder(store, store_slots[i]))
			continue;
		if (is_aside(store, store_slots[i]))
			store_remove_folder(store, store_slots[i]);
		else
			r = put_back(store, store_slots[i], out, err);
	}
	return r;
}

/* What was broken off may have put some back; in the folder where they are kept
 * they are whole. */
static void unlink_kept(struct checkpoint_store *store)
{
	for (size_t i = 0; i < LENGTH(store_slots); i++) {
		CLEANUP(names_fini) struct names names = {0};
		char kept[STORE_PATH_MAX];

		store_folder(store, store_slots[i], kept);
		if (names_below(&names, kept, NULL) == 0)
			names_unlink(&names, store_dir(store), kept);
	}
}

static int no_other(const struct checkpoint_store *store, struct error *err)
{
	return error_set(err, -ENOENT, "there is no other in %s",
			 store_dir(store));
}

bool checkpoint_store_may_go_back(const struct checkpoint_store *store)
{
	return store->job->adapter->files &&
	       (store_app_keeps_previous(store) || has_kept(store));
}

int checkpoint_store_roll_back(struct checkpoint_store *store,
			       const struct checkpoint *bad, bool suspect,
			       struct checkpoint *out, struct error *err)
{
	CLEANUP(names_fini) struct names names = {0};
	char aside[STORE_PATH_MAX];
	int r;

	checkpoint_store_abandon_copy(store);
	if (!checkpoint_store_may_go_back(store))
		return no_other(store, err);
	if (store_has_folder(store, "aside"))
		unlink_kept(store);
	r = store_file_names(store, bad, &names, err);
	if (r == 0)
		r = store_make_folder(store, "aside", err);
	if (r < 0)
		return r;
	store_folder(store, "aside", aside);
	r = names_move(&names, store_dir(store), aside, err);
	if (r == 0)
		r = names_sync(&names, aside, err);
	if (r == 0)
		r = store_app_keeps_previous(store)
			    ? store_look(store, out, err)
			    : take_kept(store, out, err);
	if (r == 0) {
		store_rename_folder(store, "aside",
				    suspect ? "suspect" : "damaged");
		return 0;
	}
	bring_back(store, "aside", NULL);
	return checkpoint_is_damaged(r) ? no_other(store, err) : r;
}

/* ---- what was only suspect ---- */

bool checkpoint_store_has_suspect(const struct checkpoint_store *store)
{
	return store_has_folder(store, "suspect");
}

void checkpoint_store_confirm_damage(struct checkpoint_store *store)
{
	if (checkpoint_store_has_suspect(store))
		store_rename_folder(store, "suspect", "damaged");
}

/* What is in place becomes what is kept again. */
static int take_away(struct checkpoint_store *store, struct error *err)
{
	CLEANUP(names_fini) struct names names = {0};
	struct checkpoint now;
	char kept[STORE_PATH_MAX];
	int r = store_app_keeps_previous(store) ? 1
						: store_look(store, &now, err);

	if (r != 0)
		return r == 1 ? 0 : r;
	r = store_file_names(store, &now, &names, err);
	if (r == 0)
		r = store_make_folder(store, "1", err);
	if (r == 0)
		r = names_move(&names, store_dir(store),
			       store_folder(store, "1", kept), err);
	return r < 0 ? r : names_sync(&names, kept, err);
}

int checkpoint_store_undo_rollback(struct checkpoint_store *store,
				   struct error *err)
{
	int r = take_away(store, err);

	return r < 0 ? r : bring_back(store, "suspect", err);
}

/* ---- before the job begins ---- */

int checkpoint_store_repair(struct checkpoint_store *store, struct error *err)
{
	CLEANUP(names_fini) struct names names = {0};
	bool broken_off = store_has_folder(store, "aside");
	struct checkpoint newest;
	int looked = store_look(store, &newest, err), r = looked;

	if (r == 0 && broken_off)
		store_rename_folder(store, "aside", "damaged");
	if (r == 0)
		return CHECKPOINT_FOUND;
	if (!checkpoint_is_damaged(r))
		return r;
	if (broken_off && store_app_keeps_previous(store))
		bring_back(store, "aside", NULL);
	if (store_app_keeps_previous(store) ||
	    store_file_names(store, NULL, &names, NULL) < 0)
		return CHECKPOINT_FOUND;
	if (looked == 1 && !broken_off && !names_any(&names, store_dir(store)))
		return has_kept(store) ? CHECKPOINT_ONLY_KEPT
				       : CHECKPOINT_FOUND;
	r = checkpoint_store_roll_back(store, NULL, false, &newest, err);
	if (r == 0)
		return CHECKPOINT_ROLLED_BACK;
	if (looked == 1) /* its first one may never have been whole */
		return CHECKPOINT_FOUND;
	return r == -ENOENT ? CHECKPOINT_UNREADABLE : r;
}
