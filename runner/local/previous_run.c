/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/local/previous_run.h"

#include "base/cleanup.h"
#include "client/client.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#define LOOK_AGAIN_US 50000

static const char ending[] = "ending";

enum run_state {
	RUN_OVER,
	RUN_ENDING,
	RUN_ALIVE,
};

/* What the holder of a lock has written. */
static enum run_state read_holder(int fd)
{
	char text[sizeof(ending)] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) < 0)
		return RUN_ALIVE;
	return strcmp(text, ending) == 0 ? RUN_ENDING : RUN_ALIVE;
}

static enum run_state look_at_coordinator(const struct state_dir *dir)
{
	char path[PATH_MAX + 16];
	CLEANUP(close) int fd = -1;

	snprintf(path, sizeof(path), "%s/lock", dir->path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) == 0)
		return RUN_OVER;
	return read_holder(fd);
}

static bool listens(const struct state_dir *dir, char address[256])
{
	struct stamp stamp;

	*address = '\0';
	return state_dir_address(dir, address, 256, &stamp, NULL) == 0 &&
	       client_probe(address) >= 0;
}

/* *locked: this run has the lock.  A command that was told to end ends its
 * coordinator too, which need not know of it yet. */
static enum run_state look(const struct state_dir *dir, int lock, bool *locked)
{
	enum run_state coordinator = look_at_coordinator(dir);

	*locked = *locked || flock(lock, LOCK_EX | LOCK_NB) == 0;
	if (!*locked)
		return coordinator == RUN_ENDING ? RUN_ENDING
						 : read_holder(lock);
	return coordinator;
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
	enum run_state state;

	while ((state = look(dir, lock, &locked)) == RUN_ENDING) {
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
	return state == RUN_ALIVE ? refuse(dir, job, err) : 0;
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
