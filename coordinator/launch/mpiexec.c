/* SPDX-License-Identifier: Apache-2.0 */
#include "coordinator/launch/mpiexec.h"

#include "coordinator/launch/subnet.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ALIAS_BASE = 1 << 16 }; /* 127.1.0.0: none is this host's own */

void mpiexec_alias(char text[ALIAS_MAX], int member)
{
	unsigned n = ALIAS_BASE + 1u + (unsigned)member;

	snprintf(text, ALIAS_MAX, "127.%u.%u.%u", n >> 16 & 0xff, n >> 8 & 0xff,
		 n & 0xff);
}

int mpiexec_member(const char *alias)
{
	unsigned a, b, c, n;
	char rest;

	if (sscanf(alias, "127.%3u.%3u.%3u%c", &a, &b, &c, &rest) != 3 ||
	    a > 255 || b > 255 || c > 255)
		return NO_MEMBER;
	n = a << 16 | b << 8 | c;
	return n > ALIAS_BASE && n <= ALIAS_BASE + MEMBERS_MAX
		       ? (int)(n - ALIAS_BASE - 1)
		       : NO_MEMBER;
}

/* clang-format off */
/* A line of the hostfile holds the ranks that follow each other. */
static const char *const by_slot[] = {
	"--map-by", "slot", "--bind-to", "none",
	NULL,
};
/* A line of the hostfile is the host of one rank. */
static const char *const by_line[] = {
	"--map-by", "seq", "--bind-to", "none",
	NULL,
};
/* The rankfile says where each rank is. */
static const char *const bound[] = {
	"--mca", "rmaps_rank_file_physical", "1",
	"--mca", "hwloc_base_use_hwthreads_as_cpus", "1",
	NULL,
};
static const char *const fixed[] = {
	/* handing on its end crashes a daemon now and then (4.1) */
	"--stdin", "none",
	"--mca", "plm", "rsh",
	"--mca", "plm_rsh_no_tree_spawn", "1",
	"--mca", "orte_leave_session_attached", "1",
	NULL,
};
static const char *const tuned[] = {
	"--mca", "pml", "ob1",
	"--mca", "btl", "tcp,self,vader",
	"--mca", "osc", "^ucx",
	"--mca", "mtl", "^ofi",
	"--mca", "mpi_event_tick_rate", "1000",
	NULL,
};
static const char *const btl_loopback[] = {
	"--mca", "btl_tcp_if_include", "lo",
	NULL,
};
static const char *const oob_loopback[] = {
	"--mca", "oob_tcp_if_include", "lo",
	NULL,
};
static const char *const btl_v6[] = {
	"--mca", "btl_tcp_disable_family", "4",
	NULL,
};
static const char *const oob_v6[] = {
	"--mca", "oob_tcp_disable_ipv4_family", "1",
	NULL,
};
static const char *const alone[] = {
	"--oversubscribe", "--bind-to", "none",
	"--mca", "plm", "isolated",
	NULL,
};
/* Ranks of a trial have nothing to put in order when they are ended. */
static const char *const kill_at_once[] = {
	"--mca", "odls_base_sigkill_timeout", "0",
	NULL,
};
static const char *const yielding[] = {
	"--mca", "mpi_yield_when_idle", "1",
	NULL,
};
/* clang-format on */

static bool any_fast(const struct ledger *ledger, const struct layout *layout)
{
	for (int i = 0; i < layout->n; i++)
		if (ledger->members[layout->places[i].member].fast_network)
			return true;
	return false;
}

static bool one_machine(const struct ledger *ledger,
			const struct layout *layout)
{
	for (int i = 1; i < layout->n; i++)
		if (strcmp(ledger->members[layout->places[0].member].machine,
			   ledger->members[layout->places[i].member].machine))
			return false;
	return true;
}

/* If there are more ranks than processors, a rank that waits must yield its
 * processor.  Executors of one machine may use the same processors; those of
 * one node have a share each, or all have all. */
