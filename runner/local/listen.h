/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNNER_LOCAL_LISTEN_H
#define RUNNER_LOCAL_LISTEN_H

/*
 * Where a coordinator listens for executors on other hosts
 */

#include "base/error.h"
#include "jobfile/hosts.h"

enum { LISTEN_MAX = 64 };

/* Puts "10.0.0.5:0" or "[fd00::5]:7000" into out.  wish: what --listen says, an
 * address of this machine with or without a port; NULL: the address that this
 * machine reaches the first host by, and any port.  -EINVAL if wish is wrong,
 * -errno if there is no way to the host; with a sentence. */
int listen_choose(char out[LISTEN_MAX], const char *wish,
		  const struct hosts *hosts, struct error *err);

#endif
