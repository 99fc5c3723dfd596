/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "coordinator/service/prometheus.h"
#include "tests/check.h"

#include <stdlib.h>

static struct jobfile *jobfile;
static struct job job;
static struct history history;
static struct ledger ledger;
static struct eta eta;
static char *text;

static const char description[] = "name: heat\n"
				  "app: parint\n"
				  "command: [parint]\n"
				  "ranks: {initial: 2, min: 1, max: 4}\n"
				  "checkpoint: {dir: c}\n";

static void join(const char *name, msec_t now)
{
	const struct introduction executor = {.name = name,
					      .address = "10.0.0.1",
					      .machine = "m",
					      .slots = 1,
					      .silence = SECONDS(5)};
	int index, lost;

	CHECK(member_join(&ledger, &executor, now, &index, &lost) == JOIN_NEW);
}

/* Runs on 2 ranks since 1200, in a job that began at 1000; it is 6000. */
static void begin(void)
{
	static const struct job_patience patience = {.retries = 3};
	static const struct {
		msec_t now;
		enum job_event_type type;
		unsigned size;
	} events[] = {{1100, JOB_EV_EXECUTORS, 2},
		      {1200, JOB_EV_RANKS_UP, 0},
		      {1300, JOB_EV_STEP, 0}};

	job_init(&job, 2, &patience, false, 1000);
	history_init(&history, 1000);
	ledger.n = 0;
	for (size_t i = 0; i < 3; i++) {
		const struct job_event event = {.type = events[i].type,
						.now = events[i].now,
						.size = events[i].size};
		const struct job before = job;

		CHECK(job_step(&job, &event));
		history_on_step(&history, &before, &job, &event, "why");
	}
	join("a", 5000);
	join("b", 5900);
	ledger.members[0].state = MEMBER_READY;
}

static void print(void)
{
	const struct prometheus_source source = {.jobfile = jobfile,
						 .job = &job,
						 .history = &history,
						 .ledger = &ledger,
						 .executors_wanted = 3,
						 .eta = eta,
						 .stall = 5500,
						 .now = 6000};
	size_t n = 0;
	FILE *to;

	free(text);
	text = NULL;
	to = open_memstream(&text, &n);
	prometheus_print(&source, to);
	fclose(to);
}

static bool has(const char *line)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "\n%s\n", line);
	return strstr(text, whole) != NULL;
}

static void a_job_that_runs_is_told_in_figures(void)
{
	begin();
	history_on_progress(&history, 10, 100, true, 2000);
	history_on_progress(&history, 20, 100, false, 3000);
	eta = (struct eta){.rate = 10, .left = 8, .sd = 0.25};
	print();
	CHECK(has("bellows_job_info{job=\"heat\",app=\"parint\",version="
		  "\"" VERSION "\"} 1"));
	CHECK(has("bellows_job_state{state=\"running\"} 1"));
	CHECK(has("bellows_job_state{state=\"waiting\"} 0"));
	CHECK(has("bellows_job_age_seconds 5"));
	CHECK(has("bellows_ranks 2") && has("bellows_ranks_target 2"));
	CHECK(has("bellows_ranks_min 1") && has("bellows_ranks_max 4"));
	CHECK(has("bellows_starts_total 1"));
	CHECK(has("bellows_step 20") && has("bellows_progress_ratio 0.2"));
	CHECK(has("bellows_eta_seconds 8"));
	CHECK(has("bellows_eta_deviation_seconds 0.25"));
	CHECK(has("bellows_steps_per_second 10"));
	CHECK(has("bellows_stalled_seconds 5.5"));
	CHECK(has("bellows_executors{state=\"ready\"} 1"));
	CHECK(has("bellows_executors{state=\"joined\"} 1"));
	CHECK(has("bellows_executors{state=\"leaving\"} 0"));
	CHECK(has("bellows_executors_wanted 3"));
	CHECK(has("bellows_heartbeat_age_seconds 1"));
}

static void what_is_not_known_is_no_number(void)
{
	begin();
	eta = (struct eta){.left = -1, .sd = -1};
	print();
	CHECK(has("bellows_progress_ratio NaN"));
	CHECK(has("bellows_eta_seconds NaN"));
	CHECK(has("bellows_eta_deviation_seconds NaN"));
	CHECK(has("bellows_steps_per_second NaN"));
}

static void lost_executors_are_not_counted(void)
{
	begin();
	ledger.members[0].state = MEMBER_LOST;
	print();
	CHECK(has("bellows_executors{state=\"ready\"} 0"));
	CHECK(has("bellows_heartbeat_age_seconds 0.1"));
	CHECK(strstr(text, "state=\"lost\"") == NULL);
}

static void rescales_are_told_by_kind_and_phase(void)
{
	begin();
	history.tally = (struct tally){.grown = 1,
				       .recovered = 2,
				       .checkpoints = 5,
				       .declined = 3,
				       .lost = 4,
				       .phases = {[PHASE_SAVE] = 1500},
				       .paused = 2500,
				       .repeated = 7};
	print();
	CHECK(has("bellows_rescales_total{kind=\"grow\"} 1"));
	CHECK(has("bellows_rescales_total{kind=\"shrink\"} 0"));
	CHECK(has("bellows_rescales_total{kind=\"recovery\"} 2"));
	CHECK(has("bellows_rescales_total{kind=\"checkpoint\"} 5"));
	CHECK(has("bellows_rescales_total{kind=\"declined\"} 3"));
	CHECK(has("bellows_executors_lost_total 4"));
	CHECK(has("bellows_rescale_phase_seconds_total{phase=\"save\"} 1.5"));
	CHECK(has("bellows_pause_seconds_total 2.5"));
	CHECK(has("bellows_repeated_steps_total 7"));
}

/* By its words, as Prometheus does. */
static void every_line_is_help_or_type_or_a_value(void)
{
	const char *line = text;
	char name[128] = "";

	begin();
	print();
	for (line = text; *line; line = strchr(line, '\n') + 1) {
		char other[128];

		CHECK(strchr(line, '\n') != NULL);
		if (sscanf(line, "# HELP %127s", name) == 1)
			continue;
		if (sscanf(line, "# TYPE %127s", other) != 1)
			CHECK(sscanf(line, "%127[a-z_]", other) == 1);
		CHECK_TEXT(other, name);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(a_job_that_runs_is_told_in_figures),
		TEST(what_is_not_known_is_no_number),
		TEST(lost_executors_are_not_counted),
		TEST(rescales_are_told_by_kind_and_phase),
		TEST(every_line_is_help_or_type_or_a_value),
	};
	int r;

	if (jobfile_parse(&jobfile, "heat.yaml", description,
			  sizeof(description) - 1, "/home/me", NULL) < 0)
		return 1;
	r = run_tests(tests, sizeof(tests) / sizeof(tests[0]));
	jobfile_destroy(jobfile);
	free(text);
	return r;
}
