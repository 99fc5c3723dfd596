/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORE_SHARE_LEARNED_H
#define CORE_SHARE_LEARNED_H

/*
 * The planner `learned`: which change is worth it was learned from experience
 *
 * Section V-C of the paper of core/share.h.  Action 0 keeps the shares; action
 * a > 0 changes them to what Algorithm 1 gives the next a steps.  A state has a
 * row for each action, with the seconds of the steps to come under its shares.
 * A trained network says what each action is worth; the best one is taken.
 *
 * Seconds are counted from the shortest ones of their column, in changes: what
 * a step loses, and not how long it is.  So what is learned of one application
 * makes sense for another one.
 */

#include "core/share_planner.h"

/* Before the first step, action 0 is what is best for the usual workloads. */
void share_learned_choices(const struct share_view *view,
			   struct share_work *work,
			   struct share_choices *choices);

/* state: [action][step]; behind the last step nothing is lost. */
void share_learned_state(const struct share_view *view,
			 const struct share_choices *choices, double *state);

/* Seconds that count 1. */
double share_learned_unit(const struct share_rules *rules);

/* The first one of the greatest value. */
unsigned share_learned_best(const double *values);

#endif
