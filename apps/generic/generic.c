/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The generic adapter: the job file says how the application is
 *
 * Commands: `{checkpoint}` within an argument stands for the checkpoint
 * directory, in the command to start and in the one to restart.  Another name
 * in braces is refused: it is a slip of the pen, or would be understood
 * elsewhere.
 *
 * Checkpoint: every pattern of `files` matches at least one regular file below
 * the checkpoint directory that is not empty.  Nothing else is known about it;
 * its mark is made of names, sizes and times, so it changes for as long as the
 * application is writing.
 *
 * The next one may be written over it, in place or not; that is found out.
 *
 * Save: by the signal, or, if there is none, by waiting for the application to
 * write when it likes.
 *
 * Proof that it went on: a line that the pattern `resumed` matches; with
 * `progress` alone, a step not before the last one seen when the checkpoint was
 * ordered.
 */

#include "apps/generic/generic.h"

#include "apps/generic/progress.h"
#include "base/cleanup.h"
#include "base/list.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static bool leaves(const char *pattern)
{
	while (*pattern) {
		size_t n = strcspn(pattern, "/");

		if (n == 2 && strncmp(pattern, "..", 2) == 0)
			return true;
		pattern += n + (pattern[n] == '/');
	}
	return false;
}

static int check_files(const struct adapter_app *app, struct error *err)
{
	const char *const *files = app->files;

	if (!files || !files[0])
		return error_set(err, -EINVAL,
				 "is missing; a list of patterns, which name "
				 "the files below the checkpoint directory "
				 "that make a complete checkpoint");
	for (size_t i = 0; files[i]; i++)
		if (files[i][0] == '\0' || files[i][0] == '/' ||
		    leaves(files[i]))
			return error_set(err, -EINVAL,
					 "'%.80s' is not below the checkpoint "
					 "directory; a pattern without a "
					 "leading / and without ..",
					 files[i]);
	return 0;
}

/* The first {name} that nothing is put in place of; *n: its bytes.  A shell's
 * ${name} is none. */
static const char *find_unknown(const char *word, size_t *n)
{
	static const char known[] = "{checkpoint}";

	for (const char *at = word; (at = strchr(at, '{')); at++) {
		*n = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") +
		     2;
		if (*n == 2 || at[*n - 1] != '}' ||
		    (at > word && at[-1] == '$'))
			continue;
		if (strncmp(at, known, sizeof(known) - 1) != 0)
			return at;
	}
	return NULL;
}

static int check_names(const char *const *words, struct error *err)
{
	for (; words && *words; words++) {
		size_t n;
		const char *name = find_unknown(*words, &n);

		if (name)
			return error_set(err, -EINVAL,
					 "nothing is put in place of '%.*s'; "
					 "{checkpoint}, which becomes the "
					 "checkpoint directory, is the only "
					 "such name",
					 n < 80 ? (int)n : 80, name);
	}
	return 0;
}

static int check_proof(const struct adapter_app *app, struct error *err)
{
	if (app->progress || app->resumed || app->unproven)
		return 0;
	return error_set(err, -EINVAL,
			 "nothing would prove that the application goes on "
			 "from its checkpoint; a pattern of a line that it "
			 "prints: progress or resumed, or else proof: none");
}

static int check_pattern(const char *pattern, unsigned groups,
			 struct error *err)
{
	return pattern ? progress_check(pattern, groups, err) : 0;
}

static int check_command(const struct adapter_app *app, struct error *err)
{
	return check_names(app->command, err);
}

static int check_restart(const struct adapter_app *app, struct error *err)
{
	return check_names(app->restart, err);
}

static int check_progress(const struct adapter_app *app, struct error *err)
{
	return check_pattern(app->progress, 1, err);
}

static int check_resumed(const struct adapter_app *app, struct error *err)
{
	return check_pattern(app->resumed, 0, err);
}

static int check_finished(const struct adapter_app *app, struct error *err)
{
	return check_pattern(app->finished, 0, err);
}

int generic_check(const struct adapter_app *app, const char **key,
		  struct error *err)
{
	static const struct {
		const char *key;
		int (*check)(const struct adapter_app *app, struct error *err);
	} checks[] = {
		{"command", check_command},
		{"restart", check_restart},
		{"generic.files", check_files},
		{"generic.progress", check_progress},
		{"generic.resumed", check_resumed},
		{"generic.finished", check_finished},
		{"generic.proof", check_proof},
	};
	int r = 0;

