/* SPDX-License-Identifier: Apache-2.0 */
#include "supersteps/application.h"

#include "base/list.h"
#include "supersteps/application_files.h"
#include "supersteps/words.h"
#include "json/json_document.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECONDS_MAX 1e9
#define VALUE_MAX   1e12
#define MIB_MAX     1e9

enum { SHARES_MAX = 1000000000, LEVELS_MAX = 4096 };

struct raw_shares {
	unsigned total, least, increment, most;
};

struct raw_scale {
	double low, high;
	unsigned rows;
};

struct raw_supersteps {
	unsigned steps;
	double change, usual;
	int first;
	const char *profile, *source;
	const cJSON *shares, *scale, *tasks;
};

struct raw_task {
	char name[SUPERSTEPS_NAME_MAX + 1];
	const char *series, *forecast;
	const cJSON *command;
	double usual, memory;
};

#define RAW(type, member) offsetof(struct type, member)

/* Where a file is that the file names: beside it. */
struct file_name {
	char text[PATH_MAX];
};

static struct file_name beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	int folder = *name == '/' || !slash ? 0 : (int)(slash - path) + 1;
	struct file_name file;

	snprintf(file.text, sizeof(file.text), "%.*s%s", folder, path, name);
	return file;
}

/* ---- shares ---- */

static int read_shares(const struct json_reader *reader, const cJSON *item,
		       struct raw_shares *raw)
{
	static const struct json_key keys[] = {
		{"total", JSON_COUNT, RAW(raw_shares, total), 1, SHARES_MAX,
		 true},
		{"least", JSON_COUNT, RAW(raw_shares, least), 1, SHARES_MAX,
		 true},
		{"increment", JSON_COUNT, RAW(raw_shares, increment), 1,
		 SHARES_MAX, true},
		{"most", JSON_COUNT, RAW(raw_shares, most), 1, SHARES_MAX,
		 false},
	};
	int r;

	*raw = (struct raw_shares){.most = SHARES_MAX};
	r = json_read_object(reader, item, keys, LENGTH(keys), raw);
	if (r == 0 && raw->most < raw->least)
		return json_refuse(reader, item,
				   "'most' is %u, and less than 'least', %u",
				   raw->most, raw->least);
	return r;
}

/* What the rules are for so many tasks. */
static int set_rules(const struct json_reader *reader, const cJSON *item,
		     const struct raw_shares *raw, struct share_rules *rules)
{
	unsigned long least = (unsigned long)raw->least * rules->tasks;

	if (least > raw->total)
		return json_refuse(reader, item,
				   "%u tasks with %u shares at least need %lu, "
				   "and 'total' is %u",
				   rules->tasks, raw->least, least, raw->total);
	rules->least = raw->least;
	rules->increment = raw->increment;
	rules->increments = (raw->total - (unsigned)least) / raw->increment;
	rules->level_max = (raw->most - raw->least) / raw->increment;
	return 0;
}

/* Enough for each profile. */
static int set_levels(const struct json_reader *reader, const cJSON *item,
		      struct supersteps *supersteps)
{
	const struct share_rules *rules = &supersteps->rules;
	double levels = 1;

	for (unsigned i = 0; i < rules->tasks; i++) {
		const struct supersteps_task *task = &supersteps->tasks[i];
		const struct share_axis *shares = &task->profile.shares;

		if (rules->least < shares->at[0])
			return json_refuse(reader, item,
					   "'least' is %u shares, and the "
					   "profile of %s begins at %g",
					   rules->least, task->name,
					   shares->at[0]);
		levels = fmax(levels,
			      ceil((shares->at[shares->n - 1] - rules->least) /
				   rules->increment) +
				      1);
	}
	levels = fmin(levels, fmin(rules->increments, rules->level_max) + 1.0);
	if (levels > LEVELS_MAX)
		return json_refuse(reader, item,
				   "an increment of %u shares makes %.0f "
				   "levels, and not at most %d",
				   rules->increment, levels, LEVELS_MAX);
	supersteps->levels = (unsigned)levels;
	return 0;
}

/* ---- tasks ---- */

static int read_command(const struct json_reader *reader, const cJSON *item,
			struct supersteps_task *task)
{
	CLEANUP(free) char **words = NULL;
	struct error err;
	int r = json_read_texts(reader, item, "command", 1,
				SUPERSTEPS_WORDS_MAX, &task->command);

