/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any file as weights: a network whose outputs are numbers, or a sentence that
 * names the file
 */

#include "network/network.h"

#include "tests/fuzz/file.h"

#include <errno.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(network_destroy) struct neural_network *network = NULL;
	const double inputs[NETWORK_NEURONS_MAX] = {1, -1, 0.5};
	double outputs[NETWORK_NEURONS_MAX];
	const struct network_shape *shape;
	char path[32];
	struct error err = {""};
	int r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fuzz_file(data, size));
	r = network_read(&network, path, &err);
	if (r < 0) {
		HOLD(r == -EINVAL && !network);
		HOLD(strncmp(err.text, path, strlen(path)) == 0);
		return 0;
	}
	shape = network_shape(network);
	network_run(network, inputs, outputs);
	for (unsigned i = 0; i < shape->neurons[shape->layers - 1]; i++)
		HOLD(isfinite(outputs[i]));
	return 0;
}
