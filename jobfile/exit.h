/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOBFILE_EXIT_H
#define JOBFILE_EXIT_H

/*
 * How a job's programs end: the exit status of `bellows run` and of the
 * coordinator, which is the same one.  Any other value is the application's own
 * exit status.  The numbers follow sysexits(3) where it has one.
 */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_USAGE = 64,       /* command line, or an adapter it names */
	EXIT_JOBFILE = 65,     /* job file, hosts file or workload refused */
	EXIT_UNREACHABLE = 69, /* no coordinator, executors never came or were
				* lost, or the job stood still, too often */
	EXIT_INTERNAL = 70,    /* our own mistake */
	EXIT_SYSTEM = 71,      /* port in use, program missing */
	EXIT_CHECKPOINT = 73,  /* checkpoint directory cannot be used */
	EXIT_RESTARTED = 74,   /* it did not go on from its checkpoint */
	EXIT_SUSPENDED = 75,   /* saved and stopped; the same command resumes */
	EXIT_DECLINED = 76,    /* another size was declined, or dropped while
				* the ranks computed on */
	EXIT_EARLY = 77,       /* it ended with 0 before its end */
	EXIT_UNREADABLE = 78,  /* no checkpoint of it can be read */
	EXIT_SIZE_FAILED = 79, /* ranks did not work at another size */
	EXIT_CANNOT_RUN = 126, /* the application, as a shell says it */
	EXIT_NOT_FOUND = 127,  /* likewise */
	EXIT_CANCELLED = 130,  /* cancelled */
};

#endif
