#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# queue.sh BELLOWS FAKE_SCHEDULER DIR_OF_FAKE_COORDINATOR: the commands that ask
# a scheduler against one that plays a queue (fake_scheduler.c); speaks TAP.
bellows=$(realpath "$1")
scheduler=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
PATH=$3:$here/bin:$PATH
export PATH
work=$(mktemp -d)
BELLOWS_STATE=$work/state
export BELLOWS_STATE
unset FAKE FAKE_TLS
started=
# shellcheck disable=SC2086 # many numbers
trap 'kill $started 2> /dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir ckpt bin jobs state
chmod 700 state

job_file() { # NAME
	cat > "$1.yaml" <<- EOF2
	name: $1
	app: parint
	command: [parint, --array-size, 1000, --iterations, 10, --nloop, 1]
	ranks: {initial: 2, max: 6}
	checkpoint: {dir: ckpt}
	EOF2
}
for name in one two taken refused full lost dies stubborn; do
	job_file $name
done
sed 's/ranks:.*/ranks: {initial: two}/' one.yaml > bad.yaml

. "$here/ask.sh"

# Waits until a program has written that.
shows() { # PATTERN FILE [COUNT]
	for _ in $(seq 200); do
		lines=$(grep -c "$1" "$2" 2> /dev/null)
		[ "${lines:-0}" -ge "${3:-1}" ] && return 0
		sleep 0.05
	done
	return 1
}

# Starts a scheduler, as process $playing, whose queue is in DIR.
play() { # DIR [LISTEN]
	mkdir -p "$1"
	chmod 700 "$1"
	rm -f "$1/address"
	"$scheduler" "$1" "${2:-unix:$1/scheduler.sock}" 2> play.err &
	playing=$!
	started="$started $!"
	shows : "$1/address"
}

end_play() {
	kill $playing
	wait $playing
}

queue=$work/state/_queue

# Three that take their time, beside the others.
FAKE=silent play "$work/silent" || exit 1
play "$work/dying" || exit 1
"$bellows" keys keys
timeout 60 "$bellows" queue --state silent > silent.err 2>&1 &
asking=$!
"$bellows" queue --state dying --watch > orphan.out 2> orphan.err &
orphan=$!
started="$started $!"
shows heat orphan.out || exit 1
timeout 60 "$bellows" submit --state dying one.yaml dies.yaml two.yaml \
	> dying.err 2>&1 &
submitting=$!

echo 1..34

ends 69 "$bellows" queue &&
	says "no scheduler runs for this user: 'bellows serve' starts one" &&
	ends 69 "$bellows" submit one.yaml && says 'no scheduler runs' &&
	ends 69 "$bellows" hold heat && says 'no scheduler runs'
verdict $? 'a scheduler that does not run is told'

ends 65 "$bellows" submit one.yaml bad.yaml two.yaml &&
	says "bad.yaml:4: ranks.initial: 'two'" && says 'nothing was submitted'
verdict $? 'a file that is refused is told before a scheduler is looked for'

play "$queue"
verdict $? 'a scheduler plays a queue'

ends 69 env -u BELLOWS_STATE HOME= "$bellows" queue && says 'HOME is not set'
verdict $? 'a queue without a folder is told'

(cd jobs && ends 0 "$bellows" submit ../one.yaml --priority 20 --user eve \
	--after heat --time 2h --hold && mv out err ..) &&
	says "one is job 5: it waits for 2 slots?[2J" out &&
	says "submit one $work/one.yaml in $work priority=20 user=eve after=heat hold=1 length=7200000 id=32" "$queue/asked"
verdict $? 'submit sends the file, its folder and the options'

ends 0 "$bellows" submit two.yaml --json &&
	says '{"number":6,"name":"two","note":"it waits for 2 slots\u001b[2J"}' &&
	says "submit two $work/two.yaml in $work priority=0 user=$(id -un) after=- hold=0 length=0" "$queue/asked"
verdict $? 'submit is for who calls it, and speaks JSON'

ends 76 "$bellows" submit two.yaml taken.yaml one.yaml full.yaml &&
	says 'two is job 7' out &&
	says 'taken.yaml: the scheduler: job taken is in the queue already?[2J; submitted: 1 file before it; not submitted: it, 2 behind it' err &&
	! grep -q '^submit full' "$queue/asked"
verdict $? 'submit stops at the first failure, and says what was submitted'

ends 65 "$bellows" submit refused.yaml &&
	says 'refused.yaml: the scheduler: refused.yaml:3: 9 ranks' &&
	ends 71 "$bellows" submit full.yaml && says 'No space left'
verdict $? 'a refused file and a full disk have statuses of their own'

ends 0 "$bellows" submit lost.yaml && says 'lost is job 8' &&
	[ "$(grep -c '^submit lost' "$queue/asked")" -eq 2 ] &&
	ends 69 "$bellows" hold 9
