/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_VIEWS_SPEC_H
#define CLI_VIEWS_SPEC_H

/* A job file as it was understood, for `bellows validate`. */

#include "jobfile/jobfile.h"

#include <stdio.h>

void spec_print(FILE *to, const struct jobfile *job);

/* One JSON object, one line. */
void spec_print_json(FILE *to, const struct jobfile *job);

#endif
