/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/disk.h"

#include "base/disk.h"
#include "base/log.h"
#include "executor/tmpdir.h"
#include "loop/file_thread.h"
#include "rpc/copy.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define EVERY  SECONDS(10) /* and a look that takes as long is not answered */
#define AGAIN  SECONDS(2)  /* if it was not well */
#define REPORT SECONDS(1)  /* without an answer */

enum {
	/* What a start takes there: PMIx (4.2) shares two segments of 4 MiB
	 * with the ranks, whatever is in them. */
	ROOM = 9 << 20,
};

/* The thread's while it looks. */
struct look {
	char dir[PATH_MAX];
	int r;
	struct error err;
};

/* A report that waits for a look. */
struct held {
	struct list link;
	Bellows__V1__Report *report;
};

struct disk {
	struct executor *ex;
	struct file_thread *thread;
	struct file_call *look; /* under way; NULL: none */
	bool again;             /* after that one, which began too early */
	msec_t looked;
	char trouble[240]; /* as told; "": none */
	struct list held;
	struct loop_timer late;
};

/* ---- what waits ---- */

static void held_drop(struct held *held)
{
	list_remove(&held->link);
	bellows__v1__report__free_unpacked(held->report, NULL);
	free(held);
}

static void report_held(void *user)
{
	struct disk *disk = user;

	loop_timer_clear(&disk->late);
	list_for_each (at, &disk->held) {
		struct held *held = CONTAINER(at, struct held, link);

		executor_report(disk->ex, held->report);
		held_drop(held);
	}
}

static bool hold(struct disk *disk, const Bellows__V1__Report *r)
{
	struct held *held = calloc(1, sizeof(*held));

	if (held)
		held->report = (Bellows__V1__Report *)message_copy(&r->base);
	if (!held || !held->report) {
		free(held);
		return false;
	}
	list_append(&disk->held, &held->link);
	return true;
}

/* ---- looks ---- */

static void tell(struct disk *disk, const char *trouble)
{
	Bellows__V1__Disk what = BELLOWS__V1__DISK__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	if (strcmp(trouble, disk->trouble) == 0)
		return;
	snprintf(disk->trouble, sizeof(disk->trouble), "%s", trouble);
	if (*trouble)
		log_warn("%s", trouble);
	else
		log_info("the temporary directory can be written again");
	what.trouble = disk->trouble;
	r.what_case = BELLOWS__V1__REPORT__WHAT_DISK;
	r.disk = &what;
	executor_report(disk->ex, &r);
}

/* One that leaves gets none. */
static bool gets_starts(const struct disk *disk)
{
	return disk->ex->session == SESSION_ATTACHED;
}

static void work(void *data)
{
	struct look *look = data;

	/* what is its own may be gone though the rest is well */
	look->r = disk_try(look->dir, ROOM, false, &look->err);
}

static void begin_look(struct disk *disk);

/* What was removed is made again here: a look has just been answered. */
static void conclude(struct disk *disk, struct look *look)
{
	char trouble[sizeof(disk->trouble)] = "";
	int r = tmpdir_restore(disk->ex, &look->err);
	bool is_lost = tmpdir_is_lost(r);

	disk->again |= r > 0;
	if (r > 0)
		return;
	if (r == 0)
		r = look->r;
	if (r < 0)
		snprintf(trouble, sizeof(trouble), "temporary directory %.200s",
			 look->err.text);
	tell(disk, trouble);
	if (is_lost)
		executor_ask_for_release(disk->ex,
					 "no rank can be started here");
}

static void on_looked(void *owner, void *data)
{
	struct disk *disk = owner;

	disk->look = NULL;
	if (gets_starts(disk))
		conclude(disk, data);
	if (disk->again)
		begin_look(disk);
	else
		report_held(disk);
}

static void begin_look(struct disk *disk)
{
	struct look *look = calloc(1, sizeof(*look));

	disk->again = false;
	disk->looked = loop_now();
	if (look) {
		snprintf(look->dir, sizeof(look->dir), "%s",
			 disk->ex->tmpdir.path);
		disk->look = file_thread_do(disk->thread, work, on_looked, free,
					    disk, look);
	}
	if (!disk->look)
		report_held(disk);
}

void disk_look(struct disk *disk, bool now)
{
	msec_t pause = *disk->trouble ? AGAIN : EVERY;
	msec_t since = loop_now() - disk->looked;
	char trouble[sizeof(disk->trouble)];

	if (!gets_starts(disk))
		return;
	if (disk->look) {
		disk->again |= now;
		if (since < EVERY)
			return;
		snprintf(trouble, sizeof(trouble),
			 "temporary directory %.180s: it does not answer",
			 disk->ex->tmpdir.path);
		tell(disk, trouble);
		return;
	}
	if (now || since >= pause)
		begin_look(disk);
}

void disk_report(struct disk *disk, const Bellows__V1__Report *r)
{
	if (!gets_starts(disk) || !hold(disk, r)) {
		executor_report(disk->ex, (Bellows__V1__Report *)r);
		return;
	}
	if (!loop_timer_is_set(&disk->late))
		loop_timer_set(disk->ex->loop, &disk->late, REPORT, report_held,
			       disk);
	disk_look(disk, true);
}

void disk_forget(struct disk *disk)
{
	disk->look = file_call_abandon(disk->look);
	disk->again = false;
	disk->looked = 0;
	*disk->trouble = '\0';
	loop_timer_clear(&disk->late);
	list_for_each (at, &disk->held)
		held_drop(CONTAINER(at, struct held, link));
}

int disk_create(struct disk **out, struct executor *ex, struct error *err)
{
	struct disk *disk = calloc(1, sizeof(*disk));
	int r;

	if (!disk)
		return error_set(err, -ENOMEM, "out of memory");
	disk->ex = ex;
	list_init(&disk->held);
	r = file_thread_create(&disk->thread, ex->loop, err);
	if (r < 0) {
		free(disk);
		return r;
	}
	*out = disk;
	return 0;
}

struct disk *disk_destroy(struct disk *disk)
{
	if (!disk)
		return NULL;
	disk_forget(disk);
	file_thread_destroy(disk->thread);
	free(disk);
	return NULL;
}
