/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/process.h"

#include "base/cleanup.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { ORPHANED_MOST = 8, LOOKS_MAX = 5 };

struct process {
	pid_t pid, parent;
	bool is_over; /* it only leads to its children */
	bool mine;
};

struct table {
	struct process *all;
	size_t n;
};

/* What one look found. */
struct found {
	size_t n;
	size_t veiled; /* more that may belong, and cannot be asked just now */
	bool sure;     /* nothing was overlooked */
};

/* Its parent, 0 if it has none; -1: it is gone.  A process whose first thread
 * has ended is a zombie, and while other threads live it computes, has files
 * open and is the parent of its children; without them it is over. */
static pid_t read_process(pid_t pid, bool *is_over)
{
	char path[64], text[512], *at;
	int parent, threads;
	char state;
	ssize_t n;
	CLEANUP(close) int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	at = strrchr(text, ')'); /* the name may contain anything */
	if (!at || sscanf(at + 1,
			  " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			  "%*s %*s %*s %*s %d",
			  &state, &parent, &threads) != 3)
		return -1;
	*is_over = (state == 'Z' && threads <= 1) || state == 'X';
	return parent;
}

static struct table read_table(void)
{
	struct table table = {0};
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct process *more;
		pid_t pid = atoi(entry->d_name);
		bool is_over;
		pid_t parent;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		parent = read_process(pid, &is_over);
		if (parent < 0)
			continue;
		more = realloc(table.all, (table.n + 1) * sizeof(*more));
		if (!more)
			break;
		table.all = more;
		table.all[table.n++] =
			(struct process){pid, parent, is_over, false};
	}
	if (dir)
		closedir(dir);
	return table;
}

static bool has(const struct table *table, pid_t pid)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->all[i].pid == pid)
			return true;
	return false;
}

/* A parent may end between the reading of its child and its own: the child has
 * another one by then, and would be missed. */
static void read_orphans(struct table *table)
{
	bool changed = true;

	for (int i = 0; changed && i < ORPHANED_MOST; i++) {
		changed = false;
		for (size_t j = 0; j < table->n; j++) {
			struct process *p = &table->all[j];
			pid_t parent = p->parent;

			if (parent <= 0 || has(table, parent))
				continue;
			p->parent = read_process(p->pid, &p->is_over);
			changed |= p->parent != parent;
		}
	}
}

static bool is_mine(const struct table *table, pid_t pid)
{
	if (pid == getpid())
		return true;
	for (size_t i = 0; i < table->n; i++)
		if (table->all[i].pid == pid)
			return table->all[i].mine;
	return false;
}

/* Parents may stand behind their children: until nothing is added. */
static void mark_descendants(struct table *table)
{
	bool added = true;

	while (added) {
		added = false;
		for (size_t i = 0; i < table->n; i++) {
			struct process *p = &table->all[i];

			if (p->mine || !is_mine(table, p->parent))
				continue;
			p->mine = added = true;
		}
	}
}

/* Reads a file of /proc/PID whole; NULL if it cannot be. */
static char *read_file(pid_t pid, const char *name, size_t *size)
{
	char path[64], *text = NULL;
	size_t n = 0, room = 0;
	CLEANUP(close) int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0) {
		ssize_t got;

		if (n + 1 >= room) {
			char *more = realloc(text, room = 2 * room + 4096);

			if (!more)
				break;
			text = more;
		}
		got = read(fd, text + n, room - n - 1);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (text)
		text[n] = '\0';
	*size = n;
	return text;
}

/* While a process becomes another program it has neither environment nor words,
 * nor has one that is about to end. */
static bool is_veiled(pid_t pid)
{
	size_t size;
	CLEANUP(free) char *text = read_file(pid, "cmdline", &size);

	return size == 0;
}

