/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/disk.h"
#include "coordinator/journal/journal.h"
#include "loop/file_queue.h"
#include "tests/unit/desk.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * What a desk (desk.h) has in place of disks
 */

struct journal_file {
	int unused;
};

struct file_queue {
	struct file_queue_ops ops;
	void *owner, *state;
};

static char obstacle[256]; /* of executors' disks */

/* ---- the journal, which would be on a disk ---- */

int journal_file_open(struct journal_file **out, const char *path,
		      const char *program, const struct journal_end *end,
		      struct error *err)
{
	static struct journal_file file;

	*out = &file;
	return 0;
}

int journal_file_put_right(const char *path, struct journal_end *end,
			   struct error *err)
{
	return 0;
}

int journal_file_append(struct journal_file *file, const char *lines,
			size_t size, struct error *err)
{
	return 0;
}

off_t journal_file_size(const struct journal_file *file)
{
	return 0;
}

int journal_read(const char *path, journal_read_f fn, void *user,
		 struct journal_end *end, struct error *err)
{
	*end = (struct journal_end){0};
	return 0;
}

size_t journal_format(const struct journal_entry *entry,
		      char line[JOURNAL_LINE_MAX])
{
	return 1;
}

int journal_file_replace(struct journal_file *file, const char *lines,
			 size_t size, struct error *err)
{
	return 0;
}

struct journal_file *journal_file_close(struct journal_file *file)
{
	return NULL;
}

msec_t journal_wall_clock(void)
{
	return 0;
}

/* ---- the queue to it: what is put is written at once, or held ---- */

static struct file_queue *held; /* the one that has bytes that wait */
static size_t n_held;
static bool holds;

static void write_some(struct file_queue *queue, size_t n)
{
	queue->ops.write(queue->state, "", n);
	queue->ops.done(queue->owner, queue->state, n);
}

void desk_hold_journal(struct desk *desk, bool yes)
{
	size_t n = n_held;

	holds = yes;
	n_held = 0;
	if (!yes && n > 0)
		write_some(held, n);
	driver_settle(desk->c->driver);
}

int file_queue_create(struct file_queue **out, struct loop *loop,
		      const struct file_queue_ops *ops, void *owner,
		      void *state, struct error *err)
{
	*out = calloc(1, sizeof(**out));
	assert(*out);
	**out = (struct file_queue){*ops, owner, state};
	return 0;
}

struct file_queue *file_queue_destroy(struct file_queue *queue)
{
	if (queue)
		queue->ops.release(queue->state);
	free(queue);
	n_held = 0;
	holds = false;
	return NULL;
}

int file_queue_put(struct file_queue *queue, const void *head, size_t n_head,
		   const void *body, size_t n_body)
{
	held = queue;
	if (holds)
		n_held += n_head;
	else
		write_some(queue, n_head);
	return 0;
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
