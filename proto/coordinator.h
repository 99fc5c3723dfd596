/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROTO_COORDINATOR_H
#define PROTO_COORDINATOR_H

/*
 * Names of the coordinator on the wire: its service, its calls (bellows.proto)
 * and its certificate
 */

#define COORDINATOR_SERVICE "bellows.v1.Coordinator"

#define COORDINATOR_CALL(name) "/" COORDINATOR_SERVICE "/" name

#define CALL_JOB_INIT      COORDINATOR_CALL("JobInit")
#define CALL_RETRIEVE_KEYS COORDINATOR_CALL("RetrieveKeys")
#define CALL_ACTIVE_SERVER COORDINATOR_CALL("ActiveServer")
#define CALL_OUTPUT        COORDINATOR_CALL("Output")
#define CALL_CHECKPOINTING COORDINATOR_CALL("Checkpointing")
#define CALL_END_EXEC      COORDINATOR_CALL("EndExec")
#define CALL_SCALE         COORDINATOR_CALL("Scale")
#define CALL_GRANT         COORDINATOR_CALL("Grant")
#define CALL_SUPPLY        COORDINATOR_CALL("Supply")
#define CALL_CANCEL        COORDINATOR_CALL("Cancel")
#define CALL_GET_JOB       COORDINATOR_CALL("GetJob")
#define CALL_WATCH_JOB     COORDINATOR_CALL("WatchJob")
#define CALL_HISTORY       COORDINATOR_CALL("History")

/* The DNS name in the coordinator's certificate, the same in every job.  It is
 * never looked up. */
#define COORDINATOR_TLS_NAME "coordinator.bellows"

#endif
