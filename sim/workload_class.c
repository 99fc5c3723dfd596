/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/workload_class.h"

#include "base/list.h"
#include "sim/measured.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES_MAX = 1000, SIZES_MAX = 1000, NOT_SAID = -1 };

#define RAW(type, member) offsetof(struct type, member)

struct raw_class {
	char name[WORKLOAD_NAME_MAX + 1];
	int min, max; /* NOT_SAID */
	double steps;
	const cJSON *sizes, *step_time, *start, *move;
};

struct raw_curve {
	const cJSON *points, *line;
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

/* ---- sizes ---- */

static int read_sizes(const struct json_reader *reader, const cJSON *item,
		      struct workload_class *class)
{
	double size, last = 0;
	size_t n;
	int r = json_check_array(reader, item, "sizes", 1, SIZES_MAX, &n);

	if (r < 0)
		return r;
	class->sizes = calloc(n, sizeof(*class->sizes));
	if (!class->sizes)
		return error_set(reader->err, -ENOMEM, "out of memory");
	for (const cJSON *at = item->child; at; at = at->next, last = size) {
		r = json_read_whole(reader, at, "a size", 1, WORKLOAD_SLOTS_MAX,
				    &size);
		if (r < 0)
			return r;
		if (size <= last)
			return json_refuse(reader, at,
					   "class %s: the sizes do not "
					   "increase",
					   class->name);
		class->sizes[class->n_sizes++] = (unsigned)size;
	}
	return 0;
}

static bool has_size(const struct workload_class *class, unsigned size)
{
	for (size_t i = 0; i < class->n_sizes; i++)
		if (class->sizes[i] == size)
			return true;
	return class->n_sizes == 0;
}

static int set_sizes(const struct json_reader *reader, const cJSON *item,
		     const struct raw_class *raw, struct workload_class *class)
{
	int r = raw->sizes ? read_sizes(reader, raw->sizes, class) : 0;

	if (r < 0)
		return r;
	if (!raw->sizes && (raw->min == NOT_SAID || raw->max == NOT_SAID))
		return json_refuse(reader, item,
				   "class %s: there are to be 'min' and 'max', "
				   "or 'sizes'",
				   class->name);
	class->min =
		raw->min == NOT_SAID ? class->sizes[0] : (unsigned)raw->min;
	class->max = raw->max == NOT_SAID ? class->sizes[class->n_sizes - 1]
					  : (unsigned)raw->max;
	if ((class->min > 0 && !has_size(class, class->min)) ||
	    !has_size(class, class->max))
		return json_refuse(reader, item,
				   "class %s: min %u or max %u is none of its "
				   "sizes",
				   class->name, class->min, class->max);
	return 0;
}

/* ---- classes ---- */

int workload_class_check(const struct json_reader *reader, const cJSON *item,
			 const struct workload_class *class, double steps)
{
	unsigned min = workload_class_least(class), max = class->max;

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
	unsigned min = workload_class_least(class), max = class->max;

	if (class->min > max)
		return json_refuse(reader, item,
				   "class %s: min %u is above max %u",
				   class->name, class->min, max);
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
	return workload_class_check(reader, item, class, class->steps);
}

static int read_class(const struct json_reader *reader, const cJSON *item,
		      const struct workload *workload,
		      const struct raw_classes *all,
		      struct workload_class *class)
{
	static const struct json_key keys[] = {
		{"name", JSON_NAME, RAW(raw_class, name), 0, 0, true},
		{"min", JSON_INTEGER, RAW(raw_class, min), 0,
		 WORKLOAD_SLOTS_MAX, false},
		{"max", JSON_INTEGER, RAW(raw_class, max), 1,
		 WORKLOAD_SLOTS_MAX, false},
		{"sizes", JSON_ITEM, RAW(raw_class, sizes), 0, 0, false},
		{"steps", JSON_NUMBER, RAW(raw_class, steps), 1, 1e15, true},
		{"step_time", JSON_ITEM, RAW(raw_class, step_time), 0, 0, true},
		{"start", JSON_ITEM, RAW(raw_class, start), 0, 0, false},
		{"move", JSON_ITEM, RAW(raw_class, move), 0, 0, false},
	};
	struct raw_class raw = {.min = NOT_SAID,
				.max = NOT_SAID,
				.start = all->start,
				.move = all->move};
	int r = json_read_object(reader, item, keys, LENGTH(keys), &raw);

	if (r < 0)
		return r;
	strcpy(class->name, raw.name);
	class->steps = raw.steps;
	r = set_sizes(reader, item, &raw, class);
	if (r == 0)
		r = read_curve(reader, raw.step_time, "step_time",
			       &class->step_time);
	class->start = measured_start();
	if (r == 0 && raw.start)
		r = read_curve(reader, raw.start, "start", &class->start);
	if (r == 0 && raw.move)
		r = read_curve(reader, raw.move, "move", &class->move);
	return r < 0 ? r : check_class(reader, item, workload, class);
}

size_t workload_class_find(const struct workload *workload, const char *name)
{
	size_t i = 0;

	while (i < workload->n_classes &&
	       strcmp(workload->classes[i].name, name) != 0)
		i++;
	return i;
}

unsigned workload_class_least(const struct workload_class *class)
{
	return class->min > 0       ? class->min
	       : class->n_sizes > 0 ? class->sizes[0]
				    : 1;
}

int workload_classes_read(const struct json_reader *reader,
			  const struct raw_classes *raw,
			  struct workload *workload)
{
	size_t n;
	int r = json_check_array(reader, raw->items, "classes", 1, CLASSES_MAX,
				 &n);

	if (r < 0)
		return r;
	workload->classes = calloc(n, sizeof(*workload->classes));
	if (!workload->classes)
		return error_set(reader->err, -ENOMEM, "out of memory");
	for (const cJSON *at = raw->items->child; at; at = at->next) {
		struct workload_class *class =
			&workload->classes[workload->n_classes];
		size_t before = workload->n_classes++;

		r = read_class(reader, at, workload, raw, class);
		if (r < 0)
			return r;
		if (workload_class_find(workload, class->name) < before)
			return json_refuse(reader, at,
					   "there are two classes named %s",
					   class->name);
	}
	return 0;
}
