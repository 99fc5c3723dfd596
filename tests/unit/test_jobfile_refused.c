/* SPDX-License-Identifier: Apache-2.0 */
#include "base/list.h"
#include "tests/unit/jobfile_parse.h"

#include <errno.h>

#define GOOD_BUT_RANKS                                                         \
	"name: heat\n"                                                         \
	"app: parint\n"                                                        \
	"command: [parint, --nloop, 4]\n"                                      \
	"checkpoint: {dir: ckpt}\n"
#define GOOD GOOD_BUT_RANKS "ranks: {initial: 2, max: 6}\n"
#define GENERIC                                                                \
	"name: md\n"                                                           \
	"app: generic\n"                                                       \
	"command: md\n"                                                        \
	"checkpoint: {dir: ckpt}\n"                                            \
	"ranks: {initial: 2, max: 6}\n"

#define WANTED_NAME  "1 to 40 of a-z, 0-9 and -"
#define WANTED_RANKS "a number from 1 to 4096"
#define WANTED_REAL  "a number, as 10, -0.5 or 1e9"
#define WANTED_DURATION                                                        \
	"a duration from 100ms to 168h, with its unit: ms, s, min or h"
#define WANTED_MOMENT "a progress, as 30%, or a duration with its unit, as 90s"
#define ALL_KEYS                                                               \
	"name, app, command, dir, environment, restarts, wait_deadline, "      \
	"start_deadline, resume_deadline, lost_after, replacement_wait, "      \
	"stall_after, on_stall, "                                              \
	"restart, settings, kub, kub_private_key, rights, ranks, "             \
	"ranks_per_executor, checkpoint, scale, placement, mpi, generic"

struct refusal {
	const char *text, *sentence;
};

