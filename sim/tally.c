/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/tally.h"

#define SECOND ((usec_t)1000000)

/* Every so often it is looked how many slots are in use; what begins at such an
 * instant is seen at the next one. */
#define LOOK (2 * SECOND)

/* Shorter runs count as this long in the slowdown (Feitelson
 * et al., JSSPP 1997). */
#define BOUND (10 * SECOND)

/* At the end nobody has slots, so what is added here is what was held until
 * now, less what will have been held until then. */
void tally_slots(struct tally *tally, usec_t now, unsigned from, unsigned to)
{
	double less = (double)from - (double)to;

	tally->seen += less * (double)(now / LOOK);
	tally->held += less * (double)now / (double)SECOND;
}

void tally_end(struct tally *tally, int priority, usec_t submitted,
	       usec_t started, usec_t ended)
{
	double weight = priority, second = (double)SECOND;
	usec_t run = ended - started;
	double slowdown = (double)(ended - submitted) /
			  (double)(run > BOUND ? run : BOUND);

	tally->weight += weight;
	tally->response += weight * (double)(started - submitted) / second;
	tally->completion += weight * (double)(ended - submitted) / second;
	tally->slowdown += slowdown > 1 ? slowdown : 1;
	tally->jobs++;
	if (ended > tally->last)
		tally->last = ended;
}

struct sim_metrics tally_metrics(const struct tally *tally, unsigned slots)
{
	double looks = (double)((tally->last + 3 * SECOND) / LOOK + 1);

	return (struct sim_metrics){
		.total = (double)tally->last / (double)SECOND,
		.utilisation = tally->seen / looks / slots,
		.response = tally->response / tally->weight,
		.completion = tally->completion / tally->weight,
		.slowdown = tally->slowdown / (double)tally->jobs,
		.slot_seconds = tally->held,
		.rescales = (double)tally->rescales,
	};
}
