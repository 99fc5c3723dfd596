/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "sim/workload_users.h"
#include "tests/check.h"

#include <errno.h>
#include <math.h>

DEFINE_CLEANUP(struct workload, workload_destroy)

#define HEAD  "{\n\"slots\": 8,\n\"launcher_slots\": 1,\n\"classes\": [\n"
#define GOOD  "{\"name\": \"a\", \"min\": 1, \"max\": 4, \"steps\": 10, "
#define CLASS GOOD "\"step_time\": {\"points\": [[1, 2], [2, 1], [4, 0.8]]}}"
#define JOB   "{\"class\": \"a\"}"

static struct error err;

static int parse(struct workload **workload, const char *text)
{
	return workload_parse(workload, "w.json", text, strlen(text), &err);
}

static void a_workload_is_read(void)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;

	CHECK(parse(&workload,
		    "{\"slots\": 8, \"gap\": 90, \"rescale_gap\": 0.5,\n"
		    "\"source\": \"a paper\", \"decision_delay\": 1, "
		    "\"start_delay\": 0.5, "
		    "\"aging\": 60,\n"
		    "\"start\": {\"line\": [[1, 1], [3, 3], [5, 8]]},\n"
		    "\"classes\": [" CLASS ", {\"name\": \"b\", \"min\": 2, "
		    "\"max\": 2, \"steps\": 1e3, \"step_time\": 0.25, "
		    "\"start\": 7, \"move\": 3}],\n"
		    "\"sets\": [{\"name\": \"A\", \"jobs\": [" JOB
		    ", {\"class\": \"b\", \"name\": \"x\", \"priority\": 5, "
		    "\"submit\": 3.5, \"estimate\": 60, \"steps\": 7}]}, "
		    "{\"jobs\": [" JOB "]}]}\n\n") == 0);
	CHECK(workload->slots == 8 && workload->launcher_slots == 0);
	CHECK(workload->gap == 90000000 && workload->rescale_gap == 500000);
	CHECK(workload->decision_delay == 1000000);
	CHECK(workload->start_delay == 500000);
	CHECK(workload->aging == 60000000);
	CHECK(workload->n_classes == 2 && workload->n_sets == 2);
	CHECK_TEXT(workload->sets[0].name, "A");
	CHECK(workload->sets[0].n == 2 && workload->sets[1].n == 1);
	CHECK(workload->sets[0].jobs[0].submit == -1);
	CHECK(workload->sets[0].jobs[0].priority == 1);
	CHECK(workload->sets[0].jobs[1].submit == 3500000);
	CHECK(workload->sets[0].jobs[1].estimate == 60000000);
	CHECK(workload->sets[0].jobs[1].class == 1);
	CHECK(workload->sets[0].jobs[0].steps == 0);
	CHECK(workload->sets[0].jobs[1].steps == 7);
}

static void times_are_curves_of_the_number_of_ranks(void)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	const struct workload_class *a, *b;

	CHECK(parse(&workload,
		    "{\"slots\": 8, "
		    "\"start\": {\"line\": [[1, 1], [3, 3], [5, 8]]},\n"
		    "\"classes\": [" CLASS ", {\"name\": \"b\", \"min\": 2, "
		    "\"max\": 2, \"steps\": 1, \"step_time\": 0.25, "
		    "\"start\": 7, \"move\": 3}], \"jobs\": [" JOB "]}") == 0);
	a = &workload->classes[0];
	b = &workload->classes[1];
	CHECK(fabs(curve_at(&a->step_time, 1) - 2) < 1e-12);
	CHECK(fabs(curve_at(&a->step_time, 3) - 0.9) < 1e-12);
	CHECK(fabs(curve_at(&a->step_time, 6) - 0.6) < 1e-12);
	/* the line of least squares: slope 7/4, through (3, 4) */
	CHECK(fabs(curve_at(&a->start, 5) - 7.5) < 1e-12);
	CHECK(curve_at(&b->step_time, 5) == 0.25);
	CHECK(curve_at(&b->start, 2) == 7 && curve_at(&b->move, 2) == 3);
	CHECK(curve_at(&a->move, 2) == 0);
	CHECK(fabs(curve_least(&a->step_time, 1, 3) - 0.9) < 1e-12);
	CHECK(curve_most(&a->step_time, 1, 4) == 2);
}