/* clang-format off */
static const struct refusal values[] = {
{ "name: Heat\n", "1: name: 'Heat' is no name; " WANTED_NAME },
{ "name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
  "1: name: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' is no "
  "name; " WANTED_NAME },
{ "name: ääääääääääääääääääääääääääääää\n",
  "1: name: 'ääääääääääääääääääääää...' is no name; " WANTED_NAME },
{ "name: [a]\n", "1: name: is a list; " WANTED_NAME },
{ "name: {a: b}\n", "1: name: is a mapping; " WANTED_NAME },
{ "name:\n", "1: name: is empty; " WANTED_NAME },
{ "name: ''\n", "1: name: is empty; " WANTED_NAME },
{ "name: \"a\\0b\"\n", "1: name: has a NUL byte; " WANTED_NAME },
{ "name: \"a\\e[31m\\n\"\n", "1: name: 'a?[31m?' is no name; " WANTED_NAME },
{ "app: parent\n", "1: app: 'parent' is unknown; one of cm1, generic, gromacs, lammps, parint, supersteps, or one that this "
  "program is given by --adapter FILE" },
{ "command: []\n", "1: command: is empty; " WANTED_COMMAND },
{ "command: {a: b}\n", "1: command: is not a list; " WANTED_COMMAND },
{ "command: [a, [b]]\n", "1: command[2]: is a list; a text" },
{ "command:\n- a\n-\n", "3: command[2]: is empty; a text" },
{ "command: ''\n", "1: command: is empty; " WANTED_COMMAND },
{ "command: a 'b c\n",
  "1: command: has a ' that is not closed; " WANTED_COMMAND },
{ "command: '  '\n", "1: command: is empty; " WANTED_COMMAND },
{ "dir: [x]\n", "1: dir: is a list; a path" },
{ "restarts: -1\n",
  "1: restarts: '-1' is out of range; a number from 0 to 1000" },
{ "restarts: 1001\n",
  "1: restarts: '1001' is out of range; a number from 0 to 1000" },
{ "ranks: 4\n",
  "1: ranks: is not a mapping; a mapping with keys of initial, "
  "min, max" },
{ "ranks: [1]\n",
  "1: ranks: is not a mapping; a mapping with keys of initial, "
  "min, max" },
{ "ranks:\n",
  "1: ranks: is not a mapping; a mapping with keys of initial, "
  "min, max" },
{ "ranks: {max: six}\n",
  "1: ranks.max: 'six' is not a number; " WANTED_RANKS },
{ "ranks: {max: 0}\n", "1: ranks.max: '0' is out of range; " WANTED_RANKS },
{ "ranks: {max: 4097}\n",
  "1: ranks.max: '4097' is out of range; " WANTED_RANKS },
{ "ranks: {max: 99999999999999999999}\n",
  "1: ranks.max: '99999999999999999999' is out of range; " WANTED_RANKS },
{ "ranks: {max: 1.5}\n",
  "1: ranks.max: '1.5' is not a number; " WANTED_RANKS },
{ "ranks: {max: 0x10}\n",
  "1: ranks.max: '0x10' is not a number; " WANTED_RANKS },
{ "ranks: {max: ' 4'}\n",
  "1: ranks.max: ' 4' is not a number; " WANTED_RANKS },
{ "checkpoint: {deadline: 60}\n",
  "1: checkpoint.deadline: '60' has no unit; " WANTED_DURATION },
{ "checkpoint: {deadline: soon}\n",
  "1: checkpoint.deadline: 'soon' is not a duration; " WANTED_DURATION },
{ "checkpoint: {deadline: 5m}\n",
  "1: checkpoint.deadline: '5m' has an unknown unit; " WANTED_DURATION },
{ "checkpoint: {deadline: 169h}\n",
  "1: checkpoint.deadline: '169h' is out of range; " WANTED_DURATION },
{ "checkpoint: {deadline: 99ms}\n",
  "1: checkpoint.deadline: '99ms' is out of range; " WANTED_DURATION },
{ "checkpoint: {deadline: -5s}\n",
  "1: checkpoint.deadline: '-5s' is not a duration; " WANTED_DURATION },
{ "checkpoint: {deadline: 1e3s}\n",
  "1: checkpoint.deadline: '1e3s' is not a duration; " WANTED_DURATION },
{ "checkpoint: {deadline: inf}\n",
  "1: checkpoint.deadline: 'inf' is not a duration; " WANTED_DURATION },
{ "checkpoint: {deadline: 1.2.3s}\n",
  "1: checkpoint.deadline: '1.2.3s' is not a duration; " WANTED_DURATION },
{ "checkpoint: {deadline: .s}\n",
  "1: checkpoint.deadline: '.s' is not a duration; " WANTED_DURATION },
{ "scale: {policy: automatic}\n",
  "1: scale.policy: 'automatic' is unknown; one of manual, "
  "schedule, benefit, threshold" },
{ "scale: {above: ten}\n",
  "1: scale.above: 'ten' is not a number; " WANTED_REAL },
{ "scale: {above: 1e}\n",
  "1: scale.above: '1e' is not a number; " WANTED_REAL },
{ "scale: {below: nan}\n",
  "1: scale.below: 'nan' is not a number; " WANTED_REAL },
{ "scale: {below: 1e999}\n",
  "1: scale.below: '1e999' is out of range; " WANTED_REAL },
{ "scale: {efficiency: 50}\n",
  "1: scale.efficiency: '50' is not a percentage; a percentage from 1% to "
  "100%" },
{ "scale: {efficiency: 0.5%}\n",
  "1: scale.efficiency: '0.5%' is out of range; a percentage from 1% to "
  "100%" },
{ "scale: {efficiency: 101%}\n",
  "1: scale.efficiency: '101%' is out of range; a percentage from 1% to "
  "100%" },
{ "scale: {schedule: 30%}\n",
  "1: scale.schedule: is not a list; a list of {at: 30%, ranks: "
  "4}" },
{ "scale: {schedule: [30%]}\n",
  "1: scale.schedule[1]: is not a mapping; a mapping with keys "
  "of at, ranks" },
{ "scale: {schedule: [{at: 30%}]}\n",
  "1: scale.schedule[1].ranks: is missing; " WANTED_RANKS },
{ "scale: {schedule: [{ranks: 4}]}\n",
  "1: scale.schedule[1].at: is missing; " WANTED_MOMENT },
{ "scale: {schedule: [{at: 101%, ranks: 4}]}\n",
  "1: scale.schedule[1].at: '101%' is out of range; " WANTED_MOMENT },
{ "scale: {schedule: [{at: 30, ranks: 4}]}\n",
  "1: scale.schedule[1].at: '30' has no unit; " WANTED_MOMENT },
{ "environment: [A]\n",
  "1: environment: is not a mapping; a mapping of names to values" },
{ "environment: {A B: c}\n",
  "1: environment.A B: is no name of a variable; letters, digits "
  "and _, no digit first" },
{ "environment: {1A: c}\n",
  "1: environment.1A: is no name of a variable; letters, digits "
  "and _, no digit first" },
{ "environment: {A: [c]}\n", "1: environment.A: is a list; a text" },
{ "environment: {A: 1, A: 2}\n",
  "1: environment.A: was given before; each name once" },
{ "environment: {A: }\n", "1: environment.A: is empty; a text" },
{ "environment: {[A]: b}\n",
  "1: environment: is a list; a mapping of names to values" },
{ "mpi: {network: fast}\n",
  "1: mpi.network: 'fast' is unknown; one of auto, tcp, any" },
{ "mpi: {arguments: --bind}\n",
  "1: mpi.arguments: is not a list; a list of texts" },
{ "generic: {save: {signal: SIGKILL}}\n",
  "1: generic.save.signal: 'SIGKILL' is unknown; one of none, "
  "SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGHUP, SIGALRM" },
{ "generic: {save: {to: last}}\n",
  "1: generic.save.to: 'last' is unknown; one of all, first" },
{ "generic: {save: SIGUSR1}\n",
  "1: generic.save: is not a mapping; a mapping with keys of "
  "signal, to" },
{ "generic: {ranks: []}\n",
  "1: generic.ranks: is empty; a list of numbers from 1 to 4096" },
{ "generic: {ranks: 4}\n",
  "1: generic.ranks: is not a list; a list of numbers from 1 to "
  "4096" },
{ "generic: {ranks: [1, two]}\n",
  "1: generic.ranks[2]: 'two' is not a number; " WANTED_RANKS },
{ "generic: {ranks: [1, 0]}\n",
  "1: generic.ranks[2]: '0' is out of range; " WANTED_RANKS },
};

