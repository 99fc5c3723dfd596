/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/fields.h"

#include <errno.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

static bool take_varint(struct span *in, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; in->size > 0 && shift < 64; shift += 7) {
		uint8_t byte = *in->at++;

		in->size--;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static bool skip(struct span *in, uint64_t n)
{
	if (n > in->size)
		return false;
	in->at += n;
	in->size -= (size_t)n;
	return true;
}

static bool take_bytes(struct span *in, struct span *bytes)
{
	uint64_t n;

	if (!take_varint(in, &n))
		return false;
	*bytes = (struct span){in->at, (size_t)n};
	return skip(in, n);
}

static bool take_value(struct span *in, uint64_t type, struct field *field)
{
	uint64_t unused;

	switch (type) {
	case VARINT:
		return take_varint(in, &unused);
	case FIXED64:
		return skip(in, 8);
	case BYTES:
		field->has_bytes = true;
		return take_bytes(in, &field->bytes);
	case FIXED32:
		return skip(in, 4);
	default:
		return false;
	}
}

int fields_next(struct span *in, struct field *field)
{
	uint64_t key;

	if (in->size == 0)
		return 0;
	if (!take_varint(in, &key) || key > UINT32_MAX)
		return -EBADMSG;
	*field = (struct field){.number = (unsigned)(key >> 3)};
	return take_value(in, key & 7, field) ? 1 : -EBADMSG;
}
