/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "sim/sim_users.h"
#include "tests/check.h"

#include <math.h>

#define S ((usec_t)1000000)

static void release_at(struct sim_users *users)
{
	sim_users_fini(users);
}

static struct workload_user names[] = {{"ada", 3}, {"bob", 1}};

static struct sim_users begin(usec_t half_life)
{
	const struct workload workload = {
		.usage_half_life = half_life,
		.users = {.at = names, .n = 2},
	};
	struct sim_users users = {.n = 0};

	sim_users_init(&users, &workload);
	return users;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-12;
}

/* From 0 to 60 s and from 60 to 120 s. */
static void hold_in_turn(struct sim_users *users)
{
	sim_users_slots(users, 0, 0, 4);
	sim_users_slots(users, 60 * S, 0, -4);
	sim_users_slots(users, 60 * S, 1, 4);
	sim_users_slots(users, 120 * S, 1, -4);
}

static void usage_of_a_half_life_ago_counts_half(void)
{
	CLEANUP(release) struct sim_users users = begin(60 * S);
	const struct sched_user *seen;

	hold_in_turn(&users);
	seen = sim_users_view(&users, 120 * S);
	CHECK(is_near(seen[0].share, 0.75) && is_near(seen[1].share, 0.25));
	CHECK(is_near(seen[0].usage, 1 / 3.0));
	CHECK(is_near(seen[1].usage, 2 / 3.0));
	/* what is held counts although it is not given back yet */
	sim_users_slots(&users, 180 * S, 0, 4);
	seen = sim_users_view(&users, 240 * S);
	CHECK(is_near(seen[0].usage, (1 / 8.0 + 1) / (1 / 8.0 + 1 + 1 / 4.0)));
}

static void usage_counts_for_ever_without_a_half_life(void)
{
	CLEANUP(release) struct sim_users users = begin(0);
	const struct sched_user *seen;

	hold_in_turn(&users);
	seen = sim_users_view(&users, 1000000 * S);
	CHECK(is_near(seen[0].usage, 0.5) && is_near(seen[1].usage, 0.5));
}

static void usage_of_long_ago_is_forgotten(void)
{
	CLEANUP(release) struct sim_users users = begin(1);
	const struct sched_user *seen;

	hold_in_turn(&users);
	seen = sim_users_view(&users, 1000000 * S);
	CHECK(seen[0].usage == 0 && seen[1].usage == 0);
}

static void one_user_is_none_for_the_policy(void)
{
	const struct workload workload = {.slots = 1};
	CLEANUP(release) struct sim_users users = {.n = 0};

	CHECK(sim_users_init(&users, &workload) == 0);
	sim_users_slots(&users, 0, 0, 4);
	CHECK(!sim_users_view(&users, S));
	sim_users_end(&users, 0, 7);
	CHECK(is_near(sim_users_fairness(&users), 1));
}

static void fairness_is_of_the_mean_slowdowns_of_users(void)
{
	CLEANUP(release) struct sim_users users = begin(0);

	sim_users_end(&users, 0, 2);
	sim_users_end(&users, 0, 4);
	CHECK(is_near(sim_users_fairness(&users), 1));
	sim_users_end(&users, 1, 1);
	CHECK(is_near(sim_users_fairness(&users), 16 / 20.0));
}

RUN_TESTS(TEST(usage_of_a_half_life_ago_counts_half),
	  TEST(usage_counts_for_ever_without_a_half_life),
	  TEST(usage_of_long_ago_is_forgotten),
	  TEST(one_user_is_none_for_the_policy),
	  TEST(fairness_is_of_the_mean_slowdowns_of_users))
