/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "monitor/status_publisher.h"
#include "tests/unit/fake_kube.h"

#define OWNER "{\"metadata\": {\"name\": \"heat\", \"uid\": \"u1\"}}"
#define LIST                                                                   \
	"get pods heat/?labelSelector=bellows.io%2Fjob%3Dheat%2Cbellows.io"    \
	"%2Frole%3Dcoordinator\n"

static struct loop *loop;
static struct status_publisher *publisher;
static Bellows__V1__Job job;
static Bellows__V1__Notice notices[200], *all[200];
static bool finished;

static bool begin(void)
{
	const struct status_publisher_config config = {.loop = loop,
						       .namespace = "heat",
						       .kind = &kube_vcjobs,
						       .owner = "heat",
						       .job = "heat"};

	trace[0] = '\0';
	n_asked = 0;
	finished = false;
	bellows__v1__job__init(&job);
	job.state = BELLOWS__V1__STATE__WAITING;
	job.reason = (char *)"0 of 2 executors are here";
	job.notices = all;
	return status_publisher_create(&publisher, &config, NULL) == 0;
}

static void end(void)
{
	publisher = status_publisher_destroy(publisher);
	cJSON_Delete(patched);
	patched = NULL;
}

/* The job with its next notice: "lost 1" is the first. */
static void notice(void)
{
	Bellows__V1__Notice *new = &notices[job.n_notices];
	static char texts[200][16];

	bellows__v1__notice__init(new);
	new->kind = BELLOWS__V1__NOTICE_KIND__NOTICE_LOST;
	new->number = job.n_notices + 1;
	snprintf(texts[job.n_notices], sizeof(texts[0]), "lost %u",
		 (unsigned)new->number % 1000);
	new->text = texts[job.n_notices];
	all[job.n_notices++] = new;
	status_publisher_on_job(publisher, &job);
}

/* What is asked first of all: how the coordinator's pod is; it has just the
 * kubelet's conditions. */
static bool settle(void)
{
	status_publisher_on_job(publisher, &job);
	return answer(0, "{\"items\": [{\"metadata\": {\"name\": \"m\", "
			 "\"resourceVersion\": \"7\"}}]}") &&
	       answer(0, "{}") && n_asked == 0;
}

static void on_finished(void *user)
{
	finished = true;
	loop_stop(loop, 0);
}

static void on_time(void *user)
{
	loop_stop(loop, 0);
}

static void pass(msec_t time)
{
	struct loop_timer timer = {0};

	loop_timer_set(loop, &timer, time, on_time, NULL);
	loop_run(loop);
	loop_timer_clear(&timer);
}

static void events_go_out_one_by_one_about_the_owner(void)
{
	CHECK(begin() && settle());
	trace[0] = '\0';
	notice();
	notice();
	CHECK_TEXT(trace, "get jobs heat/heat?\n");
	CHECK(answer(0, OWNER) && n_asked == 1);
	notice();
	CHECK(answer(0, "{}") && n_asked == 1);
	CHECK(answer(0, "{}") && answer(0, "{}") && n_asked == 0);
	CHECK_TEXT(trace, "get jobs heat/heat?\n"
			  "tell u1 Warning WorkerLost: lost 1\n"
			  "tell u1 Warning WorkerLost: lost 2\n"
			  "tell u1 Warning WorkerLost: lost 3\n");
	end();
}

static void an_event_waits_for_an_api_that_is_away(void)
{
	CHECK(begin() && settle());
	notice();
	CHECK(answer(-ECONNREFUSED, "nobody listens"));
	notice();
	CHECK(n_asked == 0);
	pass(2200);
	CHECK(answer(0, OWNER) && answer(-ETIMEDOUT, "no answer"));
	trace[0] = '\0';
	pass(2200);
	CHECK(answer(0, "{}") && answer(0, "{}"));
	CHECK_TEXT(trace, "tell u1 Warning WorkerLost: lost 1\n"
			  "tell u1 Warning WorkerLost: lost 2\n");
	end();
}

