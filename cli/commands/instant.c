/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/commands/instant.h"

#include "base/duration.h"
#include "base/list.h"

#include <errno.h>

static const char *const forms[] = {
	"%H:%M:%S",          "%H:%M",          "%Y-%m-%dT%H:%M:%S",
	"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M",
};

/* The 31st of June would be taken for the 1st of July. */
static bool is_a_day(const struct tm *read, const struct tm *made)
{
	return read->tm_mday == made->tm_mday && read->tm_mon == made->tm_mon;
}

static bool read_form(time_t *out, const char *text, const char *form,
		      time_t now)
{
	struct tm at, read;
	const char *end;

	if (!localtime_r(&now, &at))
		return false;
	at.tm_sec = 0;
	end = strptime(text, form, &at);
	if (!end || *end)
		return false;
	at.tm_isdst = -1;
	read = at;
	*out = mktime(&at);
	return *out != (time_t)-1 && is_a_day(&read, &at);
}

int instant_read(uint64_t *out, const char *text, time_t now, struct error *err)
{
	double before;
	time_t at = 0;

	if (text[0] == '-' && !duration_read(&before, text + 1) &&
	    before / 1000 < (double)now) {
		*out = (uint64_t)((double)now * 1000 - before);
		return 0;
	}
	for (size_t i = 0; i < LENGTH(forms); i++) {
		if (!read_form(&at, text, forms[i], now) || at < 0)
			continue;
		*out = (uint64_t)at * 1000 + 999;
		return 0;
	}
	return error_set(err, -EINVAL,
			 "'%.80s' is no time such as 12:03:11, "
			 "2026-11-27T12:03:11 or -10min",
			 text);
}
