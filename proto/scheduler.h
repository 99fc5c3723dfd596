/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROTO_SCHEDULER_H
#define PROTO_SCHEDULER_H

/*
 * Names of the scheduler on the wire: its service and its calls
 * (scheduler.proto).  Its certificate is that of a coordinator, as the program
 * that listens.
 */

#define SCHEDULER_SERVICE "bellows.v1.Scheduler"

#define SCHEDULER_CALL(name) "/" SCHEDULER_SERVICE "/" name

#define CALL_SUBMIT       SCHEDULER_CALL("Submit")
#define CALL_LIST         SCHEDULER_CALL("List")
#define CALL_WATCH        SCHEDULER_CALL("Watch")
#define CALL_CANCEL_JOB   SCHEDULER_CALL("Cancel")
#define CALL_HOLD         SCHEDULER_CALL("Hold")
#define CALL_RELEASE      SCHEDULER_CALL("Release")
#define CALL_SET_PRIORITY SCHEDULER_CALL("SetPriority")
#define CALL_EXPLAIN      SCHEDULER_CALL("Explain")

#endif
