/* SPDX-License-Identifier: Apache-2.0 */
#include "core/share_profile.h"

/* ---- second derivatives of a cubic spline ---- */

/* Of the n values at `values`, each `stride` behind the one before, into
 * `second` alike. */
struct line {
	const struct share_axis *axis;
	const double *values;
	double *second;
	unsigned stride;
};

static double width(const struct line *line, unsigned i)
{
	return line->axis->at[i + 1] - line->axis->at[i];
}

static double slope(const struct line *line, unsigned i)
{
	const double *value = line->values + (size_t)i * line->stride;

	return (value[line->stride] - value[0]) / width(line, i);
}

/* The equation of value i, 1 to n - 2: before, own and after are the factors of
 * the second derivatives.  The outermost two follow from the others, as the
 * third derivative does not change at value 1 and at value n - 2. */
struct equation {
	double before, own, after, right;
};

static struct equation equation_of(const struct line *line, unsigned i)
{
	unsigned n = line->axis->n;
	double left = width(line, i - 1), right = width(line, i);
	struct equation equation = {
		.before = left,
		.own = 2 * (left + right),
		.after = right,
		.right = 6 * (slope(line, i) - slope(line, i - 1)),
	};

	if (i == 1) {
		equation.own += left + left * left / right;
		equation.after -= left * left / right;
		equation.before = 0;
	}
	if (i == n - 2) {
		equation.own += right + right * right / left;
		equation.before -= right * right / left;
		equation.after = 0;
	}
	return equation;
}

/* By elimination; n is 4 or more. */
static void solve(const struct line *line)
{
	double after[SHARE_AXIS_MAX], *m = line->second;
	unsigned n = line->axis->n;
	size_t stride = line->stride;

	after[0] = m[0] = 0;
	for (unsigned i = 1; i < n - 1; i++) {
		struct equation equation = equation_of(line, i);
		double own = equation.own - equation.before * after[i - 1];

		after[i] = equation.after / own;
		m[i * stride] = (equation.right -
				 equation.before * m[(i - 1) * stride]) /
				own;
	}
	for (unsigned i = n - 3; i >= 1; i--)
		m[i * stride] -= after[i] * m[(i + 1) * stride];
	m[0] = m[stride] +
	       (m[stride] - m[2 * stride]) * width(line, 0) / width(line, 1);
	m[(n - 1) * stride] = m[(n - 2) * stride] +
			      (m[(n - 2) * stride] - m[(n - 3) * stride]) *
				      width(line, n - 2) / width(line, n - 3);
}

static void find_second(const struct line *line)
{
	unsigned n = line->axis->n;
	double same = 0;

	if (n >= 4) {
		solve(line);
		return;
	}
	if (n == 3)
		same = 2 * (slope(line, 1) - slope(line, 0)) /
		       (width(line, 0) + width(line, 1));
	for (unsigned i = 0; i < n; i++)
		line->second[(size_t)i * line->stride] = same;
}

void share_profile_init(struct share_profile *profile,
			const struct share_axis *workloads,
			const struct share_axis *shares, const double *seconds,
			double *room)
{
	unsigned rows = workloads->n, columns = shares->n;
	size_t cells = (size_t)rows * columns;

	*profile = (struct share_profile){
		*workloads, *shares,      seconds,
		room,       room + cells, room + 2 * cells,
	};
	for (unsigned i = 0; i < rows; i++) {
		size_t at = (size_t)i * columns;

		find_second(&(struct line){shares, seconds + at,
					   profile->by_shares + at, 1});
	}
	for (unsigned k = 0; k < columns; k++) {
		find_second(&(struct line){workloads, seconds + k,
					   profile->by_workload + k, columns});
		find_second(&(struct line){workloads, profile->by_shares + k,
					   profile->by_both + k, columns});
	}
}

/* ---- values ---- */

/* Between two values of an axis: what each of the two, and the second
 * derivative at each, counts. */
struct place {
	unsigned low, high;
	double a, b, c, d;
};

/* from: where the search begins; the axis is short. */
static struct place find_place(const struct share_axis *axis, double at,
			       unsigned from)
{
	unsigned low = from, high = axis->n - 1;
	struct place place;
	double width;

	if (!(at > axis->at[0]))
		return (struct place){0, 0, .a = 1};
	if (at >= axis->at[high])
		return (struct place){high, high, .a = 1};
	while (at >= axis->at[low + 1])
		low++;
	width = axis->at[low + 1] - axis->at[low];
	place = (struct place){low, low + 1, .b = (at - axis->at[low]) / width};
	place.a = 1 - place.b;
	place.c = (place.a * place.a - 1) * place.a * width * width / 6;
	place.d = (place.b * place.b - 1) * place.b * width * width / 6;
	return place;
}

/* Along the workloads, in column k. */
static double value_at(const struct place *place, const double *values,
		       const double *second, unsigned columns, unsigned k)
{
	size_t low = (size_t)place->low * columns + k;
	size_t high = (size_t)place->high * columns + k;

	return place->a * values[low] + place->b * values[high] +
	       place->c * second[low] + place->d * second[high];
}

/* The values of all shares, with one workload. */
struct section {
	double seconds[SHARE_AXIS_MAX], second[SHARE_AXIS_MAX];
};

static void cut(const struct share_profile *profile, double workload,
		struct section *section)
{
	struct place place = find_place(&profile->workloads, workload, 0);
	unsigned columns = profile->shares.n;

	for (unsigned k = 0; k < columns; k++) {
		section->seconds[k] =
			value_at(&place, profile->seconds, profile->by_workload,
				 columns, k);
		section->second[k] = value_at(&place, profile->by_shares,
					      profile->by_both, columns, k);
	}
}

static double seconds_at(const struct section *section,
			 const struct place *place)
{
	return value_at(place, section->seconds, section->second, 1, 0);
}

double share_profile_seconds(const struct share_profile *profile,
			     double workload, double shares)
{
	struct place place = find_place(&profile->shares, shares, 0);
	struct section section;

	cut(profile, workload, &section);
	return seconds_at(&section, &place);
}

void share_profile_row(const struct share_profile *profile, double workload,
		       double first, double step, unsigned n, double *seconds)
{
	struct place place = {.low = 0};
	struct section section;

	cut(profile, workload, &section);
	for (unsigned i = 0; i < n; i++) {
		place = find_place(&profile->shares, first + step * i,
				   place.low);
		seconds[i] = seconds_at(&section, &place);
	}
}
