/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/wire.h"

#include "base/utf8.h"

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5 };

struct wire {
	uint8_t *at;
	size_t left;
};

/* Returns false to end the walk. */
typedef bool (*text_f)(char *text, size_t n);

static bool take_varint(struct wire *wire, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; wire->left > 0 && shift < 64; shift += 7) {
		uint8_t byte = *wire->at++;

		wire->left--;
		*out |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static bool skip(struct wire *wire, uint64_t n)
{
	if (n > wire->left)
		return false;
	wire->at += n;
	wire->left -= (size_t)n;
	return true;
}

static bool walk(const ProtobufCMessageDescriptor *type, struct wire wire,
		 text_f fn);

static bool take_bytes(struct wire *wire, const ProtobufCFieldDescriptor *field,
		       text_f fn)
{
	uint8_t *from;
	uint64_t n;

	if (!take_varint(wire, &n))
		return false;
	from = wire->at;
	if (!skip(wire, n))
		return false;
	if (field && field->type == PROTOBUF_C_TYPE_STRING)
		return fn((char *)from, (size_t)n);
	if (field && field->type == PROTOBUF_C_TYPE_MESSAGE)
		return walk(field->descriptor, (struct wire){from, (size_t)n},
			    fn);
	return true;
}

/* As deep as messages are declared within each other: none within itself. */
static bool walk(const ProtobufCMessageDescriptor *type, struct wire wire,
		 text_f fn)
{
	bool good = true;
	uint64_t key, unused;

	while (good && wire.left > 0) {
		if (!take_varint(&wire, &key) || key > UINT32_MAX)
			return false;
		switch (key & 7) {
		case VARINT:
			good = take_varint(&wire, &unused);
			break;
		case FIXED64:
			good = skip(&wire, 8);
			break;
		case FIXED32:
			good = skip(&wire, 4);
			break;
		case BYTES:
			good = take_bytes(
				&wire,
				protobuf_c_message_descriptor_get_field(
					type, (unsigned)(key >> 3)),
				fn);
			break;
		default:
			return false;
		}
	}
	return good;
}

static bool is_text(char *text, size_t n)
{
	while (n > 0) {
		size_t length = *text ? utf8_decode(text, n, NULL) : 0;

		if (length == 0)
			return false;
		text += length;
		n -= length;
	}
	return true;
}

static bool mend(char *text, size_t n)
{
	while (n > 0) {
		size_t length = utf8_decode(text, n, NULL);

		if (length == 0)
			*text = '?';
		text += length ? length : 1;
		n -= length ? length : 1;
	}
	return true;
}

bool wire_has_texts(const ProtobufCMessageDescriptor *type,
		    const uint8_t *bytes, size_t n)
{
	/* is_text() changes nothing */
	return walk(type, (struct wire){(uint8_t *)bytes, n}, is_text);
}

void wire_mend_texts(const ProtobufCMessageDescriptor *type, uint8_t *bytes,
		     size_t n)
{
	walk(type, (struct wire){bytes, n}, mend);
}
