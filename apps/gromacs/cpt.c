/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/gromacs/cpt.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

enum {
	MAGIC_FIRST = 171817,
	MAGIC_LAST = 171819,
	FORMAT_FIRST = 14,
	FORMAT_LAST = 23,
	TEXT_MAX = 1024, /* of a text, with its end: GROMACS's own bound */
	HEAD_MAX = 16 * 1024,
	TAIL_MAX = 256 * 1024,
	MD5_BYTES = 16,
	PART_MAX = 1000000,
};

/* What is not yet read of a buffer. */
struct xdr {
	const unsigned char *at;
	size_t left;
};

struct head {
	char version[TEXT_MAX], written[TEXT_MAX];
	uint32_t format, atoms, part;
	uint64_t step;
};

static bool take_u32(struct xdr *xdr, uint32_t *out)
{
	if (xdr->left < 4)
		return false;
	*out = (uint32_t)xdr->at[0] << 24 | (uint32_t)xdr->at[1] << 16 |
	       (uint32_t)xdr->at[2] << 8 | xdr->at[3];
	xdr->at += 4;
	xdr->left -= 4;
	return true;
}

static bool skip(struct xdr *xdr, size_t words)
{
	if (xdr->left < 4 * words)
		return false;
	xdr->at += 4 * words;
	xdr->left -= 4 * words;
	return true;
}

/* Its length, four bytes, then the text up to the next multiple of four. */
static bool take_text(struct xdr *xdr, char out[TEXT_MAX])
{
	uint32_t n;
	const unsigned char *from;

	if (!take_u32(xdr, &n) || n >= TEXT_MAX)
		return false;
	from = xdr->at;
	if (!skip(xdr, (n + 3) / 4))
		return false;
	memcpy(out, from, n);
	out[n] = '\0';
	return strlen(out) == n;
}

/* The magic number, the program that wrote the file, and its format. */
static bool take_origin(struct xdr *xdr, struct head *out)
{
	char unused[TEXT_MAX];
	uint32_t magic, precision;

	return take_u32(xdr, &magic) && magic == MAGIC_FIRST &&
	       take_text(xdr, out->version) && /* of GROMACS */
	       take_text(xdr, unused) &&       /* when built, */
	       take_text(xdr, unused) &&       /* by whom */
	       take_text(xdr, unused) &&       /* and where */
	       take_text(xdr, unused) &&       /* the program */
	       take_text(xdr, out->written) && take_u32(xdr, &out->format) &&
	       take_u32(xdr, &precision) && precision <= 1;
}

static bool take_sizes(struct xdr *xdr, struct head *out)
{
	char unused[TEXT_MAX];
	uint32_t high, low;

	if (!take_text(xdr, unused) || /* the host */
	    !take_u32(xdr, &out->atoms) ||
	    !skip(xdr, 5) || /* thermostats to integrator */
	    !take_u32(xdr, &out->part) || !take_u32(xdr, &high) ||
	    !take_u32(xdr, &low))
		return false;
	out->step = (uint64_t)high << 32 | low;
	return out->atoms > 0 && out->atoms <= INT32_MAX && out->part > 0 &&
	       out->part <= PART_MAX && out->step <= INT64_MAX;
}

static uint64_t mix(uint64_t mark, const void *data, size_t n)
{
	const unsigned char *at = data;

	while (n-- > 0)
		mark = (mark ^ *at++) * UINT64_C(0x100000001b3); /* FNV-1a */
	return mark;
}

static uint64_t mark_of(const struct head *head, const struct stat *st)
{
	const uint64_t words[] = {
		head->step,
		head->part,
		(uint64_t)st->st_size,
		(uint64_t)st->st_mtim.tv_sec,
		(uint64_t)st->st_mtim.tv_nsec,
	};
	uint64_t mark = mix(UINT64_C(0xcbf29ce484222325), words, sizeof(words));

	return mix(mark, head->written, strlen(head->written));
}

/* Three coordinates an atom it has at least, and ends as it should. */
static bool is_whole(int fd, off_t size, const struct head *head)
{
	unsigned char end[4];
	struct xdr xdr = {end, sizeof(end)};
	uint32_t magic;

	return size % 4 == 0 && (uint64_t)size >= 12ull * head->atoms &&
	       pread(fd, end, sizeof(end), size - 4) == sizeof(end) &&
	       take_u32(&xdr, &magic) && magic == MAGIC_LAST;
}

