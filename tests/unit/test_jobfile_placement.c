/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/jobfile.h"
#include "tests/check.h"

#define REST                                                                   \
	"name: heat\n"                                                         \
	"app: parint\n"                                                        \
	"command: parint\n"                                                    \
	"checkpoint: {dir: ckpt}\n"                                            \
	"ranks: {initial: 2}\n"

static struct jobfile *job;
static struct error err;

/* What is wrong with the section, "" if nothing. */
static const char *fault(const char *section)
{
	char text[512];
	int n = snprintf(text, sizeof(text), "%s%s", section, REST);

	jobfile_destroy(job);
	job = NULL;
	return jobfile_parse(&job, "f", text, (size_t)n, "/d", &err) < 0
		       ? err.text
		       : "";
}

static void the_profile_is_not_known_unless_it_is_given(void)
{
	CHECK_TEXT(fault(""), "");
	CHECK(job->profile == PROFILE_UNKNOWN && job->move_price == 0);
}

static void the_profile_and_the_price_of_a_move_are_read(void)
{
	CHECK_TEXT(fault("placement: {profile: network}\n"), "");
	CHECK(job->profile == PROFILE_NETWORK);
	CHECK_TEXT(fault("placement: {profile: cpu}\n"), "");
	CHECK(job->profile == PROFILE_CPU);
	CHECK_TEXT(fault("placement: {profile: memory, move_price: 2}\n"), "");
	CHECK(job->profile == PROFILE_MEMORY && job->move_price == 2);
}

static void what_is_no_placement_is_refused(void)
{
	CHECK_TEXT(fault("placement: {profile: io}\n"),
		   "f:1: placement.profile: 'io' is unknown; one of network, "
		   "cpu, memory");
	CHECK_TEXT(fault("placement: {move_price: -1}\n"),
		   "f:1: placement.move_price: '-1' is out of range; a number "
		   "from 0 to 4096");
	CHECK_TEXT(fault("placement: {move_price: 4097}\n"),
		   "f:1: placement.move_price: '4097' is out of range; a "
		   "number from 0 to 4096");
}

RUN_TESTS(TEST(the_profile_is_not_known_unless_it_is_given),
	  TEST(the_profile_and_the_price_of_a_move_are_read),
	  TEST(what_is_no_placement_is_refused))
