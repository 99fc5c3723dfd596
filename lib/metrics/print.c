/* SPDX-License-Identifier: Apache-2.0 */
#include "metrics/print.h"

#include <math.h>
#include <stdarg.h>

void metrics_begin(FILE *to, const char *name, enum metrics_type type,
		   const char *help)
{
	fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
		type == METRICS_COUNTER ? "counter" : "gauge");
}

static void put_escaped(FILE *to, const char *text)
{
	for (; *text; text++)
		if (*text == '\n')
			fputs("\\n", to);
		else if (*text == '"' || *text == '\\')
			fprintf(to, "\\%c", *text);
		else
			fputc(*text, to);
}

/* As Prometheus reads it; whole numbers are not rounded. */
static void put_value(FILE *to, double value)
{
	if (isnan(value))
		fputs(" NaN\n", to);
	else if (isinf(value))
		fputs(value > 0 ? " +Inf\n" : " -Inf\n", to);
	else
		fprintf(to, " %.15g\n", value);
}

void metrics_put(FILE *to, const char *name, double value, ...)
{
	const char *label, *before = "{";
	va_list labels;

	fputs(name, to);
	va_start(labels, value);
	while ((label = va_arg(labels, const char *))) {
		fprintf(to, "%s%s=\"", before, label);
		put_escaped(to, va_arg(labels, const char *));
		fputc('"', to);
		before = ",";
	}
	va_end(labels);
	if (*before == ',')
		fputc('}', to);
	put_value(to, value);
}

void metrics_put_state(FILE *to, const char *name, const char *label,
		       const char *const *names, size_t n, size_t is)
{
	for (size_t i = 0; i < n; i++)
		metrics_put(to, name, i == is, label, names[i], NULL);
}