static void a_class_may_have_sizes_and_fill_in(void)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	const struct workload_class *class;

	CHECK(parse(&workload,
		    HEAD "{\"name\": \"a\", \"sizes\": [2, 4], \"steps\": 1, "
			 "\"step_time\": 1}, {\"name\": \"b\", \"min\": 0, "
			 "\"sizes\": [1, 3, 7], \"max\": 3, \"steps\": 1, "
			 "\"step_time\": {\"line\": [[1, 1], [2, 2]]}}], "
			 "\"jobs\": [" JOB "]}") == 0);
	class = &workload->classes[0];
	CHECK(class->min == 2 && class->max == 4 && class->n_sizes == 2);
	CHECK(workload_class_least(class) == 2);
	class = &workload->classes[1];
	CHECK(class->min == 0 && class->max == 3 && class->n_sizes == 3);
	CHECK(class->sizes[2] == 7 && workload_class_least(class) == 1);
}

static void failures_of_nodes_are_read(void)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	const struct workload_failures *failures;

	CHECK(parse(&workload,
		    HEAD CLASS "], \"failures\": {\"mtbf\": 1e7, "
			       "\"repair\": 60, \"slots_per_node\": 4, "
			       "\"checkpoint\": 0.5, \"seed\": 4294967295}, "
			       "\"jobs\": [" JOB "]}") == 0);
	failures = &workload->failures;
	CHECK(failures->mtbf == 1e7 && failures->repair == 60000000);
	CHECK(failures->slots_per_node == 4 && failures->checkpoint == 500000);
	CHECK(failures->seed == 4294967295);
}

static void times_that_are_not_said_are_what_bellows_takes(void)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	const struct workload_class *classes;

	CHECK(parse(&workload, HEAD CLASS
		    ", {\"name\": \"b\", \"min\": 1, \"max\": 4, "
		    "\"steps\": 10, \"step_time\": 1, \"start\": 0}], "
		    "\"on\": \"kube\", \"jobs\": [" JOB "]}") == 0);
	classes = workload->classes;
	CHECK(fabs(curve_at(&classes[0].start, 1) - 0.1024) < 1e-4);
	CHECK(fabs(curve_at(&classes[0].start, 4) - 0.2342) < 1e-4);
	CHECK(curve_at(&classes[0].move, 4) == 0);
	CHECK(curve_at(&classes[1].start, 4) == 0);
	CHECK(workload->decision_delay == 2400000);
	CHECK(workload->start_delay == 2400000);
	workload_destroy(workload);
	CHECK(parse(&workload, HEAD CLASS
		    "], \"on\": \"kube\", "
		    "\"decision_delay\": 0, \"jobs\": [" JOB "]}") == 0);
	CHECK(workload->decision_delay == 0);
	workload_destroy(workload);
	CHECK(parse(&workload, HEAD CLASS "], \"jobs\": [" JOB "]}") == 0);
	CHECK(workload->decision_delay == 0);
}

#define BY(user) "{\"class\": \"a\", \"user\": \"" user "\"}"

static void jobs_are_of_the_users_that_are_listed(void)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	const struct workload_job *jobs;

	CHECK(parse(&workload, HEAD CLASS
		    "], \"usage_half_life\": 60, "
		    "\"users\": [{\"name\": \"ada\", \"share\": 3}, "
		    "{\"name\": \"bob\"}], "
		    "\"jobs\": [" BY("bob") "," JOB "," BY("ada") "," JOB
								  "]}") == 0);
	CHECK(workload->usage_half_life == 60000000);
	CHECK(workload->users.n == 3);
	CHECK(workload->users.at[0].share == 3);
	CHECK_TEXT(workload->users.at[1].name, "bob");
	CHECK(workload->users.at[1].share == 1);
	CHECK_TEXT(workload->users.at[2].name, "");
	jobs = workload->sets->jobs;
	CHECK(jobs[0].user == 1 && jobs[1].user == 2);
	CHECK(jobs[2].user == 0 && jobs[3].user == 2);
}

