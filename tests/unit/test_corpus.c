/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/corpus.h"

static void what_is_in_the_corpus_holds(void)
{
	CHECK(replay_folder(CORPUS) > 0);
}

RUN_TESTS(TEST(what_is_in_the_corpus_holds))
