/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/lammps/restart.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[16] = "LammpS RestartT";

/* HEAD is more than the marks and values up to the step ever take. */
enum { HEAD = 512, TEXT_MAX = 64, BASE_ENDS = -1 };

enum tag {
	TAG_VERSION = 0,
	TAG_SMALLINT = 1,
	TAG_TAGINT = 2,
	TAG_BIGINT = 3,
	TAG_UNITS = 4,
	TAG_STEP = 5,
	TAG_IMAGEINT = 48,
};

struct cursor {
	const char *at;
	size_t left;
};

static bool take_bytes(struct cursor *cursor, void *out, size_t n)
{
	if (cursor->left < n)
		return false;
	memcpy(out, cursor->at, n);
	cursor->at += n;
	cursor->left -= n;
	return true;
}

static bool take_int(struct cursor *cursor, int32_t *out)
{
	return take_bytes(cursor, out, sizeof(*out));
}

static bool take_text(struct cursor *cursor)
{
	char text[TEXT_MAX];
	int32_t n;

	if (!take_int(cursor, &n) || n < 2 || n > TEXT_MAX ||
	    !take_bytes(cursor, text, (size_t)n))
		return false;
	return strnlen(text, (size_t)n) == (size_t)n - 1;
}

static bool take_step(struct cursor *cursor, int32_t size, uint64_t *step)
{
	int64_t wide;
	int32_t narrow;

	if (size == 4) {
		if (!take_int(cursor, &narrow))
			return false;
		wide = narrow;
	} else if (size != 8 || !take_bytes(cursor, &wide, sizeof(wide))) {
		return false;
	}
	if (wide < 0)
		return false;
	*step = (uint64_t)wide;
	return true;
}

/* What stands before the step, and the step. */
static bool take_head(struct cursor *cursor, uint64_t *step)
{
	int32_t tag, size, bigint = 0;

	while (take_int(cursor, &tag))
		switch ((enum tag)tag) {
		case TAG_VERSION:
		case TAG_UNITS:
			if (!take_text(cursor))
				return false;
			break;
		case TAG_SMALLINT:
		case TAG_TAGINT:
		case TAG_IMAGEINT:
		case TAG_BIGINT:
			if (!take_int(cursor, &size) ||
			    (size != 4 && size != 8))
				return false;
			if (tag == TAG_BIGINT)
				bigint = size;
			break;
		case TAG_STEP:
			return take_step(cursor, bigint, step);
		default:
			return false;
		}
	return false;
}

static int damaged(const char *path, const char *why, struct error *err)
{
	return error_set(err, -EBADMSG, "restart file %s %s", path, why);
}

static int judge_head(const char *head, size_t n, uint64_t *step,
		      const char *path, struct error *err)
{
	struct cursor cursor = {head, n};
	char mark[sizeof(magic)];
	int32_t order, revision;

	if (!take_bytes(&cursor, mark, sizeof(mark)) ||
	    memcmp(mark, magic, sizeof(mark)) != 0)
		return damaged(path,
			       n < sizeof(mark) ? "is cut short"
						: "is none of LAMMPS",
			       err);
	if (!take_int(&cursor, &order) || !take_int(&cursor, &revision))
		return damaged(path, "is cut short", err);
	if (order != 1)
		return damaged(path, "is of a machine of another byte order",
			       err);
	if (revision < 1)
		return damaged(path,
			       "is of a LAMMPS so old that nothing tells "
			       "whether it is complete",
			       err);
	if (!take_head(&cursor, step))
		return damaged(path, "is damaged: its head has no step", err);
	return 0;
}

/* tail: the last bytes, an int and the second mark. */
static int judge_tail(const char *tail, const char *path, struct error *err)
{
	int32_t before;

	if (memcmp(tail + sizeof(before), magic, sizeof(magic)) != 0)
		return damaged(
			path, "is not complete: the mark at its end is missing",
			err);
	memcpy(&before, tail, sizeof(before));
	if (before == BASE_ENDS)
		return damaged(path,
			       "is the base of many; have one file written, "
			       "without %",
			       err);
	return 0;
}

static uint64_t mix(uint64_t mark, uint64_t word)
{
	for (unsigned i = 0; i < sizeof(word); i++, word >>= 8)
		mark = (mark ^ (word & 0xff)) * UINT64_C(0x100000001b3);
	return mark;
}

/* FNV-1a; 0 would be none. */
static void set_mark(struct restart_file *file)
{
	uint64_t mark = UINT64_C(0xcbf29ce484222325);

	mark = mix(mark, file->step);
	mark = mix(mark, file->bytes);
	mark = mix(mark, (uint64_t)file->changed);
	file->mark = mark ? mark : 1;
}

int restart_read(struct restart_file *out, const char *path, struct error *err)
{
	CLEANUP(close) int fd = -1;
	char head[HEAD], tail[sizeof(int32_t) + sizeof(magic)];
	struct stat st;
	ssize_t n;
	int r;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return error_errno(err, "cannot read restart file %s", path);
	if (!S_ISREG(st.st_mode))
		return damaged(path, "is not a file", err);
	n = pread(fd, head, sizeof(head), 0);
	if (n < 0)
		return error_errno(err, "cannot read restart file %s", path);
	r = judge_head(head, (size_t)n, &out->step, path, err);
	if (r < 0)
		return r;
	if (pread(fd, tail, sizeof(tail), st.st_size - (off_t)sizeof(tail)) !=
	    (ssize_t)sizeof(tail))
		return damaged(path, "is cut short", err);
	r = judge_tail(tail, path, err);
	if (r < 0)
		return r;
	out->bytes = (uint64_t)st.st_size;
	out->changed =
		(int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	set_mark(out);
	return 0;
}
