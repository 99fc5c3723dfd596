/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOBFILE_CHECK_SCALE_H
#define JOBFILE_CHECK_SCALE_H

/*
 * What the keys of the section scale have to do with each other
 */

#include "jobfile/reader.h"

/* 0, or -EINVAL with a sentence in reader->err. */
int check_scale(struct reader *reader);

#endif
