/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/claim.h"
#include "tests/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char here[64]; /* a machine that no other run of this test is on */

static uint64_t take(struct claim *claim)
{
	snprintf(here, sizeof(here), "here/%d", (int)getpid());
	return claim_take(claim, here, "10.0.0.1:7000", "w0");
}

static void it_is_held_by_one_at_a_time(void)
{
	struct claim mine = CLAIM_NONE, others = CLAIM_NONE;
	uint64_t value = take(&mine);

	CHECK(value != 0 && take(&mine) == value);
	CHECK(take(&others) == 0);
	claim_leave(&mine);
	CHECK(take(&others) == value);
	claim_leave(&others);
}

static void it_is_of_one_name_one_coordinator_and_one_host(void)
{
	struct claim all[4] = {CLAIM_NONE, CLAIM_NONE, CLAIM_NONE, CLAIM_NONE};
	uint64_t value[4] = {
		take(&all[0]),
		claim_take(&all[1], here, "10.0.0.1:7000", "w1"),
		claim_take(&all[2], here, "10.0.0.1:700", "0w0"),
		claim_take(&all[3], "", "10.0.0.1:7000", "w0"),
	};

	CHECK(value[0] != 0 && value[1] != 0 && value[2] != 0);
	CHECK(value[0] != value[1] && value[0] != value[2] &&
	      value[1] != value[2]);
	CHECK(value[3] == 0);
	for (int i = 0; i < 4; i++)
		claim_leave(&all[i]);
}

static void it_is_held_as_long_as_a_child_lives(void)
{
	struct claim former = CLAIM_NONE, next = CLAIM_NONE;
	uint64_t value = take(&former);
	int life[2], status;
	pid_t child;

	CHECK(value != 0 && pipe2(life, O_CLOEXEC) == 0);
	child = fork();
	if (child == 0) {
		char byte;

		close(life[1]);
		_exit(read(life[0], &byte, 1) == 0 ? 0 : 1);
	}
	CHECK(child > 0);
	claim_leave(&former);
	CHECK(take(&next) == 0);
	close(life[1]);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(take(&next) == value);
	claim_leave(&next);
	close(life[0]);
}

RUN_TESTS(TEST(it_is_held_by_one_at_a_time),
	  TEST(it_is_of_one_name_one_coordinator_and_one_host),
	  TEST(it_is_held_as_long_as_a_child_lives))
