/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BACKOFF_H
#define BASE_BACKOFF_H

#include "base/time.h"

/* Wait before attempt number n (0, 1, ...): base * 1.6^n up to max, +-20 %. */
msec_t backoff(unsigned n, msec_t base, msec_t max);

#endif