	if (r < 0)
		return r;
	r = supersteps_words(&words, task->command, 0, 0, &err);
	return r < 0 ? json_refuse(reader, item, "%s", err.text) : 0;
}

static int read_task(const struct json_reader *reader, const cJSON *item,
		     const struct supersteps *supersteps,
		     const struct supersteps_scale *scale,
		     struct supersteps_task *task)
{
	static const struct json_key keys[] = {
		{"name", JSON_NAME, RAW(raw_task, name), 0, 0, true},
		{"series", JSON_TEXT, RAW(raw_task, series), 0, 0, true},
		{"forecast", JSON_TEXT, RAW(raw_task, forecast), 0, 0, false},
		{"usual", JSON_NUMBER, RAW(raw_task, usual), -VALUE_MAX,
		 VALUE_MAX, false},
		{"command", JSON_ITEM, RAW(raw_task, command), 0, 0, false},
		{"memory", JSON_NUMBER, RAW(raw_task, memory), 1, MIB_MAX,
		 false},
	};
	struct raw_task raw = {.usual = task->usual};
	struct file_name path;
	int r = json_read_object(reader, item, keys, LENGTH(keys), &raw);

	if (r < 0)
		return r;
	for (const struct supersteps_task *at = supersteps->tasks; at < task;
	     at++)
		if (strcmp(at->name, raw.name) == 0)
			return json_refuse(reader, item,
					   "there are two tasks named %s",
					   raw.name);
	strcpy(task->name, raw.name);
	task->usual = raw.usual;
	task->memory = raw.memory;
	if (raw.command)
		r = read_command(reader, raw.command, task);
	if (r < 0)
		return r;
	path = beside(reader->path, raw.series);
	r = supersteps_read_series(task, supersteps->steps, scale, path.text,
				   reader->err);
	if (r < 0 || !raw.forecast)
		return r;
	path = beside(reader->path, raw.forecast);
	return supersteps_read_forecast(task, supersteps->steps, scale,
					path.text, reader->err);
}

static int read_tasks(const struct json_reader *reader,
		      const struct raw_supersteps *raw,
		      const struct supersteps_scale *scale,
		      struct supersteps *supersteps)
{
	size_t n;
	int r = json_check_array(reader, raw->tasks, "tasks", 1,
				 SHARE_TASKS_MAX, &n);

	if (r < 0)
		return r;
	supersteps->tasks = calloc(n, sizeof(*supersteps->tasks));
	if (!supersteps->tasks)
		return error_set(reader->err, -ENOMEM, "out of memory");
	for (const cJSON *at = raw->tasks->child; at && r == 0; at = at->next) {
		struct supersteps_task *task =
			&supersteps->tasks[supersteps->rules.tasks++];

		task->usual = raw->usual;
		r = read_task(reader, at, supersteps, scale, task);
	}
	return r;
}

/* A task without a past is usually in the middle of what was measured. */
static void set_usual(struct supersteps *supersteps)
{
	for (unsigned i = 0; i < supersteps->rules.tasks; i++) {
		struct supersteps_task *task = &supersteps->tasks[i];
		const struct share_axis *at = &task->profile.workloads;

		if (isnan(task->usual))
			task->usual = (at->at[0] + at->at[at->n - 1]) / 2;
	}
}

/* ---- the whole ---- */

static int read_scale(const struct json_reader *reader, const cJSON *item,
		      struct supersteps_scale *scale)
{
	static const struct json_key keys[] = {
		{"low", JSON_NUMBER, RAW(raw_scale, low), -VALUE_MAX, VALUE_MAX,
		 true},
		{"high", JSON_NUMBER, RAW(raw_scale, high), -VALUE_MAX,
		 VALUE_MAX, true},
		{"rows", JSON_COUNT, RAW(raw_scale, rows), 2, INT_MAX, false},
	};
	struct raw_scale raw = {.rows = 0};
	int r = json_read_object(reader, item, keys, LENGTH(keys), &raw);

	if (r < 0)
		return r;
	if (!(raw.low < raw.high))
		return json_refuse(reader, item,
				   "'low' is %g, and not less than 'high', %g",
				   raw.low, raw.high);
	scale->low = raw.low;
	scale->high = raw.high;
	scale->rows = raw.rows;
	return 0;
}

