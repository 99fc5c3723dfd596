/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/log.h"
#include "base/program.h"
#include "base/rights.h"
#include "executor/executor.h"
#include "jobfile/exit.h"

#include <stdio.h>
#include <sys/prctl.h>

int main(int argc, char **argv)
{
	struct executor_config config;
	struct loop *loop;
	struct error err;
	char dir[4096];
	int r;

	log_init("executor", LOG_INFO);
	program_set_path();
	if (executor_config_read(&config, argc, argv, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_USAGE;
	}
	if (config.help || config.version) {
		if (config.help)
			executor_print_help();
		else
			puts("bellows-executor " VERSION);
		return EXIT_DONE;
	}
	log_init(config.name, config.verbose ? LOG_DEBUG : LOG_INFO);

	if (adapter_files_load(&config.adapters, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_USAGE;
	}
	if (!config.keep_rights && rights_drop(&err) < 0) {
		log_error("%s", err.text);
		return EXIT_SYSTEM;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (loop_create(&loop, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_SYSTEM;
	}
	r = executor_run(&config, loop, program_dir(dir, sizeof(dir)));
	loop_destroy(loop);
	return r;
}
