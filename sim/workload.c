/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/workload.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/list.h"
#include "sim/json_reader.h"
#include "sim/line_of.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	CLASSES_MAX = 1000,
	SETS_MAX = 10000,
	JOBS_MAX = 2000000,
	PRIORITY_MAX = 1000000,
};

#define RAW(type, member) offsetof(struct type, member)

struct raw_workload {
	struct workload *to;
	const cJSON *classes, *sets, *jobs, *start, *move;
};

struct raw_class {
	struct workload_class *to;
	char name[WORKLOAD_NAME_MAX + 1];
	unsigned min, max;
	double steps;
	const cJSON *step_time, *start, *move;
};

struct raw_curve {
	const cJSON *points, *line;
};

struct raw_set {
	char name[WORKLOAD_NAME_MAX + 1];
	const cJSON *jobs;
};

/* ---- curves ---- */

static int read_point(const struct json_reader *reader, const cJSON *item,
		      struct curve_point *point)
{
	size_t n;
	int r = json_check_array(reader, item, "a point [ranks, seconds]", 2, 2,
				 &n);

	if (r == 0)
		r = json_read_number(reader, item->child, "ranks", 0,
				     WORKLOAD_SLOTS_MAX, &point->ranks);
	if (r == 0)
		r = json_read_number(reader, item->child->next, "seconds", 0,
				     WORKLOAD_SECONDS_MAX, &point->seconds);
	return r;
}

static int read_points(const struct json_reader *reader, const cJSON *item,
		       const char *what, size_t least,
		       struct curve_point *points, size_t *n)
{
	int r = json_check_array(reader, item, what, least, CURVE_POINTS_MAX,
				 n);
	size_t i = 0;

	if (r < 0)
		return r;
	for (const cJSON *at = item->child; at; at = at->next, i++) {
		r = read_point(reader, at, &points[i]);
		if (r < 0)
			return r;
		if (i > 0 && points[i].ranks <= points[i - 1].ranks)
			return json_refuse(reader, at,
					   "%s: ranks do not increase from one "
					   "point to the next",
					   what);
	}
	return 0;
}

static int read_curve(const struct json_reader *reader, const cJSON *item,
		      const char *what, struct curve *curve)
{
	static const struct json_key keys[] = {
		{"points", JSON_ITEM, RAW(raw_curve, points), 0, 0, false},
		{"line", JSON_ITEM, RAW(raw_curve, line), 0, 0, false},
	};
	struct curve_point points[CURVE_POINTS_MAX];
	struct raw_curve raw = {NULL, NULL};
	double seconds;
	size_t n;
	int r;

	if (!cJSON_IsObject(item)) {
		r = json_read_number(reader, item, what, 0,
				     WORKLOAD_SECONDS_MAX, &seconds);
		if (r == 0)
			*curve = curve_constant(seconds);
		return r;
	}
	r = json_read_object(reader, item, keys, LENGTH(keys), &raw);
	if (r < 0)
		return r;
	if (!raw.points == !raw.line)
		return json_refuse(reader, item,
				   "%s is a number of seconds, or has either "
				   "'points' or 'line'",
				   what);
	r = read_points(reader, raw.line ? raw.line : raw.points, what,
			raw.line ? 2 : 1, points, &n);
	if (r == 0)
		*curve = raw.line ? curve_line(points, n)
				  : curve_through(points, n);
	return r;
}

/* ---- classes ---- */

static int check_steps(const struct json_reader *reader, const cJSON *item,
		       const struct workload_class *class, double steps)
{
	unsigned min = class->min, max = class->max;

	if (curve_most(&class->step_time, min, max) * steps +
		    curve_most(&class->start, min, max) +
		    curve_most(&class->move, min, max) >
	    WORKLOAD_SECONDS_MAX)
		return json_refuse(reader, item,
				   "class %s: a job takes more than %d s",
				   class->name, WORKLOAD_SECONDS_MAX);
	return 0;
}

