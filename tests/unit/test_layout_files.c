/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "tests/unit/layout_files.h"

#include <errno.h>

static void the_columns_that_count_are_read_and_jobs_are_sorted(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("layout");
	CLEANUP(layout_workload_fini) struct layout_workload workload;
	const struct layout_job *jobs;

	CHECK(layout_workload_read(
		      &workload,
		      write_file("jobs.csv",
				 "# made by hand\n"
				 "run,submit_s,benchmark,profile,ranks\n"
				 "12,7.5,minife,memory,16\n"
				 "13,0,hpccfft,network,4\n"
				 "\n"
				 "x,7.5, minife ,cpu,8\n"),
		      &layout_pace_published, &err) == 0);
	jobs = workload.jobs;
	CHECK(workload.n == 3);
	CHECK(jobs[0].submit == 0 && jobs[0].ranks == 4 && jobs[0].line == 4);
	CHECK(jobs[0].profile == PLACE_NETWORK && jobs[0].number == 0);
	CHECK(jobs[1].submit == 7.5 && jobs[1].ranks == 16 &&
	      jobs[1].line == 3);
	CHECK(jobs[1].profile == PLACE_MEMORY && jobs[1].number == 0);
	CHECK(jobs[2].ranks == 8 && jobs[2].profile == PLACE_CPU);
	CHECK(jobs[2].program == jobs[1].program && jobs[2].number == 1);
}

static void a_job_has_the_ranks_and_the_profile_of_its_program(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("layout");
	CLEANUP(layout_workload_fini) struct layout_workload workload;

	CHECK(layout_workload_read(&workload,
				   write_file("jobs.csv",
					      "benchmark,submit_s\n"
					      "hpccrandomringbw,0\n"
					      "hpccdgemm,1\nhpccstream,2\n"
					      "minife,3\nhpccfft,4"),
				   &layout_pace_published, &err) == 0);
	CHECK(workload.n == 5);
	for (unsigned i = 0; i < workload.n; i++) {
		static const enum place_profile profiles[] = {
			PLACE_NETWORK, PLACE_CPU, PLACE_MEMORY, PLACE_MEMORY,
			PLACE_NETWORK};

		CHECK(workload.jobs[i].ranks == 16);
		CHECK(workload.jobs[i].profile == profiles[i]);
	}
}

static void a_bad_file_of_jobs_is_refused_with_its_line(void)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{"", ":1: there is no job to simulate"},
		{"benchmark,submit_s\n# no more\n",
		 ":1: there is no job to simulate"},
		{"minife,0\n", ":1: no column is named 'benchmark'; the first "
			       "row is to name the columns, benchmark and "
			       "submit_s among them"},
		{"benchmark,submit\nminife,0\n",
		 ":1: no column is named 'submit_s'; the first row is to name "
		 "the columns, benchmark and submit_s among them"},
		{"benchmark,submit_s,ranks,ranks\n",
		 ":1: there are two columns 'ranks'"},
		{"benchmark,submit_s\nminife\n",
		 ":2: the line has 1 fields, and the first row names 2 "
		 "columns"},
		{"benchmark,submit_s\nminife,0,1\n",
		 ":2: the line has 3 fields, and the first row names 2 "
		 "columns"},
		{"benchmark,submit_s\n\nhpl,0\n",
		 ":3: how fast the benchmark 'hpl' runs is not known; it is "
		 "of hpccrandomringbw, hpccfft, hpccdgemm, hpccstream, minife, "
		 "and --pace can name others"},
		{"benchmark,submit_s\nminife,soon\n",
		 ":2: the time of submission is 'soon', and not a number"},
		{"benchmark,submit_s\nminife,nan\n",
		 ":2: the time of submission is 'nan', and not a number"},
		{"benchmark,submit_s\nminife,-1\n",
		 ":2: the time of submission is -1, and not from 0 to 1e+09"},
		{"benchmark,submit_s,ranks\nminife,0,0\n",
		 ":2: the number of ranks is 0, and not from 1 to 10000"},
		{"benchmark,submit_s,ranks\nminife,0,2.5\n",
		 ":2: the number of ranks is 2.5, and not a whole number"},
		{"benchmark,submit_s,profile\nminife,0,disk\n",
		 ":2: the profile is 'disk'; there are network, cpu and "
		 "memory"},
	};
	CLEANUP(folder_remove) char *dir = folder_create("layout");

	for (size_t i = 0; i < LENGTH(cases); i++) {
		CLEANUP(layout_workload_fini) struct layout_workload workload;
		const char *path = write_file("jobs.csv", cases[i].text);

		CHECK(layout_workload_read(&workload, path,
					   &layout_pace_published,
					   &err) == -EINVAL);
		CHECK_TEXT(sentence(path), cases[i].sentence);
	}
}

