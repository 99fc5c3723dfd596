/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_REGRESSION_H
#define CORE_SHARE_REGRESSION_H

/*
 * Regression: a linear one, with what was seen so far
 *
 * Recursive least squares with a ridge: each row corrects the factors, and none
 * is needed again.  It is the result that solving the normal equations of all
 * rows has, so a library for linear algebra would not spare anything.
 */

enum { SHARE_FACTORS_MAX = 16 };

struct share_regression {
	unsigned n, rows; /* factors; rows that were added */
	double factors[SHARE_FACTORS_MAX];
	/* The inverse of the sum of products, ridge included. */
	double inverse[SHARE_FACTORS_MAX][SHARE_FACTORS_MAX];
};

void share_regression_init(struct share_regression *regression, unsigned n);

void share_regression_add(struct share_regression *regression,
			  const double *row, double result);

double share_regression_result(const struct share_regression *regression,
			       const double *row);

#endif