verdict $? 'a request whose answer is lost is sent again, and counts once'

ends 64 "$bellows" submit one.yaml --priority 1001 &&
	says "'1001' is not a number from 1 to 1000" &&
	ends 64 "$bellows" submit && says 'usage: bellows submit FILE...' &&
	ends 65 "$bellows" submit nothere.yaml && says nothere.yaml &&
	ends 64 "$bellows" submit one.yaml --adapter no.so && says no.so
verdict $? 'mistakes in the command line of submit are told'

ends 0 "$bellows" queue &&
	says 'policy bellows, this machine: 4 of 8 slots used; 1 runs, 4 wait, 1 is held' &&
	grep -Eq '^ +1  heat +ann +10  running +4/4/2-8 +43 % +1 min 20 s$' out &&
	grep -Eq '^ +2  cold +eve\?\[2J +10  waiting +0/0/2-8 +- +1 min 3. s$' out &&
	! says ' old ' out && says '1 job ended more than an hour ago: --all shows it' &&
	! grep -q '.\{81\}' out && [ "$(wc -l < out)" -eq 12 ]
verdict $? 'queue is a table of the jobs, without control characters'

ends 0 "$bellows" queue --all && grep -q ' old .* done ' out && ! says ago out &&
	ends 0 "$bellows" queue cold && says '2 of the 4 slots that it needs are free?[31m' &&
	! says heat out && ends 0 "$bellows" queue old && grep -q ' old .* done ' out
verdict $? 'queue shows all jobs, or one with its reason'

ends 0 "$bellows" queue --json && [ "$(wc -l < out)" -eq 1 ] &&
	says '"policy":"bellows","where":"this machine","slots":8,"used":4' &&
	says '"number":1,"name":"heat","user":"ann","priority":10,"state":"running","reason":"","min":2,"max":8,"want":6,"grant":4,"ranks":4' &&
	! says '"name":"old"' && ends 0 "$bellows" queue --json --all && says '"name":"old"'
verdict $? 'queue --json is one object'

ends 0 "$bellows" queue --all --svg queue.svg && grep -q ' old .* done ' out &&
	grep -q '^</svg>' queue.svg && grep -q '>1 heat</text>' queue.svg &&
	grep -q '>3 old</text>' queue.svg &&
	ends 0 "$bellows" queue --svg queue.svg && ! grep -q '>3 old</text>' queue.svg &&
	ends 64 "$bellows" queue --svg queue.svg --watch && says 'without --watch' &&
	ends 71 "$bellows" queue --svg nothere/queue.svg && says nothere
verdict $? 'queue --svg draws the jobs of the table'

ends 69 "$bellows" queue nothere && says 'the scheduler: the queue has no job nothere?[2J' &&
	ends 69 "$bellows" queue nothere --watch && says 'has no job nothere' &&
	[ "$(grep -c '^watch nothere' "$queue/asked")" -eq 1 ] &&
	ends 69 "$bellows" release nothere && ends 69 "$bellows" priority nothere 4 &&
	ends 69 "$bellows" explain nothere --json && says '"exit_code":69'
verdict $? 'a job that the queue does not have is told by every command'

"$bellows" queue --watch > watched 2> watched.err &
watcher=$!
shows heat watched &&
	ends 0 "$bellows" hold heat --reason 'the input is wrong' &&
	says 'heat (job 1): it saves, and leaves its slots?[2J' &&
	says 'hold heat the input is wrong' "$queue/asked"
verdict $? 'hold tells what happens now'

shows 'heat.* held ' watched
kill -TERM $watcher
wait $watcher
[ $? -eq 130 ] && [ "$(grep -c '^policy bellows' watched)" -eq 2 ] &&
	! grep -q "$(printf '\033')" watched && [ ! -s watched.err ]
verdict $? 'queue --watch prints a table at each change'

ends 0 "$bellows" release heat && says 'heat (job 1): it waits for slots' &&
	ends 76 "$bellows" release old && says 'the scheduler: job old is over' &&
	ends 76 "$bellows" hold old --json && says '"exit_code":76'
verdict $? 'release tells what happens, and a state that does not allow it'

ends 0 "$bellows" priority heat 40 && says 'heat (job 1): its priority is 40' &&
	ends 0 "$bellows" queue heat && grep -q ' heat .* 40  ' out &&
	ends 64 "$bellows" priority heat 0 && says "'0' is no priority; a number from 1 to 1000 is" &&
	ends 64 "$bellows" priority heat && says 'usage: bellows priority JOB N'
verdict $? 'priority changes a priority'

