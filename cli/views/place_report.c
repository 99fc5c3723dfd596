/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/place_report.h"

#include "json/json.h"

#include <math.h>

static const char *const class_names[MPI_CLASSES] = {
	[MPI_POINT_TO_POINT] = "point to point",
	[MPI_COLLECTIVE] = "collective",
	[MPI_ONE_SIDED] = "one-sided",
	[MPI_FILES] = "files",
};
static const char *const class_keys[MPI_CLASSES] = {
	[MPI_POINT_TO_POINT] = "point_to_point",
	[MPI_COLLECTIVE] = "collective",
	[MPI_ONE_SIDED] = "one_sided",
	[MPI_FILES] = "files",
};
static const char *const reason_keys[] = {
	[PLACE_MESSAGES] = "messages",
	[PLACE_BANDWIDTH] = "bandwidth",
	[PLACE_NEITHER] = "neither",
	[PLACE_BANDWIDTH_NOISY] = "bandwidth_noisy",
	[PLACE_BANDWIDTH_UNKNOWN] = "bandwidth_unknown",
	[PLACE_MESSAGES_UNKNOWN] = "messages_unknown",
	[PLACE_SHORT] = "short",
};
static const char *const reason_sentences[] = {
	[PLACE_MESSAGES] = "its ranks communicate for much of their time",
	[PLACE_BANDWIDTH] = "its ranks communicate little, and move much of "
			    "what the memory can move",
	[PLACE_NEITHER] = "its ranks communicate little, and move little of "
			  "what the memory can move",
	[PLACE_BANDWIDTH_NOISY] =
		"its ranks communicate little; cpu and memory cannot be told "
		"apart, because the measurements of the memory differ too much",
	[PLACE_BANDWIDTH_UNKNOWN] =
		"its ranks communicate little; cpu and memory cannot be told "
		"apart, because the memory could not be measured",
	[PLACE_MESSAGES_UNKNOWN] =
		"one rank has none to communicate with, so whether the network "
		"binds the program is not known",
	[PLACE_SHORT] =
		"so it seems, but it has worked for less than a second, "
		"which is too short for a profile",
};

/* Of a quotient. */
static double touched_share_error(const struct program_run *run)
{
	double of_program = run->touched_error / run->triad_touched;
	double of_triad = run->touched * run->triad_touched_error /
			  (run->triad_touched * run->triad_touched);

	return hypot(of_program, of_triad);
}

void place_report_judge(struct place_report *report)
{
	const struct program_run *run = &report->run;
	struct place_facts *facts = &report->facts;

	*facts = (struct place_facts){
		.seconds = run->mpi.ranks > 0 ? run->mpi.seconds : run->seconds,
		.messages = run->mpi.least,
		.bandwidth = -1};
	if (run->mpi.ranks == 1)
		facts->messages = -1;
	if (run->has_counters) {
		facts->bandwidth = run->counted / run->triad_counted;
	} else if (run->has_touched) {
		facts->bandwidth = run->touched / run->triad_touched;
		facts->bandwidth_error = touched_share_error(run);
	}
	report->verdict = place_judge(facts);
}

/* ---- text ---- */

static void print_run(FILE *to, const struct place_report *report)
{
	const struct program_run *run = &report->run;

	fprintf(to, "run: %u rank%s on %u core%s, %.1f s%s\n",
		report->config.ranks, report->config.ranks == 1 ? "" : "s",
		report->config.cores, report->config.cores == 1 ? "" : "s",
		run->seconds,
		run->is_cut ? "; it was ended at the limit, and is measured up "
			      "to there"
			    : "");
	if (run->mpi.ranks > 0 && run->mpi.ranks < report->config.ranks)
		fprintf(to, "run: only %u of the ranks have called MPI_Init\n",
			run->mpi.ranks);
}

static void print_messages(FILE *to, const struct mpi_records *mpi)
{
	if (mpi->ranks == 0) {
		fputs("communication: none; the program has not called "
		      "MPI_Init of Open MPI's shared library\n",
		      to);
		return;
	}
	fprintf(to,
		"communication: %.1f %% of the time on the rank that has "
		"least, %.1f %% in the mean\n",
		100 * mpi->least, 100 * mpi->mean);
	for (int i = 0; i < MPI_CLASSES; i++)
		if (mpi->of[i].calls_per_s > 0)
			fprintf(to,
				"  %s: %.1f %% of the time, %.4g calls/s and "
				"%.4g MB/s per rank\n",
				class_names[i], 100 * mpi->of[i].share,
				mpi->of[i].calls_per_s,
				1e-6 * mpi->of[i].bytes_per_s);
}

