/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/bare.h"

#include "base/cleanup.h"
#include "coordinator/members/polled.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>

/* Daemons that have lost mpiexec end their ranks within that. */
#define FALLEN_AFTER SECONDS(2)

enum {
	READ_MAX = 64 * 1024,
	WORDS_MORE = 32, /* words around those of the job file */
};

static const char sign[] = "bellows-rank";
static const char script[] =
	"echo \"bellows-rank $OMPI_COMM_WORLD_RANK $SSH_CONNECTION\"; "
	"export BELLOWS_RANK=\"$OMPI_COMM_WORLD_RANK\"; exec \"$@\"";

/* ---- what ranks print ---- */

static bool runs_where_it_belongs(const struct launch *launch, unsigned rank,
				  const char *there)
{
	int member = layout_find(&launch->layout, rank);
	char address[POLLED_ADDRESS_MAX];

	return !polled_address(there, address) ||
	       strcmp(members_ledger(launch->room->members)
			      ->members[member]
			      .address,
		      address) == 0;
}

/* The line that the script prints before all others. */
static bool take_sign(struct bare *bare, unsigned rank, const char *text)
{
	struct launch *launch = &bare->launch;
	char from[64], there[POLLED_ADDRESS_MAX] = "";
	struct error err;
	unsigned said;

	if (bare->here[rank] || strncmp(text, sign, sizeof(sign) - 1) ||
	    sscanf(text + sizeof(sign) - 1, " %u %63s %*u %63s", &said, from,
		   there) < 1 ||
	    said != rank)
		return false;
	bare->here[rank] = true;
	bare->n_here++;
	if (!runs_where_it_belongs(launch, rank, there)) {
		error_describe(
			&err,
			"rank %u runs on %s and not where the hostfile says",
			rank, there);
		launch_fail(launch, err.text, false, 0);
	}
	if (bare->n_here == launch->layout.ranks)
		launch_set_up(launch);
	return true;
}

void bare_on_line(void *user, int rank, bool error, const char *text, size_t n)
{
	struct bare *bare = user;
	struct launch *launch = &bare->launch;
	char line[256];

	if (rank == XMLOUT_OWN) {
		mpirun_note(launch->mpirun, text, n);
		return;
	}
	snprintf(line, sizeof(line), "%.*s",
		 (int)(n < sizeof(line) ? n : sizeof(line) - 1), text);
	if (!error && take_sign(bare, (unsigned)rank, line))
		return;
	launch->room->events->printed(launch->room->user, launch->epoch,
				      (unsigned)rank, error, text, n);
}

void bare_drop_output(struct bare *bare)
{
	bare->watch = loop_fd_remove(bare->watch);
	if (bare->out >= 0)
		close(bare->out);
	bare->out = -1;
}

/* Reads once.  Returns false where mpiexec has written nothing more. */
static bool read_some(struct bare *bare)
{
	char text[READ_MAX];
	ssize_t n = read(bare->out, text, sizeof(text));

	if (n > 0)
		xmlout_feed(bare->xmlout, text, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		bare_drop_output(bare);
	return n > 0;
}

static void on_output(void *user, uint32_t events)
{
	read_some(user);
}

void launch_hold_back(struct launch *launch, bool yes)
{
	struct bare *bare = bare_of(launch);

	if (!launch_is_gated(launch) && bare->watch)
		loop_fd_set(bare->watch, yes ? 0 : EPOLLIN);
}

/* ---- mpiexec ---- */

static void on_fallen(void *user)
{
	struct bare *bare = user;

	bare->fallen = false;
	bare_look_for_ranks(bare);
}

static void on_mpiexec_end(void *user, int status)
{
	struct launch *launch = user;
	struct bare *bare = user;

	while (bare->out >= 0 && read_some(bare))
		;
	xmlout_end(bare->xmlout);
	bare_drop_output(bare);
	if (bare->fallen)
		loop_timer_set(launch->room->loop, &bare->kill, FALLEN_AFTER,
			       on_fallen, bare);
	if (bare->saving)
		bare_judge_at_end(bare);
	if (bare->n_here > 0)
		launch->room->events->ended(launch->room->user, launch, status);
	else
		launch_fail_unborn(launch, status);
	bare_look_for_ranks(bare);
}

/* Appends what is run; texts: for what is not borrowed. */
static void add_words(const struct launch *launch, const char **words,
		      const char *const *argv, const char *epoch)
{
	const struct jobfile *job = launch->room->job;
	const char *const begin[] = {
		"--xml",
		"--wdir",
		job->app.dir,
		/* SIGKILL comes at once after SIGTERM: no rank that is stopped
		 * is to write anything more */
		"--mca",
		"odls_base_sigkill_timeout",
		"0",
		"-x",
		epoch,
	};
	const char *const shell[] = {"sh", "-c", script, argv[0]};
	size_t n = 0;

	for (size_t i = 0; i < LENGTH(begin); i++)
		words[n++] = begin[i];
	for (size_t i = 0; job->environment[i]; i++) {
		words[n++] = "-x";
		words[n++] = job->environment[i];
	}
	for (size_t i = 0; i < LENGTH(shell); i++)
		words[n++] = shell[i];
	while (*argv)
		words[n++] = *argv++;
	words[n] = NULL;
}

int bare_run(struct bare *bare, struct error *err)
{
	struct launch *launch = &bare->launch;
	const char *argv[ADAPTER_ARGS_MAX];
	CLEANUP(free) char *text = malloc(LAUNCH_TEXT_MAX);
	CLEANUP(free) const char **words = NULL;
	CLEANUP(close) int in = -1;
	char epoch[32];
	int fds[2], r = launch_command(launch, argv, text, err);

	if (r < 0)
		return r;
	snprintf(epoch, sizeof(epoch), "BELLOWS_EPOCH=%u", launch->epoch);
	words = calloc(WORDS_MORE + launch_count(argv) +
			       2 * launch_count(launch->room->job->environment),
		       sizeof(*words));
	if (!words)
		return error_set(err, -ENOMEM, "out of memory");
	add_words(launch, words, argv, epoch);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_errno(err, "pipe");
	bare->out = fds[0];
	in = fds[1];
	fcntl(bare->out, F_SETFL, O_NONBLOCK);
	r = loop_fd_add(&bare->watch, launch->room->loop, bare->out, EPOLLIN,
			on_output, bare, err);
	return r < 0 ? r
		     : launch_run_mpiexec(launch, words, in, on_mpiexec_end,
					  err);
}
