/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/request_id.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>

int request_id_make(char id[REQUEST_ID_MAX])
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return -EIO;
	for (size_t i = 0; i < sizeof(bytes); i++)
		sprintf(id + 2 * i, "%02x", bytes[i]);
	return 0;
}
