/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_SERVICE_ROLES_H
#define COORDINATOR_SERVICE_ROLES_H

/*
 * Which role may call which method: one table, in roles.c
 *
 * The role is what the certificate of the caller says.  Where connections are
 * not encrypted there is none, and a caller with the token may call all
 * methods. No role may call a method that is not in the table.
 */

#include "base/error.h"

/* name: the common name of the certificate; path: "/package.Service/Method".
 * 0, or -EACCES with a sentence that names role and method. */
int roles_check(const char *path, const char *name, struct error *err);

#endif
