/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/journal/requests.h"
#include "tests/check.h"

static struct requests requests;

static void add(unsigned number)
{
	struct request request = {.from = number, .to = number + 1};

	snprintf(request.id, sizeof(request.id), "r%u", number);
	requests_add(&requests, &request);
}

static const struct request *find(unsigned number)
{
	char id[REQUEST_MAX];

	snprintf(id, sizeof(id), "r%u", number);
	return requests_find(&requests, id);
}

static void a_request_is_found_by_its_identifier(void)
{
	requests = (struct requests){0};
	CHECK(!find(1));
	add(1);
	add(2);
	CHECK(find(1) && find(1)->to == 2);
	CHECK(find(2) && find(2)->to == 3);
	CHECK(!find(3));
}

static void a_request_without_an_identifier_is_never_found(void)
{
	const struct request nameless = {.from = 1, .to = 2};

	requests = (struct requests){0};
	requests_add(&requests, &nameless);
	CHECK(requests.n == 0);
	CHECK(!requests_find(&requests, ""));
}

static void the_oldest_request_makes_room_for_the_newest(void)
{
	requests = (struct requests){0};
	for (unsigned i = 0; i < REQUESTS_MAX + 3; i++)
		add(i);
	CHECK(!find(2));
	CHECK(find(3) && find(3)->from == 3);
	CHECK(find(REQUESTS_MAX + 2));
}

RUN_TESTS(TEST(a_request_is_found_by_its_identifier),
	  TEST(a_request_without_an_identifier_is_never_found),
	  TEST(the_oldest_request_makes_room_for_the_newest))
