/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_OUTPUT_H
#define EXECUTOR_OUTPUT_H

/*
 * What ranks print, on its way to the coordinator
 *
 * Each rank has a terminal for stdout, so that C and Fortran write whole lines
 * at once as they do for a person, and a pipe for stderr.  Whole lines go up
 * the Output stream; while the coordinator cannot take more, or is away, the
 * ranks are not read and in the end wait, as they would for a slow terminal.
 */

#include "base/error.h"
#include "loop/loop.h"
#include "rpc/client.h"

#include <stdint.h>

struct output;

/* name: of the executor; copied.  channel: borrowed, and destroyed before the
 * output is. */
int output_create(struct output **out, struct loop *loop,
		  struct rpc_channel *channel, const char *name,
		  struct error *err);
struct output *output_destroy(struct output *output); /* returns NULL */

/* Descriptors for a rank's stdin, stdout and stderr: the caller's to close once
 * they are given away. */
int output_add(struct output *output, unsigned epoch, unsigned rank, int fds[3],
	       struct error *err);

/* The executor has joined as that incarnation: what ranks print is sent from
 * now on; and no more, until it has joined again. */
void output_attach(struct output *output, uint64_t incarnation);
void output_detach(struct output *output);

typedef void (*output_end_f)(void *user);

/* Calls fn once all that the ranks printed has arrived, or after patience; from
 * the loop.  No rank runs any more. */
void output_finish(struct output *output, msec_t patience, output_end_f fn,
		   void *user);

#endif