static bool crowded(const struct ledger *ledger, const struct layout *layout)
{
	for (int i = 0; i < layout->n; i++) {
		const struct member *m =
			&ledger->members[layout->places[i].member];
		unsigned machine = 0, node = 0;

		for (int j = 0; j < layout->n; j++) {
			const struct place *at = &layout->places[j];
			const struct member *other =
				&ledger->members[at->member];

			if (!strcmp(other->machine, m->machine))
				machine += at->ranks;
			if (!strcmp(other->node, m->node))
				node += at->ranks;
		}
		if (machine > m->cores || node > m->node_cores)
			return true;
	}
	return false;
}

static bool is_tuned(const struct jobfile *job, const struct ledger *ledger,
		     const struct layout *layout)
{
	switch (job->network) {
	case NETWORK_AUTO:
		return !any_fast(ledger, layout) && !member_all_polled(ledger);
	case NETWORK_TCP:
		return true;
	case NETWORK_ANY:
		return false;
	}
	return false;
}

const char *mpiexec_network(const struct jobfile *job,
			    const struct ledger *ledger,
			    const struct layout *layout)
{
	if (job->network == NETWORK_TCP)
		return "tcp and shared memory, as the job file asks";
	if (job->network == NETWORK_ANY)
		return "Open MPI's choice, as the job file asks";
	if (member_all_polled(ledger))
		return "Open MPI's choice: what networks the hosts have is not "
		       "known";
	if (any_fast(ledger, layout))
		return "Open MPI's choice: a host has a fast network";
	if (one_machine(ledger, layout))
		return "loopback and shared memory: all ranks are on one "
		       "machine";
	return "tcp and shared memory: no host has a fast network";
}

static struct subnet common(const struct ledger *ledger,
			    const struct layout *layout)
{
	struct subnet subnet = {0};

	for (int i = 0; i < layout->n; i++)
		subnet_add(&subnet,
			   ledger->members[layout->places[i].member].address);
	return subnet;
}

/* Open MPI does not take the same twice, nor to include and to exclude. */
static bool mentions(const struct jobfile *job, const char *part)
{
	for (size_t i = 0; job->mpi_arguments[i]; i++)
		if (strstr(job->mpi_arguments[i], part))
			return true;
	return false;
}

/* Appends the words of list, which ends with NULL; silently up to the bound,
 * which mpiexec_words() has checked. */
static void add(struct mpiexec_words *out, const char *const *list)
{
	while (*list && out->n < MPIEXEC_ARGS_MAX - 1)
		out->argv[out->n++] = *list++;
	out->argv[out->n] = NULL;
}

static int check_users(const struct jobfile *job, struct error *err)
{
	size_t users = 0;

	while (job->mpi_arguments[users])
		users++;
	return users <= MPIEXEC_USERS_MAX
		       ? 0
		       : error_set(err, -E2BIG,
				   "mpi.arguments: %zu, at most %d", users,
				   MPIEXEC_USERS_MAX);
}

/* An executor without an address is on mpiexec's machine. */
static bool all_here(const struct ledger *ledger, const struct layout *layout)
{
	for (int i = 0; i < layout->n; i++)
		if (*ledger->members[layout->places[i].member].address)
			return false;
	return one_machine(ledger, layout);
}

/* How the daemons find mpiexec and each other. */
static void add_oob(struct mpiexec_words *out, const struct subnet *subnet,
		    bool here)
{
	const char *const words[] = {"--mca", "oob_tcp_if_include",
				     out->oob_subnet, NULL};

	if (here)
		add(out, oob_loopback);
	else if (subnet_is_v6(subnet))
		add(out, oob_v6);
	else if (subnet_text(subnet, out->oob_subnet))
		add(out, words);
}

/* How the ranks find each other. */
static void add_btl(struct mpiexec_words *out, const struct subnet *subnet,
		    bool together)
{
	const char *const words[] = {"--mca", "btl_tcp_if_include",
				     out->btl_subnet, NULL};

	if (together)
		add(out, btl_loopback);
	else if (subnet_is_v6(subnet))
		add(out, btl_v6);
	else if (subnet_text(subnet, out->btl_subnet))
		add(out, words);
}

