/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "cli/commands/args.h"
#include "jobfile/exit.h"

#include <string.h>

#define ARG(member) offsetof(struct args, member)

enum { ON_JOB = ON_SCALE | ON_STATUS | ON_WATCH | ON_CANCEL | ON_HISTORY };

/* clang-format off */
const struct option_row flags[] = {
	{"name", "NAME", OPTION_TEXT, ARG(name), ON_RUN | ON_KEYS,
	 .help = "name of the job: a-z, 0-9 and -, at most 40"},
	{"app", "ADAPTER", OPTION_TEXT, ARG(app), ON_RUN,
	 .help = "the adapter that knows the application"},
	{"ranks", "N", OPTION_NUMBER, ARG(ranks), ON_RUN,
	 .help = "ranks to begin with"},
	{"min", "N", OPTION_NUMBER, ARG(min), ON_RUN,
	 .help = "fewest ranks (default 1)"},
	{"max", "N", OPTION_NUMBER, ARG(max), ON_RUN,
	 .help = "most ranks (default: --ranks)"},
	{"checkpoint-dir", "DIR", OPTION_TEXT, ARG(checkpoint_dir), ON_RUN,
	 .help = "where the application writes its checkpoints"},
	{"at", "WHEN=RANKS", OPTION_LIST, ARG(at), ON_RUN,
	 .help = "change the size at 30% of progress, or after 10min; repeatable"},
	{"env", "KEY=VALUE", OPTION_LIST, ARG(env), ON_RUN,
	 .help = "environment of the ranks; repeatable"},
	{"adapter", "FILE", OPTION_OTHER, ARG(adapters),
	 ON_RUN | ON_VALIDATE | NOT_WITH_KUBE,
	 .help = "load an adapter of your own, a shared object; repeatable",
	 .read = adapter_files_read},
	{"hosts", "FILE", OPTION_TEXT, ARG(hosts), ON_RUN | NOT_WITH_KUBE,
	 .help = "run on these hosts: NAME ADDRESS COMMAND... a line"},
	{"folder", "DIR", OPTION_TEXT, ARG(folder), ON_RUN | NOT_WITH_KUBE,
	 .help = "relative directories in FILE start from DIR (default: its folder)"},
	{"want", "N", OPTION_NUMBER, ARG(want), ON_RUN | NOT_WITH_KUBE,
	 .help = "ranks that the job should have (default: those to begin with)"},
	{"grant", "N", OPTION_NUMBER, ARG(grant), ON_RUN | NOT_WITH_KUBE,
	 .help = "ranks that it may have (default: any number)"},
	{"status", "FILE", OPTION_TEXT, ARG(status), ON_RUN,
	 .help = "write the exit status into FILE when the run ends"},
	{"timeline", "FILE.svg", OPTION_TEXT, ARG(timeline), ON_RUN,
	 .help = "draw ranks over time into FILE.svg when the job is over"},
	{"quiet", NULL, OPTION_SWITCH, ARG(quiet), ON_RUN,
	 .help = "only the application's output, and failures"},
	{"no-progress", NULL, OPTION_SWITCH, ARG(no_progress),
	 ON_RUN | ON_WATCH | ON_SIMULATE,
	 .help = "plain lines, also on a terminal"},
	{"deadline", "TIME", OPTION_DURATION, ARG(deadline), ON_SCALE,
	 .help = "for new executors to come (default: the job file's)"},
	{"reason", "TEXT", OPTION_TEXT, ARG(reason), ON_SCALE | ON_CANCEL,
	 .help = "why, for the job's history"},
	{"wait", NULL, OPTION_SWITCH, ARG(wait), ON_SCALE,
	 .help = "until the change is over, and tell what it cost"},
	{"save", NULL, OPTION_SWITCH, ARG(save), ON_CANCEL,
	 .help = "write a checkpoint first: the job can be resumed"},
	{"timeout", "TIME", OPTION_DURATION, ARG(timeout), ON_CANCEL,
	 .help = "how long to wait for the end (default 60s)"},
	{"schema", NULL, OPTION_SWITCH, ARG(schema), ON_VALIDATE,
	 .help = "print every key of a job file with its default"},
	{"policy", "POLICY", OPTION_TEXT, ARG(policy), ON_SIMULATE,
	 .help = "the rules to simulate (default: elastic)"},
	{"compare", "POLICY,...", OPTION_TEXT, ARG(compare), ON_SIMULATE,
	 .help = "several of them on the same jobs"},
	{"sweep", "gap|T=FROM:TO:STEP", OPTION_TEXT, ARG(sweep), ON_SIMULATE,
	 .help = "vary seconds between submissions, or between rescales"},
	{"set", "NAME", OPTION_TEXT, ARG(set), ON_SIMULATE,
	 .help = "one set of jobs (default: the mean of all)"},
	{"slots", "N", OPTION_NUMBER, ARG(slots), ON_SIMULATE,
	 .help = "of a batch log (default: what its head says)"},
	{"malleable", "PERCENT", OPTION_NUMBER, ARG(malleable), ON_SIMULATE,
	 .help = "jobs of a batch log that may shrink and grow (default: none)",
	 .max = 100},
	{"grow", "N", OPTION_NUMBER, ARG(grow), ON_SIMULATE,
	 .help = "these have at most N times their processors (default 1)"},
	{"seed", "N", OPTION_NUMBER, ARG(seed), ON_SIMULATE,
	 .help = "draws these jobs (default 1)"},
	{"move", "TIME", OPTION_DURATION, ARG(move), ON_SIMULATE,
	 .help = "that a rescale stops one of them (default 30s)"},
	{"csv", NULL, OPTION_SWITCH, ARG(csv), ON_SIMULATE,
	 .help = "comma-separated values"},
	{"svg", "FILE.svg", OPTION_TEXT, ARG(svg), ON_SIMULATE,
	 .help = "draw the jobs of one set over time, or the curves of --sweep"},
	{"explain", NULL, OPTION_SWITCH, ARG(explain), ON_SIMULATE,
	 .help = "every decision with its reason, in place of the figures"},
	{"state", "DIR", OPTION_TEXT, ARG(lookup.state),
	 ON_RUN | ON_JOB | NOT_WITH_KUBE,
	 .help = "the job's state directory"},
	{"connect", "ADDR", OPTION_TEXT, ARG(lookup.connect), ON_JOB | NOT_WITH_KUBE,
	 .help = "the coordinator's address, in place of JOB"},
	{"listen", "ADDR", OPTION_TEXT, ARG(listen), ON_RUN | NOT_WITH_KUBE,
	 .help = "where the coordinator listens: host:port (default: a unix socket)"},
	{"token-file", "FILE", OPTION_TEXT, ARG(lookup.token_file), ON_RUN | ON_JOB,
	 .help = "the coordinator's token (default: the job's own)"},
	{"tls", "DIR", OPTION_TEXT, ARG(lookup.tls), ON_RUN,
	 .help = "certificates that 'bellows keys' made (default: new ones if needed)"},
	{"tls", "DIR", OPTION_TEXT, ARG(lookup.tls), ON_JOB,
	 .help = "a client's certificate, or what 'bellows keys' made (default: the job's)"},
	{"lifetime", "TIME", OPTION_DURATION, ARG(lifetime), ON_RUN | ON_KEYS,
	 .help = "of certificates that are made (default 8760h, a year)"},
	{"unencrypted", NULL, OPTION_SWITCH, ARG(lookup.unencrypted),
	 ON_RUN | ON_JOB | NOT_WITH_KUBE,
	 .help = "listen to other machines, or call one, without certificates"},
	{"on", "PLACE", OPTION_TEXT, ARG(lookup.on), ON_RUN | ON_JOB,
	 .help = "kube: the job is in a Kubernetes cluster"},
	{"namespace", "NAME", OPTION_TEXT, ARG(lookup.namespace),
	 ON_RUN | ON_JOB | WITH_KUBE,
	 .help = "of the job; -n (default: the context's)"},
	{"kubeconfig", "FILE", OPTION_TEXT, ARG(lookup.kubeconfig),
	 ON_RUN | ON_JOB | WITH_KUBE,
	 .help = "how to reach the cluster (default: as kubectl)"},
	{"context", "NAME", OPTION_TEXT, ARG(lookup.context),
	 ON_RUN | ON_JOB | WITH_KUBE,
	 .help = "of the kubeconfig (default: its current one)"},
	{"image", "IMAGE", OPTION_TEXT, ARG(image), ON_RUN | WITH_KUBE,
	 .help = "of all pods (default: localhost/bellows-ADAPTER:dev)"},
	{"plain", NULL, OPTION_SWITCH, ARG(plain), ON_RUN | WITH_KUBE,
	 .help = "a Job of Kubernetes alone (default: Volcano's, if it is there)"},
	{"mode", "MODE", OPTION_TEXT, ARG(mode), ON_RUN | WITH_KUBE,
	 .help = "it grows by pods (default) or by replicas of Volcano's Job"},
	{"cpu", "QUANTITY", OPTION_TEXT, ARG(cpu), ON_RUN | WITH_KUBE,
	 .help = "that each executor asks for (default: ranks_per_executor)"},
	{"memory", "QUANTITY", OPTION_TEXT, ARG(memory), ON_RUN | WITH_KUBE,
	 .help = "that each executor asks for, as 2Gi (default: none)"},
	{"claim", "NAME", OPTION_TEXT, ARG(claim), ON_RUN | WITH_KUBE,
	 .help = "the volume claim for /data (default: NAME-data, made if missing)"},
	{"storage", "QUANTITY", OPTION_TEXT, ARG(storage), ON_RUN | WITH_KUBE,
	 .help = "size of the claim that is made (default 1Gi)"},
	{"storage-class", "NAME", OPTION_TEXT, ARG(storage_class),
	 ON_RUN | WITH_KUBE,
	 .help = "class of the claim that is made (default: the cluster's)"},
	{"detach", NULL, OPTION_SWITCH, ARG(detach), ON_RUN | WITH_KUBE,
	 .help = "start the job and leave it running"},
	{"print", NULL, OPTION_SWITCH, ARG(print), ON_RUN | WITH_KUBE,
	 .help = "print what would be created, as JSON, and create nothing"},
	{"json", NULL, OPTION_SWITCH, ARG(json),
	 ON_ALL & ~(ON_COMPLETION | ON_HELP | ON_KEYS),
	 .help = "JSON, one object a line"},
	{"help", NULL, OPTION_SWITCH, ARG(help), ON_ALL,
	 .help = "this text"},
};
const size_t n_flags = LENGTH(flags);

