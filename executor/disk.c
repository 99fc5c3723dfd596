/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/disk.h"

#include "base/disk.h"
#include "base/log.h"
#include "executor/tmpdir.h"

#include <string.h>

#define EVERY SECONDS(10)
#define AGAIN SECONDS(2) /* if it was not well */

enum {
	/* What a start takes there: PMIx (4.2) shares two segments of 4 MiB
	 * with the ranks, whatever is in them. */
	ROOM = 9 << 20,
};

static void tell(struct executor *ex, const char *trouble)
{
	Bellows__V1__Disk disk = BELLOWS__V1__DISK__INIT;
	Bellows__V1__Report r = BELLOWS__V1__REPORT__INIT;

	if (strcmp(trouble, ex->disk_trouble) == 0)
		return;
	snprintf(ex->disk_trouble, sizeof(ex->disk_trouble), "%s", trouble);
	if (*trouble)
		log_warn("%s", trouble);
	else
		log_info("the temporary directory can be written again");
	disk.trouble = ex->disk_trouble;
	r.what_case = BELLOWS__V1__REPORT__WHAT_DISK;
	r.disk = &disk;
	executor_report(ex, &r);
}

void disk_look(struct executor *ex, bool now)
{
	char trouble[sizeof(ex->disk_trouble)] = "";
	msec_t pause = *ex->disk_trouble ? AGAIN : EVERY;
	struct error err;
	bool is_lost;
	int r;

	/* one that leaves gets no start */
	if (ex->session != SESSION_ATTACHED ||
	    (!now && loop_now() - ex->disk_looked < pause))
		return;
	ex->disk_looked = loop_now();
	r = tmpdir_restore(ex, &err);
	is_lost = tmpdir_is_lost(r);
	/* what is its own may be gone though the rest is well */
	if (r == 0)
		r = disk_try(ex->tmpdir.path, ROOM, false, &err);
	if (r < 0)
		snprintf(trouble, sizeof(trouble), "temporary directory %.200s",
			 err.text);
	tell(ex, trouble);
	if (is_lost)
		executor_ask_for_release(ex, "no rank can be started here");
}

void disk_forget(struct executor *ex)
{
	*ex->disk_trouble = '\0';
	ex->disk_looked = 0;
}
