/* SPDX-License-Identifier: Apache-2.0 */
#include "scheduler/methods.h"

#include "base/text.h"
#include "proto/scheduler.h"
#include "scheduler/clock.h"
#include "scheduler/queue_message.h"
#include "scheduler/wish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Between two messages of Watch. */
#define PUBLISH MSEC(250)

enum { DECISIONS_ASKED = 20, DECISIONS_ASKED_MAX = 1000 };

static void lack_memory(struct rpc_call *call)
{
	rpc_call_end(call, RPC_RESOURCE_EXHAUSTED, "out of memory");
}

static struct queued *find(struct service *service, struct rpc_call *call,
			   const char *job)
{
	struct queued *queued = wish_find(service->scheduler, job);

	if (!queued)
		rpc_call_end(call, RPC_NOT_FOUND,
			     "the queue has no job %s; 'bellows queue' lists "
			     "those that it has",
			     *job ? text_safe(job).s : "without a name");
	return queued;
}

/* ---- answers that wait for the disk ---- */

struct asked {
	struct book_entry entry;
	struct rpc_call *call; /* NULL: it is gone */
	struct scheduler *scheduler;
	uint64_t number;
	char name[RECORD_NAME_MAX];
	bool submits;
	char note[RECORD_WHY_MAX];
};

static void reply(const struct asked *asked)
{
	Bellows__V1__SubmitReply submitted = BELLOWS__V1__SUBMIT_REPLY__INIT;
	Bellows__V1__QueueReply done = BELLOWS__V1__QUEUE_REPLY__INIT;

	submitted.number = done.number = asked->number;
	submitted.name = done.name = (char *)asked->name;
	submitted.note = done.note = (char *)asked->note;
	rpc_call_reply(asked->call,
		       asked->submits ? &submitted.base : &done.base);
}

static void on_kept(struct book_entry *entry, int r, const struct error *err)
{
	struct asked *asked = CONTAINER(entry, struct asked, entry);
	struct queued *queued = scheduler_find(asked->scheduler, asked->number);

	if (r == -ECANCELED) {
		free(asked);
		return;
	}
	if (r == 0 && queued)
		queued->written = true;
	if (asked->call) {
		rpc_call_set_data(asked->call, NULL);
		if (r < 0)
			rpc_call_end(
				asked->call, RPC_RESOURCE_EXHAUSTED,
				"the queue cannot be written to the disk: "
				"%s; it is tried again, and what was asked "
				"holds once it is written",
				err->text);
		else
			reply(asked);
	}
	scheduler_settle(asked->scheduler);
	/* a job that is not on the disk waits for that */
	if (r < 0 && asked->submits && queued) {
		asked->call = NULL;
		book_await(&asked->scheduler->book, entry);
		return;
	}
	free(asked);
}

static void answer_once_kept(struct service *service, struct rpc_call *call,
			     const struct queued *queued, bool submits,
			     const char *note)
{
	struct asked *asked = calloc(1, sizeof(*asked));

	if (!asked) {
		lack_memory(call);
		return;
	}
	asked->entry.fn = on_kept;
	asked->call = call;
	asked->scheduler = service->scheduler;
	asked->number = queued->record.number;
	snprintf(asked->name, sizeof(asked->name), "%s", queued->record.name);
	asked->submits = submits;
	snprintf(asked->note, sizeof(asked->note), "%s", note);
	rpc_call_set_data(call, asked);
	book_await(&service->scheduler->book, &asked->entry);
}

static void on_asked_gone(struct rpc_call *call, void *user)
{
	struct asked *asked = rpc_call_data(call);

	if (asked)
		asked->call = NULL;
}

/* Nothing is taken on while the disk is full. */
static bool refuse_trouble(const struct service *service, struct rpc_call *call)
{
	const struct book *book = &service->scheduler->book;

	if (book->fails)
		rpc_call_end(call, RPC_RESOURCE_EXHAUSTED,
			     "the queue cannot be written to the disk: %s",
			     book->trouble.text);
	return book->fails;
}

/* ---- what changes the queue ---- */

static void on_submit(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	struct service *service = user;
	struct queued *queued;
	struct error err = {""};
	enum rpc_code code;
	char note[RECORD_WHY_MAX];

	if (refuse_trouble(service, call))
		return;
	code = wish_submit(&queued, service->scheduler,
			   (const Bellows__V1__SubmitRequest *)message, &err);
	if (code != RPC_OK) {
		rpc_call_end(call, code, "%s", err.text);
		return;
	}
	place_tell_output(queued, note, sizeof(note));
	answer_once_kept(service, call, queued, true, note);
}

