/* SPDX-License-Identifier: Apache-2.0 */
#include "kube/yaml.h"
#include "tests/unit/corpus.h"

#include <errno.h>

/* The text as JSON, or the sentence. */
static const char *json_of_bytes(const char *text, size_t size)
{
	static char out[4096];
	struct error err;
	cJSON *tree;
	char *json;

	if (kube_yaml_parse(&tree, "f", text, size, &err) < 0) {
		snprintf(out, sizeof(out), "%s", err.text);
		return out;
	}
	json = cJSON_PrintUnformatted(tree);
	snprintf(out, sizeof(out), "%s", json);
	cJSON_free(json);
	cJSON_Delete(tree);
	return out;
}

static const char *json_of(const char *text)
{
	return json_of_bytes(text, strlen(text));
}

static void yaml_becomes_json(void)
{
	CHECK_TEXT(json_of("a: b\nc:\n- d\n- e: [1, 2]\n  f: {}\n"),
		   "{\"a\":\"b\",\"c\":[\"d\",{\"e\":[1,2],\"f\":{}}]}");
	CHECK_TEXT(json_of("{\"a\": [true, null, -1.5]}"),
		   "{\"a\":[true,null,-1.5]}");
	CHECK_TEXT(json_of("a: |\n  one\n  two\n"), "{\"a\":\"one\\ntwo\\n\"}");
	CHECK_TEXT(json_of("just words"), "\"just words\"");
}

static void an_empty_file_is_null(void)
{
	CHECK_TEXT(json_of(""), "null");
	CHECK_TEXT(json_of("# nothing\n"), "null");
}

static void scalars_have_the_types_that_kubernetes_gives_them(void)
{
	CHECK_TEXT(json_of("[7000, 0640, 1e3, .5, 0x10, 1.2.3, 1_000, 00x]"),
		   "[7000,416,1000,\".5\",\"0x10\",\"1.2.3\",\"1_000\","
		   "\"00x\"]");
	CHECK_TEXT(json_of("['7000', \"true\", true, False, ~, null, '']"),
		   "[\"7000\",\"true\",true,false,null,null,\"\"]");
	CHECK_TEXT(json_of("a:\nb: 1e999\n"), "{\"a\":null,\"b\":\"1e999\"}");
}

static void what_could_surprise_is_refused(void)
{
	CHECK_TEXT(json_of("a: 1\nb: &x 2\n"),
		   "f:2: anchors and aliases are not understood; the value "
		   "written out");
	CHECK_TEXT(json_of("a: *x\n"),
		   "f:1: anchors and aliases are not understood; the value "
		   "written out");
	CHECK_TEXT(json_of("a: !!binary x\n"),
		   "f:1: tags are not understood; the value without its tag");
	CHECK_TEXT(json_of("a: !x [b]\n"),
		   "f:1: tags are not understood; the value without its tag");
	CHECK_TEXT(json_of("a: 1\nb: 2\na: 3\n"),
		   "f:3: 'a' a second time; each key once");
	CHECK_TEXT(json_of("? [a]\n: b\n"),
		   "f:1: a key that is no text; 'key: value'");
	CHECK_TEXT(json_of("a: 1\n---\nb: 2\n"),
		   "f:2: a second document; a kubeconfig is one "
		   "document");
	CHECK_TEXT(json_of("a: \"x\\0y\"\n"),
		   "f:1: a NUL in a value; a text without it");
}

static void what_is_no_yaml_is_refused_with_its_line(void)
{
	CHECK(strncmp(json_of("a: b\n c: [\n"), "f:", 2) == 0);
	CHECK(strstr(json_of("a: [\n"), "not YAML") != NULL);
	CHECK(strstr(json_of("a: b\nc: \xff\n"), "f:2: not a text") != NULL);
}

static void a_file_that_would_be_expensive_is_refused(void)
{
	static char many[200000], deep[200];

	memset(deep, '[', sizeof(deep));
	CHECK_TEXT(json_of_bytes(deep, sizeof(deep)),
		   "f:1: nested too deep; a kubeconfig has at most 64 "
		   "levels");
	for (size_t i = 0; i + 3 < sizeof(many); i += 4)
		memcpy(many + i, "- a\n", 4);
	CHECK(strstr(json_of_bytes(many, sizeof(many)), "too many values") !=
	      NULL);
}

static void a_file_that_is_too_large_is_refused(void)
{
	char *large = calloc(1, KUBE_YAML_BYTES_MAX + 1);

	CHECK(large);
	CHECK_TEXT(json_of_bytes(large, KUBE_YAML_BYTES_MAX + 1),
		   "f:1: larger than 4 MiB; a kubeconfig is not");
	free(large);
}

static void the_corpus_of_the_fuzzer_passes(void)
{
	CHECK(replay_folder(CORPUS) > 0);
}

RUN_TESTS(TEST(yaml_becomes_json), TEST(an_empty_file_is_null),
	  TEST(scalars_have_the_types_that_kubernetes_gives_them),
	  TEST(what_could_surprise_is_refused),
	  TEST(what_is_no_yaml_is_refused_with_its_line),
	  TEST(a_file_that_would_be_expensive_is_refused),
	  TEST(a_file_that_is_too_large_is_refused),
	  TEST(the_corpus_of_the_fuzzer_passes))
