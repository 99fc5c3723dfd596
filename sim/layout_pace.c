/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/layout_pace.h"

#include "base/cleanup.h"
#include "base/list.h"
#include "core/place_profile.h"
#include "json/json_document.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { BYTES_MAX = 1 << 20 };

#define SECONDS_MAX   1e9
#define FACTOR_MAX    1e6
#define BANDWIDTH_MAX 1e6

/* Measured: the bandwidth of a socket, which 16 ranks of STREAM had in CM;
 * launch and release, by the log of the jobs of experiment 2; and apart, the
 * run times under Volcano's own layout in experiment 3, over those of CM.  The
 * others are fitted by bench/layout --fit to the mean run time of each program
 * in each scenario of experiment 2 and to its totals. */
static struct layout_program published[] = {
	{.name = "hpccrandomringbw",
	 .profile = PLACE_NETWORK,
	 .ranks = 16,
	 .seconds = 440.8,
	 .of_4 = 1,
	 .of_16 = 1,
	 .floating = 1.639,
	 .apart = 281},
	{.name = "hpccfft",
	 .profile = PLACE_NETWORK,
	 .ranks = 16,
	 .seconds = 240.9,
	 .of_4 = 1,
	 .of_16 = 1,
	 .floating = 1,
	 .apart = 23},
	{.name = "hpccdgemm",
	 .profile = PLACE_CPU,
	 .ranks = 16,
	 .seconds = 1033,
	 .of_4 = 1.167,
	 .of_16 = 1.167,
	 .floating = 1.747,
	 .apart = 1},
	{.name = "hpccstream",
	 .profile = PLACE_MEMORY,
	 .ranks = 16,
	 .seconds = 205.3,
	 .of_4 = 1,
	 .of_16 = 1,
	 .floating = 1.222,
	 .apart = 1,
	 .bandwidth = 7.673,
	 .slowing = 0.7484},
	{.name = "minife",
	 .profile = PLACE_MEMORY,
	 .ranks = 16,
	 .seconds = 836.7,
	 .of_4 = 1,
	 .of_16 = 1,
	 .floating = 1.222,
	 .apart = 1,
	 .bandwidth = 3.316,
	 .slowing = 1.577},
};

const struct layout_pace layout_pace_published = {
	.launch = 4,
	.release = 31,
	.bandwidth = 44.32,
	.programs = published,
	.n = LENGTH(published),
};

bool layout_profile_find(enum place_profile *profile, const char *name)
{
	static const enum place_profile all[] = {PLACE_NETWORK, PLACE_CPU,
						 PLACE_MEMORY};

	for (size_t i = 0; i < LENGTH(all); i++)
		if (strcmp(place_profile_name(all[i]), name) == 0) {
			*profile = all[i];
			return true;
		}
	return false;
}

const struct layout_program *layout_program_find(const struct layout_pace *pace,
						 const char *name)
{
	for (size_t i = 0; i < pace->n; i++)
		if (strcmp(pace->programs[i].name, name) == 0)
			return &pace->programs[i];
	return NULL;
}

/* ---- factors ---- */

/* Between the containers that have a factor it goes with the logarithm. */
static double crowding(const struct layout_program *program, unsigned ranks)
{
	double doubled = log2(ranks);

	if (doubled <= 2)
		return 1 + (program->of_4 - 1) * doubled / 2;
	if (doubled < 4)
		return program->of_4 +
		       (program->of_16 - program->of_4) * (doubled - 2) / 2;
	return program->of_16;
}

double layout_pace_seconds(const struct layout_program *program,
			   const struct layout_containers *containers)
{
	return program->seconds *
	       (containers->floating ? program->floating
				     : crowding(program, containers->ranks)) *
	       (containers->apart ? program->apart : 1);
}

double layout_pace_slowdown(const struct layout_program *program, double load)
{
	return load > 1 ? 1 + program->slowing * (load - 1) : 1;
}

/* ---- the file ---- */

#define PROGRAM(member) offsetof(struct raw_program, member)

