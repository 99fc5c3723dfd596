/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/wish.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "scheduler/carry_out.h"
#include "scheduler/clock.h"
#include "scheduler/decide.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { PRIORITY_MAX = 1000, PRIORITY = 10, JOBS_MAX = 10000 };

#define LENGTH_UNKNOWN MINUTES(60)
#define LENGTH_MAX     (MINUTES(60) * 24 * 366)

struct queued *wish_find(const struct scheduler *scheduler, const char *job)
{
	size_t digits = strspn(job, "0123456789");
	bool is_number = digits > 0 && !job[digits];
	struct queued *found = NULL;

	list_for_each (at, &scheduler->jobs) {
		struct queued *queued = CONTAINER(at, struct queued, link);
		const struct record *record = &queued->record;

		if (strcmp(record->name, job) == 0 &&
		    (!found || found->record.life.over))
			found = queued;
	}
	if (found || !is_number || digits > 18)
		return found;
	return scheduler_find(scheduler, strtoull(job, NULL, 10));
}

/* ---- submit ---- */

static bool has_controls(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 127)
			return true;
	return false;
}

static enum rpc_code check_request(const Bellows__V1__SubmitRequest *request,
				   struct error *err)
{
	const char *wrong = NULL;

	if (strlen(request->path) >= PATH_MAX || has_controls(request->path))
		wrong = "path: a path without control characters";
	else if (request->folder[0] != '/' ||
		 strlen(request->folder) >= PATH_MAX ||
		 has_controls(request->folder))
		wrong = "folder: an absolute path";
	else if (strlen(request->user) >= RECORD_NAME_MAX ||
		 has_controls(request->user))
		wrong = "user: at most 63 bytes without control characters";
	else if (strlen(request->request_id) >= RECORD_NAME_MAX ||
		 has_controls(request->request_id))
		wrong = "request_id: at most 63 bytes";
	else if (request->priority > PRIORITY_MAX)
		wrong = "priority: a number from 1 to 1000";
	else if (request->length > LENGTH_MAX)
		wrong = "length: a year at most";
	else if (request->n_after > AFTER_MAX)
		wrong = "after: at most 16 jobs";
	if (!wrong)
		return RPC_OK;
	error_describe(err, "%s", wrong);
	return RPC_INVALID_ARGUMENT;
}

static enum rpc_code take_after(struct record *record,
				const struct scheduler *scheduler,
				const Bellows__V1__SubmitRequest *request,
				struct error *err)
{
	for (size_t i = 0; i < request->n_after; i++) {
		const char *name = request->after[i];
		const struct queued *other = wish_find(scheduler, name);

		if (strcmp(name, record->name) == 0 &&
		    (!other || other->record.life.over)) {
			error_describe(err, "job %s cannot come after itself",
				       record->name);
			return RPC_INVALID_ARGUMENT;
		}
		if (!other) {
			error_describe(err,
				       "the queue has no job %s that %s could "
				       "come after: submit that one before",
				       text_safe(name).s, record->name);
			return RPC_NOT_FOUND;
		}
		if (other->record.life.over &&
		    other->record.life.end != QUEUE_DONE) {
			error_describe(
				err, "job %s %s, and %s was to come after it",
				other->record.name,
				queue_job_state_name(other->record.life.end),
				record->name);
			return RPC_FAILED_PRECONDITION;
		}
		if (!other->record.life.over)
			record->after[record->n_after++] = other->record.number;
	}
	return RPC_OK;
}

static enum rpc_code check_place(const struct record *record,
				 const struct scheduler *scheduler,
				 const struct jobfile *file, struct error *err)
{
	const struct queued *other = wish_find(scheduler, record->name);
	const struct place *place = &scheduler->place;
	unsigned slots = scheduler->config->slots;

	if (other && !other->record.life.over) {
		error_describe(err,
			       "the queue has a job of the name %s, number "
			       "%llu, which is not over",
			       record->name,
			       (unsigned long long)other->record.number);
		return RPC_ALREADY_EXISTS;
	}
	if (file->ranks.min > slots) {
		error_describe(err,
			       "job %s needs at least %u slots (ranks.min), "
			       "and there are %u: it could never start",
			       record->name, file->ranks.min, slots);
		return RPC_INVALID_ARGUMENT;
	}
	if (file->kub) {
		error_describe(err,
			       "job %s says kub: true: Kub's own programs ask "
			       "for sizes, which a queue does not grant",
			       record->name);
		return RPC_INVALID_ARGUMENT;
	}
	if (place_check(place, record->path, file->text, err) < 0)
		return RPC_INVALID_ARGUMENT;
	if (scheduler->n >= JOBS_MAX) {
		error_describe(err, "the queue is full: %d jobs", JOBS_MAX);
		return RPC_RESOURCE_EXHAUSTED;
	}
	return RPC_OK;
}

static int write_file(const struct scheduler *scheduler, uint64_t number,
		      const char *text, struct error *err)
{
	struct state_dir dir;

	queued_dir(scheduler->dir.path, number, dir.path);
	if (mkdir(dir.path, 0700) < 0 && errno != EEXIST)
		return error_errno(err, "%s", dir.path);
	return state_dir_write(&dir, "job.yaml", text, strlen(text), err);
}

