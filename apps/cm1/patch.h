/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_CM1_PATCH_H
#define APPS_CM1_PATCH_H

#include <stdio.h>

/* Prints what makes the text before into the text after, as a unified diff
 * without context.  Lines are replaced or put in, none is taken out.  name: of
 * the file. */
void patch_print(FILE *to, const char *name, const char *before,
		 const char *after);

#endif
