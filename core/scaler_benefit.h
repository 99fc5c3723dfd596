/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SCALER_BENEFIT_H
#define CORE_SCALER_BENEFIT_H

/*
 * Scaler by benefit: the want that a job should state, by what it would gain
 *
 * The goal names the best size.  The gain of a change to it follows from the
 * step times of this job (core/step_meter.h, core/cost.h).  The change is
 * stated if its gain exceeds the price of the rescale by a margin: the standard
 * deviation of both.  A change that would undo the last one has to gain the
 * price twice, and as much as two standard deviations.
 *
 * Where one size was seen only, a prediction says little.  A probe then moves
 * the job to the size that may gain most, if the job would lose at most
 * BENEFIT_PROBE_SHARE of what is left if that size turned out to be bad.
 *
 *                      worth it             accepted, declined
 *       QUIET ---------------------> ASKED --------------------> QUIET
 *         ^                            |
 *         +----------------------------+ postponed or unanswered: after a pause
 *
 * After a change, nothing is decided before the steps of the new size were
 * measured: the more often, the noisier they are.  If they are not what was
 * predicted, the curve is another one by then, and the job moves on, or back.
 *
 * Pure.  Times are seconds, instants milliseconds since the job began.
 */

#include "core/cost.h"
#include "core/scaler.h"
#include "core/step_meter.h"

enum {
	BENEFIT_MEASURES = 3, /* of a start, before anything is decided there */
	BENEFIT_MEASURES_MOST = 20, /* if they are noisy */
	BENEFIT_PROBES_MAX = 3,     /* at most, for one curve */
	BENEFIT_REFUSED_MAX = 16,   /* sizes; an older one is tried again */
};

#define BENEFIT_KNOWN       0.1  /* of a mean, by which it is known then */
#define BENEFIT_PROBE_SHARE 0.03 /* of the time that is left */

enum benefit_goal {
	BENEFIT_SOONEST,    /* the end comes soonest */
	BENEFIT_CHEAPEST,   /* the fewest rank-seconds */
	BENEFIT_DEADLINE,   /* the smallest size that ends before the deadline;
			     * if none does, the one that ends soonest */
	BENEFIT_EFFICIENCY, /* the largest size that is efficient enough */
};

struct benefit_rules {
	enum benefit_goal goal;
	msec_t deadline;   /* since the job began */
	double efficiency; /* parallel efficiency, 0 to 1 */
	bool probes;
	const unsigned *sizes; /* that the application accepts, smallest first;
				* borrowed */
	size_t n_sizes;
};

struct benefit_facts {
	msec_t now;
	unsigned size; /* ranks that compute; 0: none do, or a change is on */
	unsigned want, grant; /* grant 0: it is not limited */
	double steps_left;    /* negative: not known */
	const struct step_meter *meter;
	const struct cost_rescales *rescales;
	uint64_t state_bytes; /* of a checkpoint; 0: not known */
};

enum benefit_reason {
	BENEFIT_UNKNOWN,   /* how many steps are left is not known */
	BENEFIT_MEASURING, /* the size that it has, or a change is on */
	BENEFIT_WAITS,     /* for an answer, or after one */
	BENEFIT_BEST,      /* the size that it has */
	BENEFIT_NOT_WORTH, /* the gain does not exceed price and margin */
	/* with a want: */
	BENEFIT_GAINS,
	BENEFIT_SLOWER, /* the size that it has is slower than predicted */
	BENEFIT_PROBES,
	BENEFIT_NO_MORE, /* a want that is not reached yet is not worth it */
};

struct benefit_choice {
	unsigned ranks; /* state this want now; 0: state nothing */
	enum benefit_reason reason;
	unsigned from, to;
	double left;                  /* seconds on the size that it has */
	struct cost_time gain, price; /* of the change; the price is not in the
				       * gain */
	bool is_work;                 /* both are rank-seconds, not seconds */
	double most;                  /* seconds that a probe may cost */
	/* BENEFIT_SLOWER: seconds a step on from, predicted and measured */
	double predicted, step;
	bool goes_back; /* to the size before */
	msec_t again;   /* instant to decide at without news; 0: none */
};

/* A change that was accepted. */
struct benefit_move {
	unsigned from, to; /* 0: none */
	double predicted;  /* seconds a step on to */
	bool is_probe;
};

/* What a probe cost, once its size was measured. */
struct benefit_probe {
	unsigned number; /* 1: the first of the job; 0: none was made */
	unsigned ranks;
	double before, step; /* seconds a step, on the former size and on it */
	double seconds; /* more than the same steps take on the former size;
			 * negative: less */
};

struct benefit {
	struct benefit_rules rules;
	struct benefit_move last, asked;
	struct benefit_probe probe; /* the last one that is over */
	bool is_probing;
	unsigned probes;  /* of this curve */
	uint64_t changes; /* of the curve, that are known here */
	unsigned refused[BENEFIT_REFUSED_MAX];
	size_t n_refused;

	enum scaler_state state;
	unsigned attempt; /* of what was not accepted, in a row */
	msec_t pause;     /* end of it */
};

void benefit_init(struct benefit *benefit, const struct benefit_rules *rules);

/* Every choice with ranks is to be asked and answered before the next one can
 * come. */
struct benefit_choice benefit_decide(struct benefit *benefit,
				     const struct benefit_facts *facts);

void benefit_answered(struct benefit *benefit, enum scaler_answer answer,
		      msec_t now);

/* The application does not run on that many; it is not asked for again. */
void benefit_refuse(struct benefit *benefit, unsigned ranks);

/* "4 -> 6: 380 s are left, gain 60 +- 2 s, price 9 s" */
void benefit_say(const struct benefit_choice *choice, char *text, size_t n);

/* "the probe of 4 ranks cost 3 s: 0.5 s a step, not 1" */
void benefit_say_probe(const struct benefit_probe *probe, char *text, size_t n);

/* "a step on 4 ranks takes 1.2 s now, not 0.7: ..." */
void benefit_say_change(const struct step_change *change, char *text, size_t n);

#endif
