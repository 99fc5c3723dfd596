/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CRC32_H
#define BASE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Checksum of IEEE 802.3, as of zlib and of cksum -o 3. */
uint32_t crc32_of(const char *text, size_t n);

#endif
