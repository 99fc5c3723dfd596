/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/store_internal.h"

#include "base/cleanup.h"
#include "base/list.h"
#include "base/tree.h"
#include "loop/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what rollback.c needs too ---- */

const char *const store_slots[STORE_SLOTS] = {"1", "2"};

const char *store_dir(const struct checkpoint_store *store)
{
	return store->job->app.checkpoint_dir;
}

int store_look(const struct checkpoint_store *store, struct checkpoint *out,
	       struct error *err)
{
	return store->job->adapter->checkpoint(&store->job->app, out, err);
}

const char *store_folder(const struct checkpoint_store *store, const char *name,
			 char path[STORE_PATH_MAX])
{
	snprintf(path, STORE_PATH_MAX, "%s/%s", store->root, name);
	return path;
}

bool store_has_folder(const struct checkpoint_store *store, const char *name)
{
	char path[STORE_PATH_MAX];

	return access(store_folder(store, name, path), F_OK) == 0;
}

void store_remove_folder(const struct checkpoint_store *store, const char *name)
{
	char path[STORE_PATH_MAX];

	tree_remove_path(store_folder(store, name, path), NULL);
}

int store_rename_folder(const struct checkpoint_store *store, const char *from,
			const char *to)
{
	char old[STORE_PATH_MAX], new[STORE_PATH_MAX];

	store_remove_folder(store, to);
	return rename(store_folder(store, from, old),
		      store_folder(store, to, new)) < 0
		       ? -errno
		       : 0;
}

int store_make_folder(const struct checkpoint_store *store, const char *name,
		      struct error *err)
{
	char path[STORE_PATH_MAX];

	if (mkdir(store->root, 0700) < 0 && errno != EEXIST)
		return error_errno(err, "%s", store->root);
	if (mkdir(store_folder(store, name, path), 0700) < 0 && errno != EEXIST)
		return error_errno(err, "%s", path);
	return 0;
}

struct gathering {
	struct names *names;
	struct error *err;
};

static int gather(void *user, const char *name)
{
	const struct gathering *to = user;

	return names_add(to->names, name, to->err);
}

int store_file_names(const struct checkpoint_store *store,
		     const struct checkpoint *of, struct names *out,
		     struct error *err)
{
	const struct adapter *adapter = store->job->adapter;
	struct gathering to = {out, err};

	if (!adapter->files)
		return 0;
	return adapter->files(&store->job->app, of, gather, &to, err);
}

bool store_app_keeps_previous(const struct checkpoint_store *store)
{
	return store->job->adapter->former == FORMER_STAYS;
}

/* ---- how the application writes ---- */