static void without_a_list_every_user_has_the_same_share(void)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;

	CHECK(parse(&workload, HEAD CLASS "], \"jobs\": [" BY("x") "," BY(
				       "y") "," BY("x") "]}") == 0);
	CHECK(workload->users.n == 2 && workload->users.at[1].share == 1);
	CHECK(workload->sets->jobs[1].user == 1);
	CHECK(workload->sets->jobs[2].user == 0);
	CHECK(workload->aging == (usec_t)3600 * 1000000);
	CHECK(workload->usage_half_life == (usec_t)7 * 86400 * 1000000);
}

/* Many times the number that the table has room for at first. */
static void each_of_many_users_is_found_again(void)
{
	struct workload_users users = {.n = 0};
	bool found = true;

	for (unsigned i = 0; i < 2000; i++) {
		char name[16];
		unsigned index;

		snprintf(name, sizeof(name), "u%u", i % 1000);
		found = found &&
			workload_users_add(&users, name, &index) == 0 &&
			index == i % 1000;
	}
	CHECK(found && users.n == 1000);
	workload_users_fini(&users);
}

#define TWO                                                                    \
	HEAD CLASS                                                             \
		",\n{\"name\": \"b\", \"min\": 2, \"max\": 2, \"steps\": 1, "  \
		"\"step_time\": 1}], \"gap\": 5, \"random\": "

/* "class priority at" of each job of a set. */
static const char *told(const struct workload_set *set)
{
	static char text[512];

	*text = '\0';
	for (size_t i = 0; i < set->n; i++) {
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s%u %d %.6f",
			 used ? ", " : "", set->jobs[i].class,
			 set->jobs[i].priority,
			 (double)set->jobs[i].submit / 1e6);
	}
	return text;
}

static void the_same_seed_draws_the_same_jobs(void)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;

	CHECK(parse(&workload,
		    TWO "{\"jobs\": 4, \"sets\": 2, \"seed\": 42, "
			"\"priorities\": [2, 5], \"mean_gap\": 90}}") == 0);
	CHECK(workload->n_sets == 2);
	CHECK_TEXT(workload->sets[0].name, "1");
	CHECK_TEXT(workload->sets[1].name, "2");
	CHECK_TEXT(told(&workload->sets[0]),
		   "0 5 0.000000, 1 5 3.422715, 0 4 34.016509, 0 4 80.222159");
	CHECK_TEXT(told(&workload->sets[1]),
		   "0 3 0.000000, 0 5 8.408489, 1 3 62.391956, 0 5 129.170094");
	CHECK(workload->sets[0].jobs[3].estimate == -1);
	CHECK(workload->sets[0].jobs[3].steps == 0);
}

static void drawn_jobs_have_the_gap_of_the_workload(void)
{
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	CLEANUP(workload_destroy) struct workload *same = NULL;
	unsigned of_class[2] = {0, 0};

	CHECK(parse(&workload, TWO "{\"jobs\": 100}}") == 0);
	CHECK(parse(&same, TWO "{\"jobs\": 100, \"sets\": 1, \"seed\": 1, "
			       "\"priorities\": [1, 1]}}") == 0);
	CHECK(workload->n_sets == 1 && workload->sets->n == 100);
	for (size_t i = 0; i < workload->sets->n; i++) {
		CHECK(workload->sets->jobs[i].submit == -1);
		CHECK(workload->sets->jobs[i].priority == 1);
		CHECK(workload->sets->jobs[i].class ==
		      same->sets->jobs[i].class);
		of_class[workload->sets->jobs[i].class]++;
	}
	CHECK(of_class[0] > 30 && of_class[1] > 30);
}

