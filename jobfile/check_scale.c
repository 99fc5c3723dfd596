/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/check_scale.h"

#include "apps/adapters.h"
#include "apps/generic/generic.h"
#include "base/list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { QUERY_MAX = 4096 };

static int check_schedule(struct reader *reader)
{
	const struct jobfile *job = reader->job;
	unsigned line = reader_line(reader, "scale.policy");
	struct error why;

	if (job->policy == SCALE_SCHEDULE && job->n_schedule == 0)
		return reader_refuse(reader, line, "scale.policy",
				     "there is no schedule; scale.schedule, or "
				     "policy: manual");
	for (size_t i = 0; i < job->n_schedule; i++) {
		char shown[64];

		if (jobfile_accepts(job, job->schedule[i].ranks, &why) == 0)
			continue;
		snprintf(shown, sizeof(shown), "scale.schedule[%zu].ranks",
			 i + 1);
		return reader_refuse(reader, reader->step_lines[i], shown,
				     "%s; a size that the job accepts",
				     why.text);
	}
	return 0;
}

/* A key that only counts with another one. */
static int check_is_for(struct reader *reader, const char *key, bool counts,
			const char *other)
{
	unsigned line = reader_line(reader, key);

	if (counts || line == 0)
		return 0;
	return reader_refuse(reader, line, key,
			     "is for %s; with that, or leave it out", other);
}

static int check_benefit(struct reader *reader)
{
	static const char *const keys[] = {"scale.goal", "scale.finish_by",
					   "scale.efficiency", "scale.probe"};
	const struct jobfile *job = reader->job;
	bool is_on = job->policy == SCALE_BENEFIT;
	int r = 0;

	for (size_t i = 0; i < LENGTH(keys) && r == 0; i++)
		r = check_is_for(reader, keys[i], is_on,
				 "scale.policy: benefit");
	if (r == 0)
		r = check_is_for(reader, keys[1], job->goal == SCALE_FINISH_BY,
				 "scale.goal: deadline");
	if (r == 0)
		r = check_is_for(reader, keys[2], job->goal == SCALE_EFFICIENCY,
				 "scale.goal: efficiency");
	if (r < 0 || !is_on)
		return r;
	if (job->goal == SCALE_FINISH_BY && job->finish_by == 0)
		return reader_refuse(reader, reader_line(reader, keys[0]),
				     keys[0],
				     "there is no deadline; with "
				     "scale.finish_by, or another goal");
	if (job->adapter == &adapter_generic && !job->app.progress)
		return reader_refuse(reader,
				     reader_line(reader, "scale.policy"),
				     "scale.policy",
				     "the steps of this application are not "
				     "known; benefit with generic.progress, or "
				     "manual");
	return 0;
}

/* NULL, or what is wrong with the URL of a server. */
static const char *judge_url(const char *url)
{
	const char *host = strncmp(url, "http://", 7) == 0    ? url + 7
			   : strncmp(url, "https://", 8) == 0 ? url + 8
							      : NULL;

	for (const char *at = url; *at; at++)
		if (*at <= ' ' || *at > '~')
			host = NULL;
	if (!host || strcspn(host, ":/") == 0)
		return "is no URL of http or https; as http://prometheus:9090";
	if (memchr(host, '@', strcspn(host, "/")))
		return "names a user; without, and a token in scale.token_file";
	if (strpbrk(host, "?#"))
		return "has more than a path behind the host; as "
		       "http://prometheus:9090";
	return NULL;
}

static int check_server(struct reader *reader)
{
	static const char *const keys[] = {"scale.ca_file", "scale.token_file"};
	const struct scale_threshold *threshold = &reader->job->threshold;
	bool is_encrypted = strncmp(threshold->server, "https:", 6) == 0;
	const char *fault = judge_url(threshold->server);
	int r = 0;

	if (fault)
		return reader_refuse(reader,
				     reader_line(reader, "scale.prometheus"),
				     "scale.prometheus", "%s", fault);
	for (size_t i = 0; i < LENGTH(keys) && r == 0; i++)
		r = check_is_for(reader, keys[i], is_encrypted,
				 "a URL of https in scale.prometheus");
	return r;
}

static int check_query(struct reader *reader)
{
	const struct scale_threshold *threshold = &reader->job->threshold;

	if (strlen(threshold->query) > QUERY_MAX)
		return reader_refuse(reader, reader_line(reader, "scale.query"),
				     "scale.query", "has %zu bytes; at most %d",
				     strlen(threshold->query), QUERY_MAX);
	if (threshold->above > threshold->below)
		return 0;
	return reader_refuse(reader, reader_line(reader, "scale.above"),
			     "scale.above",
			     "%g is not above scale.below, which is %g; a "
			     "larger number",
			     threshold->above, threshold->below);
}

static int check_threshold(struct reader *reader)
{
	enum { REQUIRED = 4 };
	static const char *const keys[] = {
		"scale.prometheus", "scale.query",   "scale.above",
		"scale.below",      "scale.for",     "scale.step",
		"scale.every",      "scale.ca_file", "scale.token_file"};
	bool is_on = reader->job->policy == SCALE_THRESHOLD;
	int r = 0;

	for (size_t i = 0; i < LENGTH(keys) && r == 0; i++)
		r = check_is_for(reader, keys[i], is_on,
				 "scale.policy: threshold");
	for (size_t i = 0; i < REQUIRED && r == 0 && is_on; i++)
		if (reader_line(reader, keys[i]) == 0)
			r = reader_refuse(reader,
					  reader_line(reader, "scale.policy"),
					  "scale.policy",
					  "there is no %s; threshold with "
					  "scale.prometheus, query, above and "
					  "below, or another policy",
					  keys[i]);
	if (r < 0 || !is_on)
		return r;
	r = check_server(reader);
	return r < 0 ? r : check_query(reader);
}

int check_scale(struct reader *reader)
{
	int r = check_schedule(reader);

	if (r == 0)
		r = check_benefit(reader);
	return r < 0 ? r : check_threshold(reader);
}