static void add_network(struct mpiexec_words *out, const struct jobfile *job,
			const struct ledger *ledger,
			const struct layout *layout, const char *own)
{
	struct subnet subnet = common(ledger, layout);
	bool tune = is_tuned(job, ledger, layout);

	if (tune)
		add(out, tuned);
	if (tune && !mentions(job, "btl_tcp_if_"))
		add_btl(out, &subnet, one_machine(ledger, layout));
	subnet_add(&subnet, own);
	if (job->network != NETWORK_ANY && !mentions(job, "oob_tcp_if_"))
		add_oob(out, &subnet, all_here(ledger, layout));
}

/* mpiexec refuses a parameter that is given twice. */
static void add_yielding(struct mpiexec_words *out, const struct jobfile *job)
{
	if (!mentions(job, "mpi_yield_when_idle"))
		add(out, yielding);
}

int mpiexec_words(struct mpiexec_words *out, const struct jobfile *job,
		  const struct ledger *ledger, const struct layout *layout,
		  const char *own, const char *hostfile, const char *rankfile,
		  const char *agent, struct error *err)
{
	const char *const hosts[] = {"mpiexec", "--hostfile", hostfile,
				     "-np",     out->ranks,   NULL};
	const char *const ranks[] = {"--rankfile", rankfile, NULL};
	const char *const rsh[] = {"--mca", "plm_rsh_agent", agent, NULL};
	int r = check_users(job, err);

	if (r < 0)
		return r;
	out->n = 0;
	snprintf(out->ranks, sizeof(out->ranks), "%u", layout->ranks);
	add(out, hosts);
	if (rankfile)
		add(out, ranks);
	add(out, rankfile                     ? bound
		 : layout_is_in_order(layout) ? by_slot
					      : by_line);
	add(out, fixed);
	add(out, rsh);
	add_network(out, job, ledger, layout, own);
	if (crowded(ledger, layout))
		add_yielding(out, job);
	add(out, job->mpi_arguments);
	return 0;
}

int mpiexec_trial(struct mpiexec_trial_words *out, const struct jobfile *job,
		  unsigned ranks, const char *const *app, struct error *err)
{
	const char *const number[] = {"mpiexec", "-np", out->ranks, NULL};
	struct mpiexec_words words = {.n = 0};
	int r = check_users(job, err);
	size_t n = 0;

	if (r < 0)
		return r;
	snprintf(out->ranks, sizeof(out->ranks), "%u", ranks);
	add(&words, number);
	add(&words, alone);
	if (job->network != NETWORK_ANY) {
		add(&words, tuned);
		add(&words, btl_loopback);
		add(&words, oob_loopback);
	}
	add_yielding(&words, job);
	if (!mentions(job, "odls_base_sigkill_timeout"))
		add(&words, kill_at_once);
	add(&words, job->mpi_arguments);
	memcpy(out->argv, words.argv, words.n * sizeof(words.argv[0]));
	while (app[n] && n < ADAPTER_ARGS_MAX - 1) {
		out->argv[words.n + n] = app[n];
		n++;
	}
	out->argv[words.n + n] = NULL;
	return 0;
}

static void write_places(FILE *f, const struct ledger *ledger,
			 const struct layout *layout)
{
	char alias[ALIAS_MAX];

	for (int i = 0; i < layout->n; i++) {
		const struct place *place = &layout->places[i];

		mpiexec_alias(alias, place->member);
		fprintf(f, "%s slots=%u # %s\n", alias, place->ranks,
			ledger->members[place->member].name);
	}
}

static void write_ranks(FILE *f, const struct ledger *ledger,
			const struct layout *layout)
{
	char alias[ALIAS_MAX];

	for (unsigned rank = 0; rank < layout->ranks; rank++) {
		int member = layout_find(layout, rank);

		mpiexec_alias(alias, member);
		fprintf(f, "%s # %s: rank %u\n", alias,
			ledger->members[member].name, rank);
	}
}

int mpiexec_write_hostfile(const char *path, const struct ledger *ledger,
			   const struct layout *layout, struct error *err)
{
	CLEANUP(fclose) FILE *f = fopen(path, "we");

	if (!f)
		return error_errno(err, "%s", path);
	if (layout_is_in_order(layout))
		write_places(f, ledger, layout);
	else
		write_ranks(f, ledger, layout);
	return fflush(f) == 0 ? 0 : error_errno(err, "%s", path);
}
