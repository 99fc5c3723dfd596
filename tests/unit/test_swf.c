/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/list.h"
#include "sim/engine.h"
#include "sim/swf_workload.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <errno.h>
#include <math.h>

#define S ((usec_t)1000000)

/* The fields that are used, each line of a log having all 18. */
#define ROW(number, submit, run, processors, requested, time, status)          \
	number " " submit " -1 " run " " processors " -1 -1 " requested        \
	       " " time " -1 " status " 1 1 -1 -1 -1 -1 -1\n"
#define GOOD ROW("1", "100", "60", "4", "4", "90", "1")
#define HEAD "; Version: 2.2\n; MaxProcs: 8\n"

DEFINE_CLEANUP(struct workload, workload_destroy)

static struct error err;

static int parse_bytes(struct swf_log *log, const char *text, size_t size,
		       unsigned slots)
{
	CLEANUP(fclose) FILE *file = fmemopen((void *)text, size, "r");

	return file ? swf_parse(log, "l.swf", file, slots, &err) : -errno;
}

static int parse(struct swf_log *log, const char *text)
{
	return parse_bytes(log, text, strlen(text), 0);
}

static void a_log_is_read(void)
{
	CLEANUP(swf_log_fini) struct swf_log log;

	CHECK(parse(&log,
		    HEAD "\n" GOOD ";\n  \t\r\n"
			 "  7\t130.5 1 2.5 -1 1.5 -1 3 -1 -1 0 1 1 -1 -1 -1 "
			 "-1 -1\r") == 0);
	CHECK(log.slots == 8 && log.n == 2);
	CHECK(log.jobs[0].number == 1 && log.jobs[0].submit == 100);
	CHECK(log.jobs[0].run == 60 && log.jobs[0].processors == 4);
	CHECK(log.jobs[0].requested == 90 && log.jobs[0].line == 4);
	/* the processors that it asked for, where nobody noted what it had */
	CHECK(log.jobs[1].number == 7 && log.jobs[1].submit == 130.5);
	CHECK(log.jobs[1].run == 2.5 && log.jobs[1].processors == 3);
	CHECK(log.jobs[1].requested == -1);
	CHECK(log.jobs[0].user == 1 && log.jobs[1].user == 1);
}

static void the_head_tells_the_slots(void)
{
	static const struct {
		const char *head;
		unsigned given, slots;
	} heads[] = {
		{"; MaxNodes: 5\n", 0, 5},
		{"; MaxProcs: 10\n; MaxNodes: 5\n", 0, 10},
		{";MaxNodes:   5 (without the spare ones)\n;  MaxProcs: -1\n",
		 0, 5},
		{"; MaxProcs: 1\n; MaxNodes: 7\n", 0, 1},
		{"; MaxNodes: 1\n", 0, 1},
		{"; MaxProcs: 10\n", 12, 12},
		{"", 12, 12},
	};

	for (size_t i = 0; i < LENGTH(heads); i++) {
		CLEANUP(swf_log_fini) struct swf_log log;
		char text[512];

		snprintf(text, sizeof(text), "%s%s; MaxProcs: 99\n",
			 heads[i].head, ROW("1", "0", "1", "0", "1", "1", "1"));
		CHECK(parse_bytes(&log, text, strlen(text), heads[i].given) ==
		      0);
		CHECK(log.slots == heads[i].slots && log.n == 1);
		CHECK(log.jobs[0].processors == 1);
	}
}

/* clang-format off */
static const char since_1970[] = HEAD
	ROW("1", "1700000050", "1", "1", "1", "1", "1")
	ROW("2", "1700000040", "1", "1", "1", "1", "1")
	ROW("3", "1700000050", "1", "1", "1", "1", "1");
/* clang-format on */

static void jobs_are_put_in_order_of_submission(void)
{
	CLEANUP(swf_log_fini) struct swf_log log;

	CHECK(parse(&log, since_1970) == 0);
	CHECK(log.n == 3 && log.jobs[0].number == 2);
	CHECK(log.jobs[0].submit == 1700000040);
	CHECK(log.jobs[1].number == 1 && log.jobs[2].number == 3);
}

/* clang-format off */
static const char with_others[] = HEAD GOOD
	/* cancelled before the start; the last one while it ran */
	ROW("2", "100", "-1", "4", "4", "90", "5")
	ROW("3", "100", "0", "-1", "4", "90", "5")
	ROW("4", "100", "1", "-1", "-1", "90", "5")
	ROW("5", "100", "1", "1", "1", "90", "5")
	/* parts of a job */
	ROW("6", "100", "7", "4", "4", "90", "2")
	ROW("6", "100", "7", "4", "4", "90", "3")
	ROW("6", "100", "7", "4", "4", "90", "4")
	/* no run time, no processors, too many */
	ROW("7", "100", "0", "4", "4", "90", "1")
	ROW("8", "100", "7", "0", "-1", "90", "1")
	ROW("9", "100", "7", "9", "4", "90", "0")
	ROW("10", "100", "7", "8", "8", "90", "0");