static void more_jobs_than_are_simulated_are_refused(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("layout");
	CLEANUP(layout_workload_fini) struct layout_workload workload;
	const char *path = write_file("jobs.csv", "benchmark,submit_s\n");
	FILE *file = fopen(path, "a");

	CHECK(file);
	for (int i = 0; i <= LAYOUT_JOBS_MAX; i++)
		fputs("minife,0\n", file);
	CHECK(fclose(file) == 0);
	CHECK(layout_workload_read(&workload, path, &layout_pace_published,
				   &err) == -EINVAL);
	CHECK_TEXT(sentence(path), ":10002: the file has more than 10000 jobs");
}

/* ---- the pace ---- */

#define HEAD "{\"launch\": 1, \"release\": 2, \"bandwidth\": 10,"
#define PROGRAM                                                                \
	"{\"name\": \"a\", \"profile\": \"cpu\", \"ranks\": 4, \"seconds\": "  \
	"60"

static void the_pace_of_other_programs_is_read(void)
{
	CLEANUP(folder_remove) char *dir = folder_create("layout");
	CLEANUP(layout_pace_fini) struct layout_pace pace;
	const struct layout_program *program;

	CHECK(layout_pace_read(&pace,
			       write_file("pace.json",
					  HEAD "\"programs\": [" PROGRAM "},"
					       "{\"name\": \"b\", \"profile\": "
					       "\"memory\", \"ranks\": 8, "
					       "\"seconds\": 9, \"of_4\": 1.1, "
					       "\"of_16\": 1.2, \"floating\": "
					       "1.3, \"apart\": 5, "
					       "\"bandwidth\": 2, "
					       "\"slowing\": 0.5}]}"),
			       &err) == 0);
	CHECK(pace.launch == 1 && pace.release == 2 && pace.bandwidth == 10);
	CHECK(pace.n == 2 && !layout_program_find(&pace, "c"));
	program = layout_program_find(&pace, "a");
	CHECK(program && program->profile == PLACE_CPU && program->ranks == 4);
	CHECK(program->seconds == 60 && program->of_4 == 1 &&
	      program->of_16 == 1 && program->floating == 1 &&
	      program->apart == 1);
	CHECK(program->bandwidth == 0 && program->slowing == 0);
	program = layout_program_find(&pace, "b");
	CHECK(program && program->profile == PLACE_MEMORY &&
	      program->of_4 == 1.1 && program->of_16 == 1.2 &&
	      program->floating == 1.3 && program->apart == 5 &&
	      program->bandwidth == 2 && program->slowing == 0.5);
}

static void a_bad_pace_is_refused_with_its_line(void)
{
	static const struct {
		const char *text, *sentence;
	} cases[] = {
		{HEAD "\n\"programs\": [" PROGRAM "},\n" PROGRAM "}]}",
		 ":3: there are two programs 'a'"},
		{HEAD "\"programs\": []}",
		 ":1: programs has 0 members, and not 1 to 100"},
		{HEAD "\n\"programs\": [{\"name\": \"a\", \"profile\": "
		      "\"disk\", \"ranks\": 4, \"seconds\": 60}]}",
		 ":2: the profile is 'disk'; there are network, cpu and "
		 "memory"},
		{HEAD "\n\"programs\": [" PROGRAM ", \"floating\": 0}]}",
		 ":2: floating is 0, and not from 0.001 to 1e+06"},
		{HEAD "\n\"programs\": [" PROGRAM ", \"speed\": 1}]}",
		 ":2: there is no key 'speed' here; name, profile, ranks, "
		 "seconds, of_4, of_16, floating, apart, bandwidth, slowing"},
		{HEAD "\n\"programs\": [{\"name\": \"a\"}]}",
		 ":2: 'profile' is missing"},
		{"{\"launch\": 1, \"release\": 2, \"programs\": [" PROGRAM
		 "}]}",
		 ":1: 'bandwidth' is missing"},
		{"{\"launch\": 1, \"release\": 2, \"bandwidth\": 10}",
		 ":1: 'programs' is missing"},
		{"{", ":1: this is not JSON"},
	};
	CLEANUP(folder_remove) char *dir = folder_create("layout");

	for (size_t i = 0; i < LENGTH(cases); i++) {
		CLEANUP(layout_pace_fini) struct layout_pace pace;
		const char *path = write_file("pace.json", cases[i].text);

		CHECK(layout_pace_read(&pace, path, &err) == -EINVAL);
		CHECK_TEXT(sentence(path), cases[i].sentence);
	}
}

RUN_TESTS(TEST(the_columns_that_count_are_read_and_jobs_are_sorted),
	  TEST(a_job_has_the_ranks_and_the_profile_of_its_program),
	  TEST(a_bad_file_of_jobs_is_refused_with_its_line),
	  TEST(more_jobs_than_are_simulated_are_refused),
	  TEST(the_pace_of_other_programs_is_read),
	  TEST(a_bad_pace_is_refused_with_its_line))
