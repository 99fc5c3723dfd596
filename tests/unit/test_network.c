/* SPDX-License-Identifier: Apache-2.0 */
#include "network/network.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <errno.h>
#include <math.h>

static const struct network_shape shape = {3, {2, 6, 1}};
static const double inputs[4][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
static const double wanted[4] = {0, 1, 1, 0};

static double value_of(struct neural_network *network, unsigned i)
{
	double value;

	network_run(network, inputs[i], &value);
	return value;
}

/* A network that has learned "one of the two, and not both". */
static struct neural_network *learned(uint64_t seed)
{
	struct neural_network *network;

	if (network_create(&network, &shape, seed, NULL) < 0)
		return NULL;
	for (unsigned i = 0; i < 20000; i++)
		network_train(network, 0.1, inputs[i % 4], &wanted[i % 4]);
	return network;
}

static void what_no_single_neuron_can_is_learned(void)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		CLEANUP(network_destroy)
		struct neural_network *network = learned(seed);

		CHECK(network);
		for (unsigned i = 0; i < 4; i++)
			CHECK(fabs(value_of(network, i) - wanted[i]) < 0.01);
	}
}

static void a_seed_gives_the_same_network_again(void)
{
	CLEANUP(network_destroy) struct neural_network *a = learned(7);
	CLEANUP(network_destroy) struct neural_network *b = learned(7);
	CLEANUP(network_destroy) struct neural_network *c = learned(8);

	CHECK(a && b && c);
	CHECK(value_of(a, 1) == value_of(b, 1));
	CHECK(value_of(a, 1) != value_of(c, 1));
}

static void a_network_follows_another_one(void)
{
	CLEANUP(network_destroy) struct neural_network *a = NULL;
	CLEANUP(network_destroy) struct neural_network *b = learned(2);
	double before;

	CHECK(network_create(&a, &shape, 1, NULL) == 0 && b);
	before = value_of(a, 2);
	network_follow(a, b, 0);
	CHECK(value_of(a, 2) == before);
	network_follow(a, b, 0.5);
	CHECK(value_of(a, 2) != before);
	network_follow(a, b, 1);
	CHECK(fabs(value_of(a, 2) - value_of(b, 2)) < 1e-12);
}

static void a_saved_network_is_read_as_it_was(void)
{
	CLEANUP(folder_remove) char *here = folder_create("network");
	CLEANUP(network_destroy) struct neural_network *saved = learned(3);
	CLEANUP(network_destroy) struct neural_network *read = NULL;
	struct error err;

	CHECK(here && saved);
	CHECK(network_save(saved, below("weights"), &err) == 0);
	CHECK(network_read(&read, below("weights"), &err) == 0);
	CHECK(memcmp(network_shape(read), &shape, sizeof(shape)) == 0);
	for (unsigned i = 0; i < 4; i++)
		CHECK(value_of(read, i) == value_of(saved, i));
	CHECK(network_save(saved, below("no/folder"), &err) == -ENOENT);
}

/* What is wrong with a file of that text, without its path. */
static const char *refusal(const char *text, size_t size)
{
	static struct error err;
	CLEANUP(network_destroy) struct neural_network *network = NULL;
	FILE *file = fopen(below("weights"), "w");

	if (!file)
		return "";
	fwrite(text, 1, size, file);
	fclose(file);
	if (network_read(&network, below("weights"), &err) != -EINVAL)
		return "";
	return err.text + strlen(below("weights"));
}

#define HEAD "bellows-network 1\n"

static void a_file_that_is_none_is_refused(void)
{
	static const struct {
		const char *text, *refusal;
	} wrong[] = {
		{"", ":1: this is no file of weights, which begins with "
		     "'bellows-network 1'"},
		{"bellows-network 2\n", ":1: this is no file of weights, "
					"which begins with "
					"'bellows-network 1'"},
		{HEAD, ":2: this is to be 'layers' and the neurons of each"},
		{HEAD "layers 2\nseed 1\n",
		 ":2: this is to be 'layers' and the neurons of each"},
		{HEAD "layers 2 0\nseed 1\n",
		 ":2: this is to be 'layers' and the neurons of each"},
		{HEAD "layers 2 257\nseed 1\n",
		 ":2: this is to be 'layers' and the neurons of each"},
		{HEAD "layers 2 -1\nseed 1\n",
		 ":2: this is to be 'layers' and the neurons of each"},
		{HEAD "layers 2  1\nseed 1\n",
		 ":2: this is to be 'layers' and the neurons of each"},
		{HEAD "layers 1 1 1 1 1 1 1 1 1\nseed 1\n",
		 ":2: this is to be 'layers' and the neurons of each"},
		{HEAD "layers 2 1\n1\n1\n1\n",
		 ":3: this is to be 'seed' and a number"},
		{HEAD "layers 2 1\nseed 18446744073709551616\n1\n1\n1\n",
		 ":3: this is to be 'seed' and a number"},
		{HEAD "layers 2 1\nseed 1x\n1\n1\n1\n",
		 ":3: this is to be 'seed' and a number"},
		{HEAD "layers 2 1\nseed 1\n1\n1\n",
		 ":6: the file ends after 2 of 3 weights"},
		{HEAD "layers 2 1\nseed 1\n1\nnan\n1\n",
		 ":5: this is no weight"},
		{HEAD "layers 2 1\nseed 1\n1\n1e999\n1\n",
		 ":5: this is no weight"},
		{HEAD "layers 2 1\nseed 1\n1\n-inf\n1\n",
		 ":5: this is no weight"},
		{HEAD "layers 2 1\nseed 1\n1\n 1\n1\n",
		 ":5: this is no weight"},
		{HEAD "layers 2 1\nseed 1\n1\n\n1\n", ":5: this is no weight"},
		{HEAD "layers 2 1\nseed 1\n1\n1 2\n1\n",
		 ":5: this is no weight"},
		{HEAD "layers 2 1\nseed 1\n1\n1\n1\n1\n",
		 ":7: there is more than the weights"},
	};
	CLEANUP(folder_remove) char *here = folder_create("network");

	CHECK(here);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK_TEXT(refusal(wrong[i].text, strlen(wrong[i].text)),
			   wrong[i].refusal);
	CHECK_TEXT(refusal(HEAD "\0", sizeof(HEAD)),
		   " has a byte 0; this is no text");
}

static void a_file_that_is_too_long_is_refused(void)
{
	CLEANUP(folder_remove) char *here = folder_create("network");
	CLEANUP(free) char *text = malloc(NETWORK_BYTES_MAX + 1);

	CHECK(here && text);
	memset(text, '1', NETWORK_BYTES_MAX + 1);
	CHECK_TEXT(refusal(text, NETWORK_BYTES_MAX + 1),
		   " is longer than 4194304 bytes");
}

static void shapes_have_limits(void)
{
	static const struct network_shape wrong[] = {
		{1, {2}}, {9, {1}}, {2, {2, 0}}, {2, {257, 1}}};
	struct neural_network *network;
	struct error err;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK(network_create(&network, &wrong[i], 1, &err) == -EINVAL);
	CHECK_TEXT(err.text, "a network has 2 to 8 layers of 1 to 256 neurons");
}

RUN_TESTS(TEST(what_no_single_neuron_can_is_learned),
	  TEST(a_seed_gives_the_same_network_again),
	  TEST(a_network_follows_another_one),
	  TEST(a_saved_network_is_read_as_it_was),
	  TEST(a_file_that_is_none_is_refused),
	  TEST(a_file_that_is_too_long_is_refused), TEST(shapes_have_limits))