static void print_memory(FILE *to, const struct place_report *report)
{
	const struct program_run *run = &report->run;

	if (run->has_counters)
		fprintf(to,
			"memory: %.2f GB/s per processor of the %.2f GB/s that "
			"the triad moves, %.0f %%, by hardware counters; %.2f "
			"instructions a cycle\n",
			1e-9 * run->counted, 1e-9 * run->triad_counted,
			100 * report->facts.bandwidth,
			run->instructions_per_cycle);
	else
		fprintf(to, "hardware counters: %s\n", run->no_counters.text);
	if (run->has_touched)
		fprintf(to,
			"memory: %.2f GB/s per processor of the %.2f GB/s of "
			"the triad, %.0f %% +- %.0f %%, by %u looks at the "
			"pages that are used; the triad itself moves %.2f "
			"GB/s\n",
			1e-9 * run->touched, 1e-9 * run->triad_touched,
			100 * run->touched / run->triad_touched,
			100 * touched_share_error(run), run->looks,
			1e-9 * run->triad);
	else
		fprintf(to, "memory, by the pages that are used: %s\n",
			run->no_touched.text);
}

void place_report_text(FILE *to, const struct place_report *report)
{
	const char *name = place_profile_name(report->verdict.profile);

	fprintf(to, "%s, with a confidence of %.2f: %s\n", name,
		report->verdict.confidence,
		reason_sentences[report->verdict.reason]);
	print_run(to, report);
	print_messages(to, &report->run.mpi);
	print_memory(to, report);
	fprintf(to, "job file: placement.profile: %s\n", name);
}

/* ---- JSON ---- */

static void add_messages(cJSON *object, const struct mpi_records *mpi)
{
	cJSON *to = mpi->ranks > 0 ? cJSON_AddObjectToObject(object, "mpi")
				   : cJSON_AddNullToObject(object, "mpi");

	if (mpi->ranks == 0)
		return;
	json_add_number(to, "ranks", mpi->ranks);
	json_add_number(to, "finished", mpi->finished);
	json_add_number(to, "seconds", mpi->seconds);
	json_add_number(to, "least_share", mpi->least);
	json_add_number(to, "mean_share", mpi->mean);
	for (int i = 0; i < MPI_CLASSES; i++) {
		cJSON *of = cJSON_AddObjectToObject(to, class_keys[i]);

		json_add_number(of, "share", mpi->of[i].share);
		json_add_number(of, "calls_per_s", mpi->of[i].calls_per_s);
		json_add_number(of, "bytes_per_s", mpi->of[i].bytes_per_s);
	}
}

static void add_counters(cJSON *object, const struct program_run *run)
{
	cJSON *to;

	if (!run->has_counters) {
		cJSON_AddNullToObject(object, "counters");
		json_add_text(object, "no_counters", run->no_counters.text);
		return;
	}
	to = cJSON_AddObjectToObject(object, "counters");
	json_add_number(to, "bytes_per_s", run->counted);
	json_add_number(to, "triad_bytes_per_s", run->triad_counted);
	json_add_number(to, "instructions_per_cycle",
			run->instructions_per_cycle);
}

static void add_touched(cJSON *object, const struct program_run *run)
{
	cJSON *to;

	if (!run->has_touched) {
		cJSON_AddNullToObject(object, "pages");
		json_add_text(object, "no_pages", run->no_touched.text);
		return;
	}
	to = cJSON_AddObjectToObject(object, "pages");
	json_add_number(to, "bytes_per_s", run->touched);
	json_add_number(to, "error_bytes_per_s", run->touched_error);
	json_add_number(to, "triad_bytes_per_s", run->triad_touched);
	json_add_number(to, "triad_error_bytes_per_s",
			run->triad_touched_error);
	json_add_number(to, "looks", run->looks);
}

void place_report_json(FILE *to, const struct place_report *report)
{
	const struct program_run *run = &report->run;
	cJSON *object = cJSON_CreateObject();

	json_add_text(object, "profile",
		      place_profile_name(report->verdict.profile));
	json_add_number(object, "confidence", report->verdict.confidence);
	json_add_text(object, "reason", reason_keys[report->verdict.reason]);
	json_add_number(object, "ranks", report->config.ranks);
	json_add_number(object, "cores", report->config.cores);
	json_add_number(object, "seconds", run->seconds);
	json_add_number(object, "triad_bytes_per_s", run->triad);
	cJSON_AddBoolToObject(object, "ended_at_limit", run->is_cut);
	json_add_known(object, "messages", report->facts.messages);
	json_add_known(object, "bandwidth", report->facts.bandwidth);
	json_add_known(object, "bandwidth_error",
		       report->facts.bandwidth_error);
	add_messages(object, &run->mpi);
	add_counters(object, run);
	add_touched(object, run);
	json_print(to, object);
}