static int check_class(const struct json_reader *reader, const cJSON *item,
		       const struct workload *workload,
		       const struct workload_class *class)
{
	unsigned min = class->min, max = class->max;

	if (min > max)
		return json_refuse(reader, item,
				   "class %s: min %u is above max %u",
				   class->name, min, max);
	if (max + workload->launcher_slots > workload->slots)
		return json_refuse(reader, item,
				   "class %s: max %u, and %u for a launcher, "
				   "are more than the %u slots",
				   class->name, max, workload->launcher_slots,
				   workload->slots);
	if (curve_least(&class->step_time, min, max) <= 0)
		return json_refuse(reader, item,
				   "class %s: step_time is not above 0 for "
				   "every number of ranks from %u to %u",
				   class->name, min, max);
	if (curve_least(&class->start, min, max) < 0 ||
	    curve_least(&class->move, min, max) < 0)
		return json_refuse(reader, item,
				   "class %s: start or move is below 0 for a "
				   "number of ranks from %u to %u",
				   class->name, min, max);
	return check_steps(reader, item, class, class->steps);
}

static int read_class(const struct json_reader *reader, const cJSON *item,
		      const struct raw_workload *whole,
		      struct workload_class *class)
{
	static const struct json_key keys[] = {
		{"name", JSON_NAME, RAW(raw_class, name), 0, 0, true},
		{"min", JSON_COUNT, RAW(raw_class, min), 1, WORKLOAD_SLOTS_MAX,
		 true},
		{"max", JSON_COUNT, RAW(raw_class, max), 1, WORKLOAD_SLOTS_MAX,
		 true},
		{"steps", JSON_NUMBER, RAW(raw_class, steps), 1, 1e15, true},
		{"step_time", JSON_ITEM, RAW(raw_class, step_time), 0, 0, true},
		{"start", JSON_ITEM, RAW(raw_class, start), 0, 0, false},
		{"move", JSON_ITEM, RAW(raw_class, move), 0, 0, false},
	};
	struct raw_class raw = {.start = whole->start, .move = whole->move};
	int r = json_read_object(reader, item, keys, LENGTH(keys), &raw);

	if (r < 0)
		return r;
	strcpy(class->name, raw.name);
	class->min = raw.min;
	class->max = raw.max;
	class->steps = raw.steps;
	r = read_curve(reader, raw.step_time, "step_time", &class->step_time);
	if (r == 0 && raw.start)
		r = read_curve(reader, raw.start, "start", &class->start);
	if (r == 0 && raw.move)
		r = read_curve(reader, raw.move, "move", &class->move);
	return r < 0 ? r : check_class(reader, item, whole->to, class);
}

/* The index of the class; n_classes: there is none of that name. */
static size_t find_class(const struct workload *workload, const char *name)
{
	size_t i = 0;

	while (i < workload->n_classes &&
	       strcmp(workload->classes[i].name, name) != 0)
		i++;
	return i;
}

static int read_classes(const struct json_reader *reader,
			const struct raw_workload *raw)
{
	struct workload *workload = raw->to;
	size_t n;
	int r = json_check_array(reader, raw->classes, "classes", 1,
				 CLASSES_MAX, &n);

	if (r < 0)
		return r;
	workload->classes = calloc(n, sizeof(*workload->classes));
	if (!workload->classes)
		return error_set(reader->err, -ENOMEM, "out of memory");
	for (const cJSON *at = raw->classes->child; at; at = at->next) {
		struct workload_class *class =
			&workload->classes[workload->n_classes];

		r = read_class(reader, at, raw, class);
		if (r < 0)
			return r;
		if (find_class(workload, class->name) < workload->n_classes)
			return json_refuse(reader, at,
					   "there are two classes named %s",
					   class->name);
		workload->n_classes++;
	}
	return 0;
}

/* ---- jobs ---- */

struct raw_job {
	char class[WORKLOAD_NAME_MAX + 1];
	struct workload_job job;
};

