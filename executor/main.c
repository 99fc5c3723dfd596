/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/log.h"
#include "executor/executor.h"
#include "jobfile/exit.h"

#include <libgen.h>
#include <sys/prctl.h>

/* Where bellows-launch stands: beside this program. */
static const char *find_bindir(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n < 0)
		return "/usr/bin";
	path[n] = '\0';
	return dirname(path);
}

int main(int argc, char **argv)
{
	struct config config;
	struct loop *loop;
	struct error err;
	int r;

	log_init("executor", LOG_INFO);
	r = config_parse(&config, argc, argv, &err);
	if (r > 0)
		return EXIT_DONE;
	if (r < 0) {
		log_error("%s", err.text);
		return EXIT_USAGE;
	}
	log_init(config.name, config.verbose ? LOG_DEBUG : LOG_INFO);

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (loop_create(&loop, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_SYSTEM;
	}
	r = executor_run(&config, loop, find_bindir());
	loop_destroy(loop);
	return r;
}
