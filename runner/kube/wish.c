/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "base/text.h"
#include "runner/kube/manifests.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool kube_is_quantity(const char *text)
{
	static const char *const suffixes[] = {"",  "m",  "k",  "M",  "G",
					       "T", "Ki", "Mi", "Gi", "Ti"};
	size_t n = strspn(text, "0123456789"), k = 0;

	if (n > 0 && text[n] == '.') {
		k = strspn(text + n + 1, "0123456789");
		n += k ? k + 1 : 0;
	}
	if (n == 0 || n > 18)
		return false;
	for (size_t i = 0; i < LENGTH(suffixes); i++)
		if (strcmp(text + n, suffixes[i]) == 0)
			return true;
	return false;
}

static int check_quantity(const char *flag, const char *text, const char *such,
			  struct error *err)
{
	if (!text || kube_is_quantity(text))
		return 0;
	return error_set(err, -EINVAL, "--%s: '%s' is no quantity; %s is", flag,
			 text_safe(text).s, such);
}

static bool is_word(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

static bool is_label(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789");

	return n > 0 && n <= 63 && !text[n];
}

static int check_words(const struct kube_wish *wish, struct error *err)
{
	const char *mode = wish->mode ? wish->mode : "pods";

	if (strcmp(mode, "pods") != 0 && strcmp(mode, "replicas") != 0)
		return error_set(err, -EINVAL,
				 "--mode: '%s' is none; pods or replicas",
				 text_safe(mode).s);
	if (wish->plain && strcmp(mode, "replicas") == 0)
		return error_set(err, -EINVAL,
				 "--mode replicas is of Volcano's Job, which "
				 "--plain goes without");
	if (wish->claim && (wish->storage || wish->storage_class))
		return error_set(err, -EINVAL,
				 "--claim names a claim that is there, --%s is "
				 "for one that is made: not both",
				 wish->storage ? "storage" : "storage-class");
	if (wish->run_id && !is_label(wish->run_id))
		return error_set(err, -EINVAL,
				 "--run-id: '%s' is none; 1 to 63 of a-z and "
				 "0-9",
				 text_safe(wish->run_id).s);
	if (wish->image && (!wish->image[0] || !is_word(wish->image)))
		return error_set(err, -EINVAL, "--image: '%s' is no image",
				 text_safe(wish->image).s);
	return 0;
}

int kube_wish_check(const struct kube_wish *wish, struct error *err)
{
	int r = check_words(wish, err);

	if (r == 0)
		r = check_quantity("cpu", wish->cpu, "2 or 500m", err);
	if (r == 0)
		r = check_quantity("memory", wish->memory, "2Gi", err);
	if (r == 0)
		r = check_quantity("storage", wish->storage, "10Gi", err);
	return r;
}

/* A quantity that Kubernetes takes for a whole number of processors. */
static bool is_whole(const char *cpu)
{
	char *suffix;
	double n = strtod(cpu, &suffix);

	if (strcmp(suffix, "m") == 0)
		n /= 1000;
	else if (*suffix)
		return false;
	return n >= 1 && n == floor(n);
}

int kube_wish_check_job(const struct kube_wish *wish, struct error *err)
{
	if (!wish->job->exclusive)
		return 0;
	if (wish->cpu && !is_whole(wish->cpu))
		return error_set(err, -EINVAL,
				 "--cpu: '%s' is no whole number of "
				 "processors, which placement.exclusive needs; "
				 "2 is",
				 wish->cpu);
	if (!wish->memory || strtod(wish->memory, NULL) == 0)
		return error_set(err, -EINVAL,
				 "--memory: placement.exclusive needs the "
				 "memory of an executor, as --memory 2Gi");
	return 0;
}