struct raw_program {
	struct layout_program program;
	const char *profile;
};

static int read_program(const struct json_reader *reader, const cJSON *item,
			struct layout_pace *pace)
{
	static const struct json_key keys[] = {
		{"name", JSON_NAME, PROGRAM(program.name), 0, 0, true},
		{"profile", JSON_TEXT, PROGRAM(profile), 0, 0, true},
		{"ranks", JSON_COUNT, PROGRAM(program.ranks), 1, 10000, true},
		{"seconds", JSON_NUMBER, PROGRAM(program.seconds), 1e-3,
		 SECONDS_MAX, true},
		{"of_4", JSON_NUMBER, PROGRAM(program.of_4), 1e-3, FACTOR_MAX,
		 false},
		{"of_16", JSON_NUMBER, PROGRAM(program.of_16), 1e-3, FACTOR_MAX,
		 false},
		{"floating", JSON_NUMBER, PROGRAM(program.floating), 1e-3,
		 FACTOR_MAX, false},
		{"apart", JSON_NUMBER, PROGRAM(program.apart), 1e-3, FACTOR_MAX,
		 false},
		{"bandwidth", JSON_NUMBER, PROGRAM(program.bandwidth), 0,
		 BANDWIDTH_MAX, false},
		{"slowing", JSON_NUMBER, PROGRAM(program.slowing), 0,
		 FACTOR_MAX, false},
	};
	struct raw_program raw = {
		.program = {.of_4 = 1, .of_16 = 1, .floating = 1, .apart = 1}};
	int r = json_read_object(reader, item, keys, LENGTH(keys), &raw);

	if (r < 0)
		return r;
	if (!layout_profile_find(&raw.program.profile, raw.profile))
		return json_refuse(reader, item,
				   "the profile is '%.40s'; there are network, "
				   "cpu and memory",
				   raw.profile);
	if (layout_program_find(pace, raw.program.name))
		return json_refuse(reader, item, "there are two programs '%s'",
				   raw.program.name);
	pace->programs[pace->n++] = raw.program;
	return 0;
}

static int read_programs(const struct json_reader *reader, const cJSON *item,
			 struct layout_pace *pace)
{
	size_t n;
	int r = json_check_array(reader, item, "programs", 1,
				 LAYOUT_PROGRAMS_MAX, &n);

	if (r < 0)
		return r;
	pace->programs = calloc(n, sizeof(*pace->programs));
	if (!pace->programs)
		return error_set(reader->err, -ENOMEM, "out of memory");
	for (const cJSON *at = item->child; at; at = at->next) {
		r = read_program(reader, at, pace);
		if (r < 0)
			return r;
	}
	return 0;
}

struct raw_pace {
	double launch, release, bandwidth;
	const cJSON *programs;
};

int layout_pace_read(struct layout_pace *pace, const char *path,
		     struct error *err)
{
	static const struct json_key keys[] = {
		{"launch", JSON_NUMBER, offsetof(struct raw_pace, launch), 0,
		 SECONDS_MAX, true},
		{"release", JSON_NUMBER, offsetof(struct raw_pace, release), 0,
		 SECONDS_MAX, true},
		{"bandwidth", JSON_NUMBER, offsetof(struct raw_pace, bandwidth),
		 1e-3, BANDWIDTH_MAX, true},
		{"programs", JSON_ITEM, offsetof(struct raw_pace, programs), 0,
		 0, true},
	};
	CLEANUP(json_document_fini) struct json_document document;
	struct raw_pace raw = {0};
	int r = json_document_read(&document, path, BYTES_MAX, err);

	*pace = (struct layout_pace){0};
	if (r == 0)
		r = json_read_object(&document.reader, document.root, keys,
				     LENGTH(keys), &raw);
	if (r < 0)
		return r;
	pace->launch = raw.launch;
	pace->release = raw.release;
	pace->bandwidth = raw.bandwidth;
	return read_programs(&document.reader, raw.programs, pace);
}

void layout_pace_fini(struct layout_pace *pace)
{
	if (pace->programs != published)
		free(pace->programs);
}