static int read_raw(const struct json_reader *reader,
		    struct raw_supersteps *raw)
{
	static const struct json_key keys[] = {
		{"source", JSON_TEXT, RAW(raw_supersteps, source), 0, 0, false},
		{"steps", JSON_COUNT, RAW(raw_supersteps, steps), 1,
		 SUPERSTEPS_STEPS_MAX, true},
		{"shares", JSON_ITEM, RAW(raw_supersteps, shares), 0, 0, true},
		{"change", JSON_NUMBER, RAW(raw_supersteps, change), 0,
		 SECONDS_MAX, true},
		{"profile", JSON_TEXT, RAW(raw_supersteps, profile), 0, 0,
		 true},
		{"first", JSON_INTEGER, RAW(raw_supersteps, first), -INT_MAX,
		 INT_MAX, false},
		{"scale", JSON_ITEM, RAW(raw_supersteps, scale), 0, 0, false},
		{"usual", JSON_NUMBER, RAW(raw_supersteps, usual), -VALUE_MAX,
		 VALUE_MAX, false},
		{"tasks", JSON_ITEM, RAW(raw_supersteps, tasks), 0, 0, true},
	};

	*raw = (struct raw_supersteps){.usual = NAN};
	return json_read_object(reader, reader->root, keys, LENGTH(keys), raw);
}

/* All but the profile. */
static int read_unmeasured(const struct json_reader *reader,
			   struct supersteps *supersteps,
			   struct raw_supersteps *of)
{
	struct raw_supersteps raw;
	struct raw_shares shares;
	struct supersteps_scale scale = {.first = 0};
	int r = read_raw(reader, &raw);

	if (r == 0)
		r = read_shares(reader, raw.shares, &shares);
	if (r == 0 && raw.scale)
		r = read_scale(reader, raw.scale, &scale);
	if (r < 0)
		return r;
	scale.first = raw.first;
	supersteps->steps = raw.steps;
	supersteps->rules.cost = raw.change;
	r = read_tasks(reader, &raw, &scale, supersteps);
	if (r == 0)
		r = set_rules(reader, raw.shares, &shares, &supersteps->rules);
	*of = raw;
	return r;
}

static int read_profile(const struct json_reader *reader,
			struct supersteps *supersteps,
			const struct raw_supersteps *raw)
{
	int r = supersteps_read_profile(supersteps,
					beside(reader->path, raw->profile).text,
					reader->err);

	if (r < 0)
		return r;
	set_usual(supersteps);
	return set_levels(reader, raw->shares, supersteps);
}

/* profile: its path, in place of what it says; NULL: it is read. */
static int read_file(struct supersteps **out, const char *path, char *profile,
		     struct error *err)
{
	CLEANUP(json_document_fini) struct json_document document;
	CLEANUP(supersteps_destroy)
	struct supersteps *supersteps = calloc(1, sizeof(*supersteps));
	struct raw_supersteps raw;
	int r = json_document_read(&document, path, SUPERSTEPS_BYTES_MAX, err);

	if (r < 0)
		return r;
	if (!supersteps)
		return error_set(err, -ENOMEM, "out of memory");
	r = read_unmeasured(&document.reader, supersteps, &raw);
	if (r == 0 && profile)
		strcpy(profile, beside(path, raw.profile).text);
	else if (r == 0)
		r = read_profile(&document.reader, supersteps, &raw);
	if (r == 0)
		*out = STEAL(supersteps);
	return r;
}

int supersteps_read(struct supersteps **out, const char *path,
		    struct error *err)
{
	return read_file(out, path, NULL, err);
}

int supersteps_read_unmeasured(struct supersteps **out, const char *path,
			       char profile[PATH_MAX], struct error *err)
{
	return read_file(out, path, profile, err);
}

void supersteps_destroy(struct supersteps *supersteps)
{
	if (!supersteps)
		return;
	for (unsigned i = 0; i < supersteps->rules.tasks; i++) {
		free(supersteps->tasks[i].numbers);
		free(supersteps->tasks[i].series);
		free(supersteps->tasks[i].forecast);
		free(supersteps->tasks[i].command);
	}
	free(supersteps->tasks);
	free(supersteps);
}
