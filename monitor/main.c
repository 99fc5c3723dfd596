/* SPDX-License-Identifier: Apache-2.0 */
#include "base/cleanup.h"
#include "base/log.h"
#include "base/program.h"
#include "base/rights.h"
#include "jobfile/exit.h"
#include "jobfile/jobfile.h"
#include "monitor/monitor.h"
#include "monitor/options.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

/* Returns 1 if the directory was made here, and is to be removed. */
static int make_state(char path[PATH_MAX], const struct monitor_options *config,
		      struct error *err)
{
	if (!config->state) {
		snprintf(path, PATH_MAX, "%s/bellows-XXXXXX",
			 config->temporary);
		return mkdtemp(path) ? 1 : error_errno(err, "%s", path);
	}
	snprintf(path, PATH_MAX, "%s", config->state);
	if (mkdir(path, 0700) == 0)
		return 1;
	return errno == EEXIST ? 0 : error_errno(err, "%s", path);
}

/* Where executors are processes that this one starts. */
static enum exit_code run_here(const struct monitor_options *config,
			       struct monitor_config *monitor)
{
	char program[PATH_MAX], state[PATH_MAX];
	enum exit_code code;
	struct error err;
	int made;

	if (program_find_beside("bellows-executor", program, sizeof(program),
				&err) < 0) {
		log_error("%s", err.text);
		return EXIT_SYSTEM;
	}
	made = make_state(state, config, &err);
	if (made < 0) {
		log_error("%s", err.text);
		return EXIT_SYSTEM;
	}
	monitor->program = program;
	monitor->state = state;
	code = monitor_run(monitor);
	if (made > 0 && rmdir(state) < 0)
		log_warn("state=%s stays: %s", state, strerror(errno));
	return code;
}

static enum exit_code run(const struct monitor_options *config,
			  const struct jobfile *job, const struct hosts *hosts,
			  const struct provider_ops *provider)
{
	struct monitor_config monitor = {
		.job = job,
		.provider = provider,
		.hosts = hosts,
		.cluster = &config->cluster,
		.coordinator = config->coordinator,
		.token_file = config->token_file,
		.tls = config->tls,
		.executor_tls = config->executor_tls,
		.unencrypted = config->unencrypted,
		.adapters = &config->adapters,
		.patience = config->patience,
	};
	sigset_t ends;

	/* From here on there is something to clear away. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	return provider->elsewhere ? monitor_run(&monitor)
				   : run_here(config, &monitor);
}

int main(int argc, char **argv)
{
	CLEANUP(jobfile_destroy) struct jobfile *job = NULL;
	CLEANUP(hosts_destroy) struct hosts *hosts = NULL;
	const struct provider_ops *provider;
	struct monitor_options config;
	struct error err;
	char names[128];
	int r;

	log_init("bellows-monitor", LOG_INFO);
	program_set_path();
	if (monitor_options_read(&config, argc, argv, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_USAGE;
	}
	if (config.help) {
		monitor_print_help();
		return EXIT_DONE;
	}
	if (config.version) {
		puts("bellows-monitor " VERSION);
		return EXIT_DONE;
	}
	if (config.verbose)
		log_init("bellows-monitor", LOG_DEBUG);

	if (adapter_files_load(&config.adapters, &err) < 0) {
		log_error("%s", err.text);
		return EXIT_USAGE;
	}
	provider = provider_find(config.provider);
	if (!provider) {
		log_error("--provider %s: one of: %s", config.provider,
			  provider_names(names, sizeof(names)));
		return EXIT_USAGE;
	}
	r = jobfile_read(&job, config.job, config.folder, &err);
	/* the commands of a hosts file may be setuid: ssh's helpers, sudo */
	if (r == 0 && !job->keep_rights && provider != &provider_hosts)
		r = rights_drop(&err);
	if (r == 0 && config.hosts)
		r = hosts_read(&hosts, config.hosts, &err);
	if (r < 0) {
		log_error("%s", err.text);
		return r == -EINVAL ? EXIT_JOBFILE : EXIT_SYSTEM;
	}
	return run(&config, job, hosts, provider);
}
