/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "coordinator/checkpoint/keep_internal.h"

#include <errno.h>

/*
 * Going back to the checkpoint before
 *
 * The one that is no good is set aside first, by renaming; then the other one
 * is linked to its place, and only when it is whole there does it leave the
 * folder that it was kept in.  Whoever finds an aside/ knows that this was
 * broken off, and does it again.
 */

bool keep_is_damaged(int looked)
{
	return looked == 1 || looked == -EBADMSG;
}

static bool has_kept(const struct keep *keep)
{
	for (size_t i = 0; i < LENGTH(keep_slots); i++)
		if (keep_has_folder(keep, keep_slots[i]))
			return true;
	return false;
}

/* From folder to the checkpoint's place.  Nothing is lost if some stay. */
static int bring_back(struct keep *keep, const char *name, struct error *err)
{
	CLEANUP(names_fini) struct names names = {0};
	char from[KEEP_PATH_MAX];
	int r = names_below(&names, keep_folder(keep, name, from), err);

	if (r == 0 && names_any(&names, keep_dir(keep)))
		return error_set(err, -EEXIST, "there are others in %s",
				 keep_dir(keep));
	if (r == 0)
		r = names_move(&names, from, keep_dir(keep), err);
	if (r == 0)
		keep_remove_folder(keep, name);
	return r;
}

/* Puts the files of 1/ or 2/ back: 0, or what the adapter says of them. */
static int put_back(struct keep *keep, const char *slot, struct checkpoint *out,
		    struct error *err)
{
	CLEANUP(names_fini) struct names names = {0};
	char from[KEEP_PATH_MAX];
	int r = names_below(&names, keep_folder(keep, slot, from), err);

	if (r == 0)
		r = names_link(&names, from, keep_dir(keep), err);
	if (r == 0)
		r = keep_look(keep, out, err);
	if (r == 0) {
		keep_remove_folder(keep, slot);
	} else if (keep_is_damaged(r)) {
		names_remove(&names, keep_dir(keep), NULL);
		keep_remove_folder(keep, slot);
	} else if (names_move(&names, keep_dir(keep), from, NULL) == 0) {
		names_remove(&names, keep_dir(keep), NULL); /* links */
	}
	return r;
}

/* What was set aside, under another name. */
static bool is_aside(const struct keep *keep, const char *slot)
{
	CLEANUP(names_fini) struct names names = {0};
	char aside[KEEP_PATH_MAX], kept[KEEP_PATH_MAX];

	names_below(&names, keep_folder(keep, "aside", aside), NULL);
	return names_same(&names, aside, keep_folder(keep, slot, kept));
}

/* The newest that is kept: 0, or as keep_look(). */
static int take_kept(struct keep *keep, struct checkpoint *out,
		     struct error *err)
{
	int r = 1;

	keep_forget(keep);
	for (size_t i = 0; keep_is_damaged(r) && i < LENGTH(keep_slots); i++) {
		if (!keep_has_folder(keep, keep_slots[i]))
			continue;
		if (is_aside(keep, keep_slots[i]))
			keep_remove_folder(keep, keep_slots[i]);
		else
			r = put_back(keep, keep_slots[i], out, err);
	}
	return r;
}

/* What was broken off may have put some back; in the folder where they are kept
 * they are whole. */
static void unlink_kept(struct keep *keep)
{
	for (size_t i = 0; i < LENGTH(keep_slots); i++) {
		CLEANUP(names_fini) struct names names = {0};
		char kept[KEEP_PATH_MAX];

		keep_folder(keep, keep_slots[i], kept);
		if (names_below(&names, kept, NULL) == 0)
			names_unlink(&names, keep_dir(keep), kept);
	}
}

static int no_other(const struct keep *keep, struct error *err)
{
	return error_set(err, -ENOENT, "there is no other in %s",
			 keep_dir(keep));
}

static bool may_go_back(const struct keep *keep)
{
	return keep->job->adapter->files &&
	       (keep_stays(keep) || has_kept(keep));
}

int keep_go_back(struct keep *keep, const struct checkpoint *bad, bool doubted,
		 struct checkpoint *out, struct error *err)
{
	CLEANUP(names_fini) struct names names = {0};
	char aside[KEEP_PATH_MAX];
	int r;

	keep_give_up(keep);
	if (!may_go_back(keep))
		return no_other(keep, err);
	if (keep_has_folder(keep, "aside"))
		unlink_kept(keep);
	r = keep_names(keep, bad, &names, err);
	if (r == 0)
		r = keep_make_folder(keep, "aside", err);
	if (r < 0)
		return r;
	keep_folder(keep, "aside", aside);
	r = names_move(&names, keep_dir(keep), aside, err);
	if (r == 0)
		r = keep_stays(keep) ? keep_look(keep, out, err)
				     : take_kept(keep, out, err);
	if (r == 0) {
		keep_rename_folder(keep, "aside",
				   doubted ? "doubted" : "damaged");
		return 0;
	}
	bring_back(keep, "aside", NULL);
	return no_other(keep, err);
}

/* ---- what was only doubted ---- */

bool keep_is_doubted(const struct keep *keep)
{
	return keep_has_folder(keep, "doubted");
}

void keep_confirm(struct keep *keep)
{
	if (keep_is_doubted(keep))
		keep_rename_folder(keep, "doubted", "damaged");
}

/* What is in place becomes what is kept again. */
static int take_away(struct keep *keep, struct error *err)
{
	CLEANUP(names_fini) struct names names = {0};
	struct checkpoint now;
	char kept[KEEP_PATH_MAX];
	int r = keep_stays(keep) ? 1 : keep_look(keep, &now, err);

	if (r != 0)
		return r == 1 ? 0 : r;
	r = keep_names(keep, &now, &names, err);
	if (r == 0)
		r = keep_make_folder(keep, "1", err);
	if (r == 0)
		r = names_move(&names, keep_dir(keep),
			       keep_folder(keep, "1", kept), err);
	return r;
}

int keep_undo(struct keep *keep, struct error *err)
{
	int r = take_away(keep, err);

	return r < 0 ? r : bring_back(keep, "doubted", err);
}

/* ---- before the job begins ---- */

int keep_mend(struct keep *keep, struct error *err)
{
	CLEANUP(names_fini) struct names names = {0};
	bool broken_off = keep_has_folder(keep, "aside");
	struct checkpoint newest;
	int r = keep_look(keep, &newest, err);

	if (r == 0 && broken_off)
		keep_rename_folder(keep, "aside", "damaged");
	if (r == 0)
		return KEEP_FINE;
	if (!keep_is_damaged(r))
		return r;
	if (broken_off && keep_stays(keep))
		bring_back(keep, "aside", NULL);
	if (keep_stays(keep) || keep_names(keep, NULL, &names, NULL) < 0)
		return KEEP_FINE;
	if (!broken_off && !names_any(&names, keep_dir(keep)))
		return has_kept(keep) ? KEEP_EMPTY : KEEP_FINE;
	return keep_go_back(keep, NULL, false, &newest, NULL) == 0 ? KEEP_BACK
								   : KEEP_FINE;
}
