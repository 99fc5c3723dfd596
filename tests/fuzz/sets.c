/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any files of any size as restart files of CM1: a set that is taken for
 * complete has five, none of them empty
 *
 * The first three bytes are the grid.  Each line after them is a size and a
 * name.
 */

#include "apps/cm1/sets.h"

#include "base/cleanup.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { FILES_MAX = 64, NAME_LENGTH = 40 };

static char dir[] = "/tmp/sets-XXXXXX";

static void remove_dir(void)
{
	rmdir(dir);
}

static void make_dir(void)
{
	static bool made;

	if (made)
		return;
	made = true;
	HOLD(mkdtemp(dir));
	atexit(remove_dir);
}

/* "SIZE NAME"; what is no name of a file in this folder makes none. */
static bool make_file(const char *line, char name[NAME_LENGTH], int folder)
{
	long long size;
	int fd, end = 0;

	if (sscanf(line, "%lld %39[^/\n]%n", &size, name, &end) != 2 ||
	    end == 0 || name[0] == '.' || size < 0 || size > 1ll << 40)
		return false;
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	HOLD(fd >= 0 && ftruncate(fd, size) == 0);
	close(fd);
	return true;
}

static void judge(const struct input *input, int folder)
{
	const struct adapter_app app = {.checkpoint_dir = dir};
	struct checkpoint found, again;
	struct error err;
	unsigned number, same;
	int r = sets_newest(&app, input, &number, &found, &err);

	HOLD(r == 0 || r == 1);
	if (r == 1)
		return;
	HOLD(number > 0 && number < 1000000);
	HOLD(found.files == 5 && found.bytes >= 5 && found.mark != 0);
	for (const char *part = "xsuvw"; *part; part++) {
		struct stat st;
		char name[32];

		snprintf(name, sizeof(name), "cm1rst_%06u_%c.dat", number,
			 *part);
		HOLD(fstatat(folder, name, &st, 0) == 0 && st.st_size > 0);
	}
	HOLD(sets_newest(&app, input, &same, &again, &err) == 0);
	HOLD(same == number && again.mark == found.mark);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(close) int folder = -1;
	CLEANUP(free) char *text = NULL;
	char names[FILES_MAX][NAME_LENGTH], *rest, *line;
	struct input input = {.ppnode = 1};
	int n = 0;

	if (size < 3)
		return 0;
	make_dir();
	folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	HOLD(folder >= 0);
	input.nx = data[0];
	input.ny = data[1];
	input.nz = data[2];
	rest = text = fuzz_text(data + 3, size - 3);
	while ((line = strsep(&rest, "\n")) && n < FILES_MAX)
		n += make_file(line, names[n], folder);
	judge(&input, folder);
	while (n > 0)
		unlinkat(folder, names[--n], 0);
	return 0;
}
