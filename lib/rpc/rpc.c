/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "rpc/internal.h"

#include <assert.h>
#include <errno.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

/* So that a busy network does not starve the loop's timers. */
enum { OPS_AT_ONCE = 256 };

DEFINE_CLEANUP(struct rpc, rpc_destroy)

const char *rpc_code_name(enum rpc_code code)
{
	static const char *const names[] = {
		[RPC_OK] = "OK",
		[RPC_CANCELLED] = "CANCELLED",
		[RPC_UNKNOWN] = "UNKNOWN",
		[RPC_INVALID_ARGUMENT] = "INVALID_ARGUMENT",
		[RPC_DEADLINE_EXCEEDED] = "DEADLINE_EXCEEDED",
		[RPC_NOT_FOUND] = "NOT_FOUND",
		[RPC_ALREADY_EXISTS] = "ALREADY_EXISTS",
		[RPC_PERMISSION_DENIED] = "PERMISSION_DENIED",
		[RPC_RESOURCE_EXHAUSTED] = "RESOURCE_EXHAUSTED",
		[RPC_FAILED_PRECONDITION] = "FAILED_PRECONDITION",
		[RPC_ABORTED] = "ABORTED",
		[RPC_OUT_OF_RANGE] = "OUT_OF_RANGE",
		[RPC_UNIMPLEMENTED] = "UNIMPLEMENTED",
		[RPC_INTERNAL] = "INTERNAL",
		[RPC_UNAVAILABLE] = "UNAVAILABLE",
		[RPC_DATA_LOSS] = "DATA_LOSS",
		[RPC_UNAUTHENTICATED] = "UNAUTHENTICATED",
	};

	return (size_t)code < LENGTH(names) ? names[code] : "UNKNOWN";
}

gpr_timespec rpc_deadline(msec_t timeout)
{
	if (timeout <= 0)
		return gpr_inf_future(GPR_CLOCK_MONOTONIC);
	return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
			    gpr_time_from_millis(timeout, GPR_TIMESPAN));
}

/* ---- from gRPC to the loop ---- */

static void hand_over(struct rpc *rpc, struct rpc_op *op, bool ok)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&rpc->lock);
	op->ok = ok;
	/* A counter that is full is readable, which is all it is for. */
	if (list_is_empty(&rpc->done) &&
	    write(rpc->wake, &one, sizeof(one)) < 0)
		assert(errno == EAGAIN);
	list_append(&rpc->done, &op->link);
	pthread_cond_signal(&rpc->arrived);
	pthread_mutex_unlock(&rpc->lock);
}

static void *pump(void *user)
{
	struct rpc *rpc = user;

	for (;;) {
		grpc_event event = grpc_completion_queue_next(
			rpc->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);

		if (event.type == GRPC_QUEUE_SHUTDOWN)
			return NULL;
		if (event.type == GRPC_OP_COMPLETE)
			hand_over(rpc, event.tag, event.success);
	}
}

void rpc_op_expect(struct rpc *rpc, struct rpc_op *op)
{
	/* The lock orders what was written here before what the pump does;
	 * what gRPC does in between is not visible to a race detector. */
	pthread_mutex_lock(&rpc->lock);
	list_init(&op->link);
	pthread_mutex_unlock(&rpc->lock);
}

void rpc_op_start(struct rpc *rpc, struct rpc_op *op, grpc_call *call,
		  const grpc_op *batch, size_t n)
{
	grpc_call_error error;
	void *done;
	int ok;

	rpc_op_expect(rpc, op);
	/* What is done at once, as most sending is, gRPC would wake the pump
	 * for. */
	grpc_completion_queue_thread_local_cache_init(rpc->queue);
	error = grpc_call_start_batch(call, batch, n, op, NULL);
	assert(error == GRPC_CALL_OK);
	(void)error;
	if (grpc_completion_queue_thread_local_cache_flush(rpc->queue, &done,
							   &ok))
		hand_over(rpc, done, ok);
}

void rpc_op_post(struct rpc *rpc, struct rpc_op *op)
{
	rpc_op_expect(rpc, op);
	hand_over(rpc, op, false);
}

