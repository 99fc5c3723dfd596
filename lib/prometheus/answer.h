/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROMETHEUS_ANSWER_H
#define PROMETHEUS_ANSWER_H

/*
 * The answer of Prometheus' HTTP API (v1) to an instant query
 *
 * A scalar is a number, and so is a vector that has one sample.
 */

#include "base/error.h"

#include <stddef.h>

enum { PROMETHEUS_ANSWER_MAX = 64 * 1024 }; /* bytes */

/* Pure.  body: what came, with that HTTP status.  0 and a finite number; or
 * -EPROTO with a sentence that says what is there in its place, fit to be
 * printed. */
int prometheus_read_answer(double *value, int status, const char *body,
			   size_t size, struct error *err);

#endif
