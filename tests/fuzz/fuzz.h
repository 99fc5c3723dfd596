/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

/*
 * A fuzz target takes any bytes, and ends the program with abort() at the first
 * lie.  libFuzzer calls it, and so do unit tests, with what is in its corpus.
 */

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