	for (size_t i = 0; i < LENGTH(checks) && r == 0; i++) {
		*key = checks[i].key;
		r = checks[i].check(app, err);
	}
	return r;
}

static int check(const struct adapter_app *app, struct error *err)
{
	const char *key;
	int r = generic_check(app, &key, err);

	return r < 0 ? error_wrap(err, r, "%s", key) : 0;
}

static int accepts(const struct adapter_app *app, unsigned ranks,
		   struct error *err)
{
	char text[256] = "";
	size_t at = 0;

	if (!app->accepts)
		return 0;
	for (size_t i = 0; app->accepts[i]; i++) {
		if (app->accepts[i] == ranks)
			return 0;
		if (at < sizeof(text))
			at += (size_t)snprintf(text + at, sizeof(text) - at,
					       "%s%u", i > 0 ? ", " : "",
					       app->accepts[i]);
	}
	return error_set(err, -EINVAL, "it runs on %s ranks, not on %u", text,
			 ranks);
}

static int command(const struct adapter_app *app,
		   const struct checkpoint *restart,
		   const char *argv[ADAPTER_ARGS_MAX], char *text,
		   size_t text_size, struct error *err)
{
	const char *const *from =
		restart && app->restart ? app->restart : app->command;
	size_t n = 0;

	for (; from[n]; n++) {
		if (n + 1 >= ADAPTER_ARGS_MAX)
			return error_set(err, -E2BIG,
					 "generic: more than %d arguments",
					 ADAPTER_ARGS_MAX - 1);
		argv[n] = adapter_replace(from[n], app->checkpoint_dir, &text,
					  &text_size);
		if (!argv[n])
			return error_set(err, -E2BIG,
					 "generic: the command is too long");
	}
	argv[n] = NULL;
	return 0;
}

static enum save_kind save(const struct adapter_app *app, int *signo)
{
	*signo = app->save_signal;
	if (app->save_signal == 0)
		return SAVE_WATCH;
	return app->save_first ? SAVE_SIGNAL_FIRST : SAVE_SIGNAL_ALL;
}

