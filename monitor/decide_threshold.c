/* SPDX-License-Identifier: Apache-2.0 */
#include "monitor/decide_threshold.h"

#include "base/log.h"
#include "client/job.h"

#include <errno.h>

/* For an answer of the server, and what it may be late beyond that. */
#define PATIENCE SECONDS(10)
#define SLACK    SECONDS(1)

enum { TEXT_MAX = 240 };

/* ---- looking ---- */

static void ask(void *user);

static void log_value(struct decide_threshold *decide, double value,
		      const char *why)
{
	if (why && decide->told != VALUE_IS_NOT)
		log_warn("the query has no value, so the size stays: %s", why);
	if (!why && decide->told != VALUE_IS_THERE)
		log_info("the query has a value%s: %.6g",
			 decide->told == VALUE_IS_NOT ? " again" : "", value);
	decide->told = why ? VALUE_IS_NOT : VALUE_IS_THERE;
}

static void on_look(void *user, double value, const char *why)
{
	struct decide_threshold *decide = user;
	msec_t now = loop_now();

	log_value(decide, value, why);
	decide->facts.looked = why ? 0 : now;
	decide->facts.value = value;
	loop_timer_set(decide->loop, &decide->timer,
		       decide->next > now ? decide->next - now : 0, ask,
		       decide);
	decide->looked(decide->user);
}

static void ask(void *user)
{
	struct decide_threshold *decide = user;
	struct error err;

	decide->next = loop_now() + decide->every;
	if (prometheus_ask(decide->prometheus, &err) < 0)
		on_look(decide, 0, err.text);
}

void decide_threshold_on_job(struct decide_threshold *decide,
			     const Bellows__V1__Job *job)
{
	decide->facts.size = job_is_settled(job) ? job->size : 0;
	decide->facts.want = job->want;
	if (decide->next > 0)
		return;
	decide->next = loop_now();
	loop_timer_set(decide->loop, &decide->timer, 0, ask, decide);
}

/* ---- deciding ---- */

/* That it stays at a size, above a bound or below one, is one decision. */
static void log_stay(struct decide_threshold *decide,
		     const struct threshold_choice *choice, const char *text)
{
	const struct threshold_choice *stayed = &decide->stayed;

	if (choice->reason != THRESHOLD_END &&
	    choice->reason != THRESHOLD_WANTED)
		return;
	if (choice->reason != stayed->reason || choice->from != stayed->from ||
	    choice->rises != stayed->rises)
		log_info("size=%u stays: %s", choice->from, text);
	decide->stayed = *choice;
}

struct threshold_choice decide_threshold_choose(struct decide_threshold *decide,
						msec_t now, char *reason,
						size_t n)
{
	struct threshold_choice choice;
	char text[TEXT_MAX];

	decide->facts.now = now;
	choice = threshold_decide(&decide->threshold, &decide->facts);
	threshold_say(&choice, text, sizeof(text));
	snprintf(reason, n, "threshold: %s", text);
	log_stay(decide, &choice, text);
	return choice;
}

/* ---- life ---- */

int decide_threshold_init(struct decide_threshold *decide, struct loop *loop,
			  const struct jobfile *job, void (*looked)(void *user),
			  void *user, struct error *err)
{
	const struct scale_threshold *keys = &job->threshold;
	const struct prometheus_config config = {
		.loop = loop,
		.server = keys->server,
		.query = keys->query,
		.ca_file = keys->ca_file,
		.token_file = keys->token_file,
		.patience = PATIENCE,
		.answered = on_look,
		.user = decide,
	};
	struct threshold_rules rules = {
		.above = keys->above,
		.below = keys->below,
		.lasts = keys->lasts,
		.late = keys->every + PATIENCE + SLACK,
		.step = keys->step,
	};

	*decide = (struct decide_threshold){
		.loop = loop,
		.every = keys->every,
		.looked = looked,
		.user = user,
	};
	decide->sizes = calloc(job->ranks.max, sizeof(*decide->sizes));
	if (!decide->sizes)
		return error_set(err, -ENOMEM, "out of memory");
	rules.sizes = decide->sizes;
	rules.n_sizes = jobfile_sizes(job, decide->sizes);
	threshold_init(&decide->threshold, &rules);
	return prometheus_create(&decide->prometheus, &config, err);
}

void decide_threshold_stop(struct decide_threshold *decide)
{
	loop_timer_clear(&decide->timer);
	decide->prometheus = prometheus_destroy(decide->prometheus);
}

void decide_threshold_fini(struct decide_threshold *decide)
{
	decide_threshold_stop(decide);
	free(decide->sizes);
	decide->sizes = NULL;
}
