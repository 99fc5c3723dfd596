#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# commands.sh BELLOWS DIR_OF_FAKE_COORDINATOR: the command line program against
# a coordinator that plays one job (fake_coordinator.c); speaks TAP.
bellows=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
PATH=$2:$here/bin:$PATH
export PATH
work=$(mktemp -d)
BELLOWS_STATE=$work/state
export BELLOWS_STATE
unset FAKE
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir ckpt

cat > job.yaml <<'EOF'
name: heat
app: parint
command: [parint, --array-size, 1000, --iterations, 10, --nloop, 1]
ranks: {initial: 2, max: 6}
checkpoint: {dir: ckpt}
EOF

. "$here/ask.sh"

# Starts a job that runs on, as process $job.
start() { # MODE
	: > run.err
	FAKE=$1 "$bellows" run job.yaml > run.out 2> run.err &
	job=$!
	for _ in $(seq 100); do
		grep -q 'running on 2' run.err && return 0
		sleep 0.05
	done
	return 1
}

gone() {
	! kill -0 "$(cat "$BELLOWS_STATE/heat/pid")" 2>/dev/null
}

echo 1..24

ends 0 "$bellows" run job.yaml --timeline t.svg &&
	! grep -qv '^step at' out && says 'growing 2 -> 4' &&
	says 'cost a pause of 0.210 s' && grep -q '^</svg>' t.svg
verdict $? 'run keeps standard output for the application'

ends 0 "$bellows" run job.yaml --json &&
	! grep -qv '^{"event":.*}$' out && says '{"event":"over"' && [ ! -s err ]
verdict $? 'run --json writes one event a line'

ends 0 "$bellows" run job.yaml --quiet && [ "$(cat err)" = "a rank's own words" ]
verdict $? 'run --quiet shows the application alone'

full() {
	"$@" > /dev/full
}
ends 71 full "$bellows" run job.yaml && says 'done after' &&
	says 'standard output: No space left on device' &&
	ends 71 full "$bellows" --help &&
	says 'standard output: No space left on device'
verdict $? 'output that the disk does not take is told'

ends 3 env FAKE=fail "$bellows" run job.yaml --quiet &&
	says 'the application failed'
verdict $? 'the exit status is the application'\''s, and the reason is told'

ends 71 env FAKE=refuse "$bellows" run job.yaml &&
	says 'ended before it listened: another coordinator holds'
verdict $? 'a coordinator that refuses is quoted'

ends 70 env FAKE=crash "$bellows" run job.yaml && says 'ended by signal 9'
verdict $? 'a coordinator that crashes is told'

ends 71 env PATH=/usr/bin:/bin "$bellows" run job.yaml &&
	says 'cannot run bellows-coordinator'
verdict $? 'a missing program is told'

ends 65 "$bellows" run nothere.yaml && says nothere.yaml
verdict $? 'a missing job file is told'

ends 64 "$bellows" run job.yaml --ranks 2 && says 'not both'
verdict $? 'a job file and options do not mix'

ends 69 "$bellows" status nothere && says 'there is no job nothere'
verdict $? 'an unknown job is told'

ends 69 "$bellows" scale heat 4 && says 'is gone'
verdict $? 'a job whose coordinator has ended is told'

ends 69 "$bellows" watch --connect 127.0.0.1:1 && says 'nobody listens'
verdict $? 'a refused connection is told'

ends 64 "$bellows" cancel ../heat && says 'is no name of a job'
verdict $? 'a name that is none is refused'

start forever &&
	ends 0 "$bellows" scale heat +2 && says 'accepted, 2 -> 4' &&
	ends 76 "$bellows" scale heat 7 && says 'at most 6?[31m'
verdict $? 'scale tells the answer, without control characters'

ends 0 "$bellows" status && says heat &&
	ends 0 "$bellows" status heat --json && says '"ranks":2'
verdict $? 'status lists jobs and shows one'

ends 71 "$bellows" run job.yaml && says 'runs already'
verdict $? 'a job that runs is not started twice'

ends 0 "$bellows" cancel heat --save && says 'saved and stopped' &&
	{ wait $job; [ $? -eq 75 ]; }
verdict $? 'cancel --save suspends the job'

start forever && kill -TERM $job && { wait $job; [ $? -eq 75 ]; } &&
	grep -q 'once more to stop at once' run.err
verdict $? 'one signal saves and stops'

start stubborn && kill -TERM $job && sleep 0.2 && kill -TERM $job &&
	sleep 0.2 && kill -TERM $job && { wait $job; [ $? -eq 130 ]; } && gone
verdict $? 'three signals end everything, whatever it does'

start forever && kill -KILL $job
wait $job 2>/dev/null
for _ in $(seq 60); do
	gone && break
	sleep 0.05
done
gone
verdict $? 'the programs end when the one that started them is killed'

start stubborn && kill -STOP "$(cat state/heat/pid)" &&
	ends 69 timeout 8 "$bellows" status heat && says 'does not answer'
verdict $? 'a coordinator that hangs is not waited for'

ends 0 timeout 8 "$bellows" status && says 'no job runs'
verdict $? 'a list leaves out a coordinator that hangs'

kill -KILL "$(cat state/heat/pid)"
wait $job
chmod 755 state/heat
ends 71 "$bellows" run job.yaml && says 'chmod 700'
verdict $? 'a state directory that is open to others is refused'
