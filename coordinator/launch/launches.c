/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/launches.h"

#include "base/list.h"

#include <errno.h>
#include <stdlib.h>

/* Then a start that has ended loses its mpiexec by SIGKILL. */
#define RETIRE_AFTER SECONDS(5)

struct launches {
	struct launch_room room;
	struct launch *now, *next, *retired;
	struct loop_timer retire;
};

struct launch *launches_now(const struct launches *launches)
{
	return launches->now;
}

struct launch *launches_next(const struct launches *launches)
{
	return launches->next;
}

struct launch *launches_find(const struct launches *launches, unsigned epoch)
{
	if (launch_has_epoch(launches->now, epoch))
		return launches->now;
	return launch_has_epoch(launches->next, epoch) ? launches->next : NULL;
}

struct launch *launches_find_any(const struct launches *launches,
				 unsigned epoch)
{
	return launch_has_epoch(launches->retired, epoch)
		       ? launches->retired
		       : launches_find(launches, epoch);
}

unsigned launches_ranks(const struct launches *launches, int member)
{
	return launches->now
		       ? layout_ranks(launch_layout(launches->now), member)
		       : 0;
}

bool launches_refer_to(const struct launches *launches, int member)
{
	const struct launch *const all[] = {launches->now, launches->next,
					    launches->retired};

	for (size_t i = 0; i < LENGTH(all); i++)
		if (all[i] && layout_ranks(launch_layout(all[i]), member) > 0)
			return true;
	return false;
}

/* ---- what becomes of them ---- */

int launches_prepare(struct launches *launches, unsigned epoch, unsigned ranks,
		     struct error *err)
{
	const struct launch *now = launches->now;

	launches_drop_next(launches);
	return launch_create(&launches->next, &launches->room, epoch, ranks,
			     now ? launch_layout(now) : NULL, err);
}

void launches_drop_next(struct launches *launches)
{
	struct launch *dropped = launches->next;

	launches->next = NULL;
	if (dropped)
		launch_stop(dropped, 0);
	launch_destroy(dropped);
}

static void destroy_retired(void *user)
{
	struct launches *launches = user;

	launches->retired = launch_destroy(launches->retired);
}

void launches_take_over(struct launches *launches)
{
	destroy_retired(launches);
	launches->retired = launches->now;
	launches->now = launches->next;
	launches->next = NULL;
	/* one whose mpiexec has ended before is not waited for */
	loop_timer_set(launches->room.loop, &launches->retire,
		       launches->retired && launch_has_ended(launches->retired)
			       ? 0
			       : RETIRE_AFTER,
		       destroy_retired, launches);
}

void launches_on_ended(struct launches *launches, unsigned epoch)
{
	if (launch_has_epoch(launches->retired, epoch))
		destroy_retired(launches);
}

/* ---- executors ---- */

void launches_on_lost(struct launches *launches, int member)
{
	struct launch *const all[] = {launches->next, launches->now};

	for (size_t i = 0; i < LENGTH(all); i++)
		if (all[i])
			launch_on_lost(all[i], member);
}

/* ---- life ---- */

void launches_set_address(struct launches *launches, const char *address)
{
	launches->room.address = address;
}

int launches_create(struct launches **out, const struct launch_room *room,
		    struct error *err)
{
	struct launches *launches = calloc(1, sizeof(*launches));

	if (!launches)
		return error_set(err, -ENOMEM, "out of memory");
	launches->room = *room;
	*out = launches;
	return 0;
}

struct launches *launches_destroy(struct launches *launches)
{
	if (!launches)
		return NULL;
	loop_timer_clear(&launches->retire);
	launch_destroy(launches->next);
	launch_destroy(launches->now);
	launch_destroy(launches->retired);
	free(launches);
	return NULL;
}
