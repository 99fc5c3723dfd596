/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/cm1/sizes.h"

#include "base/list.h"

#include <errno.h>
#include <math.h>

enum { POINTS_MIN = 3 }; /* of a rank, in either direction */

int sizes_check(const struct input *input, struct error *err)
{
	const double *value = input->value;
	const struct {
		enum input_key key;
		bool is_wrong;
		const char *right;
	} limits[] = {
		{INPUT_AXISYMM, value[INPUT_AXISYMM] >= 1, "0"},
		{INPUT_NX, input->nx > 0 && input->nx < POINTS_MIN,
		 "3 or more"},
		{INPUT_NY, input->ny > 0 && input->ny < POINTS_MIN,
		 "3 or more"},
		{INPUT_PSOLVER,
		 value[INPUT_PSOLVER] == 4 || value[INPUT_PSOLVER] == 5,
		 "another one than 4 and 5"},
		{INPUT_OUTPUT_PDCOMP, value[INPUT_OUTPUT_PDCOMP] >= 1, "0"},
	};

	for (size_t i = 0; i < LENGTH(limits); i++)
		if (limits[i].is_wrong)
			return input_refuse(input, limits[i].key, err,
					    ", which CM1 does not compute with "
					    "MPI; %s",
					    limits[i].right);
	return 0;
}

struct shares {
	unsigned x, y;
};

/* Of all pairs, the one whose parts are the nearest to twice as long in x as in
 * y, in single precision as in CM1. */
static struct shares share_out(const struct input *input, unsigned ranks)
{
	struct shares best = {1, ranks};
	float nearest = INFINITY;

	if (input->nx <= 3)
		return best;
	if (input->ny <= 3)
		return (struct shares){ranks, 1};
	for (unsigned y = ranks; y >= 1; y--) {
		float ni, nj, off;

		if (ranks % y != 0)
			continue;
		ni = (float)input->nx / (float)(ranks / y);
		nj = (float)input->ny / (float)y;
		off = fabsf(ni / nj - 2);
		if (off < nearest) {
			nearest = off;
			best = (struct shares){ranks / y, y};
		}
	}
	return best;
}

static int accept_points(const struct input *input, unsigned ranks,
			 struct error *err)
{
	struct shares shares = share_out(input, ranks);

	if (input->nx == 0 || input->ny == 0 ||
	    (input->nx / shares.x >= POINTS_MIN &&
	     input->ny / shares.y >= POINTS_MIN))
		return 0;
	return error_set(err, -EINVAL,
			 "both ni and nj must be >= %d, and %u ranks share its "
			 "%u x %u points as %u x %u",
			 POINTS_MIN, ranks, input->nx, input->ny, shares.x,
			 shares.y);
}

int sizes_accept(const struct input *input, unsigned ranks, struct error *err)
{
	int r = accept_points(input, ranks, err);

	/* CM1 lowers a larger ppnode to the number of ranks. */
	if (r == 0 && ranks > input->ppnode && ranks % input->ppnode != 0)
		return error_set(err, -EINVAL,
				 "its ppnode is %u, of which %u is no multiple",
				 input->ppnode, ranks);
	return r;
}
