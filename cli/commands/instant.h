/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_COMMANDS_INSTANT_H
#define CLI_COMMANDS_INSTANT_H

#include "base/error.h"

#include <stdint.h>
#include <time.h>

/* An instant of local time, in milliseconds since 1970, with its last second
 * whole: "12:03:11" of the day of now, "2026-11-27T12:03:11", or "-10min"
 * before now.  -EINVAL with a sentence. */
int instant_read(uint64_t *out, const char *text, time_t now,
		 struct error *err);

#endif