/* clang-format on */

static void what_cannot_be_simulated_is_counted(void)
{
	CLEANUP(swf_log_fini) struct swf_log log;
	char text[400];

	CHECK(parse(&log, with_others) == 0);
	CHECK(log.n == 3 && log.jobs[1].number == 5);
	CHECK(log.jobs[2].number == 10);
	swf_left_out_text(&log, text, sizeof(text));
	CHECK_TEXT(text, "9 of 12 jobs are left out: 3 cancelled before the "
			 "start, 3 listed as a part of another job, 1 without "
			 "a run time, 1 without processors, 1 on more "
			 "processors than there are slots");
}

static void nothing_is_said_if_all_jobs_are_simulated(void)
{
	CLEANUP(swf_log_fini) struct swf_log log;
	char text[400] = "?";

	CHECK(parse(&log, HEAD GOOD) == 0);
	swf_left_out_text(&log, text, sizeof(text));
	CHECK_TEXT(text, "");
}

static const struct {
	const char *text, *sentence;
} rows[] = {
	{HEAD GOOD "2 200 -1 60", "l.swf:4: the line has 4 fields, and not 18"},
	{HEAD "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n",
	 "l.swf:3: the line has 19 fields, and not 18"},
	{HEAD ROW("1", "100", "sixty", "4", "4", "90", "1"),
	 "l.swf:3: field 4 is 'sixty', and not a number"},
	{HEAD ROW("1", "100", "60", "4", "4", "90", "done"),
	 "l.swf:3: field 11 is 'done', and not a number"},
	{HEAD ROW("1", "100", "0x10", "4", "4", "90", "1"),
	 "l.swf:3: field 4 is '0x10', and not a number"},
	{HEAD ROW("1", "100", "inf", "4", "4", "90", "1"),
	 "l.swf:3: field 4 is 'inf', and not a number"},
	{HEAD ROW("1", "1e999", "60", "4", "4", "90", "1"),
	 "l.swf:3: field 2 is '1e999', and not a number"},
	{HEAD ROW("1", "-5", "60", "4", "4", "90", "1"),
	 "l.swf:3: the submit time (field 2) is -5, and not from 0 to "
	 "100000000000"},
	{HEAD ROW("1", "1e12", "60", "4", "4", "90", "1"),
	 "l.swf:3: the submit time (field 2) is 1000000000000, and not from 0 "
	 "to 100000000000"},
	{HEAD GOOD ROW("2", "1000000101", "60", "4", "4", "90", "1"),
	 "l.swf:4: the submit time is more than 1000000000 s from that of the "
	 "first job"},
	{HEAD ROW("1", "100", "-2", "4", "4", "90", "1"),
	 "l.swf:3: the run time (field 4) is -2, and not from -1 to "
	 "1000000000"},
	{HEAD ROW("1", "100", "1e10", "4", "4", "90", "1"),
	 "l.swf:3: the run time (field 4) is 10000000000, and not from -1 to "
	 "1000000000"},
	{HEAD ROW("1", "100", "60", "2.5", "4", "90", "1"),
	 "l.swf:3: the number of processors (field 5) is 2.5, and not a whole "
	 "number"},
	{GOOD, "l.swf:1: neither '; MaxProcs: N' nor '; MaxNodes: N' stands "
	       "before the first job; --slots N says how many processors "
	       "there are"},
	{"; MaxProcs: 2000000\n" GOOD,
	 "l.swf:2: the log is of 2000000 processors, and not of 1 to 1000000"},
	{HEAD, "l.swf:3: there is no job to simulate"},
	{HEAD ROW("1", "100", "-1", "4", "4", "90", "1"),
	 "l.swf:4: there is no job to simulate; 1 of 1 jobs is left out: 1 "
	 "without a run time"},
	{"\x1f\x8b\x08\0", "l.swf:1: the log is compressed; gunzip it first"},
};

static void what_is_wrong_is_told_with_its_line(void)
{
	for (size_t i = 0; i < LENGTH(rows); i++) {
		CLEANUP(swf_log_fini) struct swf_log log;

		CHECK(parse(&log, rows[i].text) == -EINVAL);
		CHECK_TEXT(err.text, rows[i].sentence);
	}
}

