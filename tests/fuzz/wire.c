/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as a message of each type: one that is let in has the texts that it
 * seems to have, and one that goes out can be let in
 */

#include "rpc/wire.h"

#include "base/cleanup.h"
#include "proto/bellows.pb-c.h"
#include "tests/fuzz/fuzz.h"

#include <stdbool.h>

static char *pack(const ProtobufCMessage *message, size_t *n)
{
	char *bytes = malloc(protobuf_c_message_get_packed_size(message) + 1);

	HOLD(bytes);
	*n = protobuf_c_message_pack(message, (uint8_t *)bytes);
	return bytes;
}

static void strip(ProtobufCMessage *message);

/* Unknown fields are not passed on. */
static void strip_field(ProtobufCMessage *message,
			const ProtobufCFieldDescriptor *field)
{
	char *at = (char *)message + field->offset;
	const void *count = (char *)message + field->quantifier_offset;

	if (field->type != PROTOBUF_C_TYPE_MESSAGE)
		return;
	if (field->label == PROTOBUF_C_LABEL_REPEATED)
		for (size_t i = 0; i < *(const size_t *)count; i++)
			strip((*(ProtobufCMessage ***)(void *)at)[i]);
	else if (!(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) ||
		 *(const uint32_t *)count == field->id)
		strip(*(ProtobufCMessage **)(void *)at);
}

static void strip(ProtobufCMessage *message)
{
	if (!message)
		return;
	for (unsigned i = 0; i < message->n_unknown_fields; i++)
		free(message->unknown_fields[i].data);
	free(message->unknown_fields);
	message->unknown_fields = NULL;
	message->n_unknown_fields = 0;
	for (unsigned i = 0; i < message->descriptor->n_fields; i++)
		strip_field(message, &message->descriptor->fields[i]);
}

static void go_through(const ProtobufCMessageDescriptor *type,
		       const char *bytes, size_t n)
{
	bool good = wire_has_texts(type, (const uint8_t *)bytes, n);
	ProtobufCMessage *message = protobuf_c_message_unpack(
		type, NULL, n, (const uint8_t *)bytes);
	CLEANUP(free) char *packed = NULL, *mended = NULL;
	size_t size;

	if (!message)
		return;
	strip(message);
	packed = pack(message, &size);
	mended = fuzz_copy(packed, size);
	wire_mend_texts(type, (uint8_t *)mended, size);
	HOLD(wire_has_texts(type, (const uint8_t *)mended, size));
	if (good)
		HOLD(memcmp(packed, mended, size) == 0);
	protobuf_c_message_free_unpacked(message, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const ProtobufCMessageDescriptor *const types[] = {
		&bellows__v1__job__descriptor,
		&bellows__v1__report__descriptor,
		&bellows__v1__order__descriptor,
		&bellows__v1__job_init_reply__descriptor,
	};
	CLEANUP(free) char *copy = fuzz_copy(data, size);

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		go_through(types[i], copy, size);
	return 0;
}
