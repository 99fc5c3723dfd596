/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/launcher.h"

int launcher_create(struct launcher **out, enum launcher_kind kind,
		    const struct launcher_room *room, struct error *err)
{
	static const struct launcher_ops *const all[] = {
		[LAUNCHER_STREAM] = &launcher_stream,
		[LAUNCHER_SSH] = &launcher_ssh,
	};
	int r = all[kind]->create(out, room, err);

	if (r == 0)
		(*out)->ops = all[kind];
	return r;
}

struct launcher *launcher_destroy(struct launcher *launcher)
{
	if (launcher)
		launcher->ops->destroy(launcher);
	return NULL;
}
