/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECUTOR_HOST_H
#define EXECUTOR_HOST_H

/*
 * What this host is, and whether it can run the job
 */

#include "core/member.h"
#include "jobfile/jobfile.h"

/* The same text for executors below one kernel, and the processors of that
 * node, those of other containers included. */
void host_node(char text[MEMBER_TEXT_MAX]);
unsigned host_node_cores(void);

/* The same text for executors that reach each other over loopback: one node,
 * one network namespace. */
void host_machine(char text[MEMBER_TEXT_MAX]);
/* That text, or "" if it could be another host's too: without the kernel's boot
 * ID the name is that of the host, which pods of several hosts may share. */
const char *host_sole_machine(const char machine[MEMBER_TEXT_MAX]);

/* It has an InfiniBand or other RDMA device. */
bool host_has_fast_network(void);

/* 0, or -errno and what is missing, the directories or the program; *exit_code:
 * what that means for the job. */
int host_check(const struct jobfile *job, int *exit_code, struct error *err);

#endif
