/* SPDX-License-Identifier: Apache-2.0 */
#include "jobfile/schema.h"
#include "apps/adapters.h"
#include "base/list.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* clang-format off */
static const struct schema_word policies[] = {
	{ "manual",   SCALE_MANUAL   },
	{ "schedule", SCALE_SCHEDULE },
	{ "benefit",  SCALE_BENEFIT  },
	{ "threshold", SCALE_THRESHOLD },
	{ NULL, 0 },
};

static const struct schema_word goals[] = {
	{ "soonest",    SCALE_SOONEST    },
	{ "cheapest",   SCALE_CHEAPEST   },
	{ "deadline",   SCALE_FINISH_BY  },
	{ "efficiency", SCALE_EFFICIENCY },
	{ NULL, 0 },
};

static const struct schema_word intervals[] = {
	{ "auto", CHECKPOINT_AUTO },
	{ "none", CHECKPOINT_NONE },
	{ NULL, 0 },
};

static const struct schema_word stalls[] = {
	{ "none", 0 },
	{ NULL, 0 },
};

static const struct schema_word on_stalls[] = {
	{ "tell",    false },
	{ "restart", true  },
	{ NULL, 0 },
};

static const struct schema_word keeps[] = {
	{ "two", false },
	{ "one", true  },
	{ NULL, 0 },
};

static const struct schema_word networks[] = {
	{ "auto", NETWORK_AUTO },
	{ "tcp",  NETWORK_TCP  },
	{ "any",  NETWORK_ANY  },
	{ NULL, 0 },
};

static const struct schema_word profiles[] = {
	{ "network", PROFILE_NETWORK },
	{ "cpu",     PROFILE_CPU     },
	{ "memory",  PROFILE_MEMORY  },
	{ NULL, 0 },
};

static const struct schema_word launchers[] = {
	{ "stream", LAUNCHER_STREAM },
	{ "ssh",    LAUNCHER_SSH    },
	{ NULL, 0 },
};

static const struct schema_word binds[] = {
	{ "none",   BIND_NONE   },
	{ "core",   BIND_CORE   },
	{ "socket", BIND_SOCKET },
	{ "numa",   BIND_NUMA   },
	{ NULL, 0 },
};

static const struct schema_word unreadables[] = {
	{ "fail",  false },
	{ "begin", true  },
	{ NULL, 0 },
};

static const struct schema_word truths[] = {
	{ "false", false },
	{ "true",  true  },
	{ NULL, 0 },
};

static const struct schema_word rights[] = {
	{ "drop", false },
	{ "keep", true  },
	{ NULL, 0 },
};

static const struct schema_word proofs[] = {
	{ "required", false },
	{ "none",     true  },
	{ NULL, 0 },
};

static const struct schema_word signals[] = {
	{ "none",    0       },
	{ "SIGUSR1", SIGUSR1 },
	{ "SIGUSR2", SIGUSR2 },
	{ "SIGTERM", SIGTERM },
	{ "SIGINT",  SIGINT  },
	{ "SIGHUP",  SIGHUP  },
	{ "SIGALRM", SIGALRM },
	{ NULL, 0 },
};

static const struct schema_word receivers[] = {
	{ "all",   false },
	{ "first", true  },
	{ NULL, 0 },
};

#define AT(type, member) \
	.at = offsetof(struct type, member), \
	.size = sizeof(((struct type *)0)->member)
#define JOB(member)   AT(jobfile, member)
#define STEP(member)  AT(schedule_step, member)
#define RANKS         .min = 1, .max = RANKS_MAX
#define ARGUMENTS     .max = ADAPTER_ARGS_MAX - 1
#define DEADLINE      .min = 100, .max = MINUTES(60 * 24 * 7)

