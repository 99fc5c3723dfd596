/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/storage.h"

#include "base/log.h"
#include "coordinator/coordinator.h"

#include <errno.h>
#include <string.h>

enum { ILL_MAX = 150 }; /* bytes of a sentence */

/* ---- telling ---- */

static void notice(struct coordinator *c, Bellows__V1__NoticeKind kind,
		   const char *text)
{
	if (!job_is_over(&c->job) && record_notice(c, kind, text))
		service_publish(c, true);
}

static void on_disk(void *user, const char *text, bool well)
{
	struct coordinator *c = user;

	if (well)
		log_info("%s", text);
	else
		log_warn("%s", text);
	notice(c,
	       well ? BELLOWS__V1__NOTICE_KIND__NOTICE_DISK_WELL
		    : BELLOWS__V1__NOTICE_KIND__NOTICE_DISK,
	       text);
	if (c->job.state == JOB_PREPARING && *disk_obstacle(c->storage.disk))
		coordinator_event(c, JOB_EV_UNPREPARED, c->job.next, 0,
				  disk_obstacle(c->storage.disk));
}

/* ---- with the job ---- */

void storage_on_step(struct coordinator *c, const struct job *before)
{
	const struct job *job = &c->job;
	bool moved = job->state != before->state;
	bool dropped =
		job->state == JOB_RUNNING &&
		(before->state == JOB_PREPARING || before->state == JOB_SAVING);
	bool failed = job->state == JOB_STOPPING && !before->stepped;

	if (moved && (dropped || failed)) /* it may have been a disk */
		disk_look(c->storage.disk);
}

int storage_on_prepare(struct coordinator *c, struct error *err)
{
	const char *obstacle = disk_obstacle(c->storage.disk);

	if (*obstacle)
		return error_set(err, -ENOSPC, "%s", obstacle);
	disk_look(c->storage.disk);
	return 0;
}

void storage_on_order(struct coordinator *c)
{
	enum former_kind former = c->jobfile->adapter->former;

	disk_set_room(c->storage.disk,
		      former == FORMER_UNKNOWN ? 0 : c->checkpoint.bytes);
}

/* ---- disks ---- */

/* One of them stands for all. */
static void tell_executors(struct coordinator *c)
{
	const struct storage *storage = &c->storage;
	char text[DISK_TEXT_MAX] = "", more[48] = "";
	int first = 0;
	unsigned n = 0;

	for (int i = MEMBERS_MAX - 1; i >= 0; i--)
		if (storage->ill[i]) {
			first = i;
			n++;
		}
	if (n > 1)
		snprintf(more, sizeof(more), ", and %u more", n - 1);
	if (n > 0)
		snprintf(text, sizeof(text), "%s: %s%s",
			 members_ledger(c->members)->members[first].name,
			 storage->ill[first], more);
	disk_set(storage->disk, DISK_EXECUTORS, text);
}

static void set_executor(struct coordinator *c, int member, const char *text)
{
	char **ill = &c->storage.ill[member];

	if (!*ill && !*text)
		return;
	free(*ill);
	*ill = *text ? strndup(text, ILL_MAX) : NULL;
	tell_executors(c);
}

void storage_on_report(struct coordinator *c, int member,
		       const Bellows__V1__Report *report)
{
	if (report->what_case == BELLOWS__V1__REPORT__WHAT_DISK)
		set_executor(c, member, report->disk->trouble);
}

void storage_on_gone(struct coordinator *c, int member)
{
	set_executor(c, member, "");
}

const char *storage_dir(const struct coordinator *c)
{
	return c->jobfile->app.checkpoint_dir;
}

void storage_on_output(struct coordinator *c, const char *text)
{
	disk_set(c->storage.disk, DISK_OUTPUT, text);
}

/* ---- life ---- */

int storage_create(struct coordinator *c, const char *bindir, struct error *err)
{
	return disk_create(&c->storage.disk, c->loop, c->jobfile,
			   c->config->state, bindir, on_disk, c, err);
}

void storage_destroy(struct coordinator *c)
{
	for (int i = 0; i < MEMBERS_MAX; i++)
		free(c->storage.ill[i]);
	c->storage.disk = disk_destroy(c->storage.disk);
}
