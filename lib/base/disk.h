/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_DISK_H
#define BASE_DISK_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a directory takes a file, and has room for so many bytes: 0, or
 * -ENOSPC, -EDQUOT, -EROFS, -EIO, -ESTALE, -ENOENT and the like with a sentence
 * that names it.  Found out by writing a block; of that nothing stays, nor is
 * it seen where the file system has files without a name.  sync: to the disk
 * itself.  Takes as long as the file system does, which may be for ever;
 * without sync it does not wait for a disk that is only busy. */
int disk_try(const char *dir, uint64_t room, bool sync, struct error *err);

/* Whether dir is a directory in which files can be made and found; it may be
 * full.  0 or -errno with a sentence that begins with dir. */
int disk_check_directory(const char *dir, struct error *err);

#endif
