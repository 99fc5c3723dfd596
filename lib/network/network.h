/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NETWORK_NETWORK_H
#define NETWORK_NETWORK_H

/*
 * A network of neurons: numbers in, numbers out, learned from samples
 *
 * Each layer is connected with the next one as a whole.  The output is linear;
 * a neuron between has x / (1 + |x|), which no mathematical library computes in
 * its own way.  The computing is FANN's.
 */

#include "base/cleanup.h"
#include "base/error.h"

#include <stdint.h>

enum {
	NETWORK_LAYERS_MAX = 8,
	NETWORK_NEURONS_MAX = 256, /* of a layer */
	NETWORK_BYTES_MAX = 4 << 20,
};

struct network_shape {
	unsigned layers; /* 2 to NETWORK_LAYERS_MAX; the first is the input */
	unsigned neurons[NETWORK_LAYERS_MAX];
};

struct neural_network;

/* The first weights are drawn from the seed.  -EINVAL: there is no such shape;
 * -ENOMEM. */
int network_create(struct neural_network **out,
		   const struct network_shape *shape, uint64_t seed,
		   struct error *err);
void network_destroy(struct neural_network *network);
DEFINE_CLEANUP(struct neural_network, network_destroy)

const struct network_shape *network_shape(const struct neural_network *network);

void network_run(struct neural_network *network, const double *inputs,
		 double *outputs);

/* One step of the rate towards the outputs that are wanted. */
void network_train(struct neural_network *network, double rate,
		   const double *inputs, const double *wanted);

/* Brings the weights nearer to those of another one of the same shape: part 0
 * leaves them as they are, part 1 makes them the same. */
void network_follow(struct neural_network *network,
		    const struct neural_network *other, double part);

/* Writes a file of text with the shape, the seed and the weights. */
int network_save(const struct neural_network *network, const char *path,
		 struct error *err);

/* -EINVAL with "PATH:LINE: what is wrong", -ENOMEM, -errno of the file. */
int network_read(struct neural_network **out, const char *path,
		 struct error *err);

#endif