/* Carries one wish out; what happens now is put into note. */
typedef enum rpc_code (*wish_f)(struct queued *queued,
				const ProtobufCMessage *message,
				const char **note, struct error *err);

static void carry_wish(struct service *service, struct rpc_call *call,
		       const char *job, const ProtobufCMessage *message,
		       wish_f wish)
{
	struct queued *queued;
	struct error err = {""};
	const char *note = "";
	enum rpc_code code;

	if (refuse_trouble(service, call))
		return;
	queued = find(service, call, job);
	if (!queued)
		return;
	code = wish(queued, message, &note, &err);
	if (code != RPC_OK)
		rpc_call_end(call, code, "%s", err.text);
	else
		answer_once_kept(service, call, queued, false, note);
}

static const Bellows__V1__QueueRequest *
queue_request(const ProtobufCMessage *message)
{
	return (const Bellows__V1__QueueRequest *)message;
}

static enum rpc_code hold(struct queued *queued,
			  const ProtobufCMessage *message, const char **note,
			  struct error *err)
{
	*note = queued->record.life.runs ? "it saves, and leaves its slots"
					 : "it waits until it is released";
	return wish_hold(queued, queue_request(message)->reason, err);
}

static enum rpc_code release(struct queued *queued,
			     const ProtobufCMessage *message, const char **note,
			     struct error *err)
{
	*note = queued->record.life.held ? "it waits for slots"
					 : "it is not held";
	return wish_release(queued, err);
}

static enum rpc_code cancel(struct queued *queued,
			    const ProtobufCMessage *message, const char **note,
			    struct error *err)
{
	*note = queued->record.life.runs ? "it ends" : "it leaves the queue";
	return wish_cancel(queued, queue_request(message)->reason, err);
}

static enum rpc_code prioritise(struct queued *queued,
				const ProtobufCMessage *message,
				const char **note, struct error *err)
{
	return wish_priority(
		queued,
		((const Bellows__V1__PriorityRequest *)message)->priority, err);
}

static void on_hold(struct rpc_call *call, const ProtobufCMessage *message,
		    void *user)
{
	carry_wish(user, call, queue_request(message)->job, message, hold);
}

static void on_release(struct rpc_call *call, const ProtobufCMessage *message,
		       void *user)
{
	carry_wish(user, call, queue_request(message)->job, message, release);
}

static void on_cancel(struct rpc_call *call, const ProtobufCMessage *message,
		      void *user)
{
	carry_wish(user, call, queue_request(message)->job, message, cancel);
}

static void on_priority(struct rpc_call *call, const ProtobufCMessage *message,
			void *user)
{
	carry_wish(user, call,
		   ((const Bellows__V1__PriorityRequest *)message)->job,
		   message, prioritise);
}

/* ---- what shows it ---- */

/* *one: NULL: all jobs.  False: the call was ended. */
static bool find_asked(struct service *service, struct rpc_call *call,
		       const char *job, struct queued **one)
{
	*one = *job ? find(service, call, job) : NULL;
	return *one || !*job;
}

static void on_list(struct rpc_call *call, const ProtobufCMessage *message,
		    void *user)
{
	const Bellows__V1__ListRequest *request =
		(const Bellows__V1__ListRequest *)message;
	struct service *service = user;
	Bellows__V1__Queue queue;
	struct queued *one;

	if (!find_asked(service, call, request->job, &one))
		return;
	if (queue_message_fill(&queue, service->scheduler, one) < 0 ||
	    queue_message_add_spans(&queue, service->scheduler, one) < 0)
		lack_memory(call);
	else
		rpc_call_reply(call, &queue.base);
	queue_message_clear(&queue);
}

