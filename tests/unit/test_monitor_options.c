/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "monitor/options.h"
#include "tests/check.h"

#include <errno.h>

static struct monitor_options config;
static struct error err;

/* Words after --job and --coordinator. */
static int read_words(const char *words)
{
	static char copy[512];
	char *argv[32] = {"bellows-monitor", "--job", "heat.yaml",
			  "--coordinator", "10.0.0.1:7000"};
	int argc = 5;

	snprintf(copy, sizeof(copy), "%s", words);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	return monitor_options_read(&config, argc, argv, &err);
}

static void pods_are_asked_for_by_their_owner(void)
{
	CHECK(read_words("--provider kube --owner vcjob/heat --mode replicas "
			 "--task ranks --namespace lab --kubeconfig k "
			 "--context c") == 0);
	CHECK_TEXT(config.cluster.owner, "vcjob/heat");
	CHECK_TEXT(config.cluster.mode, "replicas");
	CHECK_TEXT(config.cluster.task, "ranks");
	CHECK_TEXT(config.cluster.namespace, "lab");
	CHECK_TEXT(config.cluster.kubeconfig, "k");
	CHECK_TEXT(config.cluster.context, "c");
	CHECK(read_words("--provider kube --owner job/heat") == 0);
	CHECK(!config.cluster.mode && !config.cluster.podtemplate);
	CHECK(read_words("--provider kube --owner pod/heat --mode pods "
			 "--template t") == 0);
	CHECK_TEXT(config.cluster.podtemplate, "t");
}

static void executors_have_a_certificate_of_their_own(void)
{
	CHECK(read_words("--tls t --executor-tls e") == 0);
	CHECK_TEXT(config.tls, "t");
	CHECK_TEXT(config.executor_tls, "e");
	/* pods have theirs from elsewhere */
	CHECK(read_words("--provider kube --owner job/heat --tls t") == 0);
}

static void what_does_not_go_together_is_refused_in_a_sentence(void)
{
	static const struct {
		const char *words, *reason;
	} table[] = {
		{"--provider kube",
		 "--provider kube needs --owner vcjob/NAME, job/NAME or "
		 "pod/NAME"},
		{"--provider kube --owner heat",
		 "--owner heat: vcjob/NAME, job/NAME or pod/NAME"},
		{"--provider kube --owner vcjob/heat --mode many",
		 "--mode many: pods or replicas"},
		{"--provider kube --owner job/heat --mode replicas",
		 "--mode replicas is for a Volcano Job; --owner job/heat has "
		 "no task"},
		{"--provider kube --owner pod/heat --task worker",
		 "--task is for a Volcano Job; --owner pod/heat has no task"},
		{"--provider kube --owner vcjob/heat --template t",
		 "--template is for job/NAME and pod/NAME; a Volcano Job has "
		 "the one of its --task"},
		{"--owner vcjob/heat",
		 "--owner, --mode, --task, --template, --namespace, "
		 "--kubeconfig and --context are for --provider kube"},
		{"--provider kube --owner vcjob/heat --hosts h",
		 "--hosts FILE is for --provider hosts"},
		{"--tls t --executor-tls e --unencrypted",
		 "--tls and --unencrypted: one of them"},
		{"--tls t",
		 "--tls needs --executor-tls DIR, for the executors that are "
		 "started here"},
	};

	for (size_t i = 0; i < LENGTH(table); i++) {
		CHECK(read_words(table[i].words) == -EINVAL);
		CHECK_TEXT(err.text, table[i].reason);
	}
}

RUN_TESTS(TEST(pods_are_asked_for_by_their_owner),
	  TEST(executors_have_a_certificate_of_their_own),
	  TEST(what_does_not_go_together_is_refused_in_a_sentence))
