/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/disk.h"
#include "journal/journal_queue.h"
#include "tests/unit/desk.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * What a desk (desk.h) has in place of disks
 */

struct journal_queue {
	const struct journal_queue_ops *ops;
	void *user;
	uint64_t given, kept;
};

static char obstacle[256]; /* of executors' disks */

/* ---- the journal: what is put is kept at once, or held ---- */

static struct journal_queue *held; /* the one that has lines that wait */
static bool holds;

static void keep(struct journal_queue *queue)
{
	queue->kept = queue->given;
	queue->ops->kept(queue->user);
}

void desk_hold_journal(struct desk *desk, bool yes)
{
	struct journal_queue *queue = held;

	holds = yes;
	held = NULL;
	if (!yes && queue)
		keep(queue);
	driver_settle(desk->c->driver);
}

int journal_queue_create(struct journal_queue **out, struct loop *loop,
			 const char *path, const struct journal_end *end,
			 const struct journal_queue_ops *ops, void *user,
			 struct error *err)
{
	*out = calloc(1, sizeof(**out));
	assert(*out);
	(*out)->ops = ops;
	(*out)->user = user;
	return 0;
}

struct journal_queue *journal_queue_destroy(struct journal_queue *queue)
{
	free(queue);
	held = NULL;
	holds = false;
	return NULL;
}

int journal_queue_put(struct journal_queue *queue, const char *lines, size_t n)
{
	queue->given += n;
	if (holds)
		held = queue;
	else
		keep(queue);
	return 0;
}

uint64_t journal_queue_given(const struct journal_queue *queue)
{
	return queue->given;
}

uint64_t journal_queue_kept(const struct journal_queue *queue)
{
	return queue->kept;
}

/* ---- disks, which would be looked at by another program; what executors say
 * of theirs is believed ---- */

int disk_create(struct disk **out, struct loop *loop, const struct jobfile *job,
		const char *state, const char *bindir, disk_f fn, void *user,
		struct error *err)
{
	*out = NULL;
	*obstacle = '\0';
	return 0;
}

struct disk *disk_destroy(struct disk *disk)
{
	return NULL;
}

void disk_set_room(struct disk *disk, uint64_t bytes)
{
}

void disk_look(struct disk *disk)
{
}

void disk_visit(struct disk *disk, enum disk_place place,
		struct disk_visitor *visitor)
{
	visitor->fn(visitor->user);
}

const char *disk_obstacle(const struct disk *disk)
{
	return obstacle;
}

void disk_set(struct disk *disk, enum disk_place place, const char *text)
{
	if (place == DISK_EXECUTORS)
		snprintf(obstacle, sizeof(obstacle), "%s", text);
}

bool disk_is_well(const struct disk *disk, enum disk_place place)
{
	return true;
}

const char *disk_trouble(const struct disk *disk)
{
	return "";
}
