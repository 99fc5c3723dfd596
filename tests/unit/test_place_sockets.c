/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "core/place_sockets.h"
#include "tests/check.h"

enum { SOCKETS = 4, PER_NODE = 2 };

struct situation {
	enum place_profile profile;
	unsigned ranks;
	struct place_socket before[SOCKETS];
	unsigned on[SOCKETS];
};

static bool place(const struct situation *at, struct place_socket *sockets,
		  unsigned *on)
{
	memcpy(sockets, at->before, sizeof(at->before));
	return place_on_sockets(at->profile, at->ranks, sockets, SOCKETS,
				PER_NODE, on);
}

static void ranks_go_where_their_profile_wants_them(void)
{
	static const struct situation cases[] = {
		/* one node, over both of its sockets; of nodes alike the first
		 */
		{PLACE_NETWORK, 6, {{8, 0}, {8, 0}, {8, 0}, {8, 0}}, {3, 3}},
		/* the fullest node with room */
		{PLACE_NETWORK,
		 6,
		 {{8, 0}, {8, 0}, {2, 0}, {5, 0}},
		 {0, 0, 2, 4}},
		{PLACE_NETWORK,
		 6,
		 {{8, 0}, {8, 0}, {2, 0}, {3, 0}},
		 {3, 3, 0, 0}},
		/* the memory's load becomes even, whatever is free */
		{PLACE_MEMORY,
		 5,
		 {{8, 4}, {5, 0}, {8, 1}, {8, 1}},
		 {0, 2, 2, 1}},
		/* and of sockets alike the freest is taken */
		{PLACE_MEMORY, 1, {{3, 1}, {5, 1}, {4, 1}, {8, 2}}, {0, 1}},
		/* a full socket takes none */
		{PLACE_MEMORY,
		 4,
		 {{1, 0}, {0, 0}, {8, 5}, {8, 6}},
		 {1, 0, 2, 1}},
		/* others go to the freest socket, whatever its memory does */
		{PLACE_CPU, 5, {{8, 0}, {3, 2}, {8, 1}, {8, 1}}, {2, 0, 2, 1}},
		{PLACE_CPU, 3, {{5, 0}, {4, 9}, {4, 0}, {6, 3}}, {1, 0, 0, 2}},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct place_socket sockets[SOCKETS];
		unsigned on[SOCKETS];

		CHECK(place(&cases[i], sockets, on));
		CHECK(memcmp(on, cases[i].on, sizeof(on)) == 0);
	}
}

static void a_job_without_room_changes_nothing(void)
{
	static const struct situation cases[] = {
		/* no node has 6 cores */
		{PLACE_NETWORK, 6, {{2, 1}, {3, 0}, {5, 0}, {0, 2}}, {0}},
		{PLACE_CPU, 11, {{2, 1}, {3, 0}, {5, 0}, {0, 2}}, {0}},
		{PLACE_MEMORY, 11, {{2, 1}, {3, 0}, {5, 0}, {0, 2}}, {0}},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct place_socket sockets[SOCKETS];
		unsigned on[SOCKETS];

		CHECK(!place(&cases[i], sockets, on));
		CHECK(memcmp(sockets, cases[i].before, sizeof(sockets)) == 0);
	}
}

static void cores_and_memory_are_given_back(void)
{
	static const struct situation cases[] = {
		{PLACE_NETWORK, 6, {{2, 1}, {4, 0}, {5, 0}, {0, 2}}, {0}},
		{PLACE_CPU, 11, {{2, 1}, {4, 0}, {5, 0}, {0, 2}}, {0}},
		{PLACE_MEMORY, 11, {{2, 1}, {4, 0}, {5, 0}, {0, 2}}, {0}},
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct place_socket sockets[SOCKETS];
		unsigned on[SOCKETS], memory = 0, cores = 0;

		CHECK(place(&cases[i], sockets, on));
		for (unsigned s = 0; s < SOCKETS; s++) {
			cores += cases[i].before[s].free - sockets[s].free;
			memory += sockets[s].memory - cases[i].before[s].memory;
		}
		CHECK(cores == cases[i].ranks);
		CHECK(memory ==
		      (cases[i].profile == PLACE_MEMORY ? cases[i].ranks : 0));
		place_off_sockets(cases[i].profile, sockets, SOCKETS, on);
		CHECK(memcmp(sockets, cases[i].before, sizeof(sockets)) == 0);
	}
}

RUN_TESTS(TEST(ranks_go_where_their_profile_wants_them),
	  TEST(a_job_without_room_changes_nothing),
	  TEST(cores_and_memory_are_given_back))
