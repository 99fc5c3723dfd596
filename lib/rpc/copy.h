/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_COPY_H
#define RPC_COPY_H

/*
 * A message that has to outlive the call it came with
 */

#include <protobuf-c/protobuf-c.h>

/* To be freed by protobuf_c_message_free_unpacked(); NULL: out of memory. */
ProtobufCMessage *message_copy(const ProtobufCMessage *message);

#endif