static void a_line_without_end_is_not_read_to_its_end(void)
{
	static char text[2 * SWF_LINE_MAX];
	CLEANUP(swf_log_fini) struct swf_log log;

	memset(text, '7', sizeof(text));
	CHECK(parse_bytes(&log, text, sizeof(text), 0) == -EINVAL);
	CHECK_TEXT(err.text, "l.swf:1: the line has more than 4095 bytes; this "
			     "is no log in Standard Workload Format");
	CHECK(parse_bytes(&log, "1 \0", 3, 0) == -EINVAL);
	CHECK_TEXT(err.text, "l.swf:1: byte 3 of the line is 0; this is no log "
			     "in Standard Workload Format");
}

static void write_file(const char *name, const char *text)
{
	CLEANUP(fclose) FILE *file = fopen(below(name), "we");

	if (file)
		fputs(text, file);
}

static void a_log_is_known_by_its_name_or_its_first_byte(void)
{
	CLEANUP(folder_remove) char *f = folder_create("swf");
	CLEANUP(swf_log_fini) struct swf_log log;

	CHECK(f);
	CHECK(swf_is_log("/no/such.swf") && swf_is_log("/no/such.swf.gz"));
	CHECK(!swf_is_log("/no/such") && !swf_is_log("/"));
	write_file("comment", " \n; Version: 2.2\n");
	write_file("digit", GOOD);
	write_file("zero", "0 1");
	write_file("nine", "9 1");
	write_file("json", "\n{\"slots\": 8}");
	write_file("empty", "");
	CHECK(swf_is_log(below("comment")) && swf_is_log(below("digit")));
	CHECK(swf_is_log(below("zero")) && swf_is_log(below("nine")));
	CHECK(!swf_is_log(below("json")) && !swf_is_log(below("empty")));
	CHECK(swf_read(&log, below("digit"), 8, &err) == 0 && log.n == 1);
}

static void a_file_that_cannot_be_read_is_named(void)
{
	CLEANUP(swf_log_fini) struct swf_log log;

	CHECK(swf_read(&log, "/no/such", 0, &err) == -ENOENT);
	CHECK_TEXT(err.text, "cannot read /no/such: No such file or directory");
	CHECK(swf_read(&log, "/", 0, &err) == -EINVAL);
	CHECK_TEXT(err.text, "/ is not a file");
}

/* ---- the workload ---- */

static struct workload *grown(const char *text, unsigned percent, unsigned grow,
			      unsigned seed)
{
	const struct swf_rule rule = {percent, grow, seed, 30};
	CLEANUP(swf_log_fini) struct swf_log log;
	struct workload *workload = NULL;

	if (parse(&log, text) < 0 ||
	    swf_workload(&workload, &log, &rule, &err) < 0)
		return NULL;
	return workload;
}

static struct workload *workload_of(const char *text, unsigned percent,
				    unsigned seed)
{
	return grown(text, percent, 2, seed);
}

/* clang-format off */
#define JOBS                                                                   \
	HEAD GOOD                                                              \
	ROW("2", "110", "50", "1", "1", "0", "0")                              \
	ROW("3", "120.5", "10", "5", "5", "20", "1")                           \
	ROW("4", "130", "10", "4", "4", "5", "1")
/* clang-format on */

