/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/worker.h"

#include "base/log.h"
#include "base/tree.h"
#include "loop/spawn.h"
#include "monitor/orphans.h"
#include "rpc/token.h"
#include "tls/identity.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { SWEEPS_MAX = 100 };

#define SWEEP_PAUSE MSEC(20)
#define NAME_PREFIX "worker-"
#define MARK_KEY    "BELLOWS_WORKER_DIR="

static void set_mark(char *mark, size_t n, const struct worker_place *place,
		     const char *name)
{
	snprintf(mark, n, MARK_KEY "%.*s/%s", PATH_MAX, place->dir, name);
}

struct worker *worker_destroy(struct worker *worker)
{
	if (!worker)
		return NULL;

	loop_timer_clear(&worker->sweep);
	if (worker->pid > 0)
		loop_child_remove(worker->place->loop, worker->pid);
	list_remove(&worker->link);
	free(worker);
	return NULL;
}

/* ---- the end ---- */

static void sweep(void *user)
{
	CLEANUP(worker_destroy) struct worker *gone = NULL;
	struct worker *worker = user;
	const struct worker_place *place = worker->place;
	struct error err;

	if (orphans_kill(worker->mark) > 0 && ++worker->sweeps < SWEEPS_MAX) {
		loop_timer_set(place->loop, &worker->sweep, SWEEP_PAUSE, sweep,
			       worker);
		return;
	}

	gone = worker;
	if (tree_remove(place->fd, worker->folder, &err) < 0)
		log_warn("executor=%s its directory stays: %s", worker->name,
			 err.text);
	list_remove(&worker->link);
	place->gone(place->user, worker);
}

static void on_end(void *user, pid_t pid, int status)
{
	struct worker *worker = user;

	worker->pid = 0;
	worker->status = status;
	worker->ended = loop_now();
	sweep(worker);
}

void worker_signal(const struct worker *worker, int signo)
{
	if (worker->pid > 0)
		kill(worker->pid, signo);
}

void worker_signal_group(const struct worker *worker, int signo)
{
	if (worker->pid > 0)
		kill(-worker->pid, signo);
}

void worker_describe_end(const struct worker *worker, char *text, size_t n)
{
	if (WIFSIGNALED(worker->status))
		snprintf(text, n, "signal %d", WTERMSIG(worker->status));
	else
		snprintf(text, n, "exit code %d", WEXITSTATUS(worker->status));
}

/* ---- the beginning ---- */

bool worker_is_name(const char *name)
{
	size_t n = strlen(NAME_PREFIX);

	return strncmp(name, NAME_PREFIX, n) == 0 && name[n] &&
	       strspn(name + n, "0123456789") == strlen(name + n);
}

int worker_clear(const struct worker_place *place, const char *name,
		 struct error *err)
{
	char mark[sizeof(((struct worker *)0)->mark)];
	int r;

	set_mark(mark, sizeof(mark), place, name);
	orphans_kill(mark);
	r = tree_remove(place->fd, name, err);
	return r < 0 ? error_wrap(err, r, "cannot clear %s", place->dir) : 0;
}

static int make_directory(const struct worker *worker, struct error *err)
{
	const struct worker_place *place = worker->place;
	int r = worker_clear(place, worker->folder, err);

	if (r < 0)
		return r;
	if (mkdirat(place->fd, worker->folder, 0700) < 0)
		return error_errno(err, "cannot make %s/%s", place->dir,
				   worker->folder);
	return 0;
}

/* Command line of a worker; ends with NULL. */
struct line {
	const char *argv[HOST_WORDS_MAX + 20 + ADAPTER_FILES_ARGS_MAX];
	size_t n;
	char slots[16];
};

static void add(struct line *line, const char *const *words)
{
	while (*words)
		line->argv[line->n++] = *words++;
	line->argv[line->n] = NULL;
}

