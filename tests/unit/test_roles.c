/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "coordinator/service/methods.h"
#include "coordinator/service/roles.h"
#include "jobfile/role.h"
#include "proto/bellows.pb-c.h"
#include "proto/coordinator.h"
#include "tests/check.h"

#include <errno.h>

/* The rights of each role, written down a second time: they are not to change
 * by accident. */
static const struct {
	const char *method, *may; /* names with a blank behind each */
} expected[] = {
	{"JobInit", "executor "},
	{"RetrieveKeys", "executor "},
	{"ActiveServer", "executor "},
	{"Output", "executor "},
	{"Checkpointing", "executor "},
	{"EndExec", "executor "},
	{"Scale", "monitor client "},
	{"Supply", "monitor "},
	{"Cancel", "client scheduler "},
	{"History", "client "},
	{"GetJob", "monitor client scheduler "},
	{"Grant", "scheduler "},
	{"WatchJob", "monitor client scheduler "},
};

static const ProtobufCServiceDescriptor *const service =
	&bellows__v1__coordinator__descriptor;

static bool may(const char *method, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/%s/%s", service->name, method);
	return roles_check(path, name, NULL) == 0;
}

static const char *expected_of(const char *method)
{
	for (size_t i = 0; i < LENGTH(expected); i++)
		if (strcmp(expected[i].method, method) == 0)
			return expected[i].may;
	return NULL;
}

static void every_method_by_every_role_is_as_expected(void)
{
	char name[32];

	CHECK(service->n_methods == LENGTH(expected));
	for (unsigned i = 0; i < service->n_methods; i++) {
		const char *method = service->methods[i].name;

		CHECK(expected_of(method));
		for (enum role role = 0; role < ROLES; role++) {
			snprintf(name, sizeof(name), "%s ", role_name(role));
			CHECK(may(method, role_name(role)) ==
			      (strstr(expected_of(method), name) != NULL));
		}
	}
}

static void every_method_is_served_under_its_path(void)
{
	char path[128];

	CHECK(service->n_methods == SERVICE_METHODS);
	for (unsigned i = 0; i < SERVICE_METHODS; i++) {
		bool found = false;

		snprintf(path, sizeof(path), "/%s/%s", service->name,
			 service->methods[i].name);
		for (unsigned k = 0; k < SERVICE_METHODS; k++)
			found |= strcmp(service_methods[k].path, path) == 0 &&
				 service_methods[k].request ==
					 service->methods[i].input;
		CHECK(found);
	}
}

static void a_caller_without_a_role_may_call_no_method(void)
{
	static const char *const names[] = {"",          "root",     "executo",
					    "executors", "Executor", "client ",
					    "monitor\n"};

	for (unsigned i = 0; i < service->n_methods; i++)
		for (size_t k = 0; k < LENGTH(names); k++)
			CHECK(!may(service->methods[i].name, names[k]));
}

static void what_is_not_in_the_table_is_nobodys(void)
{
	static const char *const paths[] = {
		COORDINATOR_CALL("Format"),
		COORDINATOR_CALL(""),
		"/bellows.v2.Coordinator/GetJob",
		"/mpi_monitor.Monitor/Scale",
		"",
	};

	for (size_t i = 0; i < LENGTH(paths); i++)
		for (enum role role = 0; role < ROLES; role++)
			CHECK(roles_check(paths[i], role_name(role), NULL) ==
			      -EACCES);
}

static void a_refusal_names_role_and_method(void)
{
	struct error err;

	CHECK(roles_check(CALL_SCALE, "executor", &err) == -EACCES);
	CHECK_TEXT(err.text, "Scale is for a monitor or a client, and this "
			     "certificate is of 'executor'");
	roles_check(CALL_RETRIEVE_KEYS, "client", &err);
	CHECK_TEXT(err.text, "RetrieveKeys is for an executor, and this "
			     "certificate is of 'client'");
	roles_check("/mpi_monitor.Monitor/Scale", "client", &err);
	CHECK_TEXT(err.text, "Scale is for nobody, and this certificate is of "
			     "'client'");
}

RUN_TESTS(TEST(every_method_by_every_role_is_as_expected),
	  TEST(every_method_is_served_under_its_path),
	  TEST(a_caller_without_a_role_may_call_no_method),
	  TEST(what_is_not_in_the_table_is_nobodys),
	  TEST(a_refusal_names_role_and_method))