static const struct refusal keys[] = {
{ "rank: {initial: 2}\n", "1: rank: no such key; did you mean ranks?" },
{ "deadlin: 4s\n",
  "1: deadlin: no such key; did you mean checkpoint.deadline?" },
{ "initial: 2\n", "1: initial: no such key; did you mean ranks.initial?" },
{ "ranks.initial: 2\n",
  "1: ranks.initial: no such key; a key with a dot is written as "
  "a mapping within a mapping" },
{ "frobnicate: 2\n", "1: frobnicate: no such key; here are " ALL_KEYS },
{ "scale: {polcy: manual}\n",
  "1: scale.polcy: no such key; did you mean policy?" },
{ "ranks: {size: 2}\n",
  "1: ranks.size: no such key; here are initial, min, max" },
{ "<<: {name: heat}\n", "1: <<: no such key; here are " ALL_KEYS },
{ "? [a, b]\n: c\n",
  "1: job: has a key that is no word; a mapping with keys of " ALL_KEYS },
{ "? {a: b}\n: c\n",
  "1: job: has a key that is no word; a mapping with keys of " ALL_KEYS },
{ "'': c\n",
  "1: job: has a key that is no word; a mapping with keys of " ALL_KEYS },
{ "\"na\\0me\": c\n",
  "1: job: has a key that is no word; a mapping with keys of " ALL_KEYS },
{ "\"a\\nb\": c\n", "1: a?b: no such key; here are " ALL_KEYS },
{ "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
  "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
  "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
  "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
  "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
  "kkkkkkkkkkkkkkkkkkkk: 1\n",
  "1: kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk...: no such "
  "key; here are " ALL_KEYS },
{ "scale.schedule[].at: 3\n",
  "1: scale.schedule[].at: no such key; a key with a dot is "
  "written as a mapping within a mapping" },
{ "scale:\n"
  "  schedule:\n"
  "  - {at: 30%, ranks: 4}\n"
  "  - {at: 30%, rank: 4}\n",
  "4: scale.schedule[2].rank: no such key; did you mean ranks?" },
{ "generic: {save: {sgnal: none}}\n",
  "1: generic.save.sgnal: no such key; did you mean signal?" },
{ "name: a\nname: b\n", "2: name: was given before; each key once" },
{ "ranks: {initial: 2}\nranks: {max: 3}\n",
  "2: ranks: was given before; each key once" },
{ "ranks: {max: 3, min: 2, max: 3}\n",
  "1: ranks.max: was given before; each key once" },
{ "scale: {schedule: [{at: 3%, at: 3%}]}\n",
  "1: scale.schedule[1].at: was given before; each key once" },
};

