/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_CLOCK_H
#define SCHEDULER_CLOCK_H

/*
 * The scheduler's time: milliseconds since 1970, as of its start, that do not
 * jump when somebody sets the clock of the machine
 */

#include "base/time.h"

void clock_begin(void);
msec_t clock_wall(void);

#endif