static void one_event_that_is_refused_does_not_hold_up_the_next(void)
{
	CHECK(begin() && settle());
	notice();
	notice();
	CHECK(answer(0, OWNER) && answer(-EINVAL, "a bad event"));
	CHECK(answer(0, "{}") && n_asked == 0);
	CHECK(strstr(trace, "lost 2\n"));
	end();
}

static void without_the_right_to_write_events_it_asks_once(void)
{
	CHECK(begin() && settle());
	notice();
	CHECK(answer(0, OWNER) && answer(-EACCES, "forbidden"));
	trace[0] = '\0';
	notice();
	CHECK_TEXT(trace, "");
	job.state = BELLOWS__V1__STATE__RUNNING;
	job.size = 2;
	status_publisher_on_job(publisher, &job);
	CHECK_TEXT(trace, LIST);
	end();
}

static void without_its_owner_nothing_is_told(void)
{
	CHECK(begin() && settle());
	notice();
	CHECK(answer(-ENOENT, "there is no job heat"));
	trace[0] = '\0';
	notice();
	CHECK_TEXT(trace, "");
	end();
}

static void of_too_many_events_the_oldest_are_dropped(void)
{
	CHECK(begin() && settle());
	for (int i = 0; i < 100; i++)
		notice();
	CHECK(answer(0, OWNER));
	while (n_asked > 0)
		CHECK(answer(0, "{}"));
	CHECK(strstr(trace, "lost 1\n") && !strstr(trace, "lost 2\n"));
	CHECK(!strstr(trace, "lost 37\n") && strstr(trace, "lost 38\n"));
	CHECK(strstr(trace, "lost 100\n"));
	end();
}

static void conditions_stand_beside_those_of_others(void)
{
	cJSON *conditions;

	CHECK(begin());
	status_publisher_on_job(publisher, &job);
	status_publisher_on_job(publisher, &job);
	CHECK_TEXT(trace, LIST);
	CHECK(answer(
		0, "{\"items\": [{\"metadata\": {\"name\": \"old\", "
		   "\"deletionTimestamp\": \"x\"}}, {\"metadata\": {\"name\": "
		   "\"heat-master-0\", \"resourceVersion\": \"41\"}, "
		   "\"status\": {\"conditions\": [{\"type\": \"Ready\", "
		   "\"status\": \"True\", \"observedGeneration\": 3}, "
		   "{\"type\": \"bellows.io/Running\", \"status\": \"False\", "
		   "\"lastTransitionTime\": \"2026-01-01T00:00:00Z\"}, "
		   "{\"type\": \"bellows.io/Scaling\", \"status\": \"True\", "
		   "\"lastTransitionTime\": \"2026-01-01T00:00:00Z\"}]}}]}"));
	CHECK_TEXT(trace, LIST "patch pods heat/heat-master-0/status\n");
	CHECK_TEXT(kube_text(patched, "metadata.resourceVersion"), "41");
	conditions = (cJSON *)kube_at(patched, "status.conditions");
	CHECK(cJSON_GetArraySize(conditions) == 5);
	CHECK_TEXT(kube_text(conditions, "0.type"), "Ready");
	CHECK(kube_at(conditions, "0.observedGeneration")->valueint == 3);
	CHECK_TEXT(kube_text(conditions, "1.type"), "bellows.io/Running");
	CHECK_TEXT(kube_text(conditions, "1.status"), "False");
	CHECK_TEXT(kube_text(conditions, "1.reason"), "Waiting");
	CHECK_TEXT(kube_text(conditions, "1.message"),
		   "0 of 2 executors are here");
	CHECK_TEXT(kube_text(conditions, "1.lastTransitionTime"),
		   "2026-01-01T00:00:00Z");
	CHECK_TEXT(kube_text(conditions, "2.status"), "False");
	CHECK(strcmp(kube_text(conditions, "2.lastTransitionTime"),
		     "2026-06-01T00:00:00Z") > 0);
	CHECK(strlen(kube_text(conditions, "3.lastTransitionTime")) == 20);
	CHECK(answer(0, "{}") && n_asked == 0);
	end();
}

