/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SCHEDULER_CONFIG_H
#define SCHEDULER_CONFIG_H

#include "apps/load.h"
#include "core/sched.h"
#include "runner/lookup.h"

/* As the options of `bellows run --on kube`; NULL: not given. */
struct scheduler_kube {
	const char *image, *cpu, *memory, *claim, *storage, *storage_class;
	bool plain;
};

struct scheduler_config {
	struct lookup lookup; /* state: of the queue, or NULL */
	const char *policy_name;
	const struct sched_policy *policy;
	unsigned slots;
	msec_t gap, aging;
	const char *hosts, *listen, *token_file, *tls, *log;
	struct scheduler_kube kube;
	bool unencrypted;
	struct adapter_files adapters;
	bool verbose, help, version;
};

/* -EINVAL with a sentence. */
int scheduler_config_read(struct scheduler_config *config, int argc,
			  char **argv, struct error *err);
void scheduler_print_help(void);

#endif
