/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

/*
 * Durations as people write them: "500ms", "30s", "5min", "1.5 h"
 */

/* Milliseconds.  NULL, or what is wrong: "has no unit". */
const char *duration_read(double *out, const char *text);

/* Digits with or without a point.  Where they end; NULL: there are none. */
const char *decimal_read(double *out, const char *text);

#endif