static int read_job(const struct json_reader *reader, const cJSON *item,
		    const struct workload *workload, struct workload_job *job)
{
	static const struct json_key keys[] = {
		{"class", JSON_NAME, RAW(raw_job, class), 0, 0, true},
		{"name", JSON_NAME, RAW(raw_job, job.name), 0, 0, false},
		{"priority", JSON_INTEGER, RAW(raw_job, job.priority), 1,
		 PRIORITY_MAX, false},
		{"steps", JSON_NUMBER, RAW(raw_job, job.steps), 1, 1e15, false},
		{"submit", JSON_SECONDS, RAW(raw_job, job.submit), 0,
		 WORKLOAD_SECONDS_MAX, false},
		{"estimate", JSON_SECONDS, RAW(raw_job, job.estimate), 0,
		 WORKLOAD_SECONDS_MAX, false},
	};
	struct raw_job raw = {
		.job = {.priority = 1, .submit = -1, .estimate = -1}};
	int r = json_read_object(reader, item, keys, LENGTH(keys), &raw);

	if (r < 0)
		return r;
	*job = raw.job;
	job->class = (unsigned)find_class(workload, raw.class);
	if (job->class == workload->n_classes)
		return json_refuse(reader, item, "there is no class named %s",
				   raw.class);
	return check_steps(reader, item, &workload->classes[job->class],
			   job->steps);
}

static int compare_names(const void *a, const void *b)
{
	const struct workload_job *const *first = a, *const *second = b;
	int by = strcmp((*first)->name, (*second)->name);

	/* of two jobs of one name the later one is to be refused */
	return by ? by : (*first > *second) - (*first < *second);
}

static const cJSON *nth(const cJSON *array, size_t n)
{
	const cJSON *at = array->child;

	while (n-- > 0)
		at = at->next;
	return at;
}

static int check_names(const struct json_reader *reader, const cJSON *jobs,
		       const struct workload_set *set)
{
	CLEANUP(free)
	const struct workload_job **sorted = malloc(set->n * sizeof(*sorted));

	if (!sorted)
		return error_set(reader->err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < set->n; i++)
		sorted[i] = &set->jobs[i];
	qsort(sorted, set->n, sizeof(*sorted), compare_names);
	for (size_t i = 1; i < set->n; i++)
		if (*sorted[i]->name &&
		    strcmp(sorted[i]->name, sorted[i - 1]->name) == 0)
			return json_refuse(
				reader,
				nth(jobs, (size_t)(sorted[i] - set->jobs)),
				"there are two jobs named %s", sorted[i]->name);
	return 0;
}

static int read_jobs(const struct json_reader *reader, const cJSON *item,
		     const struct workload *workload, struct workload_set *set)
{
	size_t n;
	int r = json_check_array(reader, item, "jobs", 1, JOBS_MAX, &n);

	if (r < 0)
		return r;
	set->jobs = calloc(n, sizeof(*set->jobs));
	if (!set->jobs)
		return error_set(reader->err, -ENOMEM, "out of memory");
	for (const cJSON *at = item->child; at; at = at->next) {
		r = read_job(reader, at, workload, &set->jobs[set->n]);
		if (r < 0)
			return r;
		set->n++;
	}
	return check_names(reader, item, set);
}

static int read_set(const struct json_reader *reader, const cJSON *item,
		    struct workload *workload)
{
	static const struct json_key keys[] = {
		{"name", JSON_NAME, RAW(raw_set, name), 0, 0, false},
		{"jobs", JSON_ITEM, RAW(raw_set, jobs), 0, 0, true},
	};
	struct workload_set *set = &workload->sets[workload->n_sets++];
	struct raw_set raw = {"", NULL};
	int r = json_read_object(reader, item, keys, LENGTH(keys), &raw);

	if (r < 0)
		return r;
	strcpy(set->name, raw.name);
	for (size_t i = 0; *set->name && i + 1 < workload->n_sets; i++)
		if (strcmp(workload->sets[i].name, set->name) == 0)
			return json_refuse(reader, item,
					   "there are two sets named %s",
					   set->name);
	return read_jobs(reader, raw.jobs, workload, set);
}

static int read_sets(const struct json_reader *reader,
		     const struct raw_workload *raw)
{
	struct workload *workload = raw->to;
	size_t n = 1;
	int r = 0;

	if (!raw->sets == !raw->jobs)
		return json_refuse(reader, reader->root,
				   "there is to be either 'jobs' or 'sets'");
	if (raw->sets)
		r = json_check_array(reader, raw->sets, "sets", 1, SETS_MAX,
				     &n);
	if (r < 0)
		return r;
	workload->sets = calloc(n, sizeof(*workload->sets));
	if (!workload->sets)
		return error_set(reader->err, -ENOMEM, "out of memory");
	if (raw->jobs) {
		workload->n_sets = 1;
		return read_jobs(reader, raw->jobs, workload, workload->sets);
	}
	for (const cJSON *at = raw->sets->child; at && r == 0; at = at->next)
		r = read_set(reader, at, workload);
	return r;
}

