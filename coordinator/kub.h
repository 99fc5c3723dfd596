/* SPDX-License-Identifier: Apache-2.0 */
#ifndef COORDINATOR_KUB_H
#define COORDINATOR_KUB_H

/*
 * mpi_monitor.Monitor: the calls of Kub's own programs (proto/kub.proto)
 *
 * Each call is turned into what bellows.v1.Coordinator has for it, see
 * docs/kub.md.  A job that does not ask for the service answers UNIMPLEMENTED.
 */

#include "proto/kub.pb-c.h"
#include "rpc/server.h"

/* user: the struct coordinator. */
void kub_on_scale(struct rpc_call *call, const ProtobufCMessage *message,
		  void *user);
void kub_on_keys(struct rpc_call *call, const ProtobufCMessage *message,
		 void *user);
void kub_on_job_init(struct rpc_call *call, const ProtobufCMessage *message,
		     void *user);
void kub_on_active(struct rpc_call *call, const ProtobufCMessage *message,
		   void *user);
void kub_on_checkpointing(struct rpc_call *call,
			  const ProtobufCMessage *message, void *user);
void kub_on_end(struct rpc_call *call, const ProtobufCMessage *message,
		void *user);

#endif
