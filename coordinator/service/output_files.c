/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/output_files.h"

#include "base/log.h"
#include "loop/file_queue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGAIN SECONDS(5)

/* Before the bytes of each write. */
struct head {
	unsigned epoch;
	bool error; /* stderr */
	size_t n;
};

struct file {
	int fd; /* -1: it is not open */
	unsigned epoch;
	msec_t failed; /* instant of its last failure; 0: it is written */
};

/* Of the thread. */
struct folder {
	char path[4096];
	struct file files[2]; /* stdout, stderr */
	int error; /* errno of the newest failure of the last call; 0: none */
};

struct output_files {
	struct loop *loop;
	const char *dir;
	struct file_queue *queue;   /* of a struct folder; NULL: none yet */
	unsigned long long missing; /* bytes that there was no room for */
	bool is_told;               /* that the files miss lines */
	void (*on_file)(void *user, const char *text);
	void *user;
};

/* ---- on the thread ---- */

static void close_file(struct file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

static void fail(struct folder *folder, struct file *file, int error)
{
	close_file(file);
	file->failed = loop_now();
	folder->error = error;
}

static void open_file(struct folder *folder, struct file *file, unsigned epoch)
{
	char path[4200];

	close_file(file);
	file->epoch = epoch;
	snprintf(path, sizeof(path), "%s/epoch-%u.%s", folder->path, epoch,
		 file == &folder->files[0] ? "stdout" : "stderr");
	file->fd = open(path,
			O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
			0600);
	if (file->fd < 0)
		fail(folder, file, errno);
}

/* A full disk takes a part and fails with the rest. */
static int write_whole(int fd, const char *data, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, data, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? errno : ENOSPC;
		data += done;
		n -= (size_t)done;
	}
	return 0;
}

static void write_one(struct folder *folder, const struct head *head,
		      const char *data)
{
	struct file *file = &folder->files[head->error];
	bool again = file->failed != 0 && loop_now() - file->failed > AGAIN;
	int error;

	if (file->epoch != head->epoch || again)
		open_file(folder, file, head->epoch);
	if (file->fd < 0)
		return;
	error = write_whole(file->fd, data, head->n);
	if (error != 0)
		fail(folder, file, error);
	else
		file->failed = 0;
}

static bool write_all(void *state, const char *bytes, size_t n)
{
	struct folder *folder = state;
	struct head head;

	folder->error = 0;
	while (n > 0) {
		memcpy(&head, bytes, sizeof(head));
		bytes += sizeof(head);
		write_one(folder, &head, bytes);
		bytes += head.n;
		n -= sizeof(head) + head.n;
	}
	return true; /* what is missing is counted */
}

static void free_folder(void *state)
{
	struct folder *folder = state;

	close_file(&folder->files[0]);
	close_file(&folder->files[1]);
	free(folder);
}

/* ---- on the loop ---- */

static void tell(struct output_files *files, const char *why)
{
	char text[4400];

	snprintf(text, sizeof(text),
		 "files of what ranks print, in %s: %s; they miss lines",
		 files->dir, why);
	files->is_told = true;
	files->on_file(files->user, text);
}

static void tell_well(struct output_files *files)
{
	if (files->missing > 0)
		log_warn("%llu bytes that ranks printed are missing in the "
			 "files in %s, whose disk did not take them in time",
			 files->missing, files->dir);
	files->missing = 0;
	files->is_told = false;
	files->on_file(files->user, "");
}

static void on_written(void *owner, void *state, size_t n)
{
	struct output_files *files = owner;
	const struct folder *folder = state;

	if (folder->error != 0)
		tell(files, strerror(folder->error));
	else if (files->is_told && folder->files[0].failed == 0 &&
		 folder->files[1].failed == 0 &&
		 file_queue_size(files->queue) == 0)
		tell_well(files);
}

static const struct file_queue_ops ops = {write_all, on_written, free_folder};

static int begin(struct output_files *files, struct error *err)
{
	struct folder *folder = calloc(1, sizeof(*folder));

	if (!folder)
		return error_set(err, -ENOMEM, "out of memory");
	snprintf(folder->path, sizeof(folder->path), "%s", files->dir);
	folder->files[0].fd = folder->files[1].fd = -1;
	return file_queue_create(&files->queue, files->loop, &ops, files,
				 folder, err);
}

void output_files_write(struct output_files *files, unsigned epoch, bool error,
			const void *data, size_t n)
{
	const struct head head = {epoch, error, n};
	struct error err;

	if (!files->queue && begin(files, &err) < 0) {
		tell(files, err.text);
		return;
	}
	if (file_queue_size(files->queue) + n <= OUTPUT_FILES_QUEUE_MAX &&
	    file_queue_put(files->queue, &head, sizeof(head), data, n) == 0)
		return;
	files->missing += n;
	if (!files->is_told)
		tell(files, "the disk does not take them in time");
}

/* ---- life ---- */

int output_files_create(struct output_files **out, struct loop *loop,
			const char *dir,
			void (*on_file)(void *user, const char *text),
			void *user, struct error *err)
{
	struct output_files *files = calloc(1, sizeof(*files));

	if (!files)
		return error_set(err, -ENOMEM, "out of memory");
	files->loop = loop;
	files->dir = dir;
	files->on_file = on_file;
	files->user = user;
	*out = files;
	return 0;
}

struct output_files *output_files_destroy(struct output_files *files)
{
	if (!files)
		return NULL;
	file_queue_destroy(files->queue);
	free(files);
	return NULL;
}