static bool belongs(pid_t pid, unsigned epoch, bool ranks_only, bool *veiled)
{
	char key[32];
	size_t size;
	bool is_epoch = false, is_rank = false;
	CLEANUP(free) char *text = NULL;

	*veiled = false;
	if (epoch == 0)
		return true;
	text = read_file(pid, "environ", &size);
	if (size == 0 && !(*veiled = is_veiled(pid))) {
		free(text); /* it may have become one meanwhile */
		text = read_file(pid, "environ", &size);
	}
	snprintf(key, sizeof(key), "BELLOWS_EPOCH=%u", epoch);
	for (char *at = text; text && at < text + size; at += strlen(at) + 1) {
		is_epoch |= strcmp(at, key) == 0;
		is_rank |= strncmp(at, "BELLOWS_RANK=", 13) == 0;
	}
	return is_epoch && (is_rank || !ranks_only);
}

/* The number of the process or thread that was made last; 0: unknown. */
static pid_t newest(void)
{
	int pid = 0;
	CLEANUP(fclose) FILE *f = fopen("/proc/loadavg", "re");

	if (!f || fscanf(f, "%*s %*s %*s %*s %d", &pid) != 1)
		return 0;
	return pid;
}

/* What belongs gets the signal (0: none) as soon as it is found. */
static struct found look(unsigned epoch, bool ranks_only, int signo)
{
	struct found found = {0};
	pid_t before = newest();
	struct table table = read_table();

	read_orphans(&table);
	mark_descendants(&table);
	for (size_t i = 0; i < table.n; i++) {
		bool veiled;

		if (!table.all[i].mine || table.all[i].is_over)
			continue;
		if (belongs(table.all[i].pid, epoch, ranks_only, &veiled)) {
			if (signo != 0)
				kill(table.all[i].pid, signo);
			found.n++;
		}
		found.veiled += veiled;
	}
	free(table.all);
	found.sure = found.veiled == 0 && before > 0 && before == newest();
	return found;
}

/* A process may end while /proc is read, and its child have a pid that was
 * passed already: then a look that finds none is worth nothing.  Nor is one
 * enough that lets all stand still: the child would go on.  Only SIGSTOP may
 * come twice, as no process can notice it. */
static struct found find(unsigned epoch, bool ranks_only, int signo)
{
	struct found found = {0};
	size_t former = 0;
	bool again = true;

	for (int i = 0; i < LOOKS_MAX && again; i++) {
		found = look(epoch, ranks_only, signo);
		again = !found.sure && (found.n == 0 ||
					(signo == SIGSTOP && found.n > former));
		former = found.n;
	}
	return found;
}

bool process_is_left(unsigned epoch, bool ranks_only)
{
	struct found found = find(epoch, ranks_only, 0);

	return found.n + found.veiled > 0;
}

size_t process_signal(unsigned epoch, bool ranks_only, int signo)
{
	return find(epoch, ranks_only, signo).n;
}

static bool ends_by_default(int signo)
{
	switch (signo) {
	case SIGCHLD:
	case SIGCONT:
	case SIGURG:
	case SIGWINCH:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return false;
	default:
		return true;
	}
}

/* of: a line of /proc/PID/status, a set of signals in hexadecimal. */
static bool is_in(const char *line, const char *of, int signo)
{
	size_t n = strlen(of);

	return strncmp(line, of, n) == 0 &&
	       strtoull(line + n, NULL, 16) >> (signo - 1) & 1;
}

enum process_answer process_answer(pid_t pid, int signo)
{
	char path[64], line[256];
	bool read = false, blocked = false;
	CLEANUP(fclose) FILE *f = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (is_in(line, "SigIgn:", signo) ||
		    is_in(line, "SigCgt:", signo))
			return PROCESS_TAKES;
		blocked |= is_in(line, "SigBlk:", signo);
		read |= strncmp(line, "SigCgt:", 7) == 0;
	}
	if (!read || !ends_by_default(signo))
		return PROCESS_TAKES;
	return blocked ? PROCESS_BLOCKS : PROCESS_ENDS;
}