static const struct {
	const char *text, *sentence;
} rows[] = {
	{"", "w.json:1: this is not JSON"},
	{"{\"slots\": 8,\n\n \"gap\" 3}", "w.json:3: this is not JSON"},
	{"{}\n{}", "w.json:2: this is not JSON"},
	{"[]", "w.json:1: an object {...} belongs here"},
	{"{\"slots\": 8}", "w.json:1: 'classes' is missing"},
	{HEAD CLASS "],\n\"jbos\": []}",
	 "w.json:6: there is no key 'jbos' here; source, on, slots, "
	 "launcher_slots, rescale_gap, decision_delay, start_delay, gap, "
	 "aging, usage_half_life, start, move, failures, users, classes, jobs, "
	 "sets, random"},
	{HEAD CLASS "],\n\"slots\": 9}", "w.json:6: 'slots' stands twice"},
	{HEAD CLASS "],\n\"gap\":\n-1}",
	 "w.json:7: gap is -1, and not from 0 to 1e+09"},
	{HEAD CLASS "],\n\"rescale_gap\": 1e999, \"jobs\": [" JOB "]}",
	 "w.json:6: rescale_gap is inf, and not from 0 to 1e+09"},
	{HEAD CLASS "],\n\"on\": \"mars\"}",
	 "w.json:6: on is neither 'hosts' nor 'kube'"},
	{"{\"slots\": 1.5}", "w.json:1: slots is 1.5, and not a whole number"},
	{"{\"slots\": \"8\"}", "w.json:1: slots is not a number"},
	{HEAD CLASS "]}",
	 "w.json:1: there is to be one of 'jobs', 'sets' and 'random'"},
	{HEAD CLASS "],\n\"jobs\": [" JOB "], \"random\": {\"jobs\": 1}}",
	 "w.json:1: there is to be one of 'jobs', 'sets' and 'random'"},
	{HEAD CLASS "],\n\"random\":\n{\"sets\": 2}}",
	 "w.json:7: 'jobs' is missing"},
	{HEAD CLASS "],\n\"random\":\n{\"jobs\": 0}}",
	 "w.json:7: jobs is 0, and not from 1 to 2e+06"},
	{HEAD CLASS "],\n\"random\": {\"jobs\": 1, \"sets\":\n0}}",
	 "w.json:7: sets is 0, and not from 1 to 10000"},
	{HEAD CLASS "],\n\"random\": {\"jobs\": 1,\n\"priorities\": [0, 4]}}",
	 "w.json:7: priority is 0, and not from 1 to 1e+06"},
	{HEAD CLASS "],\n\"random\":\n{\"jobs\": 1000, \"sets\": 2001}}",
	 "w.json:7: 2001 sets of 1000 jobs are more than 2000000 jobs"},
	{HEAD CLASS "],\n\"random\":\n{\"jobs\": 1001, \"mean_gap\": 1e6}}",
	 "w.json:7: 1001 jobs of that mean_gap are submitted over more than "
	 "1000000000 s"},
	{HEAD CLASS "],\n\"random\": {\"jobs\": 1,\n\"priorities\": [5, 4]}}",
	 "w.json:7: priority is 4, and not from 5 to 1e+06"},
	{HEAD CLASS "],\n\"random\": {\"jobs\": 1,\n\"priorities\": [1, "
		    "2.5]}}",
	 "w.json:7: priorities are not whole numbers"},
	{HEAD CLASS "],\n\"jobs\": []}",
	 "w.json:6: jobs has 0 members, and not 1 to 2000000"},
	{HEAD CLASS "],\n\"jobs\": [" JOB ",\n{\"class\": \"b\"}]}",
	 "w.json:7: there is no class named b"},
	{HEAD CLASS "],\n\"jobs\": [" JOB
		    ",\n{\"class\": \"a\",\n\"submit\": -3}]}",
	 "w.json:8: submit is -3, and not from 0 to 1e+09"},
	{HEAD CLASS "],\n\"jobs\": [" JOB
		    ",\n{\"class\": \"a\", \"priority\": 0}]}",
	 "w.json:7: priority is 0, and not from 1 to 1e+06"},
	{HEAD CLASS "],\n\"jobs\": [{\"class\": \"a\", \"name\": "
		    "\"x\"},\n" JOB ",\n{\"class\": \"a\", \"name\": \"x\"}]}",
	 "w.json:8: there are two jobs named x"},
	{HEAD CLASS "],\n\"jobs\": [{\"class\": \"a\", \"name\": "
		    "\"x y\"}]}",
	 "w.json:6: name is not a name of 1 to 63 letters, digits, "
	 "'_', '-' and '.'"},
	{HEAD CLASS "],\n\"sets\": [{\"name\": \"A\", \"jobs\": [" JOB
		    "]},\n{\"name\": \"A\", \"jobs\": [" JOB "]}]}",
	 "w.json:7: there are two sets named A"},
	{HEAD CLASS "],\n\"jobs\": [{\"class\": \"a\", \"steps\": 1e12}]}",
	 "w.json:6: class a: a job takes more than 1000000000 s"},
	{HEAD CLASS ",\n" CLASS "]}",
	 "w.json:6: there are two classes named a"},
	{HEAD "{\"name\": \"a\", \"min\": 5, \"max\": 4, \"steps\": "
	      "1,\n\"step_time\": 1}]}",
	 "w.json:5: class a: min 5 is above max 4"},
	{HEAD "{\"name\": \"a\", \"min\": 5, \"max\": 8, \"steps\": "
	      "1,\n\"step_time\": 1}]}",
	 "w.json:5: class a: max 8, and 1 for a launcher, are more "
	 "than the 8 slots"},
	{HEAD
	 "{\"name\": \"a\", \"min\": 1, \"steps\": 1,\n\"step_time\": 1}]}",
	 "w.json:5: class a: there are to be 'min' and 'max', or 'sizes'"},
	{HEAD GOOD "\"step_time\": 1,\n\"sizes\": [1, 2, 2, 4]}]}",
	 "w.json:6: class a: the sizes do not increase"},
	{HEAD GOOD "\"step_time\": 1,\n\"sizes\": [1, 2.5]}]}",
	 "w.json:6: a size is 2.5, and not a whole number"},
	{HEAD GOOD "\"step_time\": 1, \"sizes\": [1, 2, 3]}]}",
	 "w.json:5: class a: min 1 or max 4 is none of its sizes"},
	{HEAD GOOD "\"step_time\": 1, \"sizes\": []}]}",
	 "w.json:5: sizes has 0 members, and not 1 to 1000"},
	{HEAD "{\"name\": \"a\", \"min\": 0, \"max\": 4, \"steps\": 1,\n"
	      "\"step_time\": {\"line\": [[1, 0], [2, 1]]}}]}",
	 "w.json:5: class a: step_time is not above 0 for every number "
	 "of ranks from 1 to 4"},
	{HEAD GOOD "\"step_time\": {\"points\": [[2, 1], [3, "
		   "0.2]]}}]}",
	 "w.json:5: class a: step_time is not above 0 for every number "
	 "of ranks from 1 to 4"},
	{HEAD GOOD "\"step_time\": 1, \"start\":\n{\"line\": [[1, 5], "
		   "[2, 1]]}}]}",
	 "w.json:5: class a: start or move is below 0 for a number of "
	 "ranks from 1 to 4"},
	{HEAD GOOD "\"step_time\": 1, \"move\":\n{\"line\": [[1, 5], "
		   "[2, 1]]}}]}",
	 "w.json:5: class a: start or move is below 0 for a number of "
	 "ranks from 1 to 4"},
	{HEAD GOOD "\"step_time\": 1e9}]}",
	 "w.json:5: class a: a job takes more than 1000000000 s"},
	{HEAD GOOD "\"step_time\": {\"points\": [[2, 1],\n[2, 2]]}}]}",
	 "w.json:6: step_time: ranks do not increase from one point to "
	 "the next"},
	{HEAD GOOD "\"step_time\": {\"points\": [[2, 1],\n[2]]}}]}",
	 "w.json:6: a point [ranks, seconds] has 1 members, and not 2 "
	 "to 2"},
	{HEAD GOOD "\"step_time\":\n{}}]}",
	 "w.json:6: step_time is a number of seconds, or has either "
	 "'points' or 'line'"},
	{HEAD GOOD "\"step_time\":\n{\"line\": [[1, 1]]}}]}",
	 "w.json:6: step_time has 1 members, and not 2 to 64"},
	{HEAD CLASS "],\n\"users\": [{\"name\": \"ada\"}],\n\"jobs\": [" JOB
		    ",\n{\"class\": \"a\", \"user\": \"bob\"}]}",
	 "w.json:8: there is no user named bob"},
	{HEAD CLASS "],\n\"users\": [{\"name\": \"ada\"},\n{\"name\": "
		    "\"ada\"}], \"jobs\": [" JOB "]}",
	 "w.json:7: there are two users named ada"},
	{HEAD CLASS "],\n\"users\": [{\"name\": \"ada\", \"share\": 0}]}",
	 "w.json:6: share is 0, and not from 1 to 1e+06"},
	{HEAD CLASS "],\n\"usage_half_life\": -1}",
	 "w.json:6: usage_half_life is -1, and not from 0 to 1e+09"},
	{HEAD CLASS "],\n\"failures\": {\"mtbf\": 9}}",
	 "w.json:6: 'repair' is missing"},
	{HEAD CLASS "],\n\"failures\": {\"mtbf\": 0, \"repair\": 1}}",
	 "w.json:6: mtbf is 0, and not from 1 to 1e+12"},
	{HEAD CLASS "],\n\"failures\": {\"mtbf\": 9, \"repair\": 1,\n"
		    "\"slots_per_node\": 3}}",
	 "w.json:6: the 8 slots are no multiple of slots_per_node 3"},
	{HEAD CLASS "],\n\"source\": 3, \"jobs\": [" JOB "]}",
	 "w.json:6: source is not a text"},
	{HEAD CLASS "],\n\"jobs\": {}}",
	 "w.json:6: jobs is not an array [...]"},
};