static ino_t inode_of(const struct checkpoint_store *store, const char *name)
{
	char path[2 * PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", store_dir(store), name);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static void forget_seen(struct checkpoint_store *store)
{
	for (size_t i = 0; i < store->n_seen; i++)
		free(store->seen[i].name);
	store->n_seen = 0;
}

static ino_t seen_before(const struct checkpoint_store *store, const char *name)
{
	for (size_t i = 0; i < store->n_seen; i++)
		if (strcmp(store->seen[i].name, name) == 0)
			return store->seen[i].inode;
	return 0;
}

/* A file that is the same by now was written in place, and one is enough;
 * replaced is what has become another one, every file of it. */
static void learn(struct checkpoint_store *store, const struct names *names)
{
	size_t n = names->n < STORE_SEEN_MAX ? names->n : STORE_SEEN_MAX;
	bool same = false;
	struct checkpoint_store_seen now[STORE_SEEN_MAX];
	size_t k = 0, others = 0;

	for (size_t i = 0; i < n; i++) {
		ino_t inode = inode_of(store, names->at[i]);
		ino_t before = seen_before(store, names->at[i]);

		same |= inode != 0 && before == inode;
		others += inode != 0 && before != 0 && before != inode;
		now[k].name = strdup(names->at[i]);
		now[k].inode = inode;
		k += now[k].name != NULL;
	}
	if (same)
		store->habit = HABIT_IN_PLACE;
	else if (others > 0 && others == names->n &&
		 store->habit == HABIT_UNKNOWN)
		store->habit = HABIT_REPLACES;
	forget_seen(store);
	memcpy(store->seen, now, k * sizeof(*now));
	store->n_seen = k;
}

/* ---- making another ---- */

static void on_made(void *user, pid_t pid, int status);

/* Its output is dropped: its exit status shows a failure. */
static int begin_child(struct checkpoint_store *store, const char *dir,
		       const char *const *head, size_t n,
		       const struct names *names, struct error *err)
{
	CLEANUP(close) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	CLEANUP(free)
	const char **argv = calloc(n + names->n + 1, sizeof(*argv));
	struct spawn child = {.argv = argv,
			      .dir = dir,
			      .in = -1,
			      .out = null,
			      .err = null,
			      .on_parent_death = SIGKILL};
	int r;

	if (!argv)
		return error_set(err, -ENOMEM, "out of memory");
	memcpy(argv, head, n * sizeof(*head));
	for (size_t i = 0; i < names->n; i++)
		argv[n + i] = names->at[i];
	r = spawn(&child, &store->child, err);
	if (r == 0)
		r = loop_child_add(store->loop, store->child, on_made, store,
				   err);
	if (r < 0)
		store->child = 0;
	return r;
}

static int begin_cp(struct checkpoint_store *store, const struct names *names,
		    struct error *err)
{
	static const char *const ways[] = {
		[WAY_COPY] = "--reflink=auto",
		[WAY_SHARE] = "--reflink=always",
		[WAY_LINK] = "--link",
	};
	char to[STORE_PATH_MAX];
	const char *const head[] = {
		"nice",
		"-n",
		"19",
		"cp",
		"--dereference",
		"--preserve=mode,timestamps",
		"--parents",
		ways[store->way],
		"-t",
		store_folder(store, "new", to),
		"--",
	};

	store->since = loop_now();
	store->syncing = false;
	return begin_child(store, store_dir(store), head, LENGTH(head), names,
			   err);
}

/* A copy counts when it is on the disk. */
static int begin_sync(struct checkpoint_store *store, struct error *err)
{
	static const char *const head[] = {"nice", "-n", "19", "sync", "--"};
	CLEANUP(names_fini) struct names names = {0};
	char path[STORE_PATH_MAX];
	int r = names_below(&names, store_folder(store, "new", path), err);

	store->syncing = true;
	return r < 0 ? r
		     : begin_child(store, path, head, LENGTH(head), &names,
				   err);
}

static int make_new(struct checkpoint_store *store, const struct names *names,
		    struct error *err)
{
	int r;

	store_remove_folder(store, "new");
	r = store_make_folder(store, "new", err);
	return r < 0 ? r : begin_cp(store, names, err);
}

static void tell_unkept(struct checkpoint_store *store, const char *why)
{
	char text[400];

	if (store->told)
		return;
	store->told = true;
	snprintf(text, sizeof(text),
		 "a second checkpoint is not kept in %.150s: %.200s",
		 store_dir(store), why);
	store->fn(store->user, text);
}

static bool has_room(struct checkpoint_store *store, uint64_t bytes)
{
	char why[128];
	uint64_t left;

	if (store->way != WAY_COPY || store_has_room(store, bytes, &left))
		return true;
	snprintf(why, sizeof(why),
		 "%" PRIu64 " MiB are free, and a copy would take %" PRIu64,
		 left >> 20, bytes >> 20);
	tell_unkept(store, why);
	return false;
}

static void make(struct checkpoint_store *store, const struct checkpoint *now,
		 const struct names *names)
{
	struct error err;

	if (!has_room(store, now->bytes) || make_new(store, names, &err) == 0)
		return;
	store_remove_folder(store, "new");
	tell_unkept(store, err.text);
}

/* By a coordinator before this one; a link to what is written in place is no
 * other checkpoint. */
static bool is_kept(const struct checkpoint_store *store,
		    const struct names *names)
{
	const char *dir = store_dir(store);
	char kept[STORE_PATH_MAX];

	store_folder(store, "1", kept);
	return names_alike(names, dir, kept) ||
	       (store->habit != HABIT_IN_PLACE && names_same(names, dir, kept));
}

/* Links to what was written in place after all: neither the one before nor
 * this one. */
static void drop_links(struct checkpoint_store *store,
		       const struct names *names)
{
	char kept[STORE_PATH_MAX];

	for (size_t i = 0; i < LENGTH(store_slots); i++)
		if (names_shared(names, store_dir(store),
				 store_folder(store, store_slots[i], kept)))
			store_remove_folder(store, store_slots[i]);
}

void checkpoint_store_keep(struct checkpoint_store *store)
{
	CLEANUP(names_fini) struct names names = {0};
	struct checkpoint now;

	if (!store->copies || store->child != 0 ||
	    store_look(store, &now, NULL) != 0 || now.mark == store->noted ||
	    now.mark == store->tried ||
	    store_file_names(store, &now, &names, NULL) < 0)
		return;
	store->tried = now.mark;
	if (store->learnt != now.mark)
		learn(store, &names);
	store->learnt = now.mark;
	if (store->habit == HABIT_IN_PLACE &&
	    store->job->adapter->former != FORMER_REPLACED)
		drop_links(store, &names);
	if (is_kept(store, &names)) {
		store->noted = now.mark;
		return;
	}
	store->way = store_choose_way(store, now.bytes);
	store->bytes = now.bytes;
	make(store, &now, &names);
}

void checkpoint_store_keep_settled(struct checkpoint_store *store)
{
	struct checkpoint now;
	bool settled;

	if (!store->copies || store_look(store, &now, NULL) != 0)
		return;
	settled = now.mark == store->watched;
	store->watched = now.mark;
	if (settled)
		checkpoint_store_keep(store);
}

/* The ranks compute, and their heartbeats are not to wait for a disk.  A power
 * cut that loses these names leaves the newest checkpoint where it is, and an
 * older one in 1/. */
static void rotate(struct checkpoint_store *store)
{
	if (store_has_folder(store, "1"))
		store_rename_folder(store, "1", "2");
	if (store_rename_folder(store, "new", "1") == 0) {
		store->noted = store->tried;
		store_announce(store);
	}
	store->told = false;
}

static void on_made(void *user, pid_t pid, int status)
{
	struct checkpoint_store *store = user;
	struct checkpoint now;
	struct error err;

	store->child = 0;
	if (status == 0 && store->way != WAY_LINK && !store->syncing) {
		if (begin_sync(store, &err) == 0)
			return;
		store_remove_folder(store, "new");
		tell_unkept(store, err.text);
		return;
	}
	if (status == 0 && store_look(store, &now, NULL) == 0 &&
	    now.mark == store->tried) {
		rotate(store);
		return;
	}
	store_remove_folder(store, "new");
	if (status == 0)
		return; /* another one is there by now */
	if (store->way != WAY_COPY) {
		if (store->way == WAY_LINK)
			store->no_links = true;
		else
			store->no_sharing = true;
		store->tried = 0;
		checkpoint_store_keep(store);
		return;
	}
	tell_unkept(store, "it cannot be copied");
}

void checkpoint_store_abandon_copy(struct checkpoint_store *store)
{
	if (store->child == 0)
		return;
	kill(store->child, SIGKILL);
	loop_child_remove(store->loop, store->child);
	store->child = 0;
	store->tried = 0;
	store_remove_folder(store, "new");
}

void store_forget_habit(struct checkpoint_store *store)
{
	store->noted = store->tried = store->learnt = store->watched = 0;
	forget_seen(store);
}

void checkpoint_store_make_room(struct checkpoint_store *store, uint64_t bytes)
{
	uint64_t left;

	checkpoint_store_abandon_copy(store);
	if (!store->copies || !store_has_folder(store, "2"))
		return;
	store_has_room(store, bytes, &left);
	if (left > bytes + bytes / 8)
		return;
	store_remove_folder(store, "2");
	tell_unkept(store, "there is no room for three while one is written");
}

void checkpoint_store_clear(struct checkpoint_store *store)
{
	static const char *const folders[] = {"1",     "2",       "new",
					      "aside", "suspect", "damaged"};

	checkpoint_store_abandon_copy(store);
	for (size_t i = 0; store->copies && i < LENGTH(folders); i++)
		store_remove_folder(store, folders[i]);
	if (store->copies)
		rmdir(store->root);
	store->noted = 0;
}

/* ---- life ---- */

int checkpoint_store_create(struct checkpoint_store **out, struct loop *loop,
			    const struct jobfile *job, checkpoint_store_f fn,
			    void *user, struct error *err)
{
	struct checkpoint_store *store = calloc(1, sizeof(*store));

	if (!store)
		return error_set(err, -ENOMEM, "out of memory");
	store->loop = loop;
	store->job = job;
	store->fn = fn;
	store->user = user;
	store->copies = job->adapter->files && !job->checkpoint_keep_one &&
			!store_app_keeps_previous(store);
	snprintf(store->root, sizeof(store->root), "%.4000s/" ADAPTER_KEPT,
		 job->app.checkpoint_dir);
	*out = store;
	return 0;
}

struct checkpoint_store *
checkpoint_store_destroy(struct checkpoint_store *store)
{
	if (!store)
		return NULL;
	checkpoint_store_abandon_copy(store);
	forget_seen(store);
	free(store);
	return NULL;
}
