/* SPDX-License-Identifier: Apache-2.0 */
#include "profiler/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const struct counter_event counters_of_hardware[COUNTERS_OF_HARDWARE] = {
	[COUNTER_INSTRUCTIONS] = {PERF_TYPE_HARDWARE,
				  PERF_COUNT_HW_INSTRUCTIONS},
	[COUNTER_CYCLES] = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	[COUNTER_CACHE_MISSES] = {PERF_TYPE_HARDWARE,
				  PERF_COUNT_HW_CACHE_MISSES},
	[COUNTER_PROCESSOR_TIME] = {PERF_TYPE_SOFTWARE,
				    PERF_COUNT_SW_TASK_CLOCK},
};

static int open_one(const struct counter_event *event)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event->type,
		.config = event->config,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static int explain(int failure, struct error *err)
{
	switch (failure) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return error_set(err, -failure,
				 "this machine has no hardware counters, as "
				 "most virtual machines have none");
	case EACCES:
	case EPERM:
		return error_set(err, -failure,
				 "the kernel keeps hardware counters from this "
				 "user (kernel.perf_event_paranoid, or a "
				 "container's seccomp profile)");
	}
	return error_set(err, -failure, "hardware counters: %s",
			 strerror(failure));
}

int counters_open(struct counters *counters, const struct counter_event *events,
		  unsigned n, struct error *err)
{
	for (counters->n = 0; counters->n < n; counters->n++) {
		int fd = open_one(&events[counters->n]), failure = errno;

		if (fd < 0) {
			counters_close(counters);
			return explain(failure, err);
		}
		counters->fds[counters->n] = fd;
	}
	return 0;
}

int counters_read(const struct counters *counters, double *values,
		  struct error *err)
{
	for (unsigned i = 0; i < counters->n; i++) {
		struct {
			uint64_t value, enabled, running;
		} got;

		if (read(counters->fds[i], &got, sizeof(got)) != sizeof(got))
			return error_errno(err, "hardware counters");
		if (got.running == 0 && got.enabled > 0)
			return error_set(err, -EBUSY,
					 "another program has the hardware "
					 "counters");
		values[i] = (double)got.value;
		if (got.running > 0)
			values[i] *= (double)got.enabled / (double)got.running;
	}
	return 0;
}

void counters_close(struct counters *counters)
{
	while (counters->n > 0)
		close(counters->fds[--counters->n]);
}