ends 0 "$bellows" explain heat &&
	says 'heat (job 1) is waiting: it wants 6 ranks, is granted 4, and runs on 4' &&
	grep -Eq '^[0-9:]{8} grant 2 -> 4: free slots save most time there\?\[2J \(policy bellows; 3 slots free, 2 jobs wait, 0 run\)$' out &&
	ends 0 "$bellows" explain heat --json && says '"action":"resize"'
verdict $? 'explain says what was decided, and why'

ends 0 "$bellows" explain heat --at 2026-11-27T12:03:11 &&
	says "explain heat $(date -d '2026-11-27 12:03:11' +%s)999" "$queue/asked" &&
	ends 0 "$bellows" explain heat --at -10min &&
	ends 64 "$bellows" explain heat --at noon && says "--at: 'noon' is no time such as"
verdict $? 'explain takes an instant'

ends 64 "$bellows" cancel heat --save && says "'bellows hold' saves it" &&
	ends 0 "$bellows" cancel heat --reason 'no more' &&
	says 'heat (job 1): cancelled: the input is wrong?[2J' &&
	says 'cancel 1 no more' "$queue/asked" &&
	ends 69 "$bellows" cancel heat && says 'there is no job heat'
verdict $? 'cancel ends a job of the queue once'

ends 0 "$bellows" submit stubborn.yaml &&
	ends 69 "$bellows" cancel stubborn --timeout 100ms &&
	says 'job stubborn was told to end and has not within 0.1 s'
verdict $? 'cancel does not wait for ever'

: > run.err
FAKE=forever "$bellows" run two.yaml > run.out 2> run.err &
job=$!
shows 'running on 2' run.err &&
	ends 0 "$bellows" cancel two --state state/two && says 'cancelled' &&
	{ wait $job; [ $? -eq 130 ]; } &&
	! grep -q '^cancel [67]' "$queue/asked" &&
	ends 0 "$bellows" completion queue && says lost && ! says heat out
verdict $? 'cancel --state is for the coordinator, whatever the queue has'

ends 64 "$bellows" top && says "'bellows queue --json' is for programs"
verdict $? 'top wants a terminal'

"$bellows" queue --watch > again 2> again.err &
watcher=$!
shows '^policy' again && end_play && play "$queue" &&
	shows '^policy' again 2 && kill -TERM $watcher && {
	wait $watcher
	[ $? -eq 130 ]
}
verdict $? 'queue --watch goes on when the scheduler was started again'

end_play
ends 69 "$bellows" queue && says 'no scheduler runs' &&
	ends 69 "$bellows" queue --connect "$(cat "$queue/address")" &&
	says 'the scheduler is gone: nobody listens at'
verdict $? 'a scheduler that has ended is told'

: > run.err
FAKE=forever "$bellows" run two.yaml > run.out 2> run.err &
job=$!
shows 'running on 2' run.err &&
	ends 0 "$bellows" cancel two && says 'cancelled' && { wait $job; [ $? -eq 130 ]; }
verdict $? 'without a scheduler cancel asks the coordinator'

FAKE=trouble play "$queue" && ends 0 "$bellows" queue && says 'the disk is full?[2J' &&
	says 'slots used' && end_play
verdict $? 'a trouble of the scheduler is shown below the head'

wait $asking
[ $? -eq 69 ] && says 'the scheduler at' silent.err &&
	says 'does not answer' silent.err
verdict $? 'a scheduler that hangs is not waited for'

wait $submitting
[ $? -eq 69 ] && says 'dies.yaml: ' dying.err &&
	says "whether it was submitted is not known, 'bellows queue' shows it; submitted: 1 file before it; not submitted: 1 behind it" dying.err
verdict $? 'a scheduler that ends with a request leaves a doubt, which is told'

wait $orphan
[ $? -eq 69 ] && says 'the scheduler at' orphan.err
verdict $? 'queue --watch ends when the scheduler does not come back'

FAKE_TLS=keys/coordinator play "$work/tls" 127.0.0.1:0 &&
	ends 0 "$bellows" queue --connect "$(cat tls/address)" --tls keys/client &&
	says heat && end_play
verdict $? 'a scheduler is reached by its certificate'

cat > bin/bellows-scheduler <<'EOF2'
#!/bin/sh
echo "$@"
exit 5
EOF2
chmod 755 bin/bellows-scheduler
PATH=$work/bin:$PATH
ends 5 "$bellows" serve --slots 8 --policy easy --hosts h --gap 5s --state s \
	--listen l --token-file t --tls d --unencrypted --adapter a.so &&
	says '--slots 8 --policy easy --hosts h --gap 5000ms --state s --listen l --token-file t --tls d --unencrypted --adapter a.so' out &&
	ends 64 "$bellows" serve --policy best &&
	says "--policy: there is no policy 'best'; there are elastic, moldable" &&
	! says published && ends 64 "$bellows" serve --policy published
verdict $? 'serve runs the scheduler with the same options'
