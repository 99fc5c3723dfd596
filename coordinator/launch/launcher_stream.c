/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/launcher.h"

#include "base/cleanup.h"
#include "coordinator/launch/agent.h"

#include <errno.h>

/*
 * The stream launcher: an executor can be reached while its stream is open
 */

struct stream_launcher {
	struct launcher launcher;
	const struct launcher_room *room;
	struct agents *agents;
};

static struct stream_launcher *stream_of(struct launcher *launcher)
{
	return (struct stream_launcher *)launcher;
}

static void stream_destroy(struct launcher *launcher)
{
	agents_destroy(stream_of(launcher)->agents);
	free(launcher);
}

static int stream_create(struct launcher **out,
			 const struct launcher_room *room, struct error *err)
{
	CLEANUP(free)
	struct stream_launcher *stream = calloc(1, sizeof(*stream));
	char path[4200];
	int r;

	if (!stream)
		return error_set(err, -ENOMEM, "out of memory");
	stream->room = room;
	snprintf(path, sizeof(path), "%s/agent", room->dir);
	r = agents_create(&stream->agents, room->loop, room->members, path,
			  err);
	if (r < 0)
		return r;
	*out = &STEAL(stream)->launcher;
	return 0;
}

static void stream_admit(struct launcher *launcher, int member)
{
	members_admit(stream_of(launcher)->room->members, member);
}

static int stream_words(struct launcher *launcher, unsigned epoch,
			const struct layout *layout, struct launcher_words *out,
			struct error *err)
{
	const struct launcher_room *room = stream_of(launcher)->room;

	snprintf(out->agent, sizeof(out->agent), "%s/bellows-launch",
		 room->bindir);
	snprintf(out->env, sizeof(out->env), "BELLOWS_AGENT=%s/agent",
		 room->dir);
	return 0;
}

static void stream_on_report(struct launcher *launcher, int member,
			     const Bellows__V1__Report *report)
{
	if (report->what_case == BELLOWS__V1__REPORT__WHAT_PROGRAM_ENDED)
		agents_on_ended(stream_of(launcher)->agents, member,
				report->program_ended);
}

static void stream_on_gone(struct launcher *launcher, int member)
{
	agents_on_lost(stream_of(launcher)->agents, member);
}

static const struct launcher_keys *stream_keys(const struct launcher *launcher)
{
	return NULL;
}

const struct launcher_ops launcher_stream = {
	.create = stream_create,
	.destroy = stream_destroy,
	.admit = stream_admit,
	.words = stream_words,
	.on_report = stream_on_report,
	.on_gone = stream_on_gone,
	.keys = stream_keys,
};