static void on_explain(struct rpc_call *call, const ProtobufCMessage *message,
		       void *user)
{
	const Bellows__V1__ExplainRequest *request =
		(const Bellows__V1__ExplainRequest *)message;
	size_t count = request->count ? request->count : DECISIONS_ASKED;
	struct service *service = user;
	Bellows__V1__ExplainReply answer;
	Bellows__V1__Queue queue;
	struct queued *queued = find(service, call, request->job);

	if (!queued)
		return;
	if (count > DECISIONS_ASKED_MAX)
		count = DECISIONS_ASKED_MAX;
	if (queue_message_fill(&queue, service->scheduler, queued) < 0 ||
	    explain_message_fill(&answer, queued, (msec_t)request->at, count) <
		    0) {
		queue_message_clear(&queue);
		lack_memory(call);
		return;
	}
	answer.job = queue.jobs[0];
	rpc_call_reply(call, &answer.base);
	explain_message_clear(&answer);
	queue_message_clear(&queue);
}

/* ---- Watch ---- */

struct watcher {
	struct list link;
	struct rpc_call *call;
	uint64_t number; /* of the job; 0: all */
	bool full;       /* slow: it gets the newest once it has room */
};

static void send_queue(struct service *service, struct watcher *watcher)
{
	/* no job has the number 0 */
	struct queued *one =
		scheduler_find(service->scheduler, watcher->number);
	Bellows__V1__Queue queue;

	if (watcher->full || (watcher->number && !one))
		return;
	if (queue_message_fill(&queue, service->scheduler, one) == 0)
		watcher->full = rpc_call_send(watcher->call, &queue.base) > 0;
	queue_message_clear(&queue);
}

static void publish(void *user)
{
	struct service *service = user;

	service->published = loop_now();
	list_for_each (at, &service->watchers)
		send_queue(service, CONTAINER(at, struct watcher, link));
}

void service_on_change(void *user)
{
	struct service *service = user;
	msec_t since = loop_now() - service->published;

	if (!service->server || list_is_empty(&service->watchers) ||
	    loop_timer_is_set(&service->publish))
		return;
	loop_timer_set(service->scheduler->loop, &service->publish,
		       since >= PUBLISH ? 0 : PUBLISH - since, publish,
		       service);
}

static void on_watch(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user)
{
	const Bellows__V1__ListRequest *request =
		(const Bellows__V1__ListRequest *)message;
	struct service *service = user;
	struct watcher *watcher;
	struct queued *one;

	if (!find_asked(service, call, request->job, &one))
		return;
	watcher = calloc(1, sizeof(*watcher));
	if (!watcher) {
		lack_memory(call);
		return;
	}
	watcher->call = call;
	watcher->number = one ? one->record.number : 0;
	list_append(&service->watchers, &watcher->link);
	rpc_call_set_data(call, watcher);
	send_queue(service, watcher);
}

static void on_watch_gone(struct rpc_call *call, void *user)
{
	struct watcher *watcher = rpc_call_data(call);

	if (!watcher)
		return;
	list_remove(&watcher->link);
	free(watcher);
}

static void on_watch_writable(struct rpc_call *call, void *user)
{
	struct watcher *watcher = rpc_call_data(call);

	watcher->full = false;
	send_queue(user, watcher);
}

/* clang-format off */
const struct rpc_method scheduler_methods[SCHEDULER_METHODS] = {
	{ CALL_SUBMIT, RPC_UNARY, &bellows__v1__submit_request__descriptor,
	  .on_message = on_submit, .on_gone = on_asked_gone },
	{ CALL_HOLD, RPC_UNARY, &bellows__v1__queue_request__descriptor,
	  .on_message = on_hold, .on_gone = on_asked_gone },
	{ CALL_RELEASE, RPC_UNARY, &bellows__v1__queue_request__descriptor,
	  .on_message = on_release, .on_gone = on_asked_gone },
	{ CALL_CANCEL_JOB, RPC_UNARY, &bellows__v1__queue_request__descriptor,
	  .on_message = on_cancel, .on_gone = on_asked_gone },
	{ CALL_SET_PRIORITY, RPC_UNARY,
	  &bellows__v1__priority_request__descriptor,
	  .on_message = on_priority, .on_gone = on_asked_gone },
	{ CALL_LIST, RPC_UNARY, &bellows__v1__list_request__descriptor,
	  .on_message = on_list },
	{ CALL_EXPLAIN, RPC_UNARY, &bellows__v1__explain_request__descriptor,
	  .on_message = on_explain },
	{ CALL_WATCH, RPC_SERVER_STREAM, &bellows__v1__list_request__descriptor,
	  .on_message = on_watch, .on_gone = on_watch_gone,
	  .on_writable = on_watch_writable },
};
/* clang-format on */
