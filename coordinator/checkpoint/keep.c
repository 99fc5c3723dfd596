/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/keep_internal.h"

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
#include <sys/statvfs.h>

enum { CP_WORDS = 16 };

/* ---- what keep_back.c needs too ---- */

const char *const keep_slots[KEEP_SLOTS] = {"1", "2"};

const char *keep_dir(const struct keep *keep)
{
	return keep->job->app.checkpoint_dir;
}

int keep_look(const struct keep *keep, struct checkpoint *out,
	      struct error *err)
{
	return keep->job->adapter->checkpoint(&keep->job->app, out, err);
}

const char *keep_folder(const struct keep *keep, const char *name,
			char path[KEEP_PATH_MAX])
{
	snprintf(path, KEEP_PATH_MAX, "%s/%s", keep->root, name);
	return path;
}

bool keep_has_folder(const struct keep *keep, const char *name)
{
	char path[KEEP_PATH_MAX];

	return access(keep_folder(keep, name, path), F_OK) == 0;
}

void keep_remove_folder(const struct keep *keep, const char *name)
{
	char path[KEEP_PATH_MAX];

	tree_remove_path(keep_folder(keep, name, path), NULL);
}

int keep_rename_folder(const struct keep *keep, const char *from,
		       const char *to)
{
	char old[KEEP_PATH_MAX], new[KEEP_PATH_MAX];

	keep_remove_folder(keep, to);
	return rename(keep_folder(keep, from, old),
		      keep_folder(keep, to, new)) < 0
		       ? -errno
		       : 0;
}

int keep_make_folder(const struct keep *keep, const char *name,
		     struct error *err)
{
	char path[KEEP_PATH_MAX];

	if (mkdir(keep->root, 0700) < 0 && errno != EEXIST)
		return error_errno(err, "%s", keep->root);
	if (mkdir(keep_folder(keep, name, path), 0700) < 0 && errno != EEXIST)
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

int keep_names(const struct keep *keep, const struct checkpoint *of,
	       struct names *out, struct error *err)
{
	const struct adapter *adapter = keep->job->adapter;
	struct gathering to = {out, err};

