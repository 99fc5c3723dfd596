/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tree.h"
#include "kube/internal.h"
#include "tests/check.h"

#include <errno.h>
#include <sys/stat.h>

static char folder[] = "/tmp/bellows-kube-XXXXXX";

static const char *in_folder(const char *name)
{
	static char paths[4][128];
	static unsigned at;
	char *path = paths[at++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static const char *write_file(const char *name, const char *text)
{
	const char *path = in_folder(name);
	FILE *file = fopen(path, "we");

	if (file) {
		fputs(text, file);
		fclose(file);
	}
	return path;
}

/* ---- files of kubectl ---- */

static struct kube_config *config;

/* The sentence, without the folder before it; "" if it was read. */
static const char *load(const char *text, const char *context)
{
	static struct error err;
	const char *path = write_file("config", text);

	config = kube_config_destroy(config);
	if (kube_config_load(&config, path, context, &err) == 0)
		return "";
	return strncmp(err.text, path, strlen(path)) == 0
		       ? err.text + strlen(path)
		       : err.text;
}

#define CLUSTER(more)                                                          \
	"clusters:\n- name: c\n  cluster:\n    server: "                       \
	"https://10.0.0.1:6443\n" more
#define CONTEXT                                                                \
	"contexts:\n- name: x\n  context: {cluster: c, user: u}\n"             \
	"current-context: x\n"
#define USER(more) "users:\n- name: u\n  user:\n" more

static void a_context_names_server_user_and_namespace(void)
{
	CHECK_TEXT(
		load(CLUSTER("    tls-server-name: k\n    "
			     "certificate-authority-data: Y2E=\n- name: d\n "
			     " "
			     "cluster: {server: "
			     "'https://[fd00::1]:6443/'}\n") "contexts:\n- "
							     "name: x\n  "
							     "context: "
							     "{cluster: c, "
							     "user: u, "
							     "namespace: "
							     "heat}\n- "
							     "name: y.z\n  "
							     "context: "
							     "{cluster: "
							     "d}\ncurrent-"
							     "context: "
							     "x\n" USER("    "
									"token:"
									" t\n"),
		     NULL),
		"");
	CHECK_TEXT(config->server, "https://10.0.0.1:6443");
	CHECK_TEXT(config->ca, "ca");
	CHECK_TEXT(config->tls_name, "k");
	CHECK_TEXT(config->token, "t");
	CHECK_TEXT(kube_config_namespace(config), "heat");
	CHECK(!config->unverified);
}

static void another_context_can_be_chosen(void)
{
	static const char text[] = CLUSTER(
		"- name: d\n  cluster: {server: "
		"'https://[fd00::1]:6443/'}\n") "contexts:\n- name: x\n  "
						"context: {cluster: c}\n- "
						"name: y.z\n"
						"  context: {cluster: "
						"d}\ncurrent-context: x\n";

	CHECK_TEXT(load(text, "y.z"), "");
	CHECK_TEXT(config->server, "https://[fd00::1]:6443");
	CHECK_TEXT(kube_config_namespace(config), "default");
	CHECK_TEXT(load(text, "q"), ": there is no context of the name 'q'");
}

static void files_are_relative_to_the_one_that_names_them(void)
{
	write_file("ca.pem", "CA\n");
	write_file("cert.pem", "CERT\n");
	write_file("key.pem", "KEY\n");
	CHECK_TEXT(
		load(CLUSTER("    certificate-authority: ca.pem\n")
			     CONTEXT USER("    client-certificate: cert.pem\n"
					  "    client-key: key.pem\n"
					  "    tokenFile: token\n"),
		     NULL),
		"");
	CHECK_TEXT(config->ca, "CA\n");
	CHECK_TEXT(config->cert, "CERT\n");
	CHECK_TEXT(config->key, "KEY\n");
	CHECK_TEXT(config->token_file, in_folder("token"));
}

static void a_plugin_is_read_with_its_words(void)
{
	CHECK_TEXT(load(CLUSTER("") CONTEXT USER(
				"    exec:\n      apiVersion: "
				"client.authentication.k8s.io/v1\n      "
				"command: ./p\n      args: [a, b]\n      env:\n"
				"      - {name: N, value: V}\n"
				"      interactiveMode: IfAvailable\n"
				"      installHint: get it\n"),
			NULL),
		   "");
	CHECK_TEXT(config->plugin.command, in_folder("./p"));
	CHECK_TEXT(kube_text(config->plugin.args, "1"), "b");
	CHECK_TEXT(kube_text(config->plugin.env, "0.value"), "V");
	CHECK_TEXT(config->plugin.hint, "get it");
}

static void what_is_missing_is_named(void)
{
	CHECK_TEXT(load("", NULL),
		   ": it has no current-context; --context NAME, or kubectl "
		   "config use-context");
	CHECK_TEXT(load(CONTEXT, NULL),
		   ": there is no cluster of the name 'c'");
	CHECK_TEXT(load(CLUSTER("") CONTEXT, NULL),
		   ": there is no user of the name 'u'");
	CHECK_TEXT(load("contexts: [{name: x, context: {}}]\ncurrent-context: "
			"x\n",
			NULL),
		   ": context x: cluster: it is missing");
	CHECK_TEXT(load("clusters: [{name: c, cluster: {}}]\n" CONTEXT, NULL),
		   ": cluster c: server: it is missing; https://HOST:PORT");
	CHECK_TEXT(load("clusters: [{name: c}]\n" CONTEXT, NULL),
		   ": cluster c: cluster: it is missing");
}

static void a_file_that_is_no_configuration_is_refused(void)
{
	CHECK_TEXT(load("[1, 2]\n", NULL),
		   " is not a configuration of kubectl; 'kubectl config view "
		   "--raw' prints one");
	CHECK(strstr(load("a: [\n", NULL), "not YAML") != NULL);
	CHECK_TEXT(load("contexts: 7\nclusters: x\ncurrent-context: x\n", NULL),
		   ": there is no context of the name 'x'");
	CHECK_TEXT(load("contexts: [7, {name: 8}, null]\ncurrent-context: x\n",
			NULL),
		   ": there is no context of the name 'x'");
}

#define SERVER(is)                                                             \
	"clusters: [{name: c, cluster: {server: '" is "'}}]\n" CONTEXT

static void a_server_is_a_url(void)
{
	static const char odd[] =
		": cluster c: server: it has signs that are not of "
		"https://HOST:PORT/PATH";

	CHECK_TEXT(load(SERVER("10.0.0.1:6443"), NULL),
		   ": cluster c: server: it is not https://HOST:PORT");
	CHECK_TEXT(load(SERVER("https://"), NULL),
		   ": cluster c: server: it is not https://HOST:PORT");
	CHECK_TEXT(load(SERVER("file:///etc/passwd"), NULL),
		   ": cluster c: server: it is not https://HOST:PORT");
	CHECK_TEXT(load(SERVER("https://a@b"), NULL), odd);
	CHECK_TEXT(load(SERVER("https://a b"), NULL), odd);
	CHECK_TEXT(load(SERVER("https://a?b"), NULL), odd);
}

static void credentials_do_not_go_unencrypted(void)
{
	CHECK_TEXT(load(SERVER("http://h:8080") USER("    token: t\n"), NULL),
		   ": user u has credentials, which would go unencrypted to "
		   "http://h:8080; a server with https://");
	CHECK_TEXT(load(SERVER("http://h:8080") USER("    {}\n"), NULL), "");
}

static void what_cannot_be_honoured_is_refused(void)
{
	CHECK_TEXT(load(CLUSTER("    proxy-url: http://p\n")
				CONTEXT USER("    {}\n"),
			NULL),
		   ": cluster c: proxy-url: proxies are not supported; a "
		   "server that can be reached without one");
	CHECK_TEXT(load(CLUSTER("") CONTEXT USER("    username: a\n"), NULL),
		   ": user u: username: Kubernetes has it no more; a token, "
		   "certificates or exec");
	CHECK_TEXT(load(CLUSTER("") CONTEXT USER("    as: root\n"), NULL),
		   ": user u: as: acting as somebody else is not supported; a "
		   "user of one's own");
	CHECK_TEXT(load(CLUSTER("    insecure-skip-tls-verify: true\n"
				"    certificate-authority-data: Y2E=\n")
				CONTEXT USER("    {}\n"),
			NULL),
		   ": cluster c: insecure-skip-tls-verify: there is a "
		   "certificate-authority too; one of the two");
}

static void members_of_another_type_are_refused(void)
{
	CHECK_TEXT(load(CLUSTER("") CONTEXT USER("    token: 12345\n"), NULL),
		   ": user u: token: it is not a text; a text, in quotes if it "
		   "looks like a number");
	CHECK_TEXT(load(CLUSTER("    insecure-skip-tls-verify: 'yes'\n")
				CONTEXT USER("    {}\n"),
			NULL),
		   ": cluster c: insecure-skip-tls-verify: it is not true or "
		   "false");
	CHECK_TEXT(load(CLUSTER("    certificate-authority-data: '*'\n")
				CONTEXT USER("    {}\n"),
			NULL),
		   ": cluster c: certificate-authority-data: it is not a text "
		   "in base64");
	CHECK_TEXT(load(CLUSTER("") CONTEXT USER("    token: \"a\\r\\nb\"\n"),
			NULL),
		   ": user u: token: it has signs that no token has");
	CHECK_TEXT(load(CLUSTER("") CONTEXT USER("    client-key-data: Y2E=\n"),
			NULL),
		   ": user u: client-certificate: it is missing; both or none");
}

static void a_plugin_that_cannot_be_asked_is_refused(void)
{
#define EXEC(more) CLUSTER("") CONTEXT USER("    exec: {" more "}\n")
#define V1         "apiVersion: client.authentication.k8s.io/v1, command: p"
	CHECK_TEXT(load(EXEC("args: []"), NULL),
		   ": exec of user u: command: it is missing; a program");
	CHECK_TEXT(load(EXEC("command: p"), NULL),
		   ": exec of user u: apiVersion: it is not "
		   "client.authentication.k8s.io/v1 or v1beta1");
	CHECK_TEXT(load(EXEC(V1 ", interactiveMode: Always"), NULL),
		   ": exec of user u: interactiveMode: Always needs a "
		   "terminal; Never or IfAvailable");
	CHECK_TEXT(load(EXEC(V1 ", args: [1]"), NULL),
		   ": exec of user u: args: one is not a text");
	CHECK_TEXT(load(EXEC(V1 ", args: a"), NULL),
		   ": exec of user u: args: it is not a list");
	CHECK_TEXT(load(EXEC(V1 ", env: [{name: a=b, value: c}]"), NULL),
		   ": exec of user u: env: an entry is not a name and a value");
#undef V1
#undef EXEC
}

static void files_that_cannot_be_read_are_named(void)
{
	struct error err;
	char expected[512];

	CHECK(kube_config_load(&config, "/nowhere/config", NULL, &err) ==
	      -ENOENT);
	CHECK_TEXT(err.text, "cannot read /nowhere/config: No such file or "
			     "directory");
	CHECK(kube_config_load(&config, folder, NULL, &err) == -EINVAL);
	snprintf(expected, sizeof(expected), "%s is not a file", folder);
	CHECK_TEXT(err.text, expected);
	CHECK_TEXT(load(CLUSTER("    certificate-authority: /nowhere/ca\n")
				CONTEXT USER("    {}\n"),
			NULL),
		   ": cluster c: certificate-authority: cannot read "
		   "/nowhere/ca: No such file or directory");
}

/* ---- several, and which ---- */

static void of_several_files_the_first_that_says_something_counts(void)
{
	struct error err;
	char list[512];

	write_file("one", CLUSTER("") "current-context: ''\n");
	write_file("two", "clusters: [{name: c, cluster: {server: "
			  "'https://other'}}]\n" CONTEXT);
	write_file("three", "current-context: q\n" USER("    token: t\n"));
	snprintf(list, sizeof(list), "%s:%s::%s:%s", in_folder("none"),
		 in_folder("one"), in_folder("two"), in_folder("three"));
	setenv("KUBECONFIG", list, 1);
	config = kube_config_destroy(config);
	CHECK(kube_config_load(&config, NULL, NULL, &err) == 0);
	CHECK_TEXT(config->server, "https://10.0.0.1:6443");
	CHECK_TEXT(config->token, "t");
	unsetenv("KUBECONFIG");
}

static void a_list_of_files_that_are_not_there_is_refused(void)
{
	struct error err;

	setenv("KUBECONFIG", "/nowhere/a:/nowhere/b", 1);
	CHECK(kube_config_load(&config, NULL, NULL, &err) == -ENOENT);
	CHECK_TEXT(err.text, "KUBECONFIG is '/nowhere/a:/nowhere/b', and there "
			     "is no such file");
	unsetenv("KUBECONFIG");
}

static void without_options_the_kubeconfig_at_home_is_read(void)
{
	struct error err;

	setenv("HOME", folder, 1);
	config = kube_config_destroy(config);
	CHECK(kube_config_load(&config, NULL, "x", &err) == -ENOENT);
	CHECK(strstr(err.text, "no cluster is known") != NULL);
	CHECK(mkdir(in_folder(".kube"), 0700) == 0);
	write_file(".kube/config", SERVER("https://h") USER("    {}\n"));
	CHECK(kube_config_load(&config, NULL, "x", &err) == 0);
	CHECK_TEXT(config->server, "https://h");
}

/* ---- a pod ---- */

static const char *load_pod(const char *host, const char *port)
{
	static struct error err;

	kube_config_destroy(config);
	config = calloc(1, sizeof(*config));
	return kube_config_pod(config, host, port, folder, &err) == 0
		       ? ""
		       : err.text;
}

static void a_pod_has_a_service_account(void)
{
	write_file("ca.crt", "CA");
	write_file("namespace", "heat\n");
	CHECK_TEXT(load_pod("10.96.0.1", "443"), "");
	CHECK_TEXT(config->server, "https://10.96.0.1:443");
	CHECK_TEXT(config->ca, "CA");
	CHECK_TEXT(config->token_file, in_folder("token"));
	CHECK_TEXT(kube_config_namespace(config), "heat");
	CHECK_TEXT(load_pod("fd00::1", "6443"), "");
	CHECK_TEXT(config->server, "https://[fd00::1]:6443");
}

static void a_pod_goes_past_the_proxies_of_its_environment(void)
{
	struct kube_access access;
	struct kube kube = {0};

	write_file("ca.crt", "CA");
	write_file("namespace", "heat");
	write_file("token", "abc");
	CHECK_TEXT(load_pod("10.96.0.1", "443"), "");
	kube.config = config;
	kube_access_init(&kube);
	CHECK(kube_access_get(&kube, &access, NULL, NULL) == 0);
	CHECK(access.direct);
	kube_access_fini(&kube);
}

static void a_pod_whose_environment_is_odd_is_refused(void)
{
	CHECK_TEXT(
		load_pod(NULL, NULL),
		"the service account of this pod: KUBERNETES_SERVICE_HOST "
		"and KUBERNETES_SERVICE_PORT are not set; in a pod they are");
	CHECK_TEXT(load_pod("10.96.0.1", "tcp://x"),
		   "the service account of this pod: KUBERNETES_SERVICE_PORT "
		   "is 'tcp://x'; a number");
	CHECK_TEXT(load_pod("a/b", "443"),
		   "the service account of this pod: KUBERNETES_SERVICE_HOST "
		   "is 'a/b'; an address or a name");
	unlink(in_folder("namespace"));
	CHECK(strstr(load_pod("10.96.0.1", "443"), "namespace: No such file"));
}

/* ---- tokens ---- */

static void a_token_is_one_line(void)
{
	struct error err;
	char *token;

	CHECK(kube_read_token(&token, write_file("t", " abc.d-e_f\n\n"),
			      &err) == 0);
	CHECK_TEXT(token, "abc.d-e_f");
	free(token);
	CHECK(kube_read_token(&token, write_file("t", "a b"), &err) == -EINVAL);
	CHECK(kube_read_token(&token, write_file("t", "a\r\nX: b"), &err) ==
	      -EINVAL);
	CHECK(kube_read_token(&token, write_file("t", "\n"), &err) == -EINVAL);
	CHECK(strstr(err.text, "/t is not a token; one line of letters"));
}

int main(void)
{
	const struct test tests[] = {
		TEST(a_context_names_server_user_and_namespace),
		TEST(another_context_can_be_chosen),
		TEST(files_are_relative_to_the_one_that_names_them),
		TEST(a_plugin_is_read_with_its_words),
		TEST(what_is_missing_is_named),
		TEST(a_file_that_is_no_configuration_is_refused),
		TEST(a_server_is_a_url),
		TEST(credentials_do_not_go_unencrypted),
		TEST(what_cannot_be_honoured_is_refused),
		TEST(members_of_another_type_are_refused),
		TEST(a_plugin_that_cannot_be_asked_is_refused),
		TEST(files_that_cannot_be_read_are_named),
		TEST(of_several_files_the_first_that_says_something_counts),
		TEST(a_list_of_files_that_are_not_there_is_refused),
		TEST(without_options_the_kubeconfig_at_home_is_read),
		TEST(a_pod_has_a_service_account),
		TEST(a_pod_goes_past_the_proxies_of_its_environment),
		TEST(a_pod_whose_environment_is_odd_is_refused),
		TEST(a_token_is_one_line),
	};
	int r;

	if (!mkdtemp(folder))
		return 1;
	r = run_tests(tests, LENGTH(tests));
	kube_config_destroy(config);
	return tree_remove_path(folder, NULL) == 0 ? r : 1;
}
