/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/trial.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/program.h"
#include "base/tree.h"
#include "coordinator/launch/mpiexec.h"
#include "coordinator/launch/mpirun.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define KILL_AFTER SECONDS(3)
#define LOOK_EVERY MSEC(50)

enum {
	REASON_MAX = 256,
	REFUSED_MAX = 64, /* sizes; then the oldest is tried again */
	TEXT_MAX = 256 * 1024,
	WORDS_MAX = 64 * 1024,
};

struct refusal {
	unsigned ranks;
	char reason[REASON_MAX];
};

struct trials {
	struct loop *loop;
	const struct jobfile *job;
	const struct trials_events *events;
	void *user;
	const char *dir;
	char scratch[4096];

	bool passed[RANKS_MAX + 1];
	struct refusal refused[REFUSED_MAX];
	size_t n_refused;

	struct mpirun *run; /* NULL: none */
	unsigned ranks;
	bool cancelled;
	msec_t began;
	struct loop_timer look, kill;
};

/* ---- what is known ---- */

static const struct refusal *refusal_of(const struct trials *trials,
					unsigned ranks)
{
	size_t n = trials->n_refused < REFUSED_MAX ? trials->n_refused
						   : REFUSED_MAX;

	for (size_t i = 0; i < n; i++)
		if (trials->refused[i].ranks == ranks)
			return &trials->refused[i];
	return NULL;
}

int trials_look(const struct trials *trials, unsigned ranks, struct error *err)
{
	const struct refusal *refusal = refusal_of(trials, ranks);

	if (refusal)
		return error_set(err, -EINVAL, "%s", refusal->reason);
	if (!trials->job->adapter->trial || ranks > RANKS_MAX)
		return 0;
	return trials->passed[ranks] ? 0 : 1;
}

void trials_pass(struct trials *trials, unsigned ranks)
{
	if (ranks <= RANKS_MAX)
		trials->passed[ranks] = true;
}

static void note_refusal(struct trials *trials, unsigned ranks,
			 const char *reason)
{
	struct refusal *refusal =
		&trials->refused[trials->n_refused++ % REFUSED_MAX];

	refusal->ranks = ranks;
	snprintf(refusal->reason, sizeof(refusal->reason), "%s", reason);
}

/* ---- its end ---- */

static char *read_text(const struct trials *trials)
{
	char path[4200];
	char *text = malloc(TEXT_MAX);
	CLEANUP(close) int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/text", trials->scratch);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	n = text && fd >= 0 ? read(fd, text, TEXT_MAX - 1) : 0;
	if (text)
		text[n > 0 ? n : 0] = '\0';
	return text;
}