	if (!adapter->files)
		return 0;
	return adapter->files(&keep->job->app, of, gather, &to, err);
}

bool keep_stays(const struct keep *keep)
{
	return keep->job->adapter->former == FORMER_STAYS;
}

/* ---- how the application writes ---- */

static ino_t inode_of(const struct keep *keep, const char *name)
{
	char path[2 * PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", keep_dir(keep), name);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static void forget_seen(struct keep *keep)
{
	for (size_t i = 0; i < keep->n_seen; i++)
		free(keep->seen[i].name);
	keep->n_seen = 0;
}

static ino_t seen_before(const struct keep *keep, const char *name)
{
	for (size_t i = 0; i < keep->n_seen; i++)
		if (strcmp(keep->seen[i].name, name) == 0)
			return keep->seen[i].inode;
	return 0;
}

/* A file that is the same by now was written in place, and one is enough;
 * replaced is what has become another one, every file of it. */
static void learn(struct keep *keep, const struct names *names)
{
	size_t n = names->n < KEEP_SEEN_MAX ? names->n : KEEP_SEEN_MAX;
	bool same = false;
	struct keep_seen now[KEEP_SEEN_MAX];
	size_t k = 0, others = 0;

	for (size_t i = 0; i < n; i++) {
		ino_t inode = inode_of(keep, names->at[i]);
		ino_t before = seen_before(keep, names->at[i]);

		same |= inode != 0 && before == inode;
		others += inode != 0 && before != 0 && before != inode;
		now[k].name = strdup(names->at[i]);
		now[k].inode = inode;
		k += now[k].name != NULL;
	}
	if (same)
		keep->habit = HABIT_IN_PLACE;
	else if (others > 0 && others == names->n &&
		 keep->habit == HABIT_UNKNOWN)
		keep->habit = HABIT_REPLACES;
	forget_seen(keep);
	memcpy(keep->seen, now, k * sizeof(*now));
	keep->n_seen = k;
}

/* ---- making another ---- */

static void on_made(void *user, pid_t pid, int status);

/* What it says is nobody's: that it failed is seen by its exit status. */
static int begin_cp(struct keep *keep, const struct names *names,
		    struct error *err)
{
	CLEANUP(close) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	char to[KEEP_PATH_MAX];
	const char *const head[] = {
		"nice",
		"-n",
		"19",
		"cp",
		"--dereference",
		"--preserve=mode,timestamps",
		"--parents",
		keep->linking ? "--link" : "--reflink=auto",
		"-t",
		keep_folder(keep, "new", to),
		"--",
	};
	CLEANUP(free)
	const char **argv = calloc(CP_WORDS + names->n, sizeof(*argv));
	struct spawn child = {.argv = argv,
			      .dir = keep_dir(keep),
			      .in = -1,
			      .out = null,
			      .err = null,
			      .on_parent_death = SIGKILL};
	int r;

	if (!argv)
		return error_set(err, -ENOMEM, "out of memory");
	memcpy(argv, head, sizeof(head));
	for (size_t i = 0; i < names->n; i++)
		argv[LENGTH(head) + i] = names->at[i];
	r = spawn(&child, &keep->child, err);
	if (r == 0)
		r = loop_child_add(keep->loop, keep->child, on_made, keep, err);
	if (r < 0)
		keep->child = 0;
	return r;
}

static int make_new(struct keep *keep, const struct names *names,
		    struct error *err)
{
	int r;

	keep_remove_folder(keep, "new");
	r = keep_make_folder(keep, "new", err);
	return r < 0 ? r : begin_cp(keep, names, err);
}

static void tell_unkept(struct keep *keep, const char *why)
{
	char text[400];

	if (keep->told)
		return;
	keep->told = true;
	snprintf(text, sizeof(text),
		 "a second checkpoint is not kept in %.150s: %.200s",
		 keep_dir(keep), why);
	keep->fn(keep->user, text);
}

static bool find_left(const struct keep *keep, uint64_t *left)
{
	struct statvfs st;

	if (statvfs(keep_dir(keep), &st) < 0)
		return false;
	*left = (uint64_t)st.f_bavail * st.f_frsize;
	return true;
}

/* Beside it there has to be room for the application's next one. */
static bool has_room(struct keep *keep, uint64_t bytes)
{
	char why[128];
	uint64_t left;

	if (keep->linking || !find_left(keep, &left) || left / 2 >= bytes)
		return true;
	snprintf(why, sizeof(why),
		 "%" PRIu64 " MiB are free, and a copy would take %" PRIu64,
		 left >> 20, bytes >> 20);
	tell_unkept(keep, why);
	return false;
}

static void make(struct keep *keep, const struct checkpoint *now,
		 const struct names *names)
{
	struct error err;

	if (!has_room(keep, now->bytes) || make_new(keep, names, &err) == 0)
		return;
	keep_remove_folder(keep, "new");
	tell_unkept(keep, err.text);
}

/* By a coordinator before this one; a link to what is written in place is no
 * other checkpoint. */
static bool is_kept(const struct keep *keep, const struct names *names)
{
	const char *dir = keep_dir(keep);
	char kept[KEEP_PATH_MAX];

	keep_folder(keep, "1", kept);
	return names_alike(names, dir, kept) ||
	       (keep->habit != HABIT_IN_PLACE && names_same(names, dir, kept));
}

/* Links to what was written in place after all: neither the one before nor
 * this one. */
static void drop_links(struct keep *keep, const struct names *names)
{
	char kept[KEEP_PATH_MAX];

	for (size_t i = 0; i < LENGTH(keep_slots); i++)
		if (names_shared(names, keep_dir(keep),
				 keep_folder(keep, keep_slots[i], kept)))
			keep_remove_folder(keep, keep_slots[i]);
}

void keep_note(struct keep *keep)
{
	CLEANUP(names_fini) struct names names = {0};
	struct checkpoint now;

	if (!keep->copies || keep->child != 0 ||
	    keep_look(keep, &now, NULL) != 0 || now.mark == keep->noted ||
	    now.mark == keep->tried || keep_names(keep, &now, &names, NULL) < 0)
		return;
	keep->tried = now.mark;
	if (keep->learnt != now.mark)
		learn(keep, &names);
	keep->learnt = now.mark;
	if (keep->habit == HABIT_IN_PLACE &&
	    keep->job->adapter->former != FORMER_REPLACED)
		drop_links(keep, &names);
	if (is_kept(keep, &names)) {
		keep->noted = now.mark;
		return;
	}
	keep->linking = !keep->no_links &&
			(keep->job->adapter->former == FORMER_REPLACED ||
			 keep->habit == HABIT_REPLACES);
	make(keep, &now, &names);
}

void keep_watch(struct keep *keep)
{
	struct checkpoint now;
	bool settled;

	if (!keep->copies || keep_look(keep, &now, NULL) != 0)
		return;
	settled = now.mark == keep->watched;
	keep->watched = now.mark;
	if (settled)
		keep_note(keep);
}

static void rotate(struct keep *keep)
{
	if (keep_has_folder(keep, "1"))
		keep_rename_folder(keep, "1", "2");
	if (keep_rename_folder(keep, "new", "1") == 0)
		keep->noted = keep->tried;
	keep->told = false;
}

static void on_made(void *user, pid_t pid, int status)
{
	struct keep *keep = user;
	struct checkpoint now;
	bool linked = keep->linking;

	keep->child = 0;
	if (status == 0 && keep_look(keep, &now, NULL) == 0 &&
	    now.mark == keep->tried) {
		rotate(keep);
		return;
	}
	keep_remove_folder(keep, "new");
	if (status == 0)
		return; /* another one is there by now */
	if (linked) {
		keep->no_links = true;
		keep->tried = 0;
		keep_note(keep);
		return;
	}
	tell_unkept(keep, "it cannot be copied");
}

void keep_give_up(struct keep *keep)
{
	if (keep->child == 0)
		return;
	kill(keep->child, SIGKILL);
	loop_child_remove(keep->loop, keep->child);
	keep->child = 0;
	keep->tried = 0;
	keep_remove_folder(keep, "new");
}

void keep_forget(struct keep *keep)
{
	keep->noted = keep->tried = keep->learnt = keep->watched = 0;
	forget_seen(keep);
}

void keep_yield(struct keep *keep, uint64_t bytes)
{
	uint64_t left;

	keep_give_up(keep);
	if (!keep->copies || !keep_has_folder(keep, "2") ||
	    !find_left(keep, &left) || left > bytes + bytes / 8)
		return;
	keep_remove_folder(keep, "2");
	tell_unkept(keep, "there is no room for three while one is written");
}

void keep_clear(struct keep *keep)
{
	keep_give_up(keep);
	if (keep->copies)
		tree_remove_path(keep->root, NULL);
	keep->noted = 0;
}

/* ---- life ---- */

int keep_create(struct keep **out, struct loop *loop, const struct jobfile *job,
		keep_f fn, void *user, struct error *err)
{
	struct keep *keep = calloc(1, sizeof(*keep));

	if (!keep)
		return error_set(err, -ENOMEM, "out of memory");
	keep->loop = loop;
	keep->job = job;
	keep->fn = fn;
	keep->user = user;
	keep->copies = job->adapter->files && !job->checkpoint_keep_one &&
		       !keep_stays(keep);
	snprintf(keep->root, sizeof(keep->root), "%.4000s/" ADAPTER_KEPT,
		 job->app.checkpoint_dir);
	*out = keep;
	return 0;
}

struct keep *keep_destroy(struct keep *keep)
{
	if (!keep)
		return NULL;
	keep_give_up(keep);
	forget_seen(keep);
	free(keep);
	return NULL;
}
