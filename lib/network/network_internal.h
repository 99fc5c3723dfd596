/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NETWORK_NETWORK_INTERNAL_H
#define NETWORK_NETWORK_INTERNAL_H

#include "network/network.h"

uint64_t network_seed(const struct neural_network *network);

/* Of each layer but the first, of each neuron: the weights of the layer before
 * it, and of the constant 1. */
double *network_weights(const struct neural_network *network);
size_t network_weights_of(const struct network_shape *shape);

#endif
