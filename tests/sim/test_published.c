/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The published simulator's figures, to the printed digit
 *
 * The two job lists are those of its repository, and the figures what it prints
 * for them.  Those of the 100 random sets, which are behind the paper's figures
 * 7 and 8, come from a second program with its rules, on Python's own heapq.
 */

#include "base/cleanup.h"
#include "base/list.h"
#include "sim/engine.h"
#include "tests/check.h"

DEFINE_CLEANUP(struct workload, workload_destroy)

struct row {
	const char *policy, *figures;
};

static char printed[128];

/* Total, with so many digits, utilisation, response and completion. */
static const char *run(const struct workload *workload, const char *policy,
		       int gap, int rescale_gap, int digits)
{
	const struct sim_settings settings = {
		.policy = sched_policy_find(policy),
		.gap = gap < 0 ? -1 : (usec_t)gap * 1000000,
		.rescale_gap =
			rescale_gap < 0 ? -1 : (usec_t)rescale_gap * 1000000,
	};
	struct sim_metrics m;
	static struct error err;

	if (sim_run_all(&m, workload, &settings, &err) < 0)
		return err.text;
	snprintf(printed, sizeof(printed), "%.*f %.4f %.2f %.2f", digits,
		 m.total, m.utilisation, m.response, m.completion);
	return printed;
}

static void check_table(const char *set, const struct row *rows, size_t n)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	struct workload one;
	struct error err;

	if (workload_read(&workload, WORKLOADS "/elastic_table1.json", &err) <
	    0)
		note("refused", err.text);
	CHECK(workload && workload->n_sets == 2);
	one = *workload;
	one.sets += strcmp(one.sets[0].name, set) != 0;
	one.n_sets = 1;
	CHECK_TEXT(one.sets->name, set);
	for (size_t i = 0; i < n; i++)
		CHECK_TEXT(run(&one, rows[i].policy, -1, -1, 0),
			   rows[i].figures);
}

static void list_b_is_equal_in_all_modes(void)
{
	static const struct row rows[] = {
		{"published", "2731 0.9321 100.88 356.04"},
		{"published_moldable", "2966 0.7369 65.86 369.62"},
		{"published_min", "3056 0.6179 246.22 747.05"},
		{"published_max", "2991 0.8627 211.14 382.05"},
	};

	check_table("B", rows, LENGTH(rows));
}

static void list_a_is_equal_in_all_modes(void)
{
	static const struct row rows[] = {
		{"published", "1929 0.9344 39.78 449.86"},
		{"published_moldable", "2997 0.5685 212.97 598.99"},
		{"published_min", "2951 0.4842 0.00 616.19"},
		{"published_max", "2766 0.7470 150.82 367.88"},
	};

	check_table("A", rows, LENGTH(rows));
}

static void list_b_is_equal_with_the_queue_sorted(void)
{
	static const struct row rows[] = {
		{"published_sorted", "2731 0.9321 100.88 356.04"},
		{"published_sorted_moldable", "2966 0.7369 65.86 369.62"},
		{"published_sorted_min", "3056 0.6179 165.56 666.39"},
		{"published_sorted_max", "2991 0.8627 187.93 358.84"},
	};

	check_table("B", rows, LENGTH(rows));
}

static void list_a_is_equal_with_the_queue_sorted(void)
{
	static const struct row rows[] = {
		{"published_sorted", "2210 0.8202 22.98 420.79"},
		{"published_sorted_moldable", "3095 0.5692 219.68 567.34"},
		{"published_sorted_min", "2951 0.4842 0.00 616.19"},
		{"published_sorted_max", "2766 0.7470 150.82 367.88"},
	};

	check_table("A", rows, LENGTH(rows));
}

/* Ties between events, and jobs that end just before a rescale, are in these:
 * see sim/engine.h. */
static void the_random_sets_are_equal_wherever_it_was_tried(void)
{
	static const struct {
		int gap, rescale_gap;
		struct row row;
	} rows[] = {
		{0, 180, {"published", "3497.22 0.9645 1069.32 1640.58"}},
		{0,
		 180,
		 {"published_moldable", "3705.63 0.8512 1022.12 1684.73"}},
		{0, 180, {"published_min", "3425.98 0.7682 455.13 1430.77"}},
		{0, 180, {"published_max", "5143.22 0.7444 1416.95 1776.57"}},
		{30, 180, {"published", "3472.04 0.9598 819.05 1419.43"}},
		{120, 180, {"published", "3650.86 0.9263 365.86 943.93"}},
		{360, 180, {"published", "5945.41 0.6210 27.51 441.60"}},
		{180, 0, {"published", "3962.61 0.8908 224.25 728.46"}},
		{180, 600, {"published", "3997.87 0.8575 233.31 780.30"}},
		{180, 1200, {"published", "4163.58 0.8111 267.76 816.78"}},
	};
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	struct error err;

	if (workload_read(&workload, WORKLOADS "/elastic_random.json", &err) <
	    0)
		note("refused", err.text);
	CHECK(workload && workload->n_sets == 100);
	for (size_t i = 0; i < LENGTH(rows); i++)
		CHECK_TEXT(run(workload, rows[i].row.policy, rows[i].gap,
			       rows[i].rescale_gap, 2),
			   rows[i].row.figures);
}

RUN_TESTS(TEST(list_b_is_equal_in_all_modes),
	  TEST(list_a_is_equal_in_all_modes),
	  TEST(list_b_is_equal_with_the_queue_sorted),
	  TEST(list_a_is_equal_with_the_queue_sorted),
	  TEST(the_random_sets_are_equal_wherever_it_was_tried))
