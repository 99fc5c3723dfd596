/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/wire.h"

#include "base/utf8.h"
#include "rpc/fields.h"

/* Returns false to end the walk. */
typedef bool (*text_f)(char *text, size_t n);

/* As deep as messages are declared within each other: none within itself. */
static bool walk(const ProtobufCMessageDescriptor *type, struct span in,
		 text_f fn)
{
	struct field is;
	bool good = true;
	int r = 0;

	while (good && (r = fields_next(&in, &is)) > 0) {
		const ProtobufCFieldDescriptor *field =
			protobuf_c_message_descriptor_get_field(type,
								is.number);

		if (!field || !is.has_bytes)
			continue;
		if (field->type == PROTOBUF_C_TYPE_STRING)
			/* what mend() is given was writable when it came in */
			good = fn((char *)is.bytes.at, is.bytes.size);
		else if (field->type == PROTOBUF_C_TYPE_MESSAGE)
			good = walk(field->descriptor, is.bytes, fn);
	}
	return good && r == 0;
}

static bool is_text(char *text, size_t n)
{
	return utf8_is_text(text, n);
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
	return walk(type, (struct span){bytes, n}, is_text);
}

void wire_mend_texts(const ProtobufCMessageDescriptor *type, uint8_t *bytes,
		     size_t n)
{
	walk(type, (struct span){bytes, n}, mend);
}
