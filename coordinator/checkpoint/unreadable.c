/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/unreadable.h"

#include "base/cleanup.h"
#include "coordinator/checkpoint/store_internal.h"

#include <errno.h>

enum { FOLDER_MAX = 32, WHICH_MAX = 200 };

/* The files of bad; if the adapter does not know bad, the files that stand in
 * its place. */
static int find_files(const struct checkpoint_store *store,
		      const struct checkpoint *bad, struct names *out,
		      struct error *err)
{
	if (!store_app_keeps_previous(store))
		bad = NULL;
	else if (bad->mark == 0)
		return 0;
	return store_file_names(store, bad, out, err);
}

static bool is_there(const struct checkpoint_store *store, const char *name)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", store_dir(store), name);
	return access(path, F_OK) == 0;
}

static void describe(const struct checkpoint_store *store,
		     const struct names *names, char text[WHICH_MAX])
{
	const char *first = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < names->n; i++) {
		if (!is_there(store, names->at[i]))
			continue;
		first = first ? first : names->at[i];
		n++;
	}
	if (n == 0)
		snprintf(text, WHICH_MAX, "the checkpoint in %.150s",
			 store_dir(store));
	else if (n == 1)
		snprintf(text, WHICH_MAX, "checkpoint %.120s/%.60s",
			 store_dir(store), first);
	else
		snprintf(text, WHICH_MAX,
			 "checkpoint %.100s/%.60s, of %u files,",
			 store_dir(store), first, n);
}

static void find_free_folder(const struct checkpoint_store *store,
			     char name[FOLDER_MAX])
{
	unsigned n = 1;

	do {
		snprintf(name, FOLDER_MAX, "unreadable-%u", n++);
	} while (store_has_folder(store, name));
}

static int set_aside(struct checkpoint_store *store, const struct names *names,
		     char name[FOLDER_MAX], struct error *err)
{
	char to[STORE_PATH_MAX];
	int r;

	checkpoint_store_abandon_copy(store);
	if (!names_any(names, store_dir(store)))
		return error_set(err, -ENOENT,
				 "the adapter does not name its files");
	find_free_folder(store, name);
	r = store_make_folder(store, name, err);
	if (r < 0)
		return r;
	r = names_move(names, store_dir(store), store_folder(store, name, to),
		       err);
	if (r < 0) {
		names_move(names, to, store_dir(store), NULL);
		return r;
	}
	store_forget_habit(store);
	return 0;
}

bool unreadable_is_there(const struct checkpoint_store *store, int looked)
{
	CLEANUP(names_fini) struct names names = {0};

	if (store_app_keeps_previous(store))
		return false;
	return looked == -EBADMSG ||
	       (store_file_names(store, NULL, &names, NULL) == 0 &&
		names_any(&names, store_dir(store)));
}

void unreadable_settle(struct unreadable *out, struct checkpoint_store *store,
		       const struct checkpoint *bad)
{
	CLEANUP(names_fini) struct names names = {0};
	char which[WHICH_MAX], folder[FOLDER_MAX];
	struct error err;
	int r = find_files(store, bad, &names, &err);

	*out = (struct unreadable){0};
	describe(store, &names, which);
	if (!store->job->begins_anew) {
		snprintf(out->text, sizeof(out->text),
			 "%s cannot be read, and no older one is kept that can "
			 "be; put a copy of it back, or let the job begin anew "
			 "with checkpoint.unreadable: begin",
			 which);
		return;
	}
	if (r == 0)
		r = set_aside(store, &names, folder, &err);
	out->begins_anew = r == 0;
	if (r == 0)
		snprintf(out->text, sizeof(out->text),
			 "%s cannot be read, and no older one is kept that can "
			 "be; it is now in " ADAPTER_KEPT "/%s",
			 which, folder);
	else
		snprintf(out->text, sizeof(out->text),
			 "%s cannot be read, and is not moved away: %.100s; "
			 "move it away to begin anew",
			 which, err.text);
}