/* ---- the whole ---- */

static int read_workload(const struct json_reader *reader,
			 struct workload *workload)
{
#define KEY(member) offsetof(struct whole, member)
	struct whole {
		struct workload workload;
		struct raw_workload raw;
		const cJSON *source;
	} whole = {.raw.to = workload};
	static const struct json_key keys[] = {
		{"source", JSON_ITEM, KEY(source), 0, 0, false},
		{"slots", JSON_COUNT, KEY(workload.slots), 1,
		 WORKLOAD_SLOTS_MAX, true},
		{"launcher_slots", JSON_COUNT, KEY(workload.launcher_slots), 0,
		 WORKLOAD_SLOTS_MAX, false},
		{"rescale_gap", JSON_SECONDS, KEY(workload.rescale_gap), 0,
		 WORKLOAD_SECONDS_MAX, false},
		{"decision_delay", JSON_SECONDS, KEY(workload.decision_delay),
		 0, WORKLOAD_SECONDS_MAX, false},
		{"gap", JSON_SECONDS, KEY(workload.gap), 0,
		 WORKLOAD_SECONDS_MAX, false},
		{"start", JSON_ITEM, KEY(raw.start), 0, 0, false},
		{"move", JSON_ITEM, KEY(raw.move), 0, 0, false},
		{"classes", JSON_ITEM, KEY(raw.classes), 0, 0, true},
		{"jobs", JSON_ITEM, KEY(raw.jobs), 0, 0, false},
		{"sets", JSON_ITEM, KEY(raw.sets), 0, 0, false},
	};
#undef KEY
	int r = json_read_object(reader, reader->root, keys, LENGTH(keys),
				 &whole);

	*workload = whole.workload;
	if (r < 0)
		return r;
	if (whole.source && !cJSON_IsString(whole.source))
		return json_refuse(reader, whole.source,
				   "source is not a text");
	r = read_classes(reader, &whole.raw);
	return r < 0 ? r : read_sets(reader, &whole.raw);
}

static void delete_json_at(cJSON **json)
{
	cJSON_Delete(*json);
}

DEFINE_CLEANUP(struct workload, workload_destroy)

int workload_parse(struct workload **out, const char *path, const char *text,
		   size_t size, struct error *err)
{
	CLEANUP(workload_destroy)
	struct workload *workload = calloc(1, sizeof(*workload));
	CLEANUP(delete_json) cJSON *root = NULL;
	const char *end = text;
	int r;

	if (!workload)
		return error_set(err, -ENOMEM, "out of memory");
	root = cJSON_ParseWithLengthOpts(text, size, &end, false);
	while (root && end < text + size && (unsigned char)*end <= ' ')
		end++;
	if (!root || end < text + size)
		return error_set(err, -EINVAL, "%s:%u: this is not JSON", path,
				 line_of_byte(text, (size_t)(end - text)));
	r = read_workload(&(struct json_reader){path, text, size, root, err},
			  workload);
	if (r == 0)
		*out = STEAL(workload);
	return r;
}

int workload_read(struct workload **out, const char *path, struct error *err)
{
	CLEANUP(free) char *text = NULL;
	struct stat st;
	size_t room, size;
	int r;

	if (stat(path, &st) < 0)
		return error_errno(err, "cannot read %s", path);
	/* one byte more than is allowed, so that too large a file is seen */
	room = st.st_size < WORKLOAD_BYTES_MAX ? (size_t)st.st_size + 1
					       : WORKLOAD_BYTES_MAX + 1;
	text = malloc(room);
	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	r = file_read(path, text, room, &size, err);
	if (r < 0)
		return r;
	if (size > WORKLOAD_BYTES_MAX)
		return error_set(err, -EINVAL,
				 "%s:1: the file has more than %d MiB", path,
				 WORKLOAD_BYTES_MAX >> 20);
	return workload_parse(out, path, text, size, err);
}

void workload_destroy(struct workload *workload)
{
	if (!workload)
		return;
	for (size_t i = 0; i < workload->n_sets; i++)
		free(workload->sets[i].jobs);
	free(workload->sets);
	free(workload->classes);
	free(workload);
}
