/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_users.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SECOND 1e6 /* in usec_t */
#define LN_2   0.69314718055994530942

int sim_users_init(struct sim_users *users, const struct workload *workload)
{
	const struct workload_users *from = &workload->users;
	double shares = 0;

	users->n = from->n > 0 ? from->n : 1;
	users->half_life = (double)workload->usage_half_life / SECOND;
	users->at = calloc(users->n, sizeof(*users->at));
	users->seen = calloc(users->n, sizeof(*users->seen));
	if (!users->at || !users->seen)
		return -ENOMEM;
	for (size_t i = 0; i < from->n; i++)
		shares += from->at[i].share;
	for (size_t i = 0; i < from->n; i++)
		users->seen[i].share = from->at[i].share / shares;
	return 0;
}

void sim_users_fini(struct sim_users *users)
{
	free(users->at);
	free(users->seen);
}

/* 1 - 2^-halves.  The series is summed here, because the last digit of exp2()
 * differs from one library to another. */
static double forgotten(double halves)
{
	double whole = floor(halves), x = (halves - whole) * LN_2;
	double term = x, sum = x;

	for (int k = 2; k <= 20; k++) {
		term *= -x / k;
		sum += term;
	}
	return whole > 0 ? 1 - ldexp(1 - sum, -(int)fmin(whole, 2000)) : sum;
}

static void advance(struct sim_users *users, usec_t now)
{
	double seconds = (double)(now - users->now) / SECOND;
	double lost = 0, counts = seconds; /* of a slot held since then */

	if (users->half_life > 0) {
		lost = forgotten(seconds / users->half_life);
		counts = lost * users->half_life / LN_2;
	}
	for (size_t i = 0; i < users->n; i++)
		users->at[i].used +=
			users->at[i].slots * counts - users->at[i].used * lost;
	users->now = now;
}

void sim_users_slots(struct sim_users *users, usec_t now, unsigned user,
		     int more)
{
	if (users->n > 1 && now > users->now)
		advance(users, now);
	users->at[user].slots += (unsigned)more;
}

void sim_users_end(struct sim_users *users, unsigned user, double slowdown)
{
	users->at[user].slowdown += slowdown;
	users->at[user].jobs++;
}

const struct sched_user *sim_users_view(struct sim_users *users, usec_t now)
{
	double all = 0;

	if (users->n == 1)
		return NULL;
	if (now > users->now)
		advance(users, now);
	for (size_t i = 0; i < users->n; i++)
		all += users->at[i].used;
	for (size_t i = 0; i < users->n; i++)
		users->seen[i].usage = all > 0 ? users->at[i].used / all : 0;
	return users->seen;
}

double sim_users_fairness(const struct sim_users *users)
{
	double sum = 0, squares = 0, n = 0;

	for (size_t i = 0; i < users->n; i++) {
		const struct sim_user *user = &users->at[i];
		double mean;

		if (user->jobs == 0)
			continue;
		mean = user->slowdown / (double)user->jobs;
		sum += mean;
		squares += mean * mean;
		n++;
	}
	return sum * sum / squares / n;
}
