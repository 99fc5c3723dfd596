/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_users.h"

#include "core/sched_usage.h"

#include <errno.h>
#include <stdlib.h>

#define SECOND 1e6 /* in usec_t */

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

static void advance(struct sim_users *users, usec_t now)
{
	struct sched_decay decay = sched_decay(
		(double)(now - users->now) / SECOND, users->half_life);

	for (size_t i = 0; i < users->n; i++)
		users->at[i].used = sched_used(&decay, users->at[i].used,
					       users->at[i].slots);
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