static void what_is_wrong_is_told_with_its_line(void)
{
	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct workload *workload = NULL;

		CHECK(parse(&workload, rows[i].text) == -EINVAL);
		CHECK_TEXT(err.text, rows[i].sentence);
		CHECK(!workload);
	}
}

/* Strings may look like values, keys, and the ends of both. */
static void the_line_is_found_behind_strings_of_any_kind(void)
{
	struct workload *workload = NULL;

	CHECK(parse(&workload,
		    "\xef\xbb\xbf{\"source\": \"\\\"x\\\\\\\": [\\n, "
		    "{\",\n\"slots\": 8,\n\"gap\" : true}") == -EINVAL);
	CHECK_TEXT(err.text, "w.json:3: gap is not a number");
}

static void a_file_that_cannot_be_read_is_named(void)
{
	struct workload *workload = NULL;

	CHECK(workload_read(&workload, "/no/such", &err) == -ENOENT);
	CHECK_TEXT(err.text, "cannot read /no/such: No such file or directory");
	CHECK(workload_read(&workload, "/", &err) == -EINVAL);
	CHECK_TEXT(err.text, "/ is not a file");
}

RUN_TESTS(TEST(a_workload_is_read),
	  TEST(times_are_curves_of_the_number_of_ranks),
	  TEST(a_class_may_have_sizes_and_fill_in),
	  TEST(times_that_are_not_said_are_what_bellows_takes),
	  TEST(failures_of_nodes_are_read),
	  TEST(jobs_are_of_the_users_that_are_listed),
	  TEST(without_a_list_every_user_has_the_same_share),
	  TEST(each_of_many_users_is_found_again),
	  TEST(the_same_seed_draws_the_same_jobs),
	  TEST(drawn_jobs_have_the_gap_of_the_workload),
	  TEST(what_is_wrong_is_told_with_its_line),
	  TEST(the_line_is_found_behind_strings_of_any_kind),
	  TEST(a_file_that_cannot_be_read_is_named))
