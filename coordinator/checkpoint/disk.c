/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/checkpoint/disk.h"

#include "loop/spawn.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define EVERY  SECONDS(15) /* looks, if all is well, */
#define AGAIN  SECONDS(3)  /* and if not */
#define ANSWER SECONDS(10) /* of a look, after which it has failed */
#define TICK   SECONDS(1)

enum {
	LOOKED_AT = DISK_STATE + 1, /* places */
	STATE_ROOM = 1 << 20,
	CANNOT_RUN = 126, /* and more: it was not the directory */
};

/* clang-format off */
static const struct {
	const char *name, *well;
} places[] = {
	[DISK_CHECKPOINT] = { "checkpoint directory",
			      "the checkpoint directory can be written again" },
	[DISK_STATE]      = { "state directory",
			      "the state directory can be written again" },
	[DISK_OUTPUT]     = { "output files",
			      "what ranks print is written to files again" },
	[DISK_EXECUTORS]  = { "executor",
			      "the executors' directories can be written again" },
};
/* clang-format on */

struct look {
	struct disk *disk;
	enum disk_place place;
	const char *dir; /* borrowed */
	pid_t pid;       /* 0: none is under way */
	msec_t since;
	uint64_t room;
	struct list visitors; /* calls that wait for its answer */
};

struct disk {
	struct loop *loop;
	const char *bindir;
	disk_f fn;
	void *user;
	uint64_t room;
	struct look looks[LOOKED_AT];
	msec_t looked; /* last */
	struct loop_timer tick;
	char text[DISK_PLACES][DISK_TEXT_MAX];
};

void disk_set(struct disk *disk, enum disk_place place, const char *text)
{
	char *now = disk->text[place];

	if (strncmp(now, text, DISK_TEXT_MAX - 1) == 0)
		return;
	snprintf(now, DISK_TEXT_MAX, "%s", text);
	disk->fn(disk->user, *now ? now : places[place].well, !*now);
}

bool disk_is_well(const struct disk *disk, enum disk_place place)
{
	return !*disk->text[place];
}

const char *disk_trouble(const struct disk *disk)
{
	for (int i = 0; i < DISK_PLACES; i++)
		if (*disk->text[i])
			return disk->text[i];
	return "";
}

const char *disk_obstacle(const struct disk *disk)
{
	return *disk->text[DISK_STATE] ? disk->text[DISK_STATE]
				       : disk->text[DISK_EXECUTORS];
}

static void say(const struct look *look, const char *what)
{
	char text[DISK_TEXT_MAX];

	snprintf(text, sizeof(text), "%s %.120s: %.80s",
		 places[look->place].name, look->dir, what);
	disk_set(look->disk, look->place, text);
}

/* ---- looking ---- */

static void tell(struct look *look, int error)
{
	char what[128];

	if (error == 0) {
		disk_set(look->disk, look->place, "");
		return;
	}
	if (look->room == 0 || look->place != DISK_CHECKPOINT ||
	    (error != ENOSPC && error != EDQUOT))
		snprintf(what, sizeof(what), "%s", strerror(error));
	else
		snprintf(what, sizeof(what),
			 "%s; a checkpoint takes %" PRIu64 " KiB",
			 strerror(error), (look->room + 1023) / 1024);
	say(look, what);
}

static void let_in(struct look *look)
{
	struct list *last = look->visitors.prev, *at;
	bool more = last != &look->visitors;

	while (more) {
		struct disk_visitor *visitor;

		at = look->visitors.next;
		more = at != last; /* others come for the next answer */
		list_remove(at);
		visitor = CONTAINER(at, struct disk_visitor, link);
		visitor->fn(visitor->user);
	}
}

static void on_seen(void *user, pid_t pid, int status)
{
	struct look *look = user;
	int error = WIFEXITED(status) ? WEXITSTATUS(status) : CANNOT_RUN;

	look->pid = 0;
	if (error < CANNOT_RUN)
		tell(look, error);
	let_in(look);
}

static void start_look(struct look *look)
{
	char program[PATH_MAX], bytes[24];
	const char *const argv[] = {program, "--look", look->dir, bytes, NULL};
	const struct spawn child = {.argv = argv,
				    .in = -1,
				    .out = -1,
				    .err = -1,
				    .on_parent_death = SIGKILL};
	const struct disk *disk = look->disk;

	if (look->pid != 0)
		return;
	snprintf(program, sizeof(program), "%s/bellows-launch", disk->bindir);
	look->room = look->place == DISK_CHECKPOINT ? disk->room : STATE_ROOM;
	snprintf(bytes, sizeof(bytes), "%" PRIu64, look->room);
	look->since = loop_now();
	if (spawn(&child, &look->pid, NULL) < 0)
		look->pid = 0;
	else if (loop_child_add(disk->loop, look->pid, on_seen, look, NULL) < 0)
		look->pid = 0;
}

void disk_visit(struct disk *disk, enum disk_place place,
		struct disk_visitor *visitor)
{
	struct look *look = &disk->looks[place];

	if (list_is_empty(&visitor->link))
		list_append(&look->visitors, &visitor->link);
	start_look(look);
	if (look->pid == 0)
		let_in(look);
}

void disk_look(struct disk *disk)
{
	disk->looked = loop_now();
	for (int i = 0; i < LOOKED_AT; i++)
		start_look(&disk->looks[i]);
}

static void tick(void *user)
{
	struct disk *disk = user;
	msec_t now = loop_now();
	msec_t pause = *disk_trouble(disk) ? AGAIN : EVERY;

	for (int i = 0; i < LOOKED_AT; i++)
		if (disk->looks[i].pid != 0 &&
		    now - disk->looks[i].since > ANSWER)
			say(&disk->looks[i],
			    i == DISK_STATE
				    ? "it does not answer, and nothing is "
				      "decided until it does"
				    : "it does not answer");
	if (now - disk->looked >= pause)
		disk_look(disk);
	loop_timer_set(disk->loop, &disk->tick, TICK, tick, disk);
}

void disk_set_room(struct disk *disk, uint64_t bytes)
{
	disk->room = bytes;
}

/* ---- life ---- */

int disk_create(struct disk **out, struct loop *loop, const struct jobfile *job,
		const char *state, const char *bindir, disk_f fn, void *user,
		struct error *err)
{
	struct disk *disk = calloc(1, sizeof(*disk));

	if (!disk)
		return error_set(err, -ENOMEM, "out of memory");
	disk->loop = loop;
	disk->bindir = bindir;
	disk->fn = fn;
	disk->user = user;
	disk->looked = loop_now();
	for (int i = 0; i < LOOKED_AT; i++) {
		disk->looks[i] = (struct look){
			.disk = disk,
			.place = (enum disk_place)i,
			.dir = i == DISK_STATE ? state
					       : job->app.checkpoint_dir,
		};
		list_init(&disk->looks[i].visitors);
	}
	loop_timer_set(loop, &disk->tick, TICK, tick, disk);
	*out = disk;
	return 0;
}

struct disk *disk_destroy(struct disk *disk)
{
	if (!disk)
		return NULL;
	loop_timer_clear(&disk->tick);
	for (int i = 0; i < LOOKED_AT; i++)
		if (disk->looks[i].pid != 0) {
			kill(disk->looks[i].pid, SIGKILL);
			loop_child_remove(disk->loop, disk->looks[i].pid);
		}
	free(disk);
	return NULL;
}
