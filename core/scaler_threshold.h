/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SCALER_THRESHOLD_H
#define CORE_SCALER_THRESHOLD_H

/*
 * Scaler by threshold: the want that a job should state, by a figure of the
 * world around it
 *
 * The figure is looked at every so often.  While it is above one bound the job
 * is to have more ranks, while it is below another one fewer; between the two
 * it stays.  A change is stated once the figure was on that side at every look
 * for some time.  That time begins anew when the side changes, when a look
 * finds no value or comes too late, and with the first look after the size of
 * the job has changed or a want was answered.
 *
 *                    above                        below
 *       RISEN <------------------ QUIET ------------------> FALLEN
 *         |  '-- within, none, ----^ ^-- within, none, ---'   |
 *         |      answered                 answered            |
 *         '------------- below ---> <--- above ---------------'
 *
 * A want that was postponed or not answered is asked again after a pause, if
 * the figure is still on its side.
 *
 * Pure.
 */

#include "core/scaler.h"

struct threshold_rules {
	double above, below; /* above is the larger one */
	msec_t lasts;        /* on one side, before a change is stated */
	msec_t late;     /* a look that comes so long after the one before, or
			  * whose value is older, finds none */
	unsigned step;   /* ranks more or fewer, at least */
	unsigned *sizes; /* that the application accepts, smallest first;
			  * borrowed, and without those that it refuses later */
	size_t n_sizes;
};

struct threshold_facts {
	msec_t now;
	unsigned size; /* ranks that compute; 0: none do, or a change is on */
	unsigned want;
	msec_t looked; /* instant of the last look; 0: it found no value */
	double value;
};

enum threshold_state {
	THRESHOLD_QUIET,
	THRESHOLD_RISEN,
	THRESHOLD_FALLEN,
};

enum threshold_reason {
	THRESHOLD_STAYS,  /* the figure asks for no change, or not for long */
	THRESHOLD_WAITS,  /* for an answer, or after one */
	THRESHOLD_END,    /* no larger size is accepted, or no smaller one */
	THRESHOLD_WANTED, /* that size, or one beyond it, is wanted already */
	THRESHOLD_ASKS,
};

struct threshold_choice {
	unsigned ranks; /* state this want now; 0: state nothing */
	enum threshold_reason reason;
	/* Beginning with THRESHOLD_END: */
	unsigned from, want;
	bool rises;          /* above a bound; else below one */
	double value, bound; /* that it is beyond, */
	msec_t lasted;       /* for so long */
	msec_t again;        /* instant to decide at without news; 0: none */
};

struct threshold {
	struct threshold_rules rules;
	enum threshold_state side;
	msec_t since;  /* RISEN, FALLEN: it began */
	msec_t looked; /* as of the facts before */
	msec_t after;  /* a look before this instant does not count */
	unsigned size;

	enum scaler_state state;
	unsigned attempt; /* of what was not answered for good, in a row */
	msec_t pause;     /* end of it */
};

void threshold_init(struct threshold *threshold,
		    const struct threshold_rules *rules);

/* Every choice with ranks is to be asked and answered before the next one can
 * come. */
struct threshold_choice threshold_decide(struct threshold *threshold,
					 const struct threshold_facts *facts);

void threshold_answered(struct threshold *threshold, enum scaler_answer answer,
			msec_t now);

/* The application does not run on that many; it is not asked for again. */
void threshold_refuse(struct threshold *threshold, unsigned ranks);

/* "2 -> 4: the query is 12.5, above 10 for 30 s"; of THRESHOLD_END and
 * THRESHOLD_WANTED: "the query is ..., and 4 ranks are the most". */
void threshold_say(const struct threshold_choice *choice, char *text, size_t n);

#endif
