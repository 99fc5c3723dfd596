/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/spawn.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

extern char **environ;

static struct rlimit before; /* of descriptors; 0: as it is */

void spawn_raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 ||
	    limit.rlim_cur >= limit.rlim_max)
		return;
	before = limit;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		before = (struct rlimit){0};
}

/* Runs in the child, on the parent's memory: only async-signal-safe calls. */
static int become(const struct spawn *what, int null, pid_t parent)
{
	const int fds[] = {what->in < 0 ? null : what->in, what->out,
			   what->err};
	sigset_t none;

	if (what->new_session && setsid() < 0)
		return errno;
	if (what->on_parent_death) {
		if (prctl(PR_SET_PDEATHSIG, what->on_parent_death) < 0)
			return errno;
		if (getppid() != parent)
			raise(what->on_parent_death);
	}
	if (what->dir && chdir(what->dir) < 0)
		return errno;
	for (size_t i = 0; i < what->n_joins; i++)
		if (write(what->joins[i], "0", 1) < 0)
			return errno;

	for (int i = 0; i < 3; i++) {
		/* dup2() onto itself would leave close-on-exec set */
		if (fds[i] == i && fcntl(i, F_SETFD, 0) < 0)
			return errno;
		if (fds[i] >= 0 && fds[i] != i && dup2(fds[i], i) < 0)
			return errno;
	}

	/* libraries make descriptors too, and not all think of children */
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	if (before.rlim_cur > 0)
		setrlimit(RLIMIT_NOFILE, &before);
	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);

	execvpe(what->argv[0], (char *const *)what->argv,
		what->envp ? (char *const *)what->envp : environ);
	return errno;
}

static pid_t make(const struct spawn *what, int null, volatile int *failure)
{
	pid_t parent = getpid(), made = vfork();

	if (made == 0) {
		*failure = become(what, null, parent);
		_exit(127);
	}
	return made;
}

int spawn(const struct spawn *what, pid_t *pid, struct error *err)
{
	volatile int failure = 0;
	CLEANUP(close) int null = -1;
	pid_t made;

	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (null < 0)
		return error_errno(err, "/dev/null");

	made = make(what, null, &failure);
	if (made < 0)
		return error_errno(err, "cannot run %s", what->argv[0]);
	if (failure != 0) {
		/* the child has ended; a wait for any child reaps it */
		errno = failure;
		return error_errno(err, "cannot run %s", what->argv[0]);
	}
	*pid = made;
	return 0;
}

/* Does entry ("KEY=value") set the same variable as other? */
static bool same_key(const char *entry, const char *other)
{
	size_t n = strcspn(entry, "=") + 1;

	return strncmp(entry, other, n) == 0;
}

char **spawn_environment(const char *const *base, const char *const *entries,
			 size_t n)
{
	const char *const *from = base ? base : (const char *const *)environ;
	size_t count = 0, size = 0, k = 0;
	char **all, *text;

	for (; from[count]; count++)
		size += strlen(from[count]) + 1;
	for (size_t i = 0; i < n; i++)
		size += strlen(entries[i]) + 1;

	all = malloc((count + n + 1) * sizeof(*all) + size);
	if (!all)
		return NULL;
	text = (char *)(all + count + n + 1);

	for (size_t i = 0; i < count + n; i++) {
		const char *entry = i < count ? from[i] : entries[i - count];
		bool replaced = false;

		for (size_t j = 0; i < count && j < n; j++)
			replaced |= same_key(entries[j], entry);
		if (replaced)
			continue;
		all[k++] = text;
		text = stpcpy(text, entry) + 1;
	}
	all[k] = NULL;
	return all;
}