const struct schema_key schema_keys[] = {
{ "name", KEY_NAME, JOB(name), .required = true,
  .help = "The job's name, in lists, logs and names of pods." },
{ "app", KEY_APP, JOB(adapter), .required = true,
  .help = "The adapter that knows the application; generic: the section of"
	  " that name." },
{ "command", KEY_COMMAND, JOB(app.command), ARGUMENTS, .required = true,
  .help = "Program and arguments, without mpiexec; 48 KiB at most." },
{ "dir", KEY_FOLDER, JOB(app.dir), .fallback = "(the folder of the job file)",
  .help = "Working directory of the ranks; relative to the job file." },
{ "environment", KEY_ENVIRONMENT, JOB(environment), .max = 1000,
  .help = "Added to the environment of the ranks; 128 KiB at most." },
{ "restarts", KEY_NUMBER, JOB(restarts), .max = 1000, .fallback = "3",
  .help = "How often the job is started again after losses and crashes." },
{ "wait_deadline", KEY_DURATION, JOB(wait_deadline), DEADLINE,
  .fallback = "5min",
  .help = "How long to wait for the executors that the job begins with." },
{ "start_deadline", KEY_DURATION, JOB(start_deadline), DEADLINE,
  .fallback = "60s",
  .help = "How long the ranks may take to come up." },
{ "resume_deadline", KEY_DURATION, JOB(resume_deadline), DEADLINE,
  .fallback = "10min",
  .help = "How long they may then take to prove that they went on from the"
	  "\ncheckpoint: a step, or a line that says so." },
{ "lost_after", KEY_DURATION, JOB(lost_after), .min = SECONDS(1), .max = MINUTES(10),
  .fallback = "3s",
  .help = "How long an executor may be silent before it is lost.  Its ranks"
	  " stand\nstill after two thirds of that, until it is heard again." },
{ "replacement_wait", KEY_DURATION, JOB(replacement_wait), .max = MINUTES(10),
  .fallback = "500ms",
  .help = "How long the ranks wait after a loss for executors that have joined"
	  " and are\nabout to be ready; 0s: not at all." },
{ "stall_after", KEY_DURATION, JOB(stall_after),
  .min = SECONDS(1), .max = MINUTES(60 * 24 * 7), .words = stalls,
  .fallback = "none",
  .help = "How long ranks that are up may make no new step, or print nothing if"
	  " steps are\nnot known, before it is told that the job stands still." },
{ "on_stall", KEY_WORD, JOB(restarts_stalled), .words = on_stalls,
  .fallback = "tell",
  .help = "What follows then: it is told and no more, or the ranks are killed"
	  " too, and\nstart again from the checkpoint, which counts as one of"
	  " restarts." },
{ "restart", KEY_COMMAND, JOB(app.restart), ARGUMENTS,
  .fallback = "(command)",
  .help = "Program and arguments to go on from a checkpoint; for an adapter"
	  " that\ntakes it.  {checkpoint} stands for the checkpoint." },
{ "settings", KEY_ENVIRONMENT, JOB(app.settings), .max = 100,
  .help = "Further settings of the adapter, if it has some." },
{ "kub", KEY_WORD, JOB(kub), .words = truths, .fallback = "false",
  .help = "Serve Kub's own programs too; needs mpi.launcher: ssh." },
{ "kub_private_key", KEY_WORD, JOB(kub_private_key), .words = truths,
  .fallback = "false",
  .help = "Give them the job's private key, over a connection that is not"
	  "\nencrypted." },
{ "rights", KEY_WORD, JOB(keep_rights), .words = rights, .fallback = "drop",
  .help = "Drop: setuid programs gain nothing, and root has the capabilities of a"
	  "\ncontainer.  Keep: all that the user who starts the job has." },

{ "ranks.initial", KEY_NUMBER, JOB(ranks.initial), RANKS, .required = true,
  .help = "Ranks to begin with." },
{ "ranks.min", KEY_NUMBER, JOB(ranks.min), RANKS, .fallback = "1",
  .help = "Fewest ranks it is ever given." },
{ "ranks.max", KEY_NUMBER, JOB(ranks.max), RANKS,
  .fallback = "(ranks.initial)",
  .help = "Most ranks it is ever given." },
{ "ranks_per_executor", KEY_NUMBER, JOB(ranks_per_executor), RANKS,
  .fallback = "1",
  .help = "Ranks that an executor, a pod, has room for." },

{ "checkpoint.dir", KEY_FOLDER, JOB(app.checkpoint_dir), .required = true,
  .help = "Where the application keeps its checkpoint; relative to dir." },
{ "checkpoint.deadline", KEY_DURATION, JOB(checkpoint_deadline), DEADLINE,
  .fallback = "60s",
  .help = "How long a checkpoint that was asked for may take." },
{ "checkpoint.interval", KEY_DURATION, JOB(checkpoint_interval),
  .min = SECONDS(1), .max = MINUTES(60 * 24 * 7), .words = intervals,
  .fallback = "auto",
  .help = "How long to compute between checkpoints that nobody asks for; auto:"
	  " what costs\nleast, for applications that write none by themselves." },
{ "checkpoint.mtbf", KEY_DURATION, JOB(checkpoint_mtbf),
  .min = SECONDS(1), .max = MINUTES(60 * 876000), .fallback = "8760h",
  .help = "Mean time between failures of one node, for checkpoint.interval:"
	  " auto." },
{ "checkpoint.keep", KEY_WORD, JOB(checkpoint_keep_one), .words = keeps,
  .fallback = "two",
  .help = "Complete checkpoints that are kept, where the application itself"
	  " keeps one." },
{ "checkpoint.unreadable", KEY_WORD, JOB(begins_anew), .words = unreadables,
  .fallback = "fail",
  .help = "What to do if no checkpoint that is kept can be read: fail, or begin"
	  " anew.\nThe files are kept in either case." },

{ "scale.policy", KEY_WORD, JOB(policy), .words = policies,
  .fallback = "(schedule if there is one, or else manual)",
  .help = "What asks for other sizes: people and programs, or scale.schedule, or"
	  "\nscale.goal by what it gains, or scale.query by its value." },
{ "scale.goal", KEY_WORD, JOB(goal), .words = goals, .fallback = "soonest",
  .help = "The size that policy: benefit looks for: it ends soonest; it takes the"
	  " fewest\nrank-seconds; the smallest that ends before scale.finish_by;"
	  " the largest that\nhas scale.efficiency." },
{ "scale.finish_by", KEY_DURATION, JOB(finish_by), DEADLINE,
  .help = "For goal: deadline: when the job is to end, since it began." },
{ "scale.efficiency", KEY_PERCENT, JOB(efficiency), .min = 1, .max = 100,
  .fallback = "50%",
  .help = "For goal: efficiency: speed-up over one rank, by the number of ranks." },
{ "scale.probe", KEY_WORD, JOB(probes), .words = truths, .fallback = "true",
  .help = "Whether policy: benefit may try sizes to learn what steps take there,"
	  " if that\ncosts at most 3 % of what is left." },
{ "scale.prometheus", KEY_TEXT, JOB(threshold.server),
  .help = "For policy: threshold: the URL of a Prometheus server, as"
	  " http://prometheus:9090." },
{ "scale.query", KEY_TEXT, JOB(threshold.query),
  .help = "The query (PromQL) whose value is looked at, one number; 4096 bytes"
	  " at most." },
{ "scale.above", KEY_REAL, JOB(threshold.above),
  .help = "While the value is above it, the job is to have more ranks." },
{ "scale.below", KEY_REAL, JOB(threshold.below),
  .help = "While the value is below it, the job is to have fewer." },
{ "scale.for", KEY_DURATION, JOB(threshold.lasts), .max = MINUTES(60 * 24 * 7),
  .fallback = "30s",
  .help = "How long the value is to be there before a change is stated." },
{ "scale.step", KEY_NUMBER, JOB(threshold.step), RANKS, .fallback = "1",
  .help = "How many ranks more or fewer, at least." },
{ "scale.every", KEY_DURATION, JOB(threshold.every),
  .min = SECONDS(1), .max = MINUTES(60), .fallback = "15s",
  .help = "How often the value is looked at." },
{ "scale.ca_file", KEY_FOLDER, JOB(threshold.ca_file),
  .help = "File with the authorities (PEM) that sign the server's certificate,"
	  " read by the\nmonitor; relative to the job file.  Not given: those of"
	  " the system." },
{ "scale.token_file", KEY_FOLDER, JOB(threshold.token_file),
  .help = "File with a token for the server (Bearer), read by the monitor;"
	  " relative to the\njob file." },
{ "scale.deadline", KEY_DURATION, JOB(scale_deadline), DEADLINE,
  .fallback = "5min",
  .help = "How long to wait for the executors of a larger size." },
{ "scale.schedule", KEY_STEPS, JOB(schedule), .max = SCHEDULE_MAX,
  .help = "Sizes and when: [{at: 30%, ranks: 4}, {at: 5min, ranks: 2}]." },
{ "scale.schedule[].at", KEY_MOMENT, STEP(progress), .required = true,
  .max = MINUTES(60 * 24 * 365),
  .help = "Of the application's progress, or since it began to compute." },
{ "scale.schedule[].ranks", KEY_NUMBER, STEP(ranks), RANKS, .required = true,
  .help = "The size from then on." },

{ "placement.profile", KEY_WORD, JOB(profile), .words = profiles,
  .help = "What bounds its speed.  network: its executors are on as few nodes as"
	  " can be;\ncpu, memory: evenly on all nodes.  Not given: in the order of"
	  " their names." },
{ "placement.move_price", KEY_NUMBER, JOB(move_price), .max = RANKS_MAX,
  .fallback = "0",
  .help = "What a rank costs that a rescale moves to another executor, in ranks"
	  " that a\nnode has too many; 0: the layout is as even as that of a new"
	  " job." },
{ "placement.exclusive", KEY_WORD, JOB(exclusive), .words = truths,
  .fallback = "false",
  .help = "In a cluster, executors' pods are limited to what they request, in"
	  " whole\nprocessors, which a kubelet can then give to each alone." },
{ "placement.bind", KEY_WORD, JOB(bind), .words = binds, .fallback = "none",
  .help = "What each rank is bound to: nothing, a core of its own, or a socket or"
	  " NUMA node\nthat it shares." },
{ "placement.strict", KEY_WORD, JOB(bind_strict), .words = truths,
  .fallback = "false",
  .help = "What to do where ranks cannot be bound so: run as is possible and tell"
	  " it, or\nmake no start." },

{ "mpi.arguments", KEY_TEXTS, JOB(mpi_arguments), ARGUMENTS,
  .help = "More arguments for mpiexec." },
{ "mpi.network", KEY_WORD, JOB(network), .words = networks,
  .fallback = "auto",
  .help = "What Open MPI may use: by what the hosts have, TCP only, anything." },
{ "mpi.launcher", KEY_WORD, JOB(launcher), .words = launchers,
  .fallback = "stream",
  .help = "How mpiexec reaches other hosts: by the executors' own connection,"
	  "\nor by an sshd of each executor." },
{ "mpi.key", KEY_FOLDER, JOB(mpi_key),
  .help = "File of a private key for mpi.launcher: ssh, read by the coordinator;"
	  "\nrelative to the job file.  Not given: one is made for the job." },

{ "generic.save.signal", KEY_WORD, JOB(app.save_signal), .words = signals,
  .fallback = "none",
  .help = "Makes it write a checkpoint and leave; none: it writes when it"
	  " likes." },
{ "generic.save.to", KEY_WORD, JOB(app.save_first), .words = receivers,
  .fallback = "all",
  .help = "The ranks that get the signal: all, or the first alone." },
{ "generic.files", KEY_TEXTS, JOB(app.files), ARGUMENTS,
  .help = "Patterns below checkpoint.dir; the checkpoint is complete when"
	  " each\nmatches a file that is not empty." },
{ "generic.progress", KEY_TEXT, JOB(app.progress),
  .help = "A regular expression (PCRE2), searched for in lines of rank 0;"
	  " group 1 is\nthe step, group 2, if there is one, the total;"
	  " ([0-9.]+)% is of 100." },
{ "generic.resumed", KEY_TEXT, JOB(app.resumed),
  .help = "The same for a line that proves that it went on from a checkpoint;"
	  "\ngroup 1, if there is one, is the step." },
{ "generic.finished", KEY_TEXT, JOB(app.finished),
  .help = "The same for its last word: a line without which an end with"
	  " status 0\nis no end, and the job goes on from its checkpoint." },
{ "generic.proof", KEY_WORD, JOB(app.unproven), .words = proofs,
  .fallback = "required",
  .help = "Whether it must prove that it went on: by resumed, or else by"
	  " progress." },
{ "generic.ranks", KEY_NUMBERS, JOB(app.accepts), RANKS,
  .help = "The numbers of ranks it runs on; not given: any." },
};
/* clang-format on */