static const struct refusal wholes[] = {
{ "name: heat\n", "1: app: is missing; one of cm1, generic, gromacs, lammps, parint, supersteps" },
{ GOOD_BUT_RANKS, "1: ranks.initial: is missing; " WANTED_RANKS },
{ GOOD_BUT_RANKS
  "ranks: {max: 6}\n",
  "5: ranks.initial: is missing; " WANTED_RANKS },
{ "name: heat\n"
  "app: parint\n"
  "command: [parint, --nloop, 4]\n"
  "ranks: {initial: 1}\n",
  "1: checkpoint.dir: is missing; a path" },
{ GOOD_BUT_RANKS
  "ranks: {initial: 2, min: 3, max: 4}\n",
  "5: ranks.initial: 2 is less than ranks.min; at least 3" },
{ GOOD_BUT_RANKS
  "ranks: {initial: 7, max: 6}\n",
  "5: ranks.initial: 7 is more than ranks.max; at most 6" },
{ GOOD
  "stall_after: 2s\n",
  "6: stall_after: is less than lost_after, so that an executor which is cut "
  "off would be taken for a job that stands still; at least 3s, or none" },
{ GOOD
  "stall_after: 20s\n"
  "lost_after: 30s\n",
  "6: stall_after: is less than lost_after, so that an executor which is cut "
  "off would be taken for a job that stands still; at least 30s, or none" },
{ GOOD
  "stall_after: 500ms\n",
  "6: stall_after: '500ms' is out of range; none, or a duration from 1s to "
  "168h, with its unit: ms, s, min or h" },
{ GOOD
  "stall_after: 5min\n"
  "on_stall: kill\n",
  "7: on_stall: 'kill' is unknown; one of tell, restart" },
{ GOOD
  "on_stall: restart\n",
  "6: on_stall: nothing says when the job stands still; restart with "
  "stall_after, or tell" },
{ GOOD
  "scale: {policy: schedule}\n",
  "6: scale.policy: there is no schedule; scale.schedule, or "
  "policy: manual" },
{ GOOD
  "scale:\n"
  "  schedule:\n"
  "  - {at: 30%, ranks: 4}\n"
  "  - {at: 30%, ranks: 7}\n",
  "9: scale.schedule[2].ranks: 7 is more than ranks.max, which "
  "is 6; a size that the job accepts" },
{ GOOD
  "generic: {files: [a]}\n",
  "6: generic.files: is not for app: parint; app: generic, or "
  "without it" },
{ "name: a\n"
  "app: parint\n"
  "command: [a, --checkpoint=b]\n"
  "ranks: {initial: 1}\n"
  "checkpoint: {dir: c}\n",
  "2: app: parint: the command has --checkpoint=b; leave it out, "
  "the checkpoint is always parint.ckpt in the checkpoint "
  "directory" },
{ GENERIC,
  "2: generic.files: is missing; a list of patterns, which name the "
  "files below the checkpoint directory that make a complete "
  "checkpoint" },
{ GENERIC
  "restart: [md, -from, '{ckpt}/state']\n"
  "generic: {files: ['*'], proof: none}\n",
  "6: restart: nothing is put in place of '{ckpt}'; {checkpoint}, which "
  "becomes the checkpoint directory, is the only such name" },
{ GENERIC
  "generic: {files: [../a]}\n",
  "6: generic.files: '../a' is not below the checkpoint "
  "directory; a pattern without a leading / and without .." },
{ GENERIC
  "generic: {files: ['*'], proof: none, ranks: [1, 4]}\n",
  "5: ranks.initial: it runs on 1, 4 ranks, not on 2; a size "
  "that the job accepts" },
{ GENERIC
  "generic: {files: ['*'], proof: none, ranks: [1, 2, 4]}\n"
  "scale: {schedule: [{at: 1%, ranks: 3}]}\n",
  "7: scale.schedule[1].ranks: it runs on 1, 2, 4 ranks, not on "
  "3; a size that the job accepts" },
{ GENERIC
  "generic:\n"
  "  files: ['*']\n"
  "  progress: '(a'\n",
  "8: generic.progress: the expression '(a' is wrong: "
  "missing closing parenthesis" },
{ GENERIC
  "generic: {files: ['*']}\n",
  "2: generic.proof: nothing would prove that the application goes on from "
  "its checkpoint; a pattern of a line that it prints: progress or resumed, "
  "or else proof: none" },
{ "name: a\n"
  "app: parint\n"
  "command: [a]\n"
  "ranks: {initial: 1}\n"
  "checkpoint: {dir: c}\n"
  "restart: [b]\n",
  "6: restart: app: parint does not take it; leave it out" },
{ "name: a\n"
  "app: parint\n"
  "command: [a]\n"
  "ranks: {initial: 1}\n"
  "checkpoint: {dir: c}\n"
  "settings: {A: 1}\n",
  "6: settings: app: parint does not take it; leave it out" },
{ "name: a\n"
  "app: parint\n"
  "command: [a]\n"
  "ranks: {initial: 1}\n"
  "checkpoint: {dir: c}\n"
  "kub: true\n",
  "6: kub: Kub's executors are reached by ssh; true with "
  "mpi.launcher: ssh, or false" },
{ "name: a\n"
  "app: gromacs\n"
  "command: [gmx_mpi, mdrun]\n"
  "ranks: {initial: 1}\n"
  "checkpoint: {dir: .}\n"
  "mpi: {launcher: ssh}\n"
  "kub: true\n",
  "7: kub: the log of app: gromacs, which proves that it went on, is "
  "not followed on Kub's executors; another app, or false" },
{ GENERIC
  "generic: {files: ['*'], progress: '([0-9]+)', save: {signal: SIGTERM}}\n"
  "mpi: {launcher: ssh}\n"
  "kub: true\n",
  "8: kub: this application saves at SIGTERM to all ranks, and Kub's "
  "executors get SIGUSR1 and SIGUSR2 to all ranks by mpiexec, and no other; "
  "one of these, or false" },
{ GENERIC
  "generic: {files: ['*'], progress: '([0-9]+)', save: {signal: SIGUSR1, to: first}}\n"
  "mpi: {launcher: ssh}\n"
  "kub: true\n",
  "8: kub: this application saves at SIGUSR1 to rank 0 alone, and Kub's "
  "executors get SIGUSR1 and SIGUSR2 to all ranks by mpiexec, and no other; "
  "one of these, or false" },
{ "name: a\n"
  "app: parint\n"
  "command: [a]\n"
  "ranks: {initial: 1}\n"
  "checkpoint: {dir: c}\nmpi: {key: id}\n",
  "6: mpi.key: the stream launcher has no keys; with mpi.launcher: ssh, or "
  "leave it out" },
{ GENERIC
  "kub: yes\n",
  "6: kub: 'yes' is unknown; one of false, true" },
};
/* clang-format on */