static const struct workload_class *class_of(const struct workload *workload,
					     size_t job)
{
	return &workload->classes[workload->sets->jobs[job].class];
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void jobs_are_rigid_as_in_the_log(void)
{
	CLEANUP(workload_destroy)
	struct workload *workload = workload_of(JOBS, 0, 1);
	static const unsigned processors[] = {4, 1, 5, 4};
	const struct workload_job *jobs;

	CHECK(workload && workload->slots == 8 && workload->n_sets == 1);
	CHECK(workload->sets->n == 4 && workload->n_classes == 3);
	CHECK(workload->launcher_slots == 0 && workload->rescale_gap == 0);
	CHECK(workload->aging == 3600 * S);
	CHECK(workload->usage_half_life == 7 * 86400 * S);
	for (size_t i = 0; i < LENGTH(processors); i++) {
		CHECK(class_of(workload, i)->min == processors[i]);
		CHECK(class_of(workload, i)->max == processors[i]);
		CHECK(curve_at(&class_of(workload, i)->step_time,
			       processors[i]) == 1);
	}
	jobs = workload->sets->jobs;
	CHECK_TEXT(jobs[2].name, "job-3");
	CHECK(jobs[0].submit == 0 && jobs[2].submit == 20 * S + S / 2);
	CHECK(jobs[0].steps == 60 && jobs[0].estimate == 90 * S);
	/* without a requested time; with one that is too short */
	CHECK(jobs[1].steps == 50 && jobs[1].estimate == -1);
	CHECK(jobs[3].steps == 10 && jobs[3].estimate == 5 * S);
	CHECK(jobs[1].priority == 1);
}

static void a_malleable_job_takes_what_the_log_says_on_its_processors(void)
{
	CLEANUP(workload_destroy)
	struct workload *workload = workload_of(JOBS, 100, 1);
	const struct workload_class *four, *five;

	CHECK(workload && workload->n_classes == 3);
	CHECK(class_of(workload, 1)->min == 1);
	CHECK(class_of(workload, 1)->max == 1);
	four = class_of(workload, 0);
	CHECK(four->min == 1 && four->max == 8);
	CHECK(is_near(curve_at(&four->step_time, 4), 1));
	CHECK(is_near(curve_at(&four->step_time, 1), 0.2 + 0.8 * 4));
	CHECK(is_near(curve_at(&four->step_time, 8), 0.2 + 0.8 / 2));
	CHECK(curve_at(&four->move, 3) == 30 && curve_at(&four->start, 3) == 0);
	/* a quarter is rounded up, and there are 8 slots */
	five = class_of(workload, 2);
	CHECK(five->min == 2 && five->max == 8);
	CHECK(is_near(curve_at(&five->step_time, 5), 1));
	/* what is expected is that of the run on the most ranks */
	CHECK(workload->sets->jobs[0].estimate == 54 * S);
	CHECK(workload->sets->jobs[1].estimate == -1);
}

static void a_malleable_job_grows_to_a_multiple_of_its_processors(void)
{
	static const unsigned most[][2] = {{4, 5}, {8, 8}, {8, 8}};

	for (unsigned grow = 1; grow <= 3; grow++) {
		CLEANUP(workload_destroy)
		struct workload *workload = grown(JOBS, 100, grow, 1);

		CHECK(workload);
		CHECK(class_of(workload, 0)->max == most[grow - 1][0]);
		CHECK(class_of(workload, 2)->max == most[grow - 1][1]);
	}
}

/* 20 jobs on 2 processors: which of them are malleable, as bits. */
static unsigned long drawn(unsigned percent, unsigned seed)
{
	char text[4096] = HEAD;
	CLEANUP(workload_destroy) struct workload *workload = NULL;
	unsigned long bits = 0;

	for (int i = 0; i < 20; i++)
		strcat(text, ROW("1", "1", "1", "2", "2", "-1", "1"));
	workload = workload_of(text, percent, seed);
	for (size_t i = 0; workload && i < workload->sets->n; i++)
		if (class_of(workload, i)->max > 2)
			bits |= 1ul << i;
	return bits;
}

static void the_same_seed_makes_the_same_jobs_malleable(void)
{
	CHECK(drawn(0, 1) == 0 && drawn(100, 1) == 0xfffff);
	CHECK(drawn(50, 1) == 0xd0c9);
	CHECK(drawn(50, 2) == 0xb8078);
	/* a larger share has those of the smaller one */
	CHECK(drawn(25, 1) == 0x8048);
}

/* On 8 slots: 4 ranks for 60 s, and 1 until then; at 60 s 5 ranks for 10 s, and
 * when they are gone the last 4. */
static void a_log_is_simulated(void)
{
	CLEANUP(workload_destroy)
	struct workload *workload = workload_of(JOBS, 0, 1);
	const struct sim_settings settings = {
		.policy = sched_policy_find("easy"),
		.gap = -1,
		.rescale_gap = -1,
	};
	struct sim_metrics metrics;

	CHECK(workload);
	CHECK(sim_run_all(&metrics, workload, &settings, &err) == 0);
	CHECK(is_near(metrics.total, 80));
	CHECK(is_near(metrics.slot_seconds, 4 * 60 + 50 + 5 * 10 + 4 * 10));
	CHECK(is_near(metrics.response, (0 + 0 + 39.5 + 40) / 4));
}

RUN_TESTS(TEST(a_log_is_read), TEST(the_head_tells_the_slots),
	  TEST(jobs_are_put_in_order_of_submission),
	  TEST(what_cannot_be_simulated_is_counted),
	  TEST(nothing_is_said_if_all_jobs_are_simulated),
	  TEST(what_is_wrong_is_told_with_its_line),
	  TEST(a_line_without_end_is_not_read_to_its_end),
	  TEST(a_log_is_known_by_its_name_or_its_first_byte),
	  TEST(a_file_that_cannot_be_read_is_named),
	  TEST(jobs_are_rigid_as_in_the_log),
	  TEST(a_malleable_job_takes_what_the_log_says_on_its_processors),
	  TEST(a_malleable_job_grows_to_a_multiple_of_its_processors),
	  TEST(the_same_seed_makes_the_same_jobs_malleable),
	  TEST(a_log_is_simulated))
