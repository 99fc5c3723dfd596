/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_LAUNCH_XMLOUT_H
#define COORDINATOR_LAUNCH_XMLOUT_H

/*
 * What mpiexec --xml prints, taken apart again into lines of ranks
 *
 *     <stdout rank="1">half a l</stdout><stdout rank="0">one&#010;</stdout>
 *
 * Without it mpiexec passes on what ranks print as it reads it, and two ranks'
 * lines mix.  An element is what mpiexec read at once from one rank; bytes that
 * mean something to XML, or nothing to a terminal, are written as entities, so
 * no byte is lost.  What stands outside of elements, or in one without a rank,
 * is mpiexec's own.
 */

#include "base/cleanup.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { XMLOUT_OWN = -1, XMLOUT_LINE_MAX = 64 * 1024 };

struct xmlout;

/* A whole line with its newline, or XMLOUT_LINE_MAX bytes of a longer one, or
 * at the end what there is.  rank: XMLOUT_OWN for mpiexec's. */
typedef void (*xmlout_f)(void *user, int rank, bool error, const char *text,
			 size_t n);

/* Lines of ranks 0 to ranks - 1 are handed on as theirs, those of other ranks
 * as mpiexec's own. */
int xmlout_create(struct xmlout **out, unsigned ranks, xmlout_f fn, void *user,
		  struct error *err);
struct xmlout *xmlout_destroy(struct xmlout *xmlout); /* returns NULL */

DEFINE_CLEANUP(struct xmlout, xmlout_destroy)

/* In pieces of any size. */
void xmlout_feed(struct xmlout *xmlout, const char *data, size_t n);
/* No more will come: hands over lines that have no end. */
void xmlout_end(struct xmlout *xmlout);

#endif
