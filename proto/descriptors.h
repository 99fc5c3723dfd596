/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROTO_DESCRIPTORS_H
#define PROTO_DESCRIPTORS_H

#include <stddef.h>
#include <stdint.h>

/* A serialised FileDescriptorSet of all that the server answers. */
extern const uint8_t proto_descriptors[];
extern const size_t proto_descriptors_size;

#endif