static void check_refusals(const struct refusal *refusals, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char sentence[sizeof(err.text)];

		snprintf(sentence, sizeof(sentence), "t.yaml:%s",
			 refusals[i].sentence);
		CHECK(parse(refusals[i].text, strlen(refusals[i].text)) ==
		      -EINVAL);
		CHECK_TEXT(err.text, sentence);
	}
}

static void a_wrong_value_is_refused_with_what_would_be_right(void)
{
	check_refusals(values, LENGTH(values));
}

static void a_wrong_key_is_refused_with_the_one_meant(void)
{
	check_refusals(keys, LENGTH(keys));
}

static void what_does_not_fit_together_is_refused(void)
{
	check_refusals(wholes, LENGTH(wholes));
}

#define NOT_YAML(line, why)                                                    \
	line ": not YAML: " why "; for lists write [a, b] or lines with '- '," \
	     " for mappings lines with 'key: value'"
#define NO_ANCHORS                                                             \
	"anchors and aliases are not understood; the value written out"
#define NO_TAGS "tags are not understood; the value without its tag"

/* clang-format off */
static const struct refusal odd[] = {
{ "", "1: job: the file is empty; at least name, app, command, ranks and "
  "checkpoint" },
{ "# nothing\n", "1: job: the file is empty; at least name, app, command, "
  "ranks and checkpoint" },
{ "- a\n", "1: job: is not a mapping; a mapping with keys of " ALL_KEYS },
{ "heat\n", "1: job: is not a mapping; a mapping with keys of " ALL_KEYS },
{ "name: &a heat\n", "1: " NO_ANCHORS },
{ "\nname: *a\n", "2: " NO_ANCHORS },
{ "command: &a [x, *a]\n", "1: " NO_ANCHORS },
{ "&a name: x\n", "1: " NO_ANCHORS },
{ "&a {name: *a}\n", "1: " NO_ANCHORS },
{ "name: !!str heat\n", "1: " NO_TAGS },
{ "!job {name: heat}\n", "1: " NO_TAGS },
{ "command: !!set [a]\n", "1: " NO_TAGS },
{ "name: a\n---\nname: b\n", "2: a second document; a job file is one document" },
{ "name: a\n...\nname: b\n",
  NOT_YAML("3", "did not find expected <document start>") },
{ "name: a\nb\n", NOT_YAML("3", "could not find expected ':'") },
{ "command: [a\n", NOT_YAML("2", "did not find expected ',' or ']'") },
{ "\tname: a\n",
  NOT_YAML("1", "found character that cannot start any token") },
{ "name: \"a\n", NOT_YAML("2", "found unexpected end of stream") },
{ "%YAML 9.9\n---\nname: a\n",
  NOT_YAML("1", "found incompatible YAML document") },
{ "a: 1\nname: h\xe9t\n",
  "2: not a text: invalid trailing UTF-8 octet; a job file is UTF-8" },
{ "name: \x01\n",
  "1: not a text: control characters are not allowed; a job file is UTF-8" },
{ "\xef\xbb\xbf\nname: Heat\n", "2: name: 'Heat' is no name; " WANTED_NAME },
{ "\xef\xbb\xbf" "ranks: {initial: 1}\nname: Heat\n",
  "2: name: 'Heat' is no name; " WANTED_NAME },
{ "%YAML 1.1\n---\nname: Heat\n",
  "3: name: 'Heat' is no name; " WANTED_NAME },
};
/* clang-format on */

