/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "network/network_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/*
 * The file:
 *
 *   bellows-network 1
 *   layers 24 32 4
 *   seed 7
 *   0.25            a weight a line, in the order of network_internal.h
 */

static const char head[] = "bellows-network 1";

#define WEIGHT_MAX 1e9

/* ---- writing ---- */

static void print(const struct neural_network *network, FILE *to)
{
	const struct network_shape *shape = network_shape(network);
	const double *weights = network_weights(network);
	size_t n = network_weights_of(shape);

	fprintf(to, "%s\nlayers", head);
	for (unsigned i = 0; i < shape->layers; i++)
		fprintf(to, " %u", shape->neurons[i]);
	fprintf(to, "\nseed %" PRIu64 "\n", network_seed(network));
	for (size_t i = 0; i < n; i++)
		fprintf(to, "%.17g\n", weights[i]);
}

int network_save(const struct neural_network *network, const char *path,
		 struct error *err)
{
	CLEANUP(free) char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return error_errno(err, "cannot write %s", path);
	print(network, to);
	if (fclose(to) != 0)
		return error_errno(err, "cannot write %s", path);
	return file_replace(path, 0644, text, size, err);
}

/* ---- reading ---- */

struct reading {
	const char *path;
	char *rest; /* of the text, which ends with a zero */
	unsigned line;
	struct error *err;
};

static int refuse(const struct reading *at, const char *what)
{
	return error_set(at->err, -EINVAL, "%s:%u: %s", at->path, at->line,
			 what);
}

/* NULL: there is none. */
static char *next_line(struct reading *at)
{
	at->line++;
	return at->rest && *at->rest ? strsep(&at->rest, "\n") : NULL;
}

/* Whole digits alone, up to most. */
static bool read_count(const char **text, uint64_t most, uint64_t *count)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*count = strtoull(*text, &end, 10);
	if (errno || *count > most)
		return false;
	*text = end;
	return true;
}

static bool read_layers(const char *text, struct network_shape *shape)
{
	if (!text || strncmp(text, "layers", 6) != 0)
		return false;
	text += 6;
	for (shape->layers = 0; *text; shape->layers++) {
		uint64_t n;

		if (*text++ != ' ' || shape->layers == NETWORK_LAYERS_MAX ||
		    !read_count(&text, NETWORK_NEURONS_MAX, &n) || n == 0)
			return false;
		shape->neurons[shape->layers] = (unsigned)n;
	}
	return shape->layers >= 2;
}

static bool read_seed(const char *text, uint64_t *seed)
{
	if (!text || strncmp(text, "seed ", 5) != 0)
		return false;
	text += 5;
	return read_count(&text, UINT64_MAX, seed) && !*text;
}

static bool read_weight(const char *text, double *weight)
{
	char *end;

	/* strtod() would pass over blanks */
	if (!strchr("-0123456789", *text))
		return false;
	*weight = strtod(text, &end);
	return end > text && !*end && fabs(*weight) <= WEIGHT_MAX;
}

static int read_weights(struct reading *at, const struct network_shape *shape,
			double *weights)
{
	size_t n = network_weights_of(shape);

	for (size_t i = 0; i < n; i++) {
		const char *text = next_line(at);

		if (!text)
			return error_set(at->err, -EINVAL,
					 "%s:%u: the file ends after %zu of "
					 "%zu weights",
					 at->path, at->line, i, n);
		if (!read_weight(text, &weights[i]))
			return refuse(at, "this is no weight");
	}
	return next_line(at) ? refuse(at, "there is more than the weights") : 0;
}

static int read_network(struct reading *at, struct neural_network **out)
{
	CLEANUP(network_destroy) struct neural_network *network = NULL;
	struct network_shape shape = {.layers = 0};
	const char *text = next_line(at);
	uint64_t seed;
	int r;

	if (!text || strcmp(text, head) != 0)
		return refuse(at, "this is no file of weights, which begins "
				  "with 'bellows-network 1'");
	if (!read_layers(next_line(at), &shape))
		return refuse(at, "this is to be 'layers' and the neurons of "
				  "each");
	if (!read_seed(next_line(at), &seed))
		return refuse(at, "this is to be 'seed' and a number");
	r = network_create(&network, &shape, seed, at->err);
	if (r == 0)
		r = read_weights(at, &shape, network_weights(network));
	if (r == 0)
		*out = STEAL(network);
	return r;
}

int network_read(struct neural_network **out, const char *path,
		 struct error *err)
{
	CLEANUP(free) char *text = malloc(NETWORK_BYTES_MAX + 2);
	struct reading at = {.path = path, .rest = text, .err = err};
	size_t size;
	int r;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	r = file_read(path, text, NETWORK_BYTES_MAX + 1, &size, err);
	if (r < 0)
		return r;
	if (size > NETWORK_BYTES_MAX)
		return error_set(err, -EINVAL, "%s is longer than %d bytes",
				 path, NETWORK_BYTES_MAX);
	text[size] = '\0';
	if (strlen(text) < size)
		return error_set(err, -EINVAL,
				 "%s has a byte 0; this is no text", path);
	return read_network(&at, out);
}
