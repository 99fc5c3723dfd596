/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/programs.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/program.h"
#include "base/text.h"
#include "jobfile/exit.h"
#include "loop/spawn.h"
#include "runner/local/previous_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#define LOOK_AGAIN MSEC(100)

enum { TAIL = 1024 };

static void path_of(const struct programs *programs, const char *name,
		    char path[PATH_MAX + 16])
{
	snprintf(path, PATH_MAX + 16, "%s/%s", programs->dir, name);
}

/* ---- the lock ---- */

/* A descriptor with the lock; -EBUSY: programs have it. */
static int take_lock(const struct programs *programs, struct error *err)
{
	char path[PATH_MAX + 16];
	CLEANUP(close) int fd = -1;
	int r;

	path_of(programs, "lock", path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return error_errno(err, "%s", path);
	r = lock_take(fd);
	if (r == -EBUSY)
		return error_set(err, r, "programs of the job run already");
	if (r < 0)
		return error_set(err, r, "%s: %s", path, strerror(-r));
	return STEAL_FD(fd);
}

/* ---- the end ---- */

static void read_why(const struct programs *programs, char why[TAIL])
{
	char path[PATH_MAX + 16], *line;
	CLEANUP(close) int fd = -1;
	off_t size;
	ssize_t n = 0;

	*why = '\0';
	path_of(programs, "messages", path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	if (size > 0)
		n = pread(fd, why, TAIL - 1, size < TAIL ? 0 : size - TAIL + 1);
	if (n <= 0)
		return;
	why[n] = '\0';
	while (n > 0 && why[n - 1] == '\n')
		why[--n] = '\0';
	line = strrchr(why, '\n');
	line = line ? line + 1 : why;
	if (strncmp(line, "bellows: ", 9) == 0)
		line += 9;
	memmove(why, line, strlen(line) + 1);
	text_make_safe(why, TAIL, why);
}

/* What was killed may leave a coordinator that still ends its ranks. */
static bool is_left(const struct programs *programs)
{
	int r = programs->state ? previous_run_look(programs->state, NULL)
				: RUN_OVER;

	return r == RUN_ALIVE || r == RUN_ENDING;
}

static void end(void *user)
{
	struct programs *programs = user;
	char why[TAIL];

	if (programs->how.lost && is_left(programs)) {
		loop_timer_set(programs->loop, &programs->look, LOOK_AGAIN, end,
			       programs);
		return;
	}
	programs->alive = false;
	loop_timer_clear(&programs->look);
	read_why(programs, why);
	programs->on_end(programs->user, &programs->how, why);
}

/* A coordinator that was killed is no end of its job. */
static struct queue_exit exit_of(int code)
{
	return (struct queue_exit){
		.lost = code == EXIT_INTERNAL,
		.code = code,
		.saved = EXIT_SUSPENDED,
	};
}

static void on_child_end(void *user, pid_t pid, int status)
{
	struct programs *programs = user;

	programs->pid = 0;
	programs->how = exit_of(WEXITSTATUS(status));
	programs->how.lost |= !WIFEXITED(status);
	end(programs);
}

/* Of programs that another scheduler started. */
static struct queue_exit read_status(const struct programs *programs)
{
	struct queue_exit lost = exit_of(EXIT_INTERNAL);
	char path[PATH_MAX + 16], text[16];
	size_t n = 0;
	int code;

	path_of(programs, "status", path);
	if (file_read(path, text, sizeof(text) - 1, &n, NULL) < 0)
		return lost;
	text[n] = '\0';
	return sscanf(text, "%3d", &code) == 1 ? exit_of(code) : lost;
}

static void look(void *user)
{
	struct programs *programs = user;
	CLEANUP(close) int lock = take_lock(programs, NULL);

	if (lock == -EBUSY) {
		loop_timer_set(programs->loop, &programs->look, LOOK_AGAIN,
			       look, programs);
		return;
	}
	programs->how = read_status(programs);
	end(programs);
}

/* ---- the beginning ---- */

static int open_log(const struct programs *programs, const char *name,
		    struct error *err)
{
	char path[PATH_MAX + 16];
	int fd;

	path_of(programs, name, path);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
		  0600);
	return fd < 0 ? error_errno(err, "%s", path) : fd;
}

static int spawn_run(struct programs *programs,
		     const struct programs_order *order, int lock, int out,
		     int messages, struct error *err)
{
	char file[PATH_MAX + 16], status[PATH_MAX + 16], bellows[PATH_MAX];
	char want[16], grant[16];
	/* first: an option that is refused behind it is told there, too */
	const char *argv[PROGRAMS_WORDS_MAX + 11] = {
		bellows,  "run", "--status", status, "--quiet",
		"--want", want,  "--grant",  grant,  file};
	const struct spawn what = {
		.argv = argv,
		.in = lock,
		.out = out,
		.err = messages,
		.new_session = true,
	};
	int r;

	path_of(programs, "job.yaml", file);
	path_of(programs, "status", status);
	for (size_t i = 0; i < order->n_words; i++)
		argv[10 + i] = order->words[i];
	snprintf(want, sizeof(want), "%u", order->want);
	snprintf(grant, sizeof(grant), "%u", order->grant);
	r = program_find_beside("bellows", bellows, sizeof(bellows), err);
	if (r == 0 && unlink(status) < 0 && errno != ENOENT)
		r = error_errno(err, "%s", status);
	return r < 0 ? r : spawn(&what, &programs->pid, err);
}

int programs_start(struct programs *programs,
		   const struct programs_order *order, struct error *err)
{
	CLEANUP(close) int lock = take_lock(programs, err);
	CLEANUP(close) int out = -1;
	CLEANUP(close) int messages = -1;
	int r;

	if (lock == -EBUSY) {
		programs_adopt(programs);
		return 0;
	}
	if (lock < 0)
		return lock;
	out = open_log(programs, "output", err);
	if (out < 0)
		return out;
	messages = open_log(programs, "messages", err);
	if (messages < 0)
		return messages;
	r = spawn_run(programs, order, lock, out, messages, err);
	if (r < 0)
		return r;
	programs->alive = true;
	if (loop_child_add(programs->loop, programs->pid, on_child_end,
			   programs, NULL) == 0)
		return 0;
	/* its end is seen all the same */
	programs->pid = 0;
	programs_adopt(programs);
	return 0;
}

void programs_adopt(struct programs *programs)
{
	programs->alive = true;
	loop_timer_set(programs->loop, &programs->look, 0, look, programs);
}

void programs_leave(struct programs *programs)
{
	loop_timer_clear(&programs->look);
	if (programs->pid > 0)
		loop_child_remove(programs->loop, programs->pid);
}
