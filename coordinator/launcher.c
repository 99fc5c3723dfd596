/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launcher.h"

#include <errno.h>

int launcher_create(struct launcher **out, enum launcher_kind kind,
		    const struct launcher_room *room, struct error *err)
{
	static const struct launcher_ops *const all[] = {
		[LAUNCHER_STREAM] = &launcher_stream,
	};
	const struct launcher_ops *ops =
		(size_t)kind < sizeof(all) / sizeof(all[0]) ? all[kind] : NULL;
	int r;

	if (!ops)
		return error_set(err, -EINVAL, "mpi.launcher: not built in");
	r = ops->create(out, room, err);
	if (r == 0)
		(*out)->ops = ops;
	return r;
}

struct launcher *launcher_destroy(struct launcher *launcher)
{
	if (launcher)
		launcher->ops->destroy(launcher);
	return NULL;
}