static uint64_t mark_of(const char *name, const struct stat *st)
{
	const uint64_t words[] = {
		(uint64_t)st->st_size,
		(uint64_t)st->st_mtim.tv_sec,
		(uint64_t)st->st_mtim.tv_nsec,
	};
	uint64_t mark = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (; *name; name++)
		mark = (mark ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	for (size_t i = 0; i < sizeof(words); i++)
		mark = (mark ^ ((const unsigned char *)words)[i]) *
		       UINT64_C(0x100000001b3);
	return mark;
}

static void globfree_at(glob_t *found)
{
	globfree(found);
}

/* What is not there, or is no folder, holds nothing; the rest is an error. */
static int on_glob_error(const char *path, int code)
{
	return code != ENOENT && code != ENOTDIR;
}

/* errno of what glob() could not read and does not tell; 0: there is none. */
static _Thread_local int unread;

static void note_error(int code)
{
	if (code != 0 && on_glob_error(NULL, code))
		unread = code;
}

static struct dirent *read_entry(void *dir)
{
	struct dirent *entry;

	errno = 0;
	entry = readdir(dir);
	if (!entry)
		note_error(errno);
	return entry;
}

static int look_at(const char *restrict path, struct stat *restrict st)
{
	int r = stat(path, st);

	if (r < 0)
		note_error(errno);
	return r;
}

static void close_folder(void *dir)
{
	closedir(dir);
}

static void *open_folder(const char *path)
{
	return opendir(path);
}

/* What one pattern matches: 0, 1 if it is nothing, or -errno. */
static int match(glob_t *found, const char *root, const char *pattern,
		 struct error *err)
{
	CLEANUP(free) char *whole = NULL;
	int r;

	if (asprintf(&whole, "%s/%s", root, pattern) < 0) {
		whole = NULL;
		return error_set(err, -ENOMEM, "out of memory");
	}
	unread = 0;
	*found = (glob_t){
		.gl_opendir = open_folder,
		.gl_readdir = read_entry,
		.gl_closedir = close_folder,
		.gl_stat = look_at,
		.gl_lstat = look_at,
	};
	r = glob(whole, GLOB_ALTDIRFUNC, on_glob_error, found);
	if (unread != 0)
		return error_set(err, -unread,
				 "cannot read all files that '%s' names: %s",
				 pattern, strerror(unread));
	if (r == GLOB_NOMATCH)
		return 1;
	if (r != 0)
		return error_set(err, r == GLOB_NOSPACE ? -ENOMEM : -EACCES,
				 "cannot read all folders that '%s' names",
				 pattern);
	return 0;
}

/* Name, from the checkpoint directory on, is in a folder of Bellows. */
static bool is_of_bellows(const char *name)
{
	static const char *const folders[] = {
		ADAPTER_KEPT "/", ADAPTER_OWNER "/", ADAPTER_JOURNAL "/"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (strncmp(name, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

/* A file of the application's: 1, 0 or -errno. */
static int is_file(const char *path, const char *name, struct stat *st,
		   struct error *err)
{
	if (is_of_bellows(name))
		return 0;
	if (stat(path, st) == 0)
		return S_ISREG(st->st_mode);
	return on_glob_error(path, errno)
		       ? error_errno(err, "cannot read %s", name)
		       : 0;
}

/* Adds the files of one pattern to out: 0, 1 if there are none, or -errno. */
static int add_files(struct checkpoint *out, const char *root, size_t skip,
		     const char *pattern, struct error *err)
{
	CLEANUP(globfree) glob_t found = {0};
	unsigned before = out->files;
	int r = match(&found, root, pattern, err);

	if (r != 0)
		return r;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];
		struct stat st;

		r = is_file(path, path + skip + 1, &st, err);
		if (r < 0)
			return r;
		if (r == 0 || st.st_size == 0)
			continue;
		out->files++;
		out->bytes += (uint64_t)st.st_size;
		out->mark += mark_of(path + skip, &st);
	}
	return out->files == before;
}

/* The directory as a pattern that matches nothing else. */
static char *quote(const char *dir)
{
	char *out = malloc(2 * strlen(dir) + 1), *at = out;

	for (; out && *dir; dir++) {
		if (strchr("*?[\\", *dir))
			*at++ = '\\';
		*at++ = *dir;
	}
	if (out)
		*at = '\0';
	return out;
}

static int checkpoint(const struct adapter_app *app, struct checkpoint *out,
		      struct error *err)
{
	CLEANUP(free) char *root = quote(app->checkpoint_dir);
	struct checkpoint found = {0};
	DIR *dir;

	if (!root)
		return error_set(err, -ENOMEM, "out of memory");
	dir = opendir(app->checkpoint_dir);
	if (!dir)
		return error_errno(err, "cannot read %s", app->checkpoint_dir);
	closedir(dir);
	for (size_t i = 0; app->files && app->files[i]; i++) {
		int r = add_files(&found, root, strlen(app->checkpoint_dir),
				  app->files[i], err);

		if (r != 0)
			return r < 0 ? error_wrap(err, r, "%s",
						  app->checkpoint_dir)
				     : r;
	}
	if (found.files == 0)
		return 1;
	*out = found;
	return 0;
}

static int files(const struct adapter_app *app, const struct checkpoint *of,
		 int (*each)(void *user, const char *name), void *user,
		 struct error *err)
{
	CLEANUP(free) char *root = quote(app->checkpoint_dir);
	int r = root ? 0 : error_set(err, -ENOMEM, "out of memory");

	for (size_t i = 0; r == 0 && app->files && app->files[i]; i++) {
		CLEANUP(globfree) glob_t found = {0};

		r = match(&found, root, app->files[i], err);
		if (r > 0)
			r = 0;
		for (size_t k = 0; r == 0 && k < found.gl_pathc; k++) {
			const char *path = found.gl_pathv[k];
			const char *name =
				path + strlen(app->checkpoint_dir) + 1;
			struct stat st;

			r = is_file(path, name, &st, err);
			if (r > 0)
				r = each(user, name);
		}
	}
	return r;
}

static bool says_end(const struct adapter_app *app)
{
	return app->finished != NULL;
}

static enum line_kind on_line(const struct adapter_app *app, const char *line,
			      struct line_facts *facts)
{
	if (app->finished && progress_read(app->finished, line, facts))
		return LINE_FINISHED;
	if (app->resumed && progress_read(app->resumed, line, facts))
		return LINE_RESUMED;
	if (app->progress && progress_read(app->progress, line, facts))
		return LINE_PROGRESS;
	return LINE_OTHER;
}

const struct adapter adapter_generic = {
	.abi = ADAPTER_ABI,
	.name = "generic",
	.has_restart = true,
	.says_end = says_end,
	.check = check,
	.accepts = accepts,
	.command = command,
	.save = save,
	.checkpoint = checkpoint,
	.files = files,
	.on_line = on_line,
};
