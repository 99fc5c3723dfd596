/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/service/prometheus.h"

#include "base/list.h"
#include "metrics/print.h"

#include <math.h>

static void put_one(FILE *to, const char *name, enum metrics_type type,
		    const char *help, double value)
{
	metrics_begin(to, name, type, help);
	metrics_put(to, name, value, NULL);
}

static double seconds(msec_t span)
{
	return (double)span / 1000;
}

/* ---- the job ---- */

static void put_state(const struct prometheus_source *f, FILE *to)
{
	const char *names[JOB_SUSPENDED + 1];

	metrics_begin(to, "bellows_job_info", METRICS_GAUGE,
		      "What the job is; the value is 1.");
	metrics_put(to, "bellows_job_info", 1, "job", f->jobfile->name, "app",
		    f->jobfile->adapter->name, "version", VERSION, NULL);
	for (size_t i = 0; i < LENGTH(names); i++)
		names[i] = job_state_name((enum job_state)i);
	metrics_begin(to, "bellows_job_state", METRICS_GAUGE,
		      "1 for the state that the job is in.");
	metrics_put_state(to, "bellows_job_state", "state", names,
			  LENGTH(names), f->job->state);
	put_one(to, "bellows_job_age_seconds", METRICS_GAUGE,
		"Since the coordinator began.",
		seconds(f->now - f->history->began));
}

static void put_ranks(const struct prometheus_source *f, FILE *to)
{
	put_one(to, "bellows_ranks", METRICS_GAUGE,
		"Ranks that compute; 0 in a pause.",
		job_computes(f->job) ? f->job->size : 0);
	put_one(to, "bellows_ranks_target", METRICS_GAUGE,
		"Ranks that the job moves to, or has.", f->job->target);
	put_one(to, "bellows_ranks_min", METRICS_GAUGE,
		"Fewest ranks it is given.", f->jobfile->ranks.min);
	put_one(to, "bellows_ranks_max", METRICS_GAUGE,
		"Most ranks it is given.", f->jobfile->ranks.max);
	put_one(to, "bellows_starts_total", METRICS_COUNTER,
		"Starts of the ranks, those that were prepared only included.",
		f->job->starts);
}

static void put_progress(const struct prometheus_source *f, FILE *to)
{
	double progress = history_progress(f->history);

	put_one(to, "bellows_step", METRICS_GAUGE,
		"Last step of the application that was seen.",
		(double)f->history->step);
	put_one(to, "bellows_progress_ratio", METRICS_GAUGE,
		"0 to 1; NaN: not known.", progress < 0 ? NAN : progress);
	put_one(to, "bellows_eta_seconds", METRICS_GAUGE,
		"Time that is left to compute; NaN: not known.",
		f->eta.left < 0 ? NAN : f->eta.left);
	put_one(to, "bellows_eta_deviation_seconds", METRICS_GAUGE,
		"Standard deviation of the ETA; NaN: not known.",
		f->eta.sd < 0 ? NAN : f->eta.sd);
	put_one(to, "bellows_steps_per_second", METRICS_GAUGE,
		"Rate at the present size, measured or predicted; NaN: not "
		"known.",
		f->eta.rate > 0 ? f->eta.rate : NAN);
	put_one(to, "bellows_stalled_seconds", METRICS_GAUGE,
		"Without progress, of a job that stands still (stall_after); "
		"0: it does not.",
		seconds(f->stall));
}

/* ---- executors ---- */

static void put_executors(const struct prometheus_source *f, FILE *to)
{
	unsigned n[MEMBER_LOST + 1] = {0};
	msec_t silent = 0;

	for (int i = 0; i < f->ledger->n; i++) {
		const struct member *m = &f->ledger->members[i];

		n[m->state]++;
		if (member_is_alive(m) && f->now - m->heard > silent)
			silent = f->now - m->heard;
	}
	metrics_begin(to, "bellows_executors", METRICS_GAUGE,
		      "Executors that are attached, by state.");
	for (size_t i = 0; i < MEMBER_GONE; i++)
		metrics_put(to, "bellows_executors", n[i], "state",
			    member_state_name((enum member_state)i), NULL);
	put_one(to, "bellows_executors_wanted", METRICS_GAUGE,
		"Executors that should be held.", f->executors_wanted);
	put_one(to, "bellows_heartbeat_age_seconds", METRICS_GAUGE,
		"Since the executor that was silent for longest was heard.",
		seconds(silent));
	put_one(to, "bellows_executors_lost_total", METRICS_COUNTER,
		"Executors that died or fell silent.", f->history->tally.lost);
	put_one(to, "bellows_executors_drained_total", METRICS_COUNTER,
		"Executors that were told to leave.",
		f->history->tally.drained);
}

/* ---- rescales ---- */

static void put_phases(const struct tally *tally, FILE *to)
{
	static const char *const names[PHASES] = {
		[PHASE_EXECUTORS] = "executors", [PHASE_PREPARE] = "prepare",
		[PHASE_SAVE] = "save",           [PHASE_STOP] = "stop",
		[PHASE_START] = "start",         [PHASE_STEP] = "step",
	};

	metrics_begin(to, "bellows_rescale_phase_seconds_total",
		      METRICS_COUNTER,
		      "Time in the phases of rescales; in the first two the "
		      "ranks compute.");
	for (size_t i = 0; i < PHASES; i++)
		metrics_put(to, "bellows_rescale_phase_seconds_total",
			    seconds(tally->phases[i]), "phase", names[i], NULL);
}

static void put_rescales(const struct prometheus_source *f, FILE *to)
{
	const struct tally *tally = &f->history->tally;
	const struct {
		const char *kind;
		unsigned n;
	} kinds[] = {
		{"grow", tally->grown},
		{"shrink", tally->shrunk},
		{"recovery", tally->recovered},
		{"checkpoint", tally->checkpoints},
		{"dropped", tally->dropped},
		{"declined", tally->declined},
	};

	metrics_begin(to, "bellows_rescales_total", METRICS_COUNTER,
		      "Rescales and recoveries that ended, by what they were "
		      "or became.");
	for (size_t i = 0; i < LENGTH(kinds); i++)
		metrics_put(to, "bellows_rescales_total", kinds[i].n, "kind",
			    kinds[i].kind, NULL);
	put_phases(tally, to);
	put_one(to, "bellows_pause_seconds_total", METRICS_COUNTER,
		"From the order to save to the first step after it.",
		seconds(tally->paused));
	put_one(to, "bellows_repeated_steps_total", METRICS_COUNTER,
		"Steps that were computed again after a checkpoint.",
		(double)tally->repeated);
}

void prometheus_print(const struct prometheus_source *source, FILE *to)
{
	put_state(source, to);
	put_ranks(source, to);
	put_progress(source, to);
	put_executors(source, to);
	put_rescales(source, to);
}
