/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_FILE_TRUST_H
#define APPS_FILE_TRUST_H

#include "base/error.h"

/* Whether a file, and the folder it is in, belong to root or this user and can
 * be written to by nobody else.  path has no symbolic links.  0, or -EPERM or
 * another -errno with a sentence. */
int file_trust(const char *path, struct error *err);

#endif
