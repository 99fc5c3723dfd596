/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "cli/commands/args.h"
#include "client/queue.h"
#include "jobfile/exit.h"
#include "profiler/touched.h"
#include "sim/layout_cluster.h"

#include <limits.h>
#include <string.h>

#define ARG(member) offsetof(struct args, member)

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
	 ON_RUN | ON_VALIDATE | ON_SERVE | ON_SUBMIT | NOT_WITH_KUBE,
	 .help = "load an adapter of your own, a shared object; repeatable",
	 .read = adapter_files_read},
	{"hosts", "FILE", OPTION_TEXT, ARG(hosts), ON_RUN | ON_SERVE | NOT_WITH_KUBE,
	 .help = "run on these hosts: NAME ADDRESS COMMAND... a line"},
	{"folder", "DIR", OPTION_TEXT, ARG(folder), ON_RUN | NOT_WITH_KUBE,
	 .help = "relative directories in FILE start from DIR (default: its folder)"},
	{"want", "N", OPTION_NUMBER, ARG(want), ON_RUN,
	 .help = "ranks that the job should have (default: those to begin with)"},
	{"grant", "N", OPTION_NUMBER, ARG(grant), ON_RUN,
	 .help = "ranks that it may have (default: any number)"},
	{"status", "FILE", OPTION_TEXT, ARG(status), ON_RUN,
	 .help = "write the exit status into FILE when the run ends"},
	{"priority", "N", OPTION_NUMBER, ARG(priority), ON_SUBMIT,
	 .help = "from 1 to 1000; twice the number counts twice (default 10)",
	 .min = 1, .max = QUEUE_PRIORITY_MAX},
	{"user", "USER", OPTION_TEXT, ARG(user), ON_SUBMIT,
	 .help = "the user whose share its slots count for (default: you)"},
	{"after", "JOB", OPTION_LIST, ARG(after), ON_SUBMIT,
	 .help = "start when this job has ended well; repeatable"},
	{"time", "TIME", OPTION_DURATION, ARG(time), ON_SUBMIT,
	 .help = "that it is expected to take on ranks.max (default 1h)"},
	{"hold", NULL, OPTION_SWITCH, ARG(hold), ON_SUBMIT,
	 .help = "do not start it before 'bellows release'"},
	{"watch", NULL, OPTION_SWITCH, ARG(watch), ON_QUEUE,
	 .help = "again whenever it changes; Ctrl-C stops"},
	{"all", NULL, OPTION_SWITCH, ARG(all), ON_QUEUE,
	 .help = "also jobs that ended more than an hour ago"},
	{"svg", "FILE.svg", OPTION_TEXT, ARG(svg), ON_QUEUE,
	 .help = "draw slots in use and jobs over time"},
	{"at", "TIME", OPTION_TEXT, ARG(instant), ON_EXPLAIN,
	 .help = "up to 12:03:11, 2026-11-27T12:03:11 or -10min (default: now)"},
	{"slots", "N", OPTION_NUMBER, ARG(slots), ON_SERVE,
	 .help = "ranks that may run at a time (default: cores)"},
	{"policy", "POLICY", OPTION_TEXT, ARG(policy), ON_SERVE,
	 .help = "the rules, of docs/scheduling.md (default: bellows)"},
	{"gap", "TIME", OPTION_DURATION, ARG(gap), ON_SERVE,
	 .help = "between two changes of one job, at least"},
	{"state", "DIR", OPTION_TEXT, ARG(lookup.state), ON_SERVE | ON_SCHEDULER,
	 .help = "the queue's state directory"},
	{"connect", "ADDR", OPTION_TEXT, ARG(lookup.connect), ON_SCHEDULER,
	 .help = "the scheduler's address (default: this user's)"},
	{"listen", "ADDR", OPTION_TEXT, ARG(listen), ON_SERVE,
	 .help = "where it listens: host:port (default: a unix socket)"},
	{"token-file", "FILE", OPTION_TEXT, ARG(lookup.token_file),
	 ON_SERVE | ON_SCHEDULER,
	 .help = "the scheduler's token (default: the queue's own)"},
	{"tls", "DIR", OPTION_TEXT, ARG(lookup.tls), ON_SERVE | ON_SCHEDULER,
	 .help = "certificates (default: the queue's own, if it has them)"},
	{"timeline", "FILE.svg", OPTION_TEXT, ARG(timeline), ON_RUN,
	 .help = "draw ranks over time into FILE.svg when the job is over"},
	{"quiet", NULL, OPTION_SWITCH, ARG(quiet), ON_RUN,
	 .help = "only the application's output, and failures"},
	{"no-progress", NULL, OPTION_SWITCH, ARG(no_progress),
	 ON_RUN | ON_WATCH | ON_SIMULATE | ON_PROFILE,
	 .help = "plain lines, also on a terminal"},
	{"deadline", "TIME", OPTION_DURATION, ARG(deadline), ON_SCALE,
	 .help = "for new executors to come (default: the job file's)"},
	{"reason", "TEXT", OPTION_TEXT, ARG(reason),
	 ON_SCALE | ON_CANCEL | ON_HOLD | ON_RELEASE,
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
	 .help = "the rules to simulate (default: elastic; with --layout all)"},
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
	 .help = "draws these jobs, or what --train begins with (default 1)"},
	{"move", "TIME", OPTION_DURATION, ARG(move), ON_SIMULATE,
	 .help = "that a rescale stops one of them (default 30s)"},
	{"supersteps", NULL, OPTION_SWITCH, ARG(supersteps), ON_SIMULATE,
	 .help = "FILE has the tasks of supersteps; docs/supersteps.md"},
	{"planner", "PLANNER,...", OPTION_TEXT, ARG(planner), ON_SIMULATE,
	 .help = "that give them shares (default: static,mpc,scenario)"},
	{"forecast", "FORECAST", OPTION_TEXT, ARG(forecast), ON_SIMULATE,
	 .help = "what they see of steps to come (default: given, or autoregressive)"},
	{"train", "WEIGHTS", OPTION_TEXT, ARG(train), ON_SIMULATE,
	 .help = "make this file for the planner learned, from the steps before"},
	{"episodes", "N", OPTION_NUMBER, ARG(episodes), ON_SIMULATE,
	 .help = "times that --train goes through these steps (default 100)",
	 .max = 100000},
	{"weights", "WEIGHTS", OPTION_TEXT, ARG(weights), ON_SIMULATE,
	 .help = "what the planner learned has learned: a file of --train"},
	{"layout", NULL, OPTION_SWITCH, ARG(layout), ON_SIMULATE,
	 .help = "FILE has jobs to be laid out on nodes; docs/layout.md"},
	{"pace", "FILE.json", OPTION_TEXT, ARG(pace), ON_SIMULATE,
	 .help = "how fast programs run in a layout (default: the paper's)"},
	{"nodes", "N", OPTION_NUMBER, ARG(nodes), ON_SIMULATE,
	 .help = "that a layout may use (default 4)", .max = LAYOUT_NODES_MAX},
	{"sockets", "N", OPTION_NUMBER, ARG(sockets), ON_SIMULATE,
	 .help = "of each node (default 2)", .max = LAYOUT_SOCKETS_MAX},
	{"cores", "N", OPTION_NUMBER, ARG(cores), ON_SIMULATE,
	 .help = "of each socket (default 16)", .max = LAYOUT_CORES_MAX},
	{"repeat", "N", OPTION_NUMBER, ARG(repeat), ON_PROFILE,
	 .help = "measurements of each cell (default 3)",
	 .max = 1000},
	{"shares", "N,...", OPTION_TEXT, ARG(shares), ON_PROFILE,
	 .help = "to measure with (default: 8, from the least to all)"},
	{"workloads", "N,...", OPTION_TEXT, ARG(workloads), ON_PROFILE,
	 .help = "to measure with (default: 5, over those of the series)"},
	{"group", "GROUP", OPTION_TEXT, ARG(group), ON_PROFILE,
	 .help = "control group in which tasks have theirs (default: one's own)"},
	{"ranks", "N", OPTION_NUMBER, ARG(ranks), ON_PROFILE,
	 .help = "of COMMAND (default: cores, but at least 2 and at most 4)",
	 .max = TOUCHED_PROCESSES_MAX},
	{"limit", "TIME", OPTION_DURATION, ARG(limit), ON_PROFILE,
	 .help = "after which COMMAND is ended (default 5min)"},
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
	 ON_RUN | ON_JOB | ON_SERVE | ON_SCHEDULER | NOT_WITH_KUBE,
	 .help = "listen to other machines, or call one, without certificates"},
	{"on", "PLACE", OPTION_TEXT, ARG(lookup.on), ON_RUN | ON_SERVE | ON_JOB,
	 .help = "kube: the job is in a Kubernetes cluster"},
	{"namespace", "NAME", OPTION_TEXT, ARG(lookup.namespace),
	 ON_RUN | ON_SERVE | ON_JOB | WITH_KUBE,
	 .help = "of the job; -n (default: the context's)"},
	{"kubeconfig", "FILE", OPTION_TEXT, ARG(lookup.kubeconfig),
	 ON_RUN | ON_SERVE | ON_JOB | WITH_KUBE,
	 .help = "how to reach the cluster (default: as kubectl)"},
	{"context", "NAME", OPTION_TEXT, ARG(lookup.context),
	 ON_RUN | ON_SERVE | ON_JOB | WITH_KUBE,
	 .help = "of the kubeconfig (default: its current one)"},
	{"image", "IMAGE", OPTION_TEXT, ARG(image), ON_RUN | ON_SERVE | WITH_KUBE,
	 .help = "of all pods (default: localhost/bellows-ADAPTER:dev)"},
	{"plain", NULL, OPTION_SWITCH, ARG(plain), ON_RUN | ON_SERVE | WITH_KUBE,
	 .help = "a Job of Kubernetes alone (default: Volcano's, if it is there)"},
	{"mode", "MODE", OPTION_TEXT, ARG(mode), ON_RUN | WITH_KUBE,
	 .help = "it grows by pods (default) or by replicas of Volcano's Job"},
	{"cpu", "QUANTITY", OPTION_TEXT, ARG(cpu), ON_RUN | ON_SERVE | WITH_KUBE,
	 .help = "that each executor asks for (default: ranks_per_executor)"},
	{"memory", "QUANTITY", OPTION_TEXT, ARG(memory), ON_RUN | ON_SERVE | WITH_KUBE,
	 .help = "that each executor asks for, as 2Gi (default: none)"},
	{"claim", "NAME", OPTION_TEXT, ARG(claim), ON_RUN | ON_SERVE | WITH_KUBE,
	 .help = "the volume claim for /data (default: NAME-data, made if missing)"},
	{"storage", "QUANTITY", OPTION_TEXT, ARG(storage), ON_RUN | ON_SERVE | WITH_KUBE,
	 .help = "size of the claim that is made (default 1Gi)"},
	{"storage-class", "NAME", OPTION_TEXT, ARG(storage_class),
	 ON_RUN | ON_SERVE | WITH_KUBE,
	 .help = "class of the claim that is made (default: the cluster's)"},
	{"run-id", "ID", OPTION_TEXT, ARG(run_id), ON_RUN | WITH_KUBE,
	 .help = "for programs: what a run with the same ID has made is gone on with"},
	{"detach", NULL, OPTION_SWITCH, ARG(detach), ON_RUN | WITH_KUBE,
	 .help = "start the job and leave it running"},
	{"print", NULL, OPTION_SWITCH, ARG(print), ON_RUN | WITH_KUBE,
	 .help = "print what would be created, as JSON, and create nothing"},
	{"json", NULL, OPTION_SWITCH, ARG(json),
	 ON_ALL & ~(ON_COMPLETION | ON_HELP | ON_KEYS | ON_TOP |
		    ON_SERVE),
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
	 "Ends the job and waits until it is over. A job that is in the queue of "
	 "a scheduler is\nended there, and not started again.",
	 "bellows cancel heat --save\n"
	 "  kubectl bellows cancel heat --save -n physics",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_DECLINED,
		       -1},
	 cmd_cancel},
	{ON_SERVE, "serve", "",
	 "run the scheduler of a queue",
	 "Runs bellows-scheduler with the same options until it is told to end. "
	 "It starts the\njobs of the queue, and gives and takes their ranks. "
	 "docs/queue.md begins with it.",
	 "bellows serve --slots 8 --policy bellows",
	 0, 0,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_SYSTEM, -1},
	 cmd_serve},
	{ON_SUBMIT, "submit", "FILE...",
	 "put jobs into the queue",
	 "Reads the job files, and sends them to the scheduler one after the "
	 "other. At the\nfirst that is refused it stops, and says which were "
	 "submitted.",
	 "bellows submit heat.yaml --priority 20 --time 2h\n"
	 "  bellows submit cold.yaml --after heat",
	 1, UINT_MAX,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_JOBFILE, EXIT_UNREACHABLE,
		       EXIT_SYSTEM, EXIT_DECLINED, -1},
	 cmd_submit},
	{ON_QUEUE, "queue", "[JOB]",
	 "show the queue, or one job of it",
	 "RANKS are those that run, those that are granted, and the fewest and "
	 "most. The last\ncolumn is the time that a job still runs, or that it "
	 "has waited.",
	 "bellows queue --watch\n"
	 "  bellows queue heat\n"
	 "  bellows queue --all --svg queue.svg",
	 0, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_SYSTEM,
		       EXIT_CANCELLED, -1},
	 cmd_queue},
	{ON_TOP, "top", "",
	 "watch the jobs of the queue",
	 "How full the slots are, how far each job is, and what waits. q or "
	 "Ctrl-C ends it.",
	 "bellows top",
	 0, 0,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_CANCELLED,
		       -1},
	 cmd_top},
	{ON_HOLD, "hold", "JOB",
	 "keep a job of the queue from running",
	 "A job that waits is not started; one that runs saves a checkpoint and "
	 "leaves its\nslots, and goes on from there when it is released.",
	 "bellows hold heat --reason 'the input is wrong'",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_DECLINED,
		       -1},
	 cmd_hold},
	{ON_RELEASE, "release", "JOB",
	 "let a job run that is held",
	 "It waits for slots again, like any other job.",
	 "bellows release heat",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_DECLINED,
		       -1},
	 cmd_release},
	{ON_PRIORITY, "priority", "JOB N",
	 "change the priority of a job of the queue",
	 "N is from 1 to 1000. Twice the number counts twice: such a job waits "
	 "less, and gets\nmore ranks.",
	 "bellows priority heat 40",
	 2, 2,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, EXIT_DECLINED,
		       -1},
	 cmd_priority},
	{ON_EXPLAIN, "explain", "JOB",
	 "say why a job has the ranks that it has",
	 "What it wants, is granted and has; then each decision about it, with "
	 "the rule and the\nnumbers behind it, and what other sizes would have "
	 "meant.",
	 "bellows explain heat --at -10min",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_UNREACHABLE, -1},
	 cmd_explain},
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
	 "explained in docs/scheduling.md.\n\nWith --supersteps, FILE has the tasks "
	 "of one bulk-synchronous application;\ndocs/supersteps.md explains it and "
	 "the planners.\n\nWith --layout, FILE has jobs as comma-separated values, "
	 "and the policies say which\ncores run which rank; docs/layout.md explains "
	 "them.",
	 "bellows simulate jobs.json --compare elastic,moldable,easy\n"
	 "  bellows simulate jobs.json --compare elastic,moldable \\\n"
	 "      --sweep gap=0:360:30 --csv --svg figure.svg > figure.csv\n"
	 "  bellows simulate jobs.json --set A --svg jobs.svg\n"
	 "  bellows simulate jobs.json --set A --explain\n"
	 "  bellows simulate log.swf --malleable 50 --compare easy,elastic\n"
	 "  bellows simulate --supersteps tasks.json --planner mpc,scenario,exact\n"
	 "  bellows simulate --supersteps tasks.json --train weights.txt\n"
	 "  bellows simulate --layout jobs.csv --policy cm,cm_g_tg,bellows",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_JOBFILE, EXIT_SYSTEM, -1},
	 cmd_simulate},
	{ON_PROFILE, "profile", "FILE | [--ranks N] -- COMMAND ...",
	 "measure what binds a program, or the tasks of supersteps",
	 "Runs an MPI program, COMMAND, once, on few ranks of this machine, and "
	 "says what binds\nit: network, cpu or memory, as placement.profile of a "
	 "job file names it, with what\nwas measured. docs/profile.md says how. "
	 "--ranks and --limit are for this.\n\n"
	 "Runs each task of FILE alone, with each of some workloads and each of "
	 "some numbers\nof shares, and writes its seconds into the profile that "
	 "FILE names. A measurement\nthat is there is not made again. "
	 "docs/supersteps.md says what FILE is.",
	 "bellows profile --ranks 4 -- ./miniFE.x nx=100\n"
	 "  bellows profile tasks.json\n"
	 "  bellows profile tasks.json --shares 100,200,400,800 --repeat 5",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_JOBFILE, EXIT_SYSTEM,
		       EXIT_CANNOT_RUN, EXIT_NOT_FOUND, EXIT_CANCELLED, -1},
	 cmd_profile},
	{ON_KEYS, "keys", "DIR",
	 "make the certificates of a job",
	 "Makes DIR with a folder for each role, coordinator, executor, monitor "
	 "and client,\nthat --tls of its program takes: ca.crt, tls.crt, tls.key. "
	 "The key that signed them\nis not kept: nobody can add one later.",
	 "bellows keys keys --name heat --lifetime 100h",
	 1, 1,
	 (const int[]){EXIT_DONE, EXIT_USAGE, EXIT_SYSTEM, -1},
	 cmd_keys},
	{ON_COMPLETION, "completion", "bash|zsh|jobs|queue",
	 "print a shell's completion script",
	 "jobs and queue print the names that the scripts offer.",
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
