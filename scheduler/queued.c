/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/queued.h"

#include "client/job.h"
#include "scheduler/clock.h"
#include "scheduler/scheduler.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Beside a size that was measured so often, one that was measured less often
 * does not count: a disturbed measurement of it would keep the job away from
 * that size, where it would be measured again. */
#define MEASURES 3

void queued_dir(const char *dir, uint64_t number, char path[PATH_MAX])
{
	if (snprintf(path, PATH_MAX, "%s/jobs/%llu", dir,
		     (unsigned long long)number) >= PATH_MAX)
		*path = '\0';
}

/* ---- sizes ---- */

/* All that the application accepts; none are kept if it accepts every size. */
static int take_sizes(struct queued *queued, const struct jobfile *file,
		      struct error *err)
{
	struct record *record = &queued->record;
	size_t all = file->ranks.max - file->ranks.min + 1, n;

	record->min = file->ranks.min;
	record->max = file->ranks.max;
	queued->sizes = calloc(file->ranks.max, sizeof(*queued->sizes));
	if (!queued->sizes)
		return error_set(err, -ENOMEM, "out of memory");
	n = jobfile_sizes(file, queued->sizes);
	if (n == 0)
		return jobfile_accepts(file, record->max, err);
	record->min = queued->sizes[0];
	record->max = queued->sizes[n - 1];
	if (n == all) {
		free(queued->sizes);
		queued->sizes = NULL;
		n = 0;
	}
	queued->sched.n_sizes = n;
	return 0;
}

unsigned queued_want(const struct queued *queued)
{
	const struct record *record = &queued->record;

	return record->want ? record->want : record->max;
}

unsigned queued_slots(const struct queued *queued)
{
	const struct queue_job *life = &queued->record.life;
	unsigned most = life->grant;

	if (life->over || !life->runs)
		return 0;
	/* whether a call that failed has told it more is not known */
	if (queued->record.told > most)
		most = queued->record.told;
	return queued->view.size > most ? queued->view.size : most;
}

/* ---- what a policy may know ---- */

static usec_t usec_of(msec_t instant)
{
	return (usec_t)instant * 1000;
}

static void update_range(struct queued *queued)
{
	const struct scheduler *scheduler = queued->scheduler;
	const struct record *record = &queued->record;
	struct sched_job *sched = &queued->sched;
	unsigned most = queued_want(queued);

	if (most > scheduler->config->slots)
		most = scheduler->config->slots;
	if (most < record->min)
		most = record->min;
	sched->min = record->min;
	sched->max = record->max;
	sched->sizes = sched->n_sizes ? queued->sizes : NULL;
	sched->max = sched_size_at_most(sched, most);
	sched_fit(scheduler->policy, sched);
}

static void update_pace(struct queued *queued, usec_t now)
{
	const struct queued_view *view = &queued->view;
	struct sched_pace *pace = &queued->sched.pace;
	const struct cost_steps *steps = &queued->meter.steps;
	struct cost_steps well = cost_well_measured(steps, MEASURES);

	if (steps->n > 0)
		queued->curve = cost_fit(&well);
	pace->curve = &queued->curve;
	pace->price = cost_of_rescale(&queued->pauses,
				      step_meter_start(&queued->meter),
				      view->checkpoint);
	pace->seconds = 0;
	for (size_t i = 0; i < steps->n; i++)
		if (steps->sizes[i].ranks == view->size)
			pace->seconds = steps->sizes[i].mean;
	pace->left = 0;
	if (view->total > view->step)
		pace->left = (double)(view->total - view->step);
	pace->at = usec_of(view->computes);
	if (pace->seconds > 0 && now > pace->at)
		pace->left += (double)(now - pace->at) / 1e6 / pace->seconds;
	/* without steps that are left the curve says nothing */
	if (pace->left <= 0)
		pace->curve = NULL;
}

void queued_update(struct queued *queued, usec_t now)
{
	const struct record *record = &queued->record;
	struct sched_job *sched = &queued->sched;

	sched->number = (unsigned)record->number;
	sched->priority = (int)record->priority;
	sched->submitted = usec_of(record->submitted);
	sched->changed = usec_of(record->changed);
	sched->waited = usec_of(record->waited);
	sched->length = usec_of(record->length);
	sched->parked = record->life.began && record->life.grant == 0;
	sched->target = record->life.grant;
	sched->size = record->life.grant > 0 ? queued->view.size : 0;
	update_range(queued);
	update_pace(queued, now);
	sched->ends = sched->changed + sched->length;
	if (queued->view.eta >= 0)
		sched->ends = now + usec_of(queued->view.eta);
}

