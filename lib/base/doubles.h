/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_DOUBLES_H
#define BASE_DOUBLES_H

/* Compares two doubles for qsort() and bsearch(), ascending; neither is NaN. */
int doubles_compare(const void *a, const void *b);

#endif