static void write_line(struct line *line, const struct worker *worker)
{
	const struct worker_place *place = worker->place;
	const struct host *host =
		place->hosts ? &place->hosts->at[worker->number] : NULL;
	/* clang-format off */
	const char *const all[] = {
		place->program,
		"--coordinator", place->coordinator,
		"--name", worker->name,
		"--slots", line->slots,
		host ? "--address" : "--tmpdir",
		host ? host->address : worker->mark + strlen(MARK_KEY),
		NULL,
	};
	/* clang-format on */
	const char *const token[] = {"--token-file",
				     host ? "-" : place->token_file, NULL};
	const char *const tls[] = {"--tls", host ? "-" : place->tls, NULL};
	const char *const plain[] = {"--unencrypted", NULL};
	const char *const rights[] = {"--keep-rights", NULL};

	snprintf(line->slots, sizeof(line->slots), "%u", place->slots);
	line->n = 0;
	if (host)
		add(line, host->words);
	add(line, all);
	if (place->token_file)
		add(line, token);
	if (place->tls)
		add(line, tls);
	if (place->unencrypted)
		add(line, plain);
	if (place->keep_rights)
		add(line, rights);
	adapter_files_put(place->adapters, line->argv + line->n);
}

/* The token's line, as it is in its file. */
static int put_token(FILE *to, const char *path, struct error *err)
{
	struct token token;
	int r = token_read(&token, path, err);

	if (r == 0)
		fprintf(to, "%s\n", token.text);
	explicit_bzero(&token, sizeof(token));
	return r;
}

static int put_identity(FILE *to, const char *folder, struct error *err)
{
	CLEANUP(tls_identity_fini) struct tls_identity identity = {0};
	int r = tls_identity_read(&identity, folder, err);

	if (r == 0)
		tls_identity_print(&identity, to);
	return r;
}

/* Another host need not see the files, so what they have goes there as standard
 * input: a descriptor, or -1 if there is nothing to send. */
static int open_secrets(const struct worker_place *place, int *out,
			struct error *err)
{
	CLEANUP(close) int fd = -1;
	CLEANUP(fclose) FILE *to = NULL;
	int r = 0;

	if (!place->hosts || (!place->token_file && !place->tls))
		return 0;
	fd = memfd_create("secrets", MFD_CLOEXEC);
	to = fd < 0 ? NULL : fdopen(fcntl(fd, F_DUPFD_CLOEXEC, 0), "w");
	if (!to)
		return error_errno(err, "memory for an executor's secrets");
	setvbuf(to, NULL, _IONBF, 0); /* a buffer would not be wiped */
	if (place->token_file)
		r = put_token(to, place->token_file, err);
	if (r == 0 && place->tls)
		r = put_identity(to, place->tls, err);
	if (r == 0 && (fflush(to) != 0 || lseek(fd, 0, SEEK_SET) < 0))
		r = error_errno(err, "memory for an executor's secrets");
	if (r == 0)
		*out = STEAL_FD(fd);
	return r;
}

static int run(struct worker *worker, struct error *err)
{
	CLEANUP(free) char **environment = NULL;
	CLEANUP(close) int secrets = -1;
	const struct worker_place *place = worker->place;
	const char *mark = worker->mark;
	struct line line;
	struct spawn what = {
		.argv = line.argv,
		.in = -1,
		.out = -1,
		.err = -1,
		.new_session = true,
		.on_parent_death = SIGTERM,
	};
	pid_t pid;
	int r;

	write_line(&line, worker);
	environment = spawn_environment(NULL, &mark, 1);
	if (!environment)
		return error_set(err, -ENOMEM, "out of memory");
	what.envp = (const char *const *)environment;
	r = open_secrets(place, &secrets, err);
	if (r < 0)
		return r;
	what.in = secrets;

	r = spawn(&what, &pid, err);
	if (r < 0)
		return r;
	r = loop_child_add(place->loop, pid, on_end, worker, err);
	if (r < 0)
		kill(-pid, SIGKILL);
	else
		worker->pid = pid;
	return r;
}

int worker_start(struct worker **out, const struct worker_place *place,
		 unsigned number, struct error *err)
{
	CLEANUP(worker_destroy) struct worker *worker = NULL;
	int r;

	worker = calloc(1, sizeof(*worker));
	if (!worker)
		return error_set(err, -ENOMEM, "out of memory");

	list_init(&worker->link);
	worker->place = place;
	worker->number = number;
	worker->started = loop_now();
	snprintf(worker->folder, sizeof(worker->folder), NAME_PREFIX "%u",
		 number);
	snprintf(worker->name, sizeof(worker->name), "%s",
		 place->hosts ? place->hosts->at[number].name : worker->folder);
	set_mark(worker->mark, sizeof(worker->mark), place, worker->folder);

	r = make_directory(worker, err);
	if (r < 0)
		return r;
	r = run(worker, err);
	if (r < 0) {
		tree_remove(place->fd, worker->folder, NULL);
		return r;
	}
	*out = STEAL(worker);
	return 0;
}
