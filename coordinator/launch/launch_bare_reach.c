/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/bare.h"

#include "base/cleanup.h"
#include "coordinator/members/polled.h"
#include "ssh/login.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Is every executor of a start still there?
 *
 * A polled executor that has died is missed only after its silence, by when
 * mpiexec would have failed on it until no restart is left.  So each is logged
 * in to before the start counts as prepared, while the ranks before it compute
 * if there are any; an executor whose sshd refuses the login is lost.
 */

/* As long as mpiexec's ssh tries. */
#define LOGIN_PATIENCE SECONDS(10)

enum { LOGINS_AT_ONCE = 64 };

static void log_in_to_more(struct bare *bare);

static void on_login(void *user, int code, const char *failure,
		     const char *host_key)
{
	struct bare_login *login = user;
	struct bare *bare = login->bare;
	struct launch *launch = &bare->launch;
	char reason[512];

	login->login = NULL;
	if (failure) {
		snprintf(reason, sizeof(reason), "its sshd: %.400s", failure);
		members_part(launch->room->members,
			     launch->layout.places[login->place].member,
			     reason);
		return;
	}
	if (launch->state == LAUNCH_STOPPING || launch->state == LAUNCH_FAILED)
		return;
	if (++bare->n_reached == launch->layout.n)
		launch_set_prepared(launch);
	else
		log_in_to_more(bare);
}

static int log_in(struct bare *bare, int place, struct error *err)
{
	const struct launch_room *room = bare->launch.room;
	const struct launcher_keys *keys =
		room->launcher->ops->keys(room->launcher);
	int member = bare->launch.layout.places[place].member;
	struct ssh_peer peer = {.port = POLLED_SSH_PORT};
	struct bare_login *login = &bare->logins[place];

	login->bare = bare;
	login->place = place;
	snprintf(peer.address, sizeof(peer.address), "%s",
		 members_ledger(room->members)->members[member].address);
	snprintf(peer.user, sizeof(peer.user), "%s", polled_user());
	return login_start(&login->login, room->loop, &peer, keys->private_key,
			   "true", LOGIN_PATIENCE, on_login, login, err);
}

static void log_in_to_more(struct bare *bare)
{
	const struct launch *launch = &bare->launch;
	struct error err;

	while (bare->n_tried < launch->layout.n &&
	       bare->n_tried - bare->n_reached < LOGINS_AT_ONCE) {
		int place = bare->n_tried++;

		if (log_in(bare, place, &err) == 0)
			continue;
		members_part(launch->room->members,
			     launch->layout.places[place].member, err.text);
		return;
	}
}

static void on_begin(void *user)
{
	log_in_to_more(user);
}

int bare_reach(struct bare *bare, struct error *err)
{
	const struct launch *launch = &bare->launch;

	bare->logins = calloc((size_t)launch->layout.n, sizeof(*bare->logins));
	if (!bare->logins)
		return error_set(err, -ENOMEM, "out of memory");
	/* from the loop: the caller does not have this start yet */
	loop_timer_set(launch->room->loop, &bare->begin, 0, on_begin, bare);
	return 0;
}

void bare_reach_no_more(struct bare *bare)
{
	for (int i = 0; bare->logins && i < bare->launch.layout.n; i++)
		login_destroy(bare->logins[i].login);
	free(bare->logins);
	bare->logins = NULL;
}
