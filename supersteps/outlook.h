/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERSTEPS_OUTLOOK_H
#define SUPERSTEPS_OUTLOOK_H

/*
 * What a planner is told of the workloads of the steps to come
 */

#include "core/share_forecast.h"
#include "supersteps/application.h"

enum supersteps_source {
	SUPERSTEPS_KNOWN, /* the workloads as they will be */
	SUPERSTEPS_GIVEN, /* the forecast of the files */
	SUPERSTEPS_MADE,  /* from the workloads before the step */
};

struct supersteps_forecast {
	enum supersteps_source source;
	const struct share_forecaster *forecaster; /* of SUPERSTEPS_MADE */
};

/* By the name of a source, "known" or "given", or of a forecaster; false: there
 * is none. */
bool supersteps_forecast_find(struct supersteps_forecast *forecast,
			      const char *name);
const char *
supersteps_forecast_name(const struct supersteps_forecast *forecast);

/* The first task without a forecast in the files; NULL: each has one. */
const struct supersteps_task *
supersteps_without_forecast(const struct supersteps *supersteps);

struct supersteps_outlook {
	const struct supersteps *of;
	struct supersteps_forecast forecast;
	struct share_forecast *made; /* [task]; of SUPERSTEPS_MADE */
	unsigned look;               /* steps that are wanted */
	double *ahead;               /* [look][task]: workloads */
	unsigned steps;              /* that are told; fewer near the end */
	unsigned short_steps;        /* before which a history was too short */
};

/* 0 or -ENOMEM; supersteps_outlook_fini() in each case. */
int supersteps_outlook_init(struct supersteps_outlook *outlook,
			    const struct supersteps *supersteps,
			    const struct supersteps_forecast *forecast,
			    unsigned look);

/* Fills `ahead` and `steps`, before the step. */
void supersteps_outlook_look(struct supersteps_outlook *outlook, unsigned step);

void supersteps_outlook_fini(struct supersteps_outlook *outlook);

#endif
