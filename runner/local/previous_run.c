/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/local/previous_run.h"

#include "base/cleanup.h"
#include "base/lock.h"
#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define LOOK_AGAIN_US 50000

static const char ending[] = "ending";

/* What the holder of a lock has written. */
static enum run_state read_holder(int fd)
{
	char text[sizeof(ending)] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) < 0)
		return RUN_ALIVE;
	return strcmp(text, ending) == 0 ? RUN_ENDING : RUN_ALIVE;
}

/* What the lock of that name says: an enum run_state or -errno. */
static int look_at(const struct state_dir *dir, const char *name,
		   struct error *err)
{
	char path[PATH_MAX + 16];
	CLEANUP(close) int fd = -1;
	int r;

	snprintf(path, sizeof(path), "%s/%s", dir->path, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT)
		return RUN_OVER;
	if (fd < 0)
		return error_errno(err, "%s", path);
	r = lock_is_taken(fd);
	if (r < 0)
		return error_set(err, r, "%s: %s", path, strerror(-r));
	return r ? (int)read_holder(fd) : RUN_OVER;
}

/* A command that was told to end ends its coordinator too, which need not know
 * of it yet. */
static int sum_up(int command, int coordinator)
{
	if (command == RUN_OVER || coordinator == RUN_ENDING)
		return coordinator;
	return coordinator < 0 ? coordinator : command;
}

static bool listens(const struct state_dir *dir, char address[256])
{
	struct stamp stamp;

	*address = '\0';
	return state_dir_address(dir, address, 256, &stamp, NULL) == 0 &&
	       client_probe(address) >= 0;
}

/* *locked: this run has the lock. */
static int look(const struct state_dir *dir, int lock, bool *locked,
		struct error *err)
{
	int r = *locked ? 0 : lock_take(lock);

	if (r < 0 && r != -EBUSY)
		return error_set(err, r, "%s/run.lock: %s", dir->path,
				 strerror(-r));
	*locked = r == 0;
	return sum_up(*locked ? RUN_OVER : read_holder(lock),
		      look_at(dir, "lock", err));
}

static int refuse(const struct state_dir *dir, const char *job,
		  struct error *err)
{
	char address[256];

	if (listens(dir, address))
		return error_set(err, -EBUSY,
				 "job %s runs already, its coordinator listens "
				 "at %s",
				 job, address);
	return error_set(err, -EBUSY,
			 "job %s runs already, its coordinator does not "
			 "listen yet, or no more",
			 job);
}

static msec_t now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return (msec_t)at.tv_sec * 1000 + at.tv_nsec / 1000000;
}

static int await(const struct state_dir *dir, const char *job, int lock,
		 msec_t patience, void (*tell)(void *user), void *user,
		 struct error *err)
{
	msec_t until = now() + patience;
	bool locked = false, told = false;
	int state;

	while ((state = look(dir, lock, &locked, err)) == RUN_ENDING) {
		if (now() >= until)
			return error_set(err, -EBUSY,
					 "the former run of %s did not end "
					 "within %lld s: 'bellows status %s' "
					 "shows what is left of it",
					 job, (long long)patience / 1000, job);
		if (!told)
			tell(user);
		told = true;
		usleep(LOOK_AGAIN_US);
	}
	return state == RUN_ALIVE ? refuse(dir, job, err) : state;
}

/* The command first: it has its lock before its coordinator begins. */
int previous_run_look(const struct state_dir *dir, struct error *err)
{
	int command = look_at(dir, "run.lock", err);

	return command < 0 ? command
			   : sum_up(command, look_at(dir, "lock", err));
}

int previous_run_await(const struct state_dir *dir, const char *job,
		       msec_t patience, void (*tell)(void *user), void *user,
		       struct error *err)
{
	char path[PATH_MAX + 16], address[256];
	CLEANUP(close) int lock = -1;
	int r;

	snprintf(path, sizeof(path), "%s/run.lock", dir->path);
	lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (lock < 0)
		return error_errno(err, "%s", path);
	r = await(dir, job, lock, patience, tell, user, err);
	if (r < 0)
		return r;
	/* one without a lock, of a former version */
	if (listens(dir, address))
		return refuse(dir, job, err);
	if (ftruncate(lock, 0) < 0)
		return error_errno(err, "%s", path);
	return STEAL_FD(lock);
}

void previous_run_mark_ending(int lock)
{
	/* without it the next run is refused, and not made to wait */
	if (pwrite(lock, ending, strlen(ending), 0) < 0)
		return;
}