/* ---- what its coordinator says ---- */

void queued_told(struct queued *queued, unsigned grant)
{
	queued->record.life.told = grant;
	if (grant > queued->record.told)
		queued->record.told = grant;
}

/* Slots that it was told to leave are its own until its ranks have left them,
 * also for a scheduler that does not hear it yet. */
static void leave_slots(struct queued *queued, const Bellows__V1__Job *job)
{
	unsigned told = queued->record.life.told;

	if (job_is_settled(job) && job->grant == told && job->size <= told)
		queued->record.told = told;
}

static void measure(struct queued *queued, const Bellows__V1__Job *job)
{
	const struct step_look look = {
		.epoch = job->epoch,
		.ranks = job->size,
		.step = job->step,
		.at = (msec_t)job->step_at,
		.began = job_began(job),
	};

	if (job_is_settled(job))
		step_meter_look(&queued->meter, &look);
	else
		step_meter_break(&queued->meter);
}

static void count_pauses(struct queued *queued, const Bellows__V1__Job *job)
{
	struct queued_view *view = &queued->view;

	for (; view->pauses < job->n_history; view->pauses++) {
		const Bellows__V1__Rescale *rescale =
			job->history[view->pauses];
		struct pause pause = pause_of(rescale);

		if (!*rescale->result)
			break;
		if (rescale_is_done(rescale) && pause.length > 0)
			cost_rescaled(&queued->pauses,
				      (double)pause.length / 1000);
	}
}

/* What job->size says is how many came up last. */
static unsigned ranks_of(const Bellows__V1__Job *job)
{
	if (job->state == BELLOWS__V1__STATE__WAITING ||
	    state_is_over(job->state))
		return 0;
	return job->state == BELLOWS__V1__STATE__STARTING ? job->target
							  : job->size;
}

void queued_on_job(struct queued *queued, const Bellows__V1__Job *job)
{
	struct queued_view *view = &queued->view;
	struct queue_job *life = &queued->record.life;

	measure(queued, job);
	count_pauses(queued, job);
	if (job->step > queued->record.furthest)
		life->stepped = true;
	if (ranks_of(job) != view->size)
		view->computes = clock_wall();
	view->size = ranks_of(job);
	view->progress = job->progress;
	view->eta = job->eta;
	view->eta_sd = job->eta_sd;
	view->rate = job->rate;
	view->step = job->step;
	view->total = job->total;
	view->checkpoint = job->checkpoint_bytes;
	snprintf(view->shortfall, sizeof(view->shortfall), "%s",
		 job->shortfall);
	/* of one that was told meanwhile, its answer says more */
	if (!life->answers && job->grant > 0)
		queued_told(queued, job->grant);
	life->answers = true;
	if (state_is_over(job->state))
		queued_told(queued, life->grant);
	leave_slots(queued, job);
	/* before its first start it learns what it is to want */
	if (job->state != BELLOWS__V1__STATE__WAITING)
		queued->record.want = job->want;
	queued->record.rescales = job->rescales;
}

/* ---- life ---- */

int queued_create(struct queued **out, struct scheduler *scheduler,
		  const struct record *record, const struct jobfile *file,
		  struct error *err)
{
	struct queued *queued = calloc(1, sizeof(*queued));
	int r = 0;

	if (!queued)
		return error_set(err, -ENOMEM, "out of memory");
	list_init(&queued->link);
	queued->scheduler = scheduler;
	queued->record = *record;
	queued->view.progress = -1;
	queued->view.eta = -1;
	if (file)
		r = take_sizes(queued, file, err);
	if (r < 0) {
		queued_destroy(queued);
		return r;
	}
	*out = queued;
	return 0;
}

struct queued *queued_destroy(struct queued *queued)
{
	if (!queued)
		return NULL;
	programs_leave(&queued->programs);
	kube_run_leave(&queued->run);
	if (queued->coordinator.loop)
		link_end(&queued->coordinator);
	list_remove(&queued->link);
	free(queued->sizes);
	free(queued->hosts);
	free(queued);
	return NULL;
}