/* The last that is more than a ruler. */
static void last_line(const char *text, char out[REASON_MAX])
{
	*out = '\0';
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (strcspn(text, "\n-= ") < n && text[0] != '-')
			snprintf(out, REASON_MAX, "%.*s", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

/* True if the application has said why. */
static bool find_reason(const struct trials *trials, char out[REASON_MAX])
{
	const struct adapter *adapter = trials->job->adapter;
	CLEANUP(free) char *text = read_text(trials);
	char last[REASON_MAX];

	if (text && adapter->reason && adapter->reason(text, out, REASON_MAX))
		return true;
	last_line(text ? text : "", last);
	snprintf(out, REASON_MAX, "a trial on %u ranks failed: %.200s",
		 trials->ranks, last);
	return false;
}

static void tell(struct trials *trials, unsigned ranks, bool passed,
		 const char *reason)
{
	log_info("trial ranks=%u %s in %lld ms%s%s", ranks,
		 passed ? "passed" : "failed",
		 (long long)(loop_now() - trials->began), passed ? "" : ": ",
		 reason);
	if (passed) {
		trials_pass(trials, ranks);
		trials->events->passed(trials->user, ranks);
	} else {
		trials->events->failed(trials->user, ranks, reason);
	}
}

static void on_ended(void *user, int status)
{
	struct trials *trials = user;
	unsigned ranks = trials->ranks;
	bool cancelled = trials->cancelled;
	char reason[REASON_MAX] = "";

	if (status != 0 && !cancelled && find_reason(trials, reason))
		note_refusal(trials, ranks, reason);
	loop_timer_clear(&trials->look);
	loop_timer_clear(&trials->kill);
	trials->run = mpirun_destroy(trials->run);
	tree_remove_path(trials->scratch, NULL);
	if (!cancelled)
		tell(trials, ranks, status == 0, reason);
}

static void on_kill(void *user)
{
	struct trials *trials = user;

	mpirun_kill(trials->run);
}

/* Its ranks are in groups of their own, which mpiexec ends when it is asked
 * to. */
void trials_cancel(struct trials *trials)
{
	if (!trials->run || trials->cancelled)
		return;
	trials->cancelled = true;
	loop_timer_clear(&trials->look);
	mpirun_end(trials->run);
	loop_timer_set(trials->loop, &trials->kill, KILL_AFTER, on_kill,
		       trials);
}

bool trials_are_over(const struct trials *trials)
{
	return trials->run == NULL;
}

/* What it has printed may be enough. */
static void look(void *user)
{
	struct trials *trials = user;
	CLEANUP(free) char *text = read_text(trials);

	if (!text || !trials->job->adapter->passes(text)) {
		loop_timer_set(trials->loop, &trials->look, LOOK_EVERY, look,
			       trials);
		return;
	}
	trials_cancel(trials);
	tell(trials, trials->ranks, true, "");
}

/* ---- its beginning ---- */

static int make_scratch(struct trials *trials, struct error *err)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/run", trials->scratch);
	tree_remove_path(trials->scratch, NULL);
	if (mkdir(trials->scratch, 0700) < 0 || mkdir(path, 0700) < 0)
		return error_errno(err, "%s", path);
	return 0;
}

static int run(struct trials *trials, const char *const *words,
	       struct error *err)
{
	char dir[4200], text[4200];
	const struct mpirun_config config = {
		.loop = trials->loop,
		.dir = trials->dir,
		.ranks_here = trials->ranks,
		.argv = words,
		.env = (const char *const *)trials->job->environment,
		.cwd = dir,
		.log = text,
		.ended = on_ended,
		.user = trials,
	};
	int r = make_scratch(trials, err);

	snprintf(dir, sizeof(dir), "%s/run", trials->scratch);
	snprintf(text, sizeof(text), "%s/text", trials->scratch);
	if (r == 0)
		r = mpirun_start(&trials->run, &config, err);
	if (r < 0)
		tree_remove_path(trials->scratch, NULL);
	return r;
}

/* Hosts of executors may have what this one has not: then it cannot be told. */
static bool can_run(const char *program)
{
	char path[4096];

	return strchr(program, '/')
		       ? access(program, X_OK) == 0
		       : program_find(program, path, sizeof(path), NULL) == 0;
}

int trials_begin(struct trials *trials, unsigned ranks, struct error *err)
{
	const struct jobfile *job = trials->job;
	const char *argv[ADAPTER_ARGS_MAX];
	struct mpiexec_trial_words words;
	CLEANUP(free) char *text = malloc(WORDS_MAX);
	int r;

	if (!text)
		return error_set(err, -ENOMEM, "out of memory");
	if (trials->run)
		trials->run = mpirun_destroy(trials->run);
	loop_timer_clear(&trials->look);
	loop_timer_clear(&trials->kill);
	r = job->adapter->trial(&job->app, ranks, argv, text, WORDS_MAX, err);
	if (r < 0)
		return r;
	trials->ranks = ranks;
	trials->cancelled = false;
	trials->began = loop_now();
	if (!can_run(argv[0])) {
		log_warn("no trial of %u ranks: %s is not on this host", ranks,
			 argv[0]);
		trials_pass(trials, ranks);
		return 0;
	}
	r = mpiexec_trial(&words, job, ranks, argv, err);
	if (r == 0)
		r = run(trials, words.argv, err);
	if (r == 0 && job->adapter->passes)
		loop_timer_set(trials->loop, &trials->look, LOOK_EVERY, look,
			       trials);
	return r;
}

int trials_create(struct trials **out, struct loop *loop,
		  const struct jobfile *job, const char *dir,
		  const struct trials_events *events, void *user,
		  struct error *err)
{
	struct trials *trials = calloc(1, sizeof(*trials));

	if (!trials)
		return error_set(err, -ENOMEM, "out of memory");
	trials->loop = loop;
	trials->job = job;
	trials->dir = dir;
	trials->events = events;
	trials->user = user;
	snprintf(trials->scratch, sizeof(trials->scratch), "%s/mpi-trial", dir);
	*out = trials;
	return 0;
}

struct trials *trials_destroy(struct trials *trials)
{
	if (!trials)
		return NULL;
	loop_timer_clear(&trials->look);
	loop_timer_clear(&trials->kill);
	if (trials->run)
		mpirun_destroy(trials->run);
	/* mpiexec does not wait for ranks it kills: the last of them may have
	 * written once more */
	tree_remove_path(trials->scratch, NULL);
	free(trials);
	return NULL;
}
