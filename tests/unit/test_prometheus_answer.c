/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "prometheus/answer.h"
#include "tests/unit/corpus.h"

#include <errno.h>

#define DATA(type, result)                                                     \
	"{\"status\":\"success\",\"data\":{\"resultType\":\"" type             \
	"\",\"result\":" result "}}"
#define SAMPLE(value) "{\"metric\":{\"job\":\"x\"},\"value\":[17.5," value "]}"

static double value;
static struct error err;

static int read_as(int status, const char *body)
{
	value = -1;
	return prometheus_read_answer(&value, status, body, strlen(body), &err);
}

static void a_number_comes_of_a_scalar_and_of_a_vector_of_one(void)
{
	CHECK(read_as(200, DATA("scalar", "[17.5,\"12.5\"]")) == 0);
	CHECK(value == 12.5);
	CHECK(read_as(200, DATA("vector", "[" SAMPLE("\"-1e-3\"") "]")) == 0);
	CHECK(value == -1e-3);
	CHECK(read_as(200, DATA("vector", "[" SAMPLE("\"0\"") "]") "\n") == 0);
	CHECK(value == 0);
}

static void what_is_no_number_is_told_in_one_sentence(void)
{
	static const struct {
		int status;
		const char *body, *sentence;
	} rows[] = {
		{200, DATA("vector", "[]"), "the result is empty"},
		{200,
		 DATA("vector", "[" SAMPLE("\"1\"") "," SAMPLE("\"2\"") "]"),
		 "the result has 2 values, and one is needed, as of sum() or "
		 "avg()"},
		{200, DATA("vector", "[" SAMPLE("\"NaN\"") "]"),
		 "the value 'NaN' is not a finite number"},
		{200, DATA("scalar", "[1,\"+Inf\"]"),
		 "the value '+Inf' is not a finite number"},
		{200, DATA("scalar", "[1,\"12 apples\"]"),
		 "the value '12 apples' is not a finite number"},
		{200, DATA("scalar", "[1,\"\"]"),
		 "the value '' is not a finite number"},
		{200, DATA("scalar", "[1,12]"), "a value is not a number"},
		{200, DATA("scalar", "{\"a\":1,\"b\":\"2\"}"),
		 "a value is not a number"},
		{200, DATA("vector", "[{\"histogram\":[1,{}]}]"),
		 "a value is not a number"},
		{200, DATA("string", "[1,\"12\"]"),
		 "the result is of the type 'string'; a vector of one value or "
		 "a scalar is needed"},
		{200, DATA("matrix", "[]"),
		 "the result is of the type 'matrix'; a vector of one value or "
		 "a scalar is needed"},
		{200, "{\"status\":\"success\"}",
		 "the result is of the type ''; a vector of one value or a "
		 "scalar is needed"},
		{400,
		 "{\"status\":\"error\",\"errorType\":\"bad_data\","
		 "\"error\":\"1:5: parse error\\n\"}",
		 "the server answers 400: 1:5: parse error?"},
		{200, "{\"status\":\"error\",\"error\":\"why\"}",
		 "the server answers 200: why"},
		{302, "", "the server answers 302"},
		{401, "<html>", "the server answers 401"},
		{200, "<html>", "the answer is none of Prometheus' API"},
		{200, "", "the answer is none of Prometheus' API"},
		{200, DATA("scalar", "[1,\"2\"]") " {}",
		 "the answer is none of Prometheus' API"},
		{200, "{\"status\":\"success\",\"status\":",
		 "the answer is none of Prometheus' API"},
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		CHECK(read_as(rows[i].status, rows[i].body) == -EPROTO);
		CHECK_TEXT(err.text, rows[i].sentence);
	}
}

static void an_answer_that_nests_without_end_is_refused(void)
{
	static char body[PROMETHEUS_ANSWER_MAX];

	memset(body, '[', sizeof(body) - 1);
	CHECK(read_as(200, body) == -EPROTO);
	CHECK_TEXT(err.text, "the answer is none of Prometheus' API");
}

static void what_fuzzing_may_find_holds(void)
{
	CHECK(replay_folder(CORPUS) > 0);
}

RUN_TESTS(TEST(a_number_comes_of_a_scalar_and_of_a_vector_of_one),
	  TEST(what_is_no_number_is_told_in_one_sentence),
	  TEST(an_answer_that_nests_without_end_is_refused),
	  TEST(what_fuzzing_may_find_holds))
