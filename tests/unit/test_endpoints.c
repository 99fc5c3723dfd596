/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file.h"
#include "base/list.h"
#include "base/tree.h"
#include "coordinator/service/endpoints.h"
#include "coordinator/service/internal.h"
#include "proto/coordinator.h"
#include "tests/check.h"
#include "tests/unit/tls_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define FAR  "0.0.0.0:7000"
#define NEAR "127.0.0.1:7000"

static char root[] = "/tmp/bellows-endpoints-XXXXXX";
static char token_file[64], tls[64], executors[64];

/* What is written down here a second time is not to change by accident. */
enum { TOKEN = 1, TLS = 2, PLAIN = 4, SSH = 8, KUB = 16, KUB_ENDPOINT = 32 };

static const struct {
	const char *listen; /* NULL: a unix socket */
	unsigned with;
	bool keeps;           /* secrets from others */
	const char *sentence; /* it is refused with */
} table[] = {
	{NULL, 0, true, NULL},
	{NULL, SSH, true, NULL},
	{"unix:/x", 0, true, NULL},
	{NEAR, TOKEN, true, NULL},
	{NEAR, TLS, true, NULL},
	{NEAR, PLAIN, false, NULL},
	{NEAR, PLAIN | TOKEN, true, NULL},
	{FAR, TLS, true, NULL},
	{FAR, TLS | TOKEN, true, NULL},
	{FAR, TLS | SSH, true, NULL},
	{FAR, PLAIN, false, NULL},
	{FAR, PLAIN | TOKEN, false, NULL},
	{FAR, PLAIN | SSH | TOKEN, false, NULL},
	{NULL, SSH | KUB, true, NULL},
	{NULL, SSH | KUB | KUB_ENDPOINT, true, NULL},
	{FAR, TLS | SSH | KUB | KUB_ENDPOINT, true, NULL},

	{NEAR, 0, false,
	 "--listen " NEAR " is open to everybody on this machine: --token-file "
	 "FILE or --tls DIR restricts the callers, --unencrypted does without"},
	{FAR, 0, false,
	 "--listen " FAR " is reached from other machines: --tls DIR encrypts "
	 "it and identifies the callers ('bellows keys' makes DIR), "
	 "--unencrypted "
	 "does "
	 "without"},
	{FAR, TOKEN, false,
	 "--listen " FAR " is reached from other machines: --tls DIR encrypts "
	 "it and identifies the callers ('bellows keys' makes DIR), "
	 "--unencrypted "
	 "does "
	 "without"},
	{"node:7000", TOKEN, false,
	 "--listen node:7000 is reached from other machines: --tls DIR "
	 "encrypts it and identifies the callers ('bellows keys' makes DIR), "
	 "--unencrypted does without"},
	{FAR, PLAIN | SSH, false,
	 "--listen " FAR
	 ": with mpi.launcher: ssh every executor that joins gets a key, "
	 "so beyond this machine --token-file is needed"},
	{FAR, TLS | SSH | KUB, false,
	 "--tls: Kub's programs, which the job file wants served (kub: true), "
	 "do not encrypt; --kub ADDR gives them an address of their own"},
	{NULL, KUB_ENDPOINT, false,
	 "--kub " NEAR ": the job file does not say kub: true, so Kub's "
	 "programs are not served"},
};

static int check(size_t i, bool *keeps)
{
	unsigned with = table[i].with;
	const struct coordinator_config config = {
		.listen = table[i].listen,
		.token_file = with & TOKEN ? token_file : NULL,
		.tls = with & TLS ? tls : NULL,
		.unencrypted = with & PLAIN,
		.kub = with & KUB_ENDPOINT ? NEAR : NULL,
	};
	struct jobfile job = {
		.launcher = with & SSH ? LAUNCHER_SSH : LAUNCHER_STREAM,
		.kub = with & KUB,
	};
	struct service service = {.config = &config, .jobfile = &job};
	int r = endpoints_check(&service, &err);

	*keeps = endpoints_keep_secrets(&service);
	tls_identity_fini(&service.tls);
	return r;
}

static void addresses_are_open_only_as_asked_for(void)
{
	bool keeps;

	for (size_t i = 0; i < LENGTH(table); i++) {
		int r = check(i, &keeps);

		printf("# %s %u\n", table[i].listen ? table[i].listen : "-",
		       table[i].with);
		CHECK(r == (table[i].sentence ? -EACCES : 0));
		if (table[i].sentence)
			CHECK_TEXT(err.text, table[i].sentence);
		else
			CHECK(keeps == table[i].keeps);
	}
}

/* Not -EACCES, which is for what the command line lacks. */
static void files_that_will_not_do_are_named(void)
{
	struct jobfile job = {0};
	struct coordinator_config config = {.listen = FAR, .tls = executors};
	struct service service = {.config = &config, .jobfile = &job};

	CHECK(endpoints_check(&service, &err) == -EINVAL);
	CHECK(strstr(err.text, "--tls: ") == err.text);
	CHECK(strstr(err.text, "it is of 'executor' and not for a server "
			       "called " COORDINATOR_TLS_NAME));
	tls_identity_fini(&service.tls);
	config = (struct coordinator_config){.listen = NEAR,
					     .token_file = "/none"};
	CHECK(endpoints_check(&service, &err) == -ENOENT);
	CHECK_TEXT(err.text, "--token-file: /none: No such file or directory");
}

static bool prepare(void)
{
	static const char token[] = "0123456789abcdef\n";
	struct tls_authority *authority = make_authority(time(NULL));
	struct tls_identity own = {0}, executor = {0};
	bool good;

	if (!mkdtemp(root) || !authority)
		return false;
	snprintf(token_file, sizeof(token_file), "%s/token", root);
	snprintf(tls, sizeof(tls), "%s/coordinator", root);
	snprintf(executors, sizeof(executors), "%s/executor", root);
	good = file_replace(token_file, 0600, token, strlen(token), &err) ==
		       0 &&
	       make_by(&own, authority, "coordinator", COORDINATOR_TLS_NAME) &&
	       make_by(&executor, authority, "executor", NULL) &&
	       tls_identity_write(&own, tls, &err) == 0 &&
	       tls_identity_write(&executor, executors, &err) == 0;
	tls_identity_fini(&own);
	tls_identity_fini(&executor);
	tls_authority_destroy(authority);
	return good;
}

int main(void)
{
	static const struct test tests[] = {
		TEST(addresses_are_open_only_as_asked_for),
		TEST(files_that_will_not_do_are_named),
	};
	int r = prepare() ? run_tests(tests, LENGTH(tests)) : 1;

	tree_remove_path(root, NULL);
	return r;
}
