/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/status_bed.h"

/* What the coordinator notes of checkpoints that were due, of disks and of jobs
 * that stand still, as a monitor tells it. */

/* On 2 ranks; what was said until then is forgotten. */
static void run(void)
{
	begin();
	tell(1100, JOB_EV_EXECUTORS, 2, "");
	tell(1200, JOB_EV_RANKS_UP, 0, "");
	tell(1300, JOB_EV_STEP, 0, "");
	said[0] = '\0';
}

static void a_checkpoint_that_is_due_is_no_other_size(void)
{
	run();
	tell(2000, JOB_EV_DUE, 0, "a checkpoint is due");
	CHECK(!conditions[1].holds && !conditions[2].holds);
	CHECK_TEXT(conditions[2].reason, "NotAsked");
	tell(2100, JOB_EV_PREPARED, 0, "the next start is prepared");
	tell(2200, JOB_EV_SAVED, 0, "checkpoint of step 5, 800 bytes");
	tell(2300, JOB_EV_STOPPED, 2, "no rank is left");
	tell(2400, JOB_EV_RANKS_UP, 0, "all ranks run where they belong");
	tell(2500, JOB_EV_STEP, 0, "");
	CHECK_TEXT(
		said,
		"CheckpointWritten: checkpoint of step 5, 800 bytes, written "
		"in 0.1 s\n"
		"Relaunched: start 2: 2 ranks run\n");
}

static void one_that_could_not_be_written_is_told(void)
{
	run();
	tell(3000, JOB_EV_DUE, 0, "a checkpoint is due");
	tell(3100, JOB_EV_PREPARED, 0, "the next start is prepared");
	tell(3200, JOB_EV_UNSAVED, 0, "cannot write: No space left on device");
	CHECK_TEXT(said, "! CheckpointFailed: cannot write: No space left on "
			 "device\n");
}

static void what_a_disk_does_is_told(void)
{
	run();
	history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_DISK,
		       "state directory /s: Read-only file system", 2000);
	history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_DISK_WELL,
		       "the state directory can be written again", 2100);
	history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_CHECKPOINT,
		       "the newest is damaged", 2200);
	now = 2300;
	message();
	CHECK_TEXT(said,
		   "! DiskTrouble: state directory /s: Read-only file system\n"
		   "DiskWell: the state directory can be written again\n"
		   "! CheckpointUnusable: the newest is damaged\n");
}

static void a_job_that_stands_still_is_told_until_it_gets_on(void)
{
	run();
	message();
	CHECK(!conditions[3].holds);
	history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_STALLED,
		       "the job stands still: no output for 5.0 s", 2000);
	snprintf(stall, sizeof(stall), "no output for 5.0 s");
	now = 2000;
	message();
	CHECK(conditions[3].holds);
	CHECK_TEXT(conditions[3].type, "bellows.io/Stalled");
	CHECK_TEXT(conditions[3].message, "the ranks make no progress");
	history_notice(&history, BELLOWS__V1__NOTICE_KIND__NOTICE_STALL_OVER,
		       "the job gets on again: there is output", 3000);
	stall[0] = '\0';
	now = 3000;
	message();
	CHECK(!conditions[3].holds);
	CHECK_TEXT(said,
		   "! Stalled: the job stands still: no output for 5.0 s\n"
		   "StallOver: the job gets on again: there is output\n");
}

RUN_TESTS(TEST(a_checkpoint_that_is_due_is_no_other_size),
	  TEST(one_that_could_not_be_written_is_told),
	  TEST(what_a_disk_does_is_told),
	  TEST(a_job_that_stands_still_is_told_until_it_gets_on))
