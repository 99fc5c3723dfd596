/* SPDX-License-Identifier: Apache-2.0 */
#include "rpc/copy.h"

#include "base/cleanup.h"

#include <stdlib.h>

ProtobufCMessage *message_copy(const ProtobufCMessage *message)
{
	size_t n = protobuf_c_message_get_packed_size(message);
	CLEANUP(free) uint8_t *bytes = malloc(n + 1);

	if (!bytes)
		return NULL;
	protobuf_c_message_pack(message, bytes);
	return protobuf_c_message_unpack(message->descriptor, NULL, n, bytes);
}
