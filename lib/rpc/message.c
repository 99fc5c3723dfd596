/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "rpc/internal.h"
#include "rpc/wire.h"

#include <errno.h>
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/slice.h>
#include <string.h>

/* What a message costs beside its bytes: a flood of empty ones is bounded too.
 */
enum { LETTER_COST = 128 };

struct letter {
	struct list link;
	grpc_byte_buffer *bytes;
	size_t size;
};

int message_pack(grpc_byte_buffer **out, const ProtobufCMessage *message)
{
	size_t size = protobuf_c_message_get_packed_size(message);
	grpc_slice slice;

	if (size > RPC_MESSAGE_MAX)
		return -EMSGSIZE;

	slice = grpc_slice_malloc(size);
	protobuf_c_message_pack(message, GRPC_SLICE_START_PTR(slice));
	wire_mend_texts(message->descriptor, GRPC_SLICE_START_PTR(slice), size);
	*out = grpc_raw_byte_buffer_create(&slice, 1);
	grpc_slice_unref(slice);
	return 0;
}

ProtobufCMessage *message_unpack(grpc_byte_buffer *buffer,
				 const ProtobufCMessageDescriptor *descriptor)
{
	grpc_byte_buffer_reader reader;
	ProtobufCMessage *message = NULL;
	grpc_slice slice;

	if (!grpc_byte_buffer_reader_init(&reader, buffer))
		return NULL;
	slice = grpc_byte_buffer_reader_readall(&reader);
	grpc_byte_buffer_reader_destroy(&reader);
	if (wire_has_texts(descriptor, GRPC_SLICE_START_PTR(slice),
			   GRPC_SLICE_LENGTH(slice)))
		message = protobuf_c_message_unpack(
			descriptor, NULL, GRPC_SLICE_LENGTH(slice),
			GRPC_SLICE_START_PTR(slice));
	grpc_slice_unref(slice);
	return message;
}

void message_destroy(ProtobufCMessage *message)
{
	if (message)
		protobuf_c_message_free_unpacked(message, NULL);
}

/* ---- what waits for a peer ---- */

static void letter_destroy(struct letter *letter)
{
	if (!letter)
		return;
	list_remove(&letter->link);
	if (letter->bytes)
		grpc_byte_buffer_destroy(letter->bytes);
	free(letter);
}
DEFINE_CLEANUP(struct letter, letter_destroy)

void outbox_init(struct outbox *box)
{
	*box = (struct outbox){0};
	list_init(&box->letters);
}

int outbox_add(struct outbox *box, const ProtobufCMessage *message)
{
	CLEANUP(letter_destroy) struct letter *letter = NULL;
	int r;

	letter = calloc(1, sizeof(*letter));
	if (!letter)
		return -ENOBUFS;
	list_init(&letter->link);
	r = message_pack(&letter->bytes, message);
	if (r < 0)
		return r;
	letter->size = grpc_byte_buffer_length(letter->bytes) + LETTER_COST;
	if (letter->size > RPC_QUEUE_MAX - box->size)
		return -ENOBUFS;

	box->size += letter->size;
	list_append(&box->letters, &STEAL(letter)->link);
	if (box->size <= RPC_QUEUE_MAX / 2)
		return 0;
	box->is_held = true;
	return 1;
}

grpc_byte_buffer *outbox_begin(struct outbox *box)
{
	if (list_is_empty(&box->letters))
		return NULL;
	box->is_sending = true;
	return CONTAINER(box->letters.next, struct letter, link)->bytes;
}

bool outbox_end(struct outbox *box)
{
	struct letter *letter =
		CONTAINER(box->letters.next, struct letter, link);

	box->is_sending = false;
	box->size -= letter->size;
	letter_destroy(letter);
	if (!box->is_held || box->size > RPC_QUEUE_MAX / 4)
		return false;
	box->is_held = false;
	return true;
}

void outbox_drop(struct outbox *box)
{
	list_for_each (at, &box->letters) {
		struct letter *letter = CONTAINER(at, struct letter, link);

		if (box->is_sending && at == box->letters.next)
			continue;
		box->size -= letter->size;
		letter_destroy(letter);
	}
}

bool outbox_is_empty(const struct outbox *box)
{
	return box->letters.next == box->letters.prev &&
	       (box->is_sending || list_is_empty(&box->letters));
}
