/* SPDX-License-Identifier: Apache-2.0 */
#include "network/network.h"

#include "network/network_internal.h"

#include "base/splitmix.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <doublefann.h>

struct neural_network {
	struct network_shape shape;
	uint64_t seed;
	struct fann *fann;
};

void network_destroy(struct neural_network *network)
{
	if (network && network->fann)
		fann_destroy(network->fann);
	free(network);
}

const struct network_shape *network_shape(const struct neural_network *network)
{
	return &network->shape;
}

uint64_t network_seed(const struct neural_network *network)
{
	return network->seed;
}

double *network_weights(const struct neural_network *network)
{
	return network->fann->weights;
}

size_t network_weights_of(const struct network_shape *shape)
{
	size_t n = 0;

	for (unsigned i = 1; i < shape->layers; i++)
		n += (size_t)shape->neurons[i] * (shape->neurons[i - 1] + 1);
	return n;
}

static bool is_possible(const struct network_shape *shape)
{
	if (shape->layers < 2 || shape->layers > NETWORK_LAYERS_MAX)
		return false;
	for (unsigned i = 0; i < shape->layers; i++)
		if (shape->neurons[i] < 1 ||
		    shape->neurons[i] > NETWORK_NEURONS_MAX)
			return false;
	return true;
}

/* From -1 to 1. */
static double draw(struct random *random)
{
	return (double)(random_bits(random) >> 11) / 0x1p52 - 1;
}

/* The more neurons add up, the smaller (Glorot and Bengio, 2010). */
static void draw_weights(struct neural_network *network)
{
	const unsigned *neurons = network->shape.neurons;
	double *weight = network->fann->weights;
	struct random random = {network->seed};

	for (unsigned i = 1; i < network->shape.layers; i++) {
		double most = sqrt(6.0 / (neurons[i - 1] + neurons[i]));
		unsigned n = neurons[i] * (neurons[i - 1] + 1);

		while (n-- > 0)
			*weight++ = most * draw(&random);
	}
}

static struct fann *create_fann(const struct network_shape *shape)
{
	struct fann *fann;

	fann = fann_create_standard_array(shape->layers, shape->neurons);
	if (!fann)
		return NULL;
	fann_set_error_log((struct fann_error *)fann, NULL);
	fann_set_activation_function_hidden(fann, FANN_ELLIOT_SYMMETRIC);
	fann_set_activation_steepness_hidden(fann, 1);
	fann_set_activation_function_output(fann, FANN_LINEAR);
	fann_set_activation_steepness_output(fann, 1);
	fann_set_training_algorithm(fann, FANN_TRAIN_INCREMENTAL);
	fann_set_train_error_function(fann, FANN_ERRORFUNC_LINEAR);
	return fann;
}

int network_create(struct neural_network **out,
		   const struct network_shape *shape, uint64_t seed,
		   struct error *err)
{
	CLEANUP(network_destroy)
	struct neural_network *network = calloc(1, sizeof(*network));

	if (!is_possible(shape))
		return error_set(err, -EINVAL,
				 "a network has 2 to %d layers of 1 to %d "
				 "neurons",
				 NETWORK_LAYERS_MAX, NETWORK_NEURONS_MAX);
	if (network)
		network->fann = create_fann(shape);
	if (!network || !network->fann ||
	    fann_get_total_connections(network->fann) !=
		    network_weights_of(shape))
		return error_set(err, -ENOMEM, "out of memory");
	network->shape = *shape;
	network->seed = seed;
	draw_weights(network);
	*out = STEAL(network);
	return 0;
}

void network_run(struct neural_network *network, const double *inputs,
		 double *outputs)
{
	/* FANN writes nothing there */
	double *values = fann_run(network->fann, (double *)(uintptr_t)inputs);

	memcpy(outputs, values,
	       network->shape.neurons[network->shape.layers - 1] *
		       sizeof(*outputs));
}

void network_train(struct neural_network *network, double rate,
		   const double *inputs, const double *wanted)
{
	fann_set_learning_rate(network->fann, (float)rate);
	fann_train(network->fann, (double *)(uintptr_t)inputs,
		   (double *)(uintptr_t)wanted);
}

void network_follow(struct neural_network *network,
		    const struct neural_network *other, double part)
{
	double *weights = network->fann->weights;
	const double *others = other->fann->weights;
	size_t n = network_weights_of(&network->shape);

	for (size_t i = 0; i < n; i++)
		weights[i] += part * (others[i] - weights[i]);
}
