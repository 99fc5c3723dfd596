/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/program.h"

#include "base/cleanup.h"
#include "loop/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>

struct program {
	struct list link;
	struct programs *programs;
	uint64_t id;
	pid_t pid; /* 0: has ended */
	int status;
	int fd; /* -1: nothing more to read */
	struct loop_fd *watch;
	size_t n;
	char text[PROGRAM_TEXT_MAX + 1];
	program_end_f fn;
	void *user;
};

struct programs {
	struct loop *loop;
	char **env;
	struct list all;
};

DEFINE_CLEANUP(struct programs, programs_destroy)

static void program_abandon(struct program *program)
{
	list_remove(&program->link);
	loop_fd_remove(program->watch);
	if (program->fd >= 0)
		close(program->fd);
	if (program->pid > 0)
		loop_child_remove(program->programs->loop, program->pid);
	free(program);
}

static void program_destroy(struct program *program)
{
	if (program->pid > 0)
		kill(-program->pid, SIGKILL);
	program_abandon(program);
}

/* Keeps the last PROGRAM_TEXT_MAX bytes. */
static void keep(struct program *program, const char *text, size_t n)
{
	size_t excess;

	if (n > PROGRAM_TEXT_MAX) {
		text += n - PROGRAM_TEXT_MAX;
		n = PROGRAM_TEXT_MAX;
	}
	excess = program->n + n > PROGRAM_TEXT_MAX
			 ? program->n + n - PROGRAM_TEXT_MAX
			 : 0;
	memmove(program->text, program->text + excess, program->n - excess);
	program->n -= excess;
	memcpy(program->text + program->n, text, n);
	program->n += n;
}

/* protobuf strings are UTF-8; what the program printed may be anything. */
static void to_ascii(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text >= 0x80)
			*text = '?';
}

static void on_text(void *user, uint32_t events)
{
	struct program *program = user;
	char text[PROGRAM_TEXT_MAX];
	ssize_t n;

	while ((n = read(program->fd, text, sizeof(text))) > 0)
		for (ssize_t at = 0; at < n;) {
			size_t part = strnlen(text + at, (size_t)(n - at));

			keep(program, text + at, part);
			at += (ssize_t)part + 1;
		}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	program->watch = loop_fd_remove(program->watch);
	close(program->fd);
	program->fd = -1;
}

static void on_exit_status(void *user, pid_t pid, int status)
{
	struct program *program = user;

	program->pid = 0;
	program->status = status;
	/* what it left behind may hold the pipe open: take what is there */
	if (program->fd >= 0)
		on_text(program, 0);
	program->text[program->n] = '\0';
	to_ascii(program->text);
	program->fn(program->user, program->id, status, program->text, NULL);
	program_destroy(program);
}

static int start(struct program *program, unsigned epoch, const char *command,
		 struct error *err)
{
	struct programs *programs = program->programs;
	const char *argv[] = {"/bin/sh", "-c", command, NULL};
	char mark[32];
	const char *marks[] = {mark};
	CLEANUP(free) char **env = NULL;
	CLEANUP(close) int writer = -1;
	struct spawn child = {.argv = argv,
			      .in = -1,
			      .new_session = true,
			      .on_parent_death = SIGKILL};
	int pipes[2], r;

	snprintf(mark, sizeof(mark), "BELLOWS_EPOCH=%u", epoch);
	env = spawn_environment((const char *const *)programs->env, marks,
				epoch ? 1 : 0);
	if (!env)
		return error_set(err, -ENOMEM, "out of memory");
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return error_errno(err, "cannot make a pipe");
	program->fd = pipes[0];
	writer = pipes[1];
	fcntl(program->fd, F_SETFL, O_NONBLOCK);

	child.envp = (const char *const *)env;
	child.out = child.err = writer;
	r = spawn(&child, &program->pid, err);
	if (r < 0)
		return r;
	r = loop_child_add(programs->loop, program->pid, on_exit_status,
			   program, err);
	if (r == 0)
		r = loop_fd_add(&program->watch, programs->loop, program->fd,
				EPOLLIN, on_text, program, err);
	return r;
}

void programs_start(struct programs *programs, uint64_t id, unsigned epoch,
		    const char *command, program_end_f fn, void *user)
{
	struct program *program = calloc(1, sizeof(*program));
	struct error err;

	if (!program) {
		fn(user, id, 0, "", "out of memory");
		return;
	}
	program->programs = programs;
	program->id = id;
	program->fd = -1;
	program->fn = fn;
	program->user = user;
	list_append(&programs->all, &program->link);
	if (start(program, epoch, command, &err) < 0) {
		fn(user, id, 0, "", err.text);
		program_destroy(program);
	}
}

int programs_create(struct programs **out, struct loop *loop,
		    const char *const *env, struct error *err)
{
	CLEANUP(programs_destroy)
	struct programs *programs = calloc(1, sizeof(*programs));
	size_t n = 0;

	if (!programs)
		return error_set(err, -ENOMEM, "out of memory");
	while (env[n])
		n++;
	programs->loop = loop;
	list_init(&programs->all);
	programs->env = spawn_environment(NULL, env, n);
	if (!programs->env)
		return error_set(err, -ENOMEM, "out of memory");
	*out = STEAL(programs);
	return 0;
}

void programs_abandon(struct programs *programs)
{
	list_for_each (at, &programs->all)
		program_abandon(CONTAINER(at, struct program, link));
}

struct programs *programs_destroy(struct programs *programs)
{
	if (!programs)
		return NULL;
	list_for_each (at, &programs->all)
		program_destroy(CONTAINER(at, struct program, link));
	free(programs->env);
	free(programs);
	return NULL;
}
