/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CHECKPOINT_BED_H
#define TESTS_UNIT_CHECKPOINT_BED_H

/*
 * A checkpoint directory of an application of app: generic, and the checkpoint
 * store of it
 */

#include "apps/adapters.h"
#include "base/cleanup.h"
#include "coordinator/checkpoint/store.h"
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum { PATIENCE = 60000, LOOK_EVERY = 5 };

/* The checkpoint is the file "state" and all of parts/; an empty file is none.
 * What it says begins with its step, and with '!' if it is damaged. */
static const char *files[] = {"state", "parts/*", NULL};
static char told[512];

struct bed {
	char dir[64];
	struct adapter adapter;
	struct jobfile job;
	struct loop *loop;
	struct checkpoint_store *store;
	struct loop_timer timer;
	msec_t until;
	uint64_t bytes; /* that a checkpoint is said to have; 0: what it has */
	const char *awaited, *text; /* file, and what it is to say */
};

static struct bed bed;

static inline const char *below(const char *name)
{
	static char path[4][256];
	static int at;

	at = (at + 1) % 4;
	snprintf(path[at], sizeof(path[at]), "%s/%s", bed.dir, name);
	return path[at];
}

static inline const char *read_it(const char *name)
{
	static char text[2][64];
	static int at;
	FILE *f = fopen(below(name), "r");

	at = !at;
	text[at][0] = '\0';
	if (!f)
		return "(none)";
	if (!fgets(text[at], sizeof(text[at]), f))
		text[at][0] = '\0';
	fclose(f);
	return text[at];
}

static inline void put_in_place(const char *name, const char *text)
{
	FILE *f = fopen(below(name), "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		printf("# cannot write %s\n", name);
}

static inline void put_by_renaming(const char *name, const char *text)
{
	put_in_place("other", text);
	if (rename(below("other"), below(name)) < 0)
		printf("# cannot rename to %s\n", name);
}

static inline bool is_same(const char *one, const char *two)
{
	struct stat a, b;

	return stat(below(one), &a) == 0 && stat(below(two), &b) == 0 &&
	       a.st_ino == b.st_ino;
}

static inline bool is_there(const char *name)
{
	return access(below(name), F_OK) == 0;
}

static inline int look(const struct adapter_app *app, struct checkpoint *out,
		       struct error *err)
{
	int r = adapter_generic.checkpoint(app, out, err);

	if (r == 0 && read_it("state")[0] == '!')
		return error_set(err, -EBADMSG, "damaged");
	if (r == 0)
		out->step = strtoull(read_it("state"), NULL, 10);
	if (r == 0 && bed.bytes > 0)
		out->bytes = bed.bytes;
	return r;
}

static inline void on_unkept(void *user, const char *text)
{
	const char *why = strrchr(text, ':');

	snprintf(told, sizeof(told), "%s", text);
	put_in_place("told", why ? why + 2 : text);
}

static inline bool set_up(enum former_kind former)
{
	bed = (struct bed){.dir = "/tmp/store-XXXXXX"};
	told[0] = '\0';
	bed.adapter = adapter_generic;
	bed.adapter.former = former;
	bed.adapter.checkpoint = look;
	if (!mkdtemp(bed.dir) || mkdir(below("parts"), 0700) < 0)
		return false;
	put_in_place("parts/a", "a");
	bed.job.adapter = &bed.adapter;
	bed.job.app.files = files;
	bed.job.app.checkpoint_dir = bed.dir;
	return loop_create(&bed.loop, NULL) == 0 &&
	       checkpoint_store_create(&bed.store, bed.loop, &bed.job,
				       on_unkept, NULL, NULL) == 0;
}

static inline void tear_down(void)
{
	char command[128];

	checkpoint_store_destroy(bed.store);
	loop_destroy(bed.loop);
	snprintf(command, sizeof(command), "rm -rf %s", bed.dir);
	if (system(command) != 0)
		printf("# cannot remove %s\n", bed.dir);
}

static inline void await(void *user)
{
	bool is = strcmp(read_it(bed.awaited), bed.text) == 0;

	if (is || loop_now() > bed.until)
		loop_stop(bed.loop, is);
	else
		loop_timer_set(bed.loop, &bed.timer, LOOK_EVERY, await, NULL);
}

/* Until the file says that. */
static inline bool comes(const char *name, const char *text)
{
	bed.awaited = name;
	bed.text = text;
	bed.until = loop_now() + PATIENCE;
	loop_timer_set(bed.loop, &bed.timer, 0, await, NULL);
	return loop_run(bed.loop) == 1;
}

static inline bool keeps(const char *text)
{
	checkpoint_store_keep(bed.store);
	return comes(ADAPTER_KEPT "/1/state", text);
}

#endif
