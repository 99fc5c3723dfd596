/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_PROFILE_TABLE_H
#define CLI_VIEWS_PROFILE_TABLE_H

/*
 * What `bellows profile` prints: a table of each task, or an object of JSON for
 * each cell
 */

#include "supersteps/measuring.h"

#include <stdio.h>

void profile_print_text(FILE *to, const struct measuring *measuring);
void profile_print_json(FILE *to, const struct measuring *measuring);

#endif