static int check(int fd, const struct stat *st, struct head *head,
		 const char *path, struct error *err)
{
	unsigned char bytes[HEAD_MAX];
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
	struct xdr xdr = {bytes, n > 0 ? (size_t)n : 0};
	struct xdr first = xdr;
	uint32_t magic;

	if (n < 0)
		return error_errno(err, "cannot read checkpoint %s", path);
	if (!take_u32(&first, &magic) || magic != MAGIC_FIRST)
		return error_set(err, -EBADMSG,
				 "%s is not a checkpoint of GROMACS", path);
	if (!take_origin(&xdr, head))
		return error_set(err, -EBADMSG,
				 "checkpoint %s is damaged: its head cannot be "
				 "read",
				 path);
	if (head->format < FORMAT_FIRST || head->format > FORMAT_LAST)
		return error_set(err, -EBADMSG,
				 "checkpoint %s is of GROMACS %.40s in format "
				 "%u; formats %d to %d are known",
				 path, head->version, head->format,
				 FORMAT_FIRST, FORMAT_LAST);
	if (!take_sizes(&xdr, head))
		return error_set(err, -EBADMSG,
				 "checkpoint %s is damaged: its sizes or its "
				 "step cannot be",
				 path);
	if (!is_whole(fd, st->st_size, head))
		return error_set(err, -EBADMSG,
				 "checkpoint %s is damaged: with %lld bytes "
				 "for %u atoms it does not end as it should",
				 path, (long long)st->st_size, head->atoms);
	return 0;
}

int cpt_read(struct cpt *out, int fd, const char *path, struct error *err)
{
	struct head head;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return error_errno(err, "cannot read checkpoint %s", path);
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EBADMSG, "checkpoint %s is not a file",
				 path);
	r = check(fd, &st, &head, path, err);
	if (r < 0)
		return r;
	*out = (struct cpt){
		.step = head.step,
		.part = head.part,
		.mark = mark_of(&head, &st),
		.bytes = (uint64_t)st.st_size,
	};
	return 0;
}

/* ---- output files ---- */

/* Name, position, length of what the sum is of, and the sum, a word a byte. */
static bool take_file(struct xdr *xdr, char name[TEXT_MAX], uint64_t *position)
{
	uint32_t high, low, summed, byte;

	if (!take_text(xdr, name) || name[0] == '\0' || !take_u32(xdr, &high) ||
	    !take_u32(xdr, &low) || !take_u32(xdr, &summed))
		return false;
	*position = (uint64_t)high << 32 | low;
	for (int i = 0; i < MD5_BYTES; i++)
		if (!take_u32(xdr, &byte) || byte > 0xff)
			return false;
	return *position <= INT64_MAX && summed <= *position;
}

static bool is_named(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return strcmp(slash ? slash + 1 : path, name) == 0;
}

/* Where the list of files begins cannot be told without reading the state, but
 * an entry with this name and sixteen bytes of a sum is nothing else. */
int cpt_log_position(off_t *out, int fd, const char *log, struct error *err)
{
	CLEANUP(free) unsigned char *bytes = malloc(TAIL_MAX);
	char name[TEXT_MAX];
	uint64_t position;
	struct stat st;
	off_t from;
	ssize_t n;

	if (!bytes)
		return error_set(err, -ENOMEM, "out of memory");
	if (fstat(fd, &st) < 0)
		return error_errno(err, "cannot read the checkpoint");
	from = st.st_size > TAIL_MAX ? (st.st_size - TAIL_MAX) / 4 * 4 : 0;
	n = pread(fd, bytes, TAIL_MAX, from);
	if (n < 0)
		return error_errno(err, "cannot read the checkpoint");
	for (size_t at = 0; at + 4 <= (size_t)n; at += 4) {
		struct xdr xdr = {bytes + at, (size_t)n - at};

		if (take_file(&xdr, name, &position) && is_named(name, log)) {
			*out = (off_t)position;
			return 0;
		}
	}
	return 1;
}