const struct schema_key *schema_find(const char *path)
{
	for (size_t i = 0; i < SCHEMA_KEYS; i++)
		if (strcmp(schema_keys[i].path, path) == 0)
			return &schema_keys[i];
	return NULL;
}

bool schema_has_section(const char *section)
{
	for (size_t i = 0; i < SCHEMA_KEYS; i++)
		if (schema_is_within(&schema_keys[i], section))
			return true;
	return false;
}

bool schema_is_within(const struct schema_key *key, const char *section)
{
	size_t n = strlen(section);

	return strncmp(key->path, section, n) == 0 &&
	       !strchr(key->path + n, '[');
}

const char *schema_duration(msec_t duration, char *text, size_t n)
{
	/* clang-format off */
	static const struct { const char *name; msec_t length; } units[] = {
		{ "h", MINUTES(60) }, { "min", MINUTES(1) },
		{ "s", SECONDS(1)  }, { "ms",  1          },
	};
	/* clang-format on */
	size_t i = 0;

	while (duration % units[i].length != 0)
		i++;
	if (duration == 0)
		i = LENGTH(units) - 2;
	snprintf(text, n, "%" PRId64 "%s", duration / units[i].length,
		 units[i].name);
	return text;
}

static const char *list_words(const struct schema_word *words, char *text,
			      size_t n)
{
	size_t at = 0;

	for (; words->text && at < n; words++)
		at += (size_t)snprintf(text + at, n - at, "%s%s",
				       at > 0 ? ", " : "one of ", words->text);
	return text;
}

