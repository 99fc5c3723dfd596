/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

int random_hex(char *text, size_t size, struct error *err)
{
	unsigned char bytes[128];
	size_t n = size / 2;

	/* so few come whole (getrandom(2)) */
	if (getrandom(bytes, n, 0) != (ssize_t)n)
		return error_errno(err, "no random numbers");
	for (size_t i = 0; i < n; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
	explicit_bzero(bytes, sizeof(bytes));
	return 0;
}