static enum rpc_code add(struct queued **out, struct scheduler *scheduler,
			 const struct record *record,
			 const struct jobfile *file, struct error *err)
{
	int user = usage_find(&scheduler->usage, record->user);
	struct queued *queued = NULL;
	int r = user;

	if (user < 0)
		error_describe(err, "out of memory");
	else
		r = queued_create(&queued, scheduler, record, file, err);
	if (r < 0)
		return RPC_INVALID_ARGUMENT;
	if (write_file(scheduler, record->number, file->text, err) < 0 ||
	    carry_out_prepare(queued, err) < 0) {
		queued_destroy(queued);
		return RPC_RESOURCE_EXHAUSTED;
	}
	queued->sched.user = (unsigned)user;
	list_append(&scheduler->jobs, &queued->link);
	scheduler->n++;
	scheduler->next++;
	*out = queued;
	return RPC_OK;
}

static struct queued *find_request(const struct scheduler *scheduler,
				   const char *request)
{
	list_for_each (at, &scheduler->jobs) {
		struct queued *queued = CONTAINER(at, struct queued, link);

		if (*request && strcmp(queued->record.request, request) == 0)
			return queued;
	}
	return NULL;
}

static void fill_record(struct record *record, uint64_t number,
			const struct jobfile *file,
			const Bellows__V1__SubmitRequest *request)
{
	*record = (struct record){
		.number = number,
		.priority = request->priority ? request->priority : PRIORITY,
		.length = request->length ? (msec_t)request->length
					  : LENGTH_UNKNOWN,
		.submitted = clock_wall(),
		.min = file->ranks.min,
		.max = file->ranks.max,
		.each = file->ranks_per_executor,
		.life.held = request->hold,
	};
	snprintf(record->name, sizeof(record->name), "%s", file->name);
	snprintf(record->user, sizeof(record->user), "%s", request->user);
	snprintf(record->path, sizeof(record->path), "%s", request->path);
	snprintf(record->folder, sizeof(record->folder), "%s", request->folder);
	snprintf(record->request, sizeof(record->request), "%s",
		 request->request_id);
	snprintf(record->why, sizeof(record->why), "submitted");
}

enum rpc_code wish_submit(struct queued **out, struct scheduler *scheduler,
			  const Bellows__V1__SubmitRequest *request,
			  struct error *err)
{
	CLEANUP(jobfile_destroy) struct jobfile *file = NULL;
	enum rpc_code code;
	struct record record;

	*out = find_request(scheduler, request->request_id);
	if (*out)
		return RPC_OK;
	code = check_request(request, err);
	if (code != RPC_OK)
		return code;
	if (jobfile_parse(&file, request->path, request->text,
			  strlen(request->text), request->folder, err) < 0)
		return RPC_INVALID_ARGUMENT;
	fill_record(&record, scheduler->next, file, request);
	code = take_after(&record, scheduler, request, err);
	if (code == RPC_OK)
		code = check_place(&record, scheduler, file, err);
	if (code == RPC_OK)
		code = add(out, scheduler, &record, file, err);
	if (code == RPC_OK)
		scheduler_write(*out, NULL);
	return code;
}

/* ---- later ---- */

static enum rpc_code refuse_over(const struct queued *queued, struct error *err)
{
	const struct queue_job *life = &queued->record.life;

	if (!life->over && !life->cancelled)
		return RPC_OK;
	error_describe(err, "job %s is %s", queued->record.name,
		       life->over ? queue_job_state_name(life->end)
				  : "being cancelled");
	return RPC_FAILED_PRECONDITION;
}

static const char *reason_or(const char *reason, const char *otherwise)
{
	return *reason ? reason : otherwise;
}

enum rpc_code wish_hold(struct queued *queued, const char *reason,
			struct error *err)
{
	struct queue_job *life = &queued->record.life;
	enum rpc_code code = refuse_over(queued, err);
	const char *why = reason_or(reason, "held by hand");

	if (code != RPC_OK)
		return code;
	life->held = true;
	if (life->grant > 0)
		decide_by_hand(queued, 0, "it is held");
	queued->scheduler->changed = true;
	scheduler_write(queued, why);
	return RPC_OK;
}

enum rpc_code wish_release(struct queued *queued, struct error *err)
{
	enum rpc_code code = refuse_over(queued, err);

	if (code != RPC_OK)
		return code;
	if (!queued->record.life.held)
		return RPC_OK;
	queued->record.life.held = false;
	scheduler_write(queued, "released by hand");
	return RPC_OK;
}

enum rpc_code wish_cancel(struct queued *queued, const char *reason,
			  struct error *err)
{
	if (queued->record.life.over)
		return refuse_over(queued, err);
	queued->record.life.cancelled = true;
	queued->call_again = 0;
	queued->scheduler->changed = true;
	scheduler_write(queued, reason_or(reason, "cancelled by hand"));
	return RPC_OK;
}

enum rpc_code wish_priority(struct queued *queued, unsigned priority,
			    struct error *err)
{
	enum rpc_code code = refuse_over(queued, err);

	if (code != RPC_OK)
		return code;
	if (priority == 0 || priority > PRIORITY_MAX) {
		error_describe(err, "priority: %u is not from 1 to %d",
			       priority, PRIORITY_MAX);
		return RPC_INVALID_ARGUMENT;
	}
	queued->record.priority = priority;
	queued->scheduler->changed = true;
	scheduler_write(queued, NULL);
	return RPC_OK;
}
