/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/parint/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t checkpoint_seal(const struct checkpoint_header *header)
{
	uint64_t word, seal = 0;

	for (size_t at = 0; at < offsetof(struct checkpoint_header, seal);
	     at += sizeof(word)) {
		memcpy(&word, (const char *)header + at, sizeof(word));
		seal = digest_mix(seal + word + UINT64_C(0x9e3779b97f4a7c15));
	}
	return seal;
}

static int damaged(const char *path, const char *why, struct error *err)
{
	return error_set(err, -EBADMSG, "checkpoint %s is %s", path, why);
}

static int judge(const struct checkpoint_header *header, uint64_t size,
		 const char *path, struct error *err)
{
	uint64_t whole;

	if (memcmp(header->magic, CHECKPOINT_MAGIC, sizeof(header->magic)) != 0)
		return damaged(path, "not a checkpoint of parint", err);
	if (header->version != CHECKPOINT_VERSION)
		return error_set(err, -EBADMSG,
				 "checkpoint %s is of version %" PRIu32
				 ", not %d",
				 path, header->version, CHECKPOINT_VERSION);
	if (header->seal != checkpoint_seal(header) ||
	    header->array_at != CHECKPOINT_ARRAY_AT ||
	    header->array_size > CHECKPOINT_ELEMENTS_MAX)
		return damaged(path, "damaged: its seal is wrong", err);
	whole = checkpoint_bytes(header->array_size);
	if (size != whole)
		return error_set(err, -EBADMSG,
				 "checkpoint %s is damaged: it has %" PRIu64
				 " bytes, not %" PRIu64,
				 path, size, whole);
	return 0;
}

int checkpoint_header_read(struct checkpoint_header *out, int fd,
			   const char *path, struct error *err)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return error_errno(err, "cannot read checkpoint %s", path);
	if (!S_ISREG(st.st_mode))
		return damaged(path, "not a file", err);
	do {
		n = pread(fd, out, sizeof(*out), 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_errno(err, "cannot read checkpoint %s", path);
	if ((size_t)n < sizeof(*out))
		return damaged(path, "damaged: its header is cut short", err);
	return judge(out, (uint64_t)st.st_size, path, err);
}
