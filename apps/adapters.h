/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APPS_ADAPTERS_H
#define APPS_ADAPTERS_H

/*
 * Which adapters there are: those of this house, and those that were added
 */

#include "apps/adapter.h"

enum { ADAPTERS_ADDED_MAX = 16 };

extern const struct adapter adapter_cm1, adapter_generic, adapter_gromacs,
	adapter_lammps, adapter_parint, adapter_supersteps;

/* "cm1, generic, gromacs, lammps, parint, supersteps", for sentences; n is the
 * size of the buffer. */
const char *adapter_names(char *text, size_t n);

/* From then on adapter_find() finds it.  Borrowed for ever; it has a name.
 * -EEXIST or -E2BIG with a sentence; adapter_may_add() only asks. */
int adapter_add(const struct adapter *adapter, struct error *err);
int adapter_may_add(const struct adapter *adapter, struct error *err);

#endif
