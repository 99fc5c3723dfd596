/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "core/end_proof.h"
#include "tests/check.h"

static void an_end_is_proven_by_the_last_word_or_the_last_step(void)
{
	static const struct {
		struct end_proof end;
		enum end_verdict verdict;
	} rows[] = {
		/* a last word, whatever the steps */
		{{.has_word = true, .said = true}, END_PROVEN},
		{{.has_word = true, .said = true, .step = 3, .total = 9},
		 END_PROVEN},
		{{.has_word = true}, END_EARLY},
		{{.has_word = true, .step = 9, .total = 9}, END_EARLY},
		/* one that is said by a run that is stopped as well */
		{{.has_word = true, .stops_alike = true, .said = true},
		 END_PROVEN},
		{{.has_word = true,
		  .stops_alike = true,
		  .said = true,
		  .step = 8,
		  .total = 9},
		 END_EARLY},
		{{.has_word = true,
		  .stops_alike = true,
		  .said = true,
		  .step = 9,
		  .total = 9},
		 END_PROVEN},
		{{.has_word = true, .stops_alike = true, .step = 9, .total = 9},
		 END_EARLY},
		/* steps alone */
		{{.step = 9, .total = 9}, END_PROVEN},
		{{.step = 10, .total = 9}, END_PROVEN},
		{{.step = 8, .total = 9}, END_EARLY},
		{{.step = 0, .total = 9}, END_EARLY},
		{{.step = 80, .total = 99, .stride = 20}, END_PROVEN},
		{{.step = 80, .total = 100, .stride = 20}, END_EARLY},
		{{.step = 60, .total = 99, .stride = 20}, END_EARLY},
		/* nothing */
		{{.step = 5}, END_OPEN},
		{{.step = 0}, END_OPEN},
	};

	for (size_t i = 0; i < LENGTH(rows); i++)
		CHECK(end_judge(&rows[i].end) == rows[i].verdict);
}

RUN_TESTS(TEST(an_end_is_proven_by_the_last_word_or_the_last_step))
