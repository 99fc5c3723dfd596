/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RPC_WIRE_H
#define RPC_WIRE_H

/*
 * Texts of a message as it is on the wire
 *
 * A string of proto3 is UTF-8.  protobuf-c neither sees to it nor minds, and
 * ends a string at its first NUL; what other languages are given they refuse as
 * a whole.  So what comes in is checked, with NULs taken for wrong too, and in
 * what goes out, which may quote anything that a program printed, wrong bytes
 * become '?'.
 */

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

/* False also if the bytes are no message; that they are one is not said. */
bool wire_has_texts(const ProtobufCMessageDescriptor *type,
		    const uint8_t *bytes, size_t n);

/* bytes: a message, as it was packed. */
void wire_mend_texts(const ProtobufCMessageDescriptor *type, uint8_t *bytes,
		     size_t n);

#endif