static const char *duration_range(const struct schema_key *key, char *text,
				  size_t n)
{
	char min[32], max[32];

	int at = 0;

	for (const struct schema_word *word = key->words; word && word->text;
	     word++)
		at += snprintf(text + at, n - (size_t)at, "%s, ", word->text);
	snprintf(text + at, n - (size_t)at,
		 "%sa duration from %s to %s, with its unit: ms, s, "
		 "min or h",
		 key->words ? "or " : "",
		 schema_duration(key->min, min, sizeof(min)),
		 schema_duration(key->max, max, sizeof(max)));
	return text;
}

const char *schema_wanted(const struct schema_key *key, char *text, size_t n)
{
	char names[256];

	switch (key->type) {
	case KEY_NAME:
		return "1 to 40 of a-z, 0-9 and -";
	case KEY_APP:
		snprintf(text, n, "one of %s",
			 adapter_names(names, sizeof(names)));
		return text;
	case KEY_TEXT:
		return "a text";
	case KEY_FOLDER:
		return "a path";
	case KEY_TEXTS:
		return "a list of texts";
	case KEY_COMMAND:
		return "a list: program and arguments";
	case KEY_NUMBER:
		snprintf(text, n, "a number from %" PRId64 " to %" PRId64,
			 key->min, key->max);
		return text;
	case KEY_NUMBERS:
		snprintf(text, n,
			 "a list of numbers from %" PRId64 " to %" PRId64,
			 key->min, key->max);
		return text;
	case KEY_DURATION:
		return duration_range(key, text, n);
	case KEY_PERCENT:
		snprintf(text, n,
			 "a percentage from %" PRId64 "%% to %" PRId64 "%%",
			 key->min, key->max);
		return text;
	case KEY_REAL:
		return "a number, as 10, -0.5 or 1e9";
	case KEY_MOMENT:
		return "a progress, as 30%, or a duration with its unit, as "
		       "90s";
	case KEY_WORD:
		return list_words(key->words, text, n);
	case KEY_ENVIRONMENT:
		return "a mapping of names to values";
	case KEY_STEPS:
		return "a list of {at: 30%, ranks: 4}";
	}
	return NULL;
}
