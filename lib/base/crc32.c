/* SPDX-License-Identifier: Apache-2.0 */
#include "base/crc32.h"

uint32_t crc32_of(const char *text, size_t n)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < n; i++) {
		crc ^= (unsigned char)text[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}
