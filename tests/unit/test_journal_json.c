/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "coordinator/journal/print.h"
#include "coordinator/journal/print_json.h"
#include "tests/check.h"
#include "tests/unit/folder.h"

#include <cjson/cJSON.h>

static char printed[4096];

static const char *json_of(const struct journal_entry *entry)
{
	const struct job job = {.state = JOB_GROWING, .size = 2, .target = 3};
	const struct job before = {.state = JOB_RUNNING};
	const struct journal_told told = {entry, &before, &job, NULL};
	FILE *to = fmemopen(printed, sizeof(printed), "w");

	*printed = '\0';
	if (to) {
		journal_print_json(to, &told);
		fclose(to);
	}
	return printed;
}

static void an_event_tells_what_it_made_of_the_job(void)
{
	const struct journal_entry event = {.kind = JOURNAL_EVENT,
					    .at = 812,
					    .event = {JOB_EV_SCALE, 0, 3, 0},
					    .text = "by \"hand\"\xff"};

	CHECK_TEXT(json_of(&event),
		   "{\"time_ms\":812,\"entry\":\"event\",\"event\":\"scale\","
		   "\"before\":\"running\",\"state\":\"growing\",\"ranks\":2,"
		   "\"target\":3,\"epoch\":0,\"event_epoch\":null,"
		   "\"event_size\":3,\"leave_ms\":null,"
		   "\"text\":\"by \\\"hand\\\"\xef\xbf\xbd\"}\n");
}

static void instants_that_are_not_known_are_null(void)
{
	const struct journal_entry entries[] = {
		{.kind = JOURNAL_SPAN, .at = 9, .span = {0, 0, 2}},
		{.kind = JOURNAL_JOB, .at = 9, .job.grant = JOB_NO_GRANT},
		{.kind = JOURNAL_RESCALE, .rescale = {.asked = 7, .due = true}},
	};

	CHECK_TEXT(json_of(&entries[0]),
		   "{\"time_ms\":9,\"entry\":\"span\",\"from_ms\":0,"
		   "\"to_ms\":null,\"ranks\":2}\n");
	CHECK(strstr(json_of(&entries[1]),
		     "\"state\":\"waiting\",\"grant\":0,"));
	CHECK(strstr(printed, "\"deadline_ms\":null,\"hands_over\":false"));
	CHECK(strstr(json_of(&entries[2]),
		     "\"asked_ms\":7,\"executors_ms\":null,"));
	CHECK(strstr(printed, "\"due\":true,\"failed\":false"));
}

/* Of a line of a journal: "sum instant kind numbers text". */
static int count_numbers(const struct journal_entry *entry)
{
	char line[JOURNAL_LINE_MAX];
	size_t length = journal_format(entry, line);
	int n = -3;

	for (size_t i = 0; i < length; i++)
		n += line[i] == ' ';
	return n - (entry->kind == JOURNAL_EVENT); /* the word of its type */
}

/* The first two members, and an event's next six, are those of no number. */
static int count_members(const struct journal_entry *entry)
{
	cJSON *json = cJSON_Parse(json_of(entry));
	int n = cJSON_GetArraySize(json) -
		(entry->kind == JOURNAL_EVENT ? 8 : 2);

	for (cJSON *at = json ? json->child : NULL; at; at = at->next)
		n -= cJSON_IsString(at) && strcmp(at->valuestring, "a") == 0;
	cJSON_Delete(json);
	return n;
}

static void each_number_of_an_entry_has_a_name(void)
{
	for (int kind = 0; kind <= JOURNAL_ANSWERED; kind++) {
		const struct journal_entry entry = {
			.kind = (enum journal_kind)kind, .text = "a"};

		CHECK(count_members(&entry) == count_numbers(&entry));
	}
}

static void put(FILE *file, const struct journal_entry *entry)
{
	char line[JOURNAL_LINE_MAX];

	fwrite(line, journal_format(entry, line), 1, file);
}

static void a_journal_is_an_object_a_line(void)
{
	static const struct journal_entry entries[] = {
		{.kind = JOURNAL_BEGUN,
		 .begun = {.wall = 1763769600000,
			   .initial = 2,
			   .version = JOURNAL_VERSION},
		 .text = "heat"},
		{.kind = JOURNAL_JOB, .at = 9000},
		{.kind = JOURNAL_RESCALE,
		 .at = 9000,
		 .rescale = {.from = 2,
			     .to = 4,
			     .asked = 1000,
			     .ordered = 2000,
			     .last_step = 2300,
			     .saved = 2400,
			     .stopped = 2400,
			     .up = 2500,
			     .stepped = 4000}},
		{.kind = JOURNAL_RESULT, .at = 9000, .text = "done"},
	};
	CLEANUP(folder_remove) char *dir = folder_create("journal");
	FILE *file, *to = fmemopen(printed, sizeof(printed), "w");

	CHECK(dir && to);
	file = fopen(below("journal"), "we");
	CHECK(file);
	for (size_t i = 0; i < LENGTH(entries); i++)
		put(file, &entries[i]);
	fputs("half a l", file);
	fclose(file);
	CHECK(journal_print(dir, true, to, NULL) == 0);
	fclose(to);
	CHECK(strstr(printed,
		     "{\"time_ms\":0,\"entry\":\"begun\",\"version\"") ==
	      printed);
	CHECK(strstr(printed, "\"ranks\":2,") &&
	      strstr(printed, "\"heat\"}\n"));
	CHECK_TEXT(strstr(printed, "{\"time_ms\":9000,\"entry\":\"result\""),
		   "{\"time_ms\":9000,\"entry\":\"result\",\"result\":\"done\","
		   "\"pause_ms\":2000,\"computing_ms\":300,\"writing_ms\":100,"
		   "\"standing_ms\":1600}\n"
		   "{\"entry\":\"torn\",\"line\":5}\n");
}

RUN_TESTS(TEST(an_event_tells_what_it_made_of_the_job),
	  TEST(instants_that_are_not_known_are_null),
	  TEST(each_number_of_an_entry_has_a_name),
	  TEST(a_journal_is_an_object_a_line))
