/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_regression.h"

/* Of rows whose numbers are about 1; between 0.1 and 10 it makes no
 * difference. */
#define RIDGE 1.0

void share_regression_init(struct share_regression *regression, unsigned n)
{
	*regression = (struct share_regression){.n = n};
	for (unsigned i = 0; i < n; i++)
		regression->inverse[i][i] = 1 / RIDGE;
}

double share_regression_result(const struct share_regression *regression,
			       const double *row)
{
	double sum = 0;

	for (unsigned i = 0; i < regression->n; i++)
		sum += regression->factors[i] * row[i];
	return sum;
}

/* Sherman and Morrison: the inverse with one more product. */
void share_regression_add(struct share_regression *regression,
			  const double *row, double result)
{
	double off = result - share_regression_result(regression, row);
	double change[SHARE_FACTORS_MAX], whole = 1;
	unsigned n = regression->n;

	for (unsigned i = 0; i < n; i++) {
		change[i] = 0;
		for (unsigned k = 0; k < n; k++)
			change[i] += regression->inverse[i][k] * row[k];
		whole += row[i] * change[i];
	}
	for (unsigned i = 0; i < n; i++) {
		regression->factors[i] += change[i] / whole * off;
		for (unsigned k = 0; k < n; k++)
			regression->inverse[i][k] -=
				change[i] * change[k] / whole;
	}
	regression->rows++;
}