const struct command commands[] = {
	{ON_RUN, "run", "FILE | --name NAME ... -- COMMAND ...",
	 "run a job and follow it",
	 "Starts a coordinator and a monitor for the job on this machine, passes "
	 "its output\nthrough and shows how it grows and shrinks. Ctrl-C saves "
	 "and stops; a second one\nstops at once.\n\n"
	 "With --on kube it creates the job's objects in a Kubernetes cluster "
	 "and follows it\nthere in the same way; a third Ctrl-C deletes the "
	 "Job. Directories in the job file\nare those of the pods: the volume "
	 "that they share is /data, and `dir` is /data\nif it is not given.",
	 "bellows run --name heat --app parint --ranks 2 --max 6 \\\n"
	 "      --checkpoint-dir ckpt --at 30%=4 \\\n"
	 "      -- parint --array-size 1000000 --iterations 1000 --nloop 32\n"
	 "  bellows run heat.yaml --on kube -n physics --cpu 2 --storage 10Gi\n"
	 "  bellows run heat.yaml --on kube --print | kubectl apply "
	 "--dry-run=server -f -",
	 0, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_JOBFILE, EXIT_UNREACHABLE,
		       EXIT_INTERNAL, EXIT_SYSTEM, EXIT_CHECKPOINT,
		       EXIT_RESTARTED,
		       EXIT_SUSPENDED, EXIT_EARLY, EXIT_UNREADABLE,
		       EXIT_CANCELLED, -1},
	 cmd_run},
	{ON_SCALE, "scale", "JOB RANKS|+N|-N",
	 "change the number of ranks",
	 "Asks the job's coordinator for another size. The answer is accepted or "
	 "declined\nwith the reason.",
	 "bellows scale heat +2 --wait\n"
	 "  bellows scale heat 4 --on kube -n physics",
	 1, 2,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_DECLINED,
		       EXIT_SIZE_FAILED, -1},
	 cmd_scale},
	{ON_STATUS, "status", "[JOB]",
	 "show one job, or all that run",
	 "Without JOB: every job of this user whose coordinator answers; with "
	 "--on kube every\njob of the namespace.",
	 "bellows status heat --json\n"
	 "  bellows status --on kube -n physics",
	 0, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, -1},
	 cmd_status},
	{ON_WATCH, "watch", "JOB",
	 "follow a job until it is over",
	 "Shows what run shows. Ctrl-C stops watching; the job goes on. The exit "
	 "status is the\njob's.",
	 "bellows watch heat\n"
	 "  bellows watch heat --on kube --context bed",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_SUSPENDED,
		       EXIT_CANCELLED, -1},
	 cmd_watch},
	{ON_CANCEL, "cancel", "JOB",
	 "end a job",
	 "Ends the job and waits until it is over.",
	 "bellows cancel heat --save\n"
	 "  kubectl bellows cancel heat --save -n physics",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, -1},
	 cmd_cancel},
	{ON_HISTORY, "history", "JOB",
	 "tell what happened to a job",
	 "Prints the journal of a job: what moved it, from where to where, and "
	 "why. Of a job\nof this machine, whether it runs or not; of one "
	 "elsewhere, while it runs.",
	 "bellows history heat\n"
	 "  bellows history heat --json\n"
	 "  bellows history heat --on kube -n physics",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_SYSTEM, -1},
	 cmd_history},
	{ON_VALIDATE, "validate", "FILE",
	 "check a job file",
	 "Prints what was understood, defaults filled in.",
	 "bellows validate heat.yaml",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_JOBFILE, EXIT_CHECKPOINT, -1},
	 cmd_validate},
	{ON_SIMULATE, "simulate", "FILE",
	 "try the scheduler's rules on a workload",
	 "Runs the jobs of a JSON file, or of a batch system's log in Standard "
	 "Workload Format\n(*.swf), in virtual time under one or more policies "
	 "and prints total time,\nutilisation, response and completion time "
	 "weighted by priority, and more. The\nfile's keys and the policies are "
	 "explained in docs/scheduling.md.",
	 "bellows simulate jobs.json --compare elastic,moldable,easy\n"
	 "  bellows simulate jobs.json --compare elastic,moldable \\\n"
	 "      --sweep gap=0:360:30 --csv --svg figure.svg > figure.csv\n"
	 "  bellows simulate jobs.json --set A --svg jobs.svg\n"
	 "  bellows simulate jobs.json --set A --explain\n"
	 "  bellows simulate log.swf --malleable 50 --compare easy,elastic",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_JOBFILE, EXIT_SYSTEM, -1},
	 cmd_simulate},
	{ON_KEYS, "keys", "DIR",
	 "make the certificates of a job",
	 "Makes DIR with a folder for each role, coordinator, executor, monitor "
	 "and client,\nthat --tls of its program takes: ca.crt, tls.crt, tls.key. "
	 "The key that signed them\nis not kept: nobody can add one later.",
	 "bellows keys keys --name heat --lifetime 100h",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_SYSTEM, -1},
	 cmd_keys},
	{ON_COMPLETION, "completion", "bash|zsh|jobs",
	 "print a shell's completion script",
	 "jobs prints the names that the scripts offer.",
	 "bellows completion bash > ~/.local/share/bash-completion/completions/bellows",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, -1},
	 cmd_completion},
	{ON_HELP, "help", "[COMMAND]",
	 "explain a command",
	 "The same as bellows COMMAND --help.",
	 "bellows help run",
	 0, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, -1},
	 cmd_help},
	{0, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL},
};
/* clang-format on */

const struct command *command_find(const char *name)
{
	for (const struct command *at = commands; at->name; at++)
		if (strcmp(at->name, name) == 0)
			return at;
	return NULL;
}