static void a_pod_that_was_changed_meanwhile_is_read_again(void)
{
	CHECK(begin());
	status_publisher_on_job(publisher, &job);
	CHECK(answer(0, "{\"items\": [{\"metadata\": {\"name\": \"m\", "
			"\"resourceVersion\": \"7\"}}]}"));
	CHECK(answer(-EAGAIN, "it was changed") && n_asked == 0);
	pass(1200);
	CHECK(answer(0, "{\"items\": []}") && n_asked == 0);
	pass(1200);
	CHECK(answer(0, "{\"items\": [{\"metadata\": {\"name\": \"n\", "
			"\"resourceVersion\": \"9\"}}]}"));
	CHECK_TEXT(trace, LIST "patch pods heat/m/status\n" LIST LIST
			       "patch pods heat/n/status\n");
	CHECK_TEXT(kube_text(patched, "metadata.resourceVersion"), "9");
	end();
}

static void what_changes_while_it_is_written_is_written_after_it(void)
{
	CHECK(begin());
	status_publisher_on_job(publisher, &job);
	CHECK(answer(0, "{\"items\": [{\"metadata\": {\"name\": \"m\", "
			"\"resourceVersion\": \"7\"}}]}"));
	job.state = BELLOWS__V1__STATE__STARTING;
	status_publisher_on_job(publisher, &job);
	CHECK(n_asked == 1 && answer(0, "{}") && n_asked == 1);
	CHECK(answer(0, "{\"items\": [{\"metadata\": {\"name\": \"m\", "
			"\"resourceVersion\": \"8\"}}]}"));
	CHECK_TEXT(kube_text(patched, "status.conditions.0.reason"),
		   "Starting");
	end();
}

static void without_the_right_to_patch_events_are_still_written(void)
{
	CHECK(begin());
	status_publisher_on_job(publisher, &job);
	CHECK(answer(-EACCES, "forbidden"));
	trace[0] = '\0';
	notice();
	CHECK_TEXT(trace, "get jobs heat/heat?\n");
	job.state = BELLOWS__V1__STATE__STARTING;
	status_publisher_on_job(publisher, &job);
	CHECK_TEXT(trace, "get jobs heat/heat?\n");
	end();
}

static void the_end_comes_when_all_is_told(void)
{
	CHECK(begin() && settle());
	notice();
	status_publisher_finish(publisher, SECONDS(60), on_finished, NULL);
	pass(50);
	CHECK(!finished);
	notice();
	CHECK(answer(0, OWNER) && answer(0, "{}") && n_asked == 0);
	CHECK(!finished);
	pass(1000);
	CHECK(finished);
	end();
}

static void the_end_does_not_wait_longer_than_its_patience(void)
{
	CHECK(begin());
	status_publisher_on_job(publisher, &job);
	status_publisher_finish(publisher, 100, on_finished, NULL);
	pass(3000);
	CHECK(finished);
	end();
	CHECK(the_kube.alive == 0);
}

static const struct test tests[] = {
	TEST(events_go_out_one_by_one_about_the_owner),
	TEST(an_event_waits_for_an_api_that_is_away),
	TEST(one_event_that_is_refused_does_not_hold_up_the_next),
	TEST(without_the_right_to_write_events_it_asks_once),
	TEST(without_its_owner_nothing_is_told),
	TEST(of_too_many_events_the_oldest_are_dropped),
	TEST(conditions_stand_beside_those_of_others),
	TEST(a_pod_that_was_changed_meanwhile_is_read_again),
	TEST(what_changes_while_it_is_written_is_written_after_it),
	TEST(without_the_right_to_patch_events_are_still_written),
	TEST(the_end_comes_when_all_is_told),
	TEST(the_end_does_not_wait_longer_than_its_patience),
};

int main(void)
{
	struct error err;
	int r;

	log_init("test", LOG_ERROR);
	if (loop_create(&loop, &err) < 0)
		return 1;
	r = run_tests(tests, sizeof(tests) / sizeof(tests[0]));
	loop_destroy(loop);
	return r;
}