/* With the lock held. */
static struct rpc_op *take_done(struct rpc *rpc, const void *group)
{
	list_for_each (at, &rpc->done) {
		struct rpc_op *op = CONTAINER(at, struct rpc_op, link);

		if (group && op->group != group)
			continue;
		list_remove(&op->link);
		return op;
	}
	return NULL;
}

static bool run_one(struct rpc *rpc)
{
	struct rpc_op *op;

	pthread_mutex_lock(&rpc->lock);
	op = take_done(rpc, NULL);
	pthread_mutex_unlock(&rpc->lock);
	if (!op)
		return false;
	op->fn(op->owner, op->ok);
	return true;
}

static void on_wake(void *user, uint32_t events)
{
	struct rpc *rpc = user;
	uint64_t count;
	int n = 0;

	if (read(rpc->wake, &count, sizeof(count)) < 0)
		assert(errno == EAGAIN);
	rpc->is_dispatching = true;
	while (n < OPS_AT_ONCE && run_one(rpc))
		n++;
	rpc->is_dispatching = false;
	if (n == OPS_AT_ONCE && write(rpc->wake, &(uint64_t){1}, 8) < 0)
		assert(errno == EAGAIN);
}

bool rpc_run_group(struct rpc *rpc, const void *group, const bool *flag,
		   msec_t patience)
{
	msec_t end = loop_now() + patience;
	struct timespec ts = {.tv_sec = end / 1000,
			      .tv_nsec = end % 1000 * 1000000};
	int r = 0;

	while (!*flag && r == 0) {
		struct rpc_op *op;

		pthread_mutex_lock(&rpc->lock);
		while (!(op = take_done(rpc, group)) && r == 0)
			r = pthread_cond_timedwait(&rpc->arrived, &rpc->lock,
						   &ts);
		pthread_mutex_unlock(&rpc->lock);
		if (op)
			op->fn(op->owner, op->ok);
	}
	return *flag;
}

/* ---- life ---- */

static void no_log(gpr_log_func_args *args)
{
}

void rpc_block_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

void rpc_restore_signals(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

static int start_pump(struct rpc *rpc, struct error *err)
{
	sigset_t before;
	int r;

	rpc_block_signals(&before);
	grpc_init();
	rpc->queue = grpc_completion_queue_create_for_next(NULL);
	r = pthread_create(&rpc->pump, NULL, pump, rpc);
	rpc_restore_signals(&before);
	if (r != 0)
		return error_set(err, -r, "cannot start a thread: %s",
				 strerror(r));
	rpc->is_pumping = true;
	return 0;
}

static void init_lock(struct rpc *rpc)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&rpc->arrived, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&rpc->lock, NULL);
}

int rpc_create(struct rpc **out, struct loop *loop, struct error *err)
{
	CLEANUP(rpc_destroy) struct rpc *rpc = calloc(1, sizeof(*rpc));
	int r;

	if (!rpc)
		return error_set(err, -ENOMEM, "out of memory");

	rpc->loop = loop;
	list_init(&rpc->done);
	init_lock(rpc);
	/* gRPC logs only if its own variable is set. */
	if (!getenv("GRPC_VERBOSITY"))
		gpr_set_log_function(no_log);

	rpc->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rpc->wake < 0)
		return error_errno(err, "cannot make an eventfd");
	r = loop_fd_add(&rpc->source, loop, rpc->wake, EPOLLIN, on_wake, rpc,
			err);
	if (r < 0)
		return r;
	r = start_pump(rpc, err);
	if (r < 0)
		return r;

	*out = STEAL(rpc);
	return 0;
}

struct rpc *rpc_destroy(struct rpc *rpc)
{
	if (!rpc)
		return NULL;

	assert(!rpc->is_dispatching);
	if (rpc->queue) {
		grpc_completion_queue_shutdown(rpc->queue);
		if (rpc->is_pumping)
			pthread_join(rpc->pump, NULL);
		else
			pump(rpc);
		while (run_one(rpc))
			;
		grpc_completion_queue_destroy(rpc->queue);
		grpc_shutdown_blocking();
	}
	loop_fd_remove(rpc->source);
	if (rpc->wake >= 0)
		close(rpc->wake);
	pthread_cond_destroy(&rpc->arrived);
	pthread_mutex_destroy(&rpc->lock);
	free(rpc);
	return NULL;
}
