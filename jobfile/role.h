/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOBFILE_ROLE_H
#define JOBFILE_ROLE_H

/*
 * Roles: what the certificate of a program of a job says that it is
 *
 * A role is the common name of a certificate, and what its folder or Secret is
 * called by.
 */

enum role {
	ROLE_COORDINATOR,
	ROLE_EXECUTOR,
	ROLE_MONITOR,
	ROLE_CLIENT,    /* a person, by the command line */
	ROLE_SCHEDULER, /* states what each of many jobs may have */
	ROLES,
};

/* "coordinator" */
const char *role_name(enum role role);

/* ROLES if there is none of that name. */
enum role role_find(const char *name);

#endif
