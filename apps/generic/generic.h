/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_GENERIC_GENERIC_H
#define APPS_GENERIC_GENERIC_H

/*
 * The check of the generic adapter, with the key that is wrong: the job file
 * says where that key stands
 */

#include "apps/adapter.h"

/* As check() of an adapter; *key is the key of the job file that the sentence
 * is about, "generic.progress", and the sentence does not name it. */
int generic_check(const struct adapter_app *app, const char **key,
		  struct error *err);

#endif
