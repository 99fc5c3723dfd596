/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the adapter of plate makes of checkpoints and lines: no output and
 * status 0, or the first thing that is not so
 */

#include "state.h"

#include <bellows/adapter.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct adapter bellows_adapter;

static char folder[] = "/tmp/plate-XXXXXX";
static char path[64];

static void must(int truth, const char *sentence)
{
	if (truth)
		return;
	printf("not so: %s\n", sentence);
	unlink(path);
	rmdir(folder);
	exit(1);
}

static void put(uint64_t mark, size_t cut)
{
	const struct state_head head = {STATE_MAGIC, 4, 7};
	const double cells[16] = {0};
	FILE *f = fopen(path, "w");

	must(f && fwrite(&head, sizeof(head), 1, f) == 1 &&
		     fwrite(cells, sizeof(cells), 1, f) == 1 &&
		     fwrite(&mark, sizeof(mark), 1, f) == 1 && fclose(f) == 0 &&
		     truncate(path, (off_t)(state_bytes(4) - cut)) == 0,
	     "the test can write");
}

static void checkpoints(const struct adapter_app *app)
{
	const struct state_head head = {STATE_MAGIC, 4, 7};
	struct checkpoint found;

	must(bellows_adapter.checkpoint(app, &found, NULL) == 1,
	     "no file is no checkpoint");
	put(state_mark(&head), 0);
	must(bellows_adapter.checkpoint(app, &found, NULL) == 0 &&
		     found.step == 7 && found.bytes == state_bytes(4),
	     "a whole file is one");
	put(state_mark(&head), 1);
	must(bellows_adapter.checkpoint(app, &found, NULL) == -EBADMSG,
	     "a file that is cut short is none");
	put(0, 0);
	must(bellows_adapter.checkpoint(app, &found, NULL) == -EBADMSG,
	     "a file without its mark is none");
}

static void lines(const struct adapter_app *app)
{
	struct line_facts facts = {0};

	must(bellows_adapter.on_line(app, "plate: step 50 of 90", &facts) ==
			     LINE_PROGRESS &&
		     facts.step == 50 && facts.total == 90,
	     "a step is progress");
	must(bellows_adapter.on_line(app, "plate: restarted at step 7",
				     &facts) == LINE_RESUMED &&
		     facts.step == 7,
	     "that it restarted is proof");
	must(bellows_adapter.on_line(app, "plate: starting from step 0",
				     &facts) == LINE_AFRESH,
	     "that it starts is the opposite");
	must(bellows_adapter.on_line(app, "plate: answer 7 on 2 ranks",
				     &facts) == LINE_FINISHED,
	     "the answer is its last word");
}

int main(void)
{
	static const char *const command[] = {"plate", "4", "90", NULL};
	static const char *const bad[] = {"speed=1", NULL};
	struct adapter_app app = {.command = command};
	struct error err;

	must(mkdtemp(folder) != NULL, "the test has a folder");
	snprintf(path, sizeof(path), "%s/plate.state", folder);
	app.checkpoint_dir = folder;
	checkpoints(&app);
	lines(&app);
	app.settings = bad;
	must(bellows_adapter.check(&app, &err) == -EINVAL &&
		     strstr(err.text, "there is no 'speed'; file"),
	     "a setting that is not there is refused");
	unlink(path);
	rmdir(folder);
	return 0;
}
