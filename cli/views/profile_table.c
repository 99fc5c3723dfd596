/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/views/profile_table.h"

#include "json/json.h"

static bool is_first_of_task(const struct measuring *measuring, size_t i)
{
	return i == 0 ||
	       measuring->cells[i].task != measuring->cells[i - 1].task;
}

static bool is_first_of_row(const struct measuring *measuring, size_t i)
{
	return is_first_of_task(measuring, i) ||
	       measuring->cells[i].workload != measuring->cells[i - 1].workload;
}

static void print_head(FILE *to, const struct measuring *measuring, size_t i)
{
	const struct measured_cell *cell = &measuring->cells[i];

	fprintf(to, "%s%s: seconds by workload and shares\n%10s",
		i > 0 ? "\n" : "", measuring->of->tasks[cell->task].name, "");
	do
		fprintf(to, " %15g", measuring->cells[i].shares);
	while (++i < measuring->n && !is_first_of_row(measuring, i));
}

static void print_cell(FILE *to, const struct measured_cell *cell)
{
	double noise = measured_noise(cell);

	fprintf(to, " %8.4g", cell->mean);
	if (noise >= 0)
		fprintf(to, " +-%3.0f%%", 50 * noise);
	else
		fprintf(to, "%7s", "");
}

static const struct measured_cell *
find_noisiest(const struct measuring *measuring)
{
	const struct measured_cell *noisiest = &measuring->cells[0];

	for (size_t i = 1; i < measuring->n; i++)
		if (measured_noise(&measuring->cells[i]) >
		    measured_noise(noisiest))
			noisiest = &measuring->cells[i];
	return noisiest;
}

void profile_print_text(FILE *to, const struct measuring *measuring)
{
	const struct measured_cell *noisiest = find_noisiest(measuring);

	for (size_t i = 0; i < measuring->n; i++) {
		if (is_first_of_task(measuring, i))
			print_head(to, measuring, i);
		if (is_first_of_row(measuring, i))
			fprintf(to, "\n%10g", measuring->cells[i].workload);
		print_cell(to, &measuring->cells[i]);
		if (i + 1 == measuring->n || is_first_of_task(measuring, i + 1))
			fputc('\n', to);
	}
	fprintf(to, "\n%s: %zu cells, each measured %u times", measuring->path,
		measuring->n, measuring->repeat);
	if (measured_noise(noisiest) >= 0)
		fprintf(to,
			"; the noisiest is %s with a workload of %g and %g "
			"shares: from %.4g to %.4g s",
			measuring->of->tasks[noisiest->task].name,
			noisiest->workload, noisiest->shares, noisiest->least,
			noisiest->most);
	fputc('\n', to);
}

void profile_print_json(FILE *to, const struct measuring *measuring)
{
	for (size_t i = 0; i < measuring->n; i++) {
		const struct measured_cell *cell = &measuring->cells[i];
		cJSON *object = cJSON_CreateObject();

		json_add_text(object, "task",
			      measuring->of->tasks[cell->task].name);
		json_add_number(object, "workload", cell->workload);
		json_add_number(object, "shares", cell->shares);
		json_add_number(object, "times", cell->n);
		json_add_number(object, "mean_s", cell->mean);
		json_add_number(object, "least_s", cell->least);
		json_add_number(object, "most_s", cell->most);
		json_print(to, object);
	}
}