static void what_is_not_plain_yaml_is_refused(void)
{
	check_refusals(odd, LENGTH(odd));
}

static void a_nul_byte_is_refused_wherever_it_is(void)
{
	static const char whole[] = GOOD "\0: x\n";
	static const char utf16[] = "\xff\xfen\0a\0m\0e\0:\0 \0x\0\n";

	CHECK(parse(whole, sizeof(whole) - 1) == -EINVAL);
	CHECK_TEXT(err.text,
		   "t.yaml:6: a NUL byte; a job file is a text in UTF-8");
	CHECK(parse(utf16, sizeof(utf16) - 1) == -EINVAL);
	CHECK_TEXT(err.text,
		   "t.yaml:1: a NUL byte; a job file is a text in UTF-8");
}

/* Every beginning of a good file, and every file with one byte changed, is
 * refused or read: nothing else can happen. */
static void no_damage_to_a_file_does_harm(void)
{
	static const char good[] =
		GENERIC "generic: {files: ['*'], proof: none}\n"
			"environment: {A: \"b\"}\n"
			"scale:\n  schedule:\n  - {at: 30%, ranks: 4}\n";
	static const char bytes[] = "\0\n \t:-[]{},#&*!|>'\"%@`\\\xff\x80?~<9";
	char text[sizeof(good)];

	CHECK(parse(good, strlen(good)) == 0);
	for (size_t n = 0; n < strlen(good); n++)
		CHECK(parse(good, n) == 0 || err.text[0]);
	for (size_t at = 0; at < strlen(good); at++)
		for (size_t i = 0; i < sizeof(bytes) - 1; i++) {
			memcpy(text, good, sizeof(good));
			text[at] = bytes[i];
			CHECK(parse(text, strlen(good)) == 0 || err.text[0]);
		}
}

RUN_TESTS(TEST(a_wrong_value_is_refused_with_what_would_be_right),
	  TEST(a_wrong_key_is_refused_with_the_one_meant),
	  TEST(what_does_not_fit_together_is_refused),
	  TEST(what_is_not_plain_yaml_is_refused),
	  TEST(a_nul_byte_is_refused_wherever_it_is),
	  TEST(no_damage_to_a_file_does_harm))
