#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# simulate.sh BELLOWS WORKLOADS: what `bellows simulate` prints and refuses;
# speaks TAP.
bellows=$(realpath "$1")
workloads=$(realpath "$2")
table=$workloads/elastic_table1.json
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

. "$here/ask.sh"

simulates() { # CODE ARGUMENT...
	code=$1
	shift
	ends "$code" "$bellows" simulate "$@"
}

echo 1..9

simulates 0 "$table" --set A --compare published,published_min &&
	[ "$(wc -l < out)" -eq 3 ] &&
	says 'published                      1929  93.44%      39.78       449.86' &&
	says 'published_min                  2951  48.42%       0.00       616.19' &&
	[ "$(wc -L < out)" -le 120 ]
verdict $? 'policies are compared in a table'

simulates 0 "$table" --set B --policy elastic --csv --sweep gap=0:360:180 &&
	[ "$(wc -l < out)" -eq 4 ] && head -1 out | grep -q '^gap_s,policy,total_s,' &&
	sed -n 3p out | grep -q '^180,elastic,[0-9]*\.[0-9]*,0\.'
verdict $? 'a sweep is CSV, one value a line'

simulates 0 "$table" --compare published,easy --json --sweep T=180 &&
	[ "$(grep -c '^{"policy":".*","T_s":180,"total_s":.*}$' out)" -eq 2 ]
verdict $? 'JSON is an object a line, the means over all sets'

simulates 0 "$table" --set A --explain &&
	grep -q '^\[     270.0 s\] resize xlarge-2 27 -> 15: .* for medium-4)$' out &&
	! grep -qv '^\[ *[0-9.]* s\] .*: .* free.*)$' out
verdict $? 'every decision is explained'

simulates 0 "$table" --set A --explain --json --policy published &&
	says '"reason":"slots are free"' &&
	! grep -qv '^{"time_s":.*,"reason":".*}$' out
verdict $? 'and so it is in JSON'

simulates 64 "$table" --policy best && says "there is no policy 'best'; there are elastic, " &&
	simulates 64 "$table" --set C && says "the workload has no set 'C'" &&
	simulates 64 "$table" --sweep gap=9:1:1 && says '--sweep: ' &&
	simulates 64 "$table" --sweep speed=1:2:1 && says '--sweep: ' &&
	simulates 64 "$table" --json --csv && says 'do not go together' &&
	simulates 64 "$table" --policy easy --compare fifo && says 'do not go together' &&
	simulates 64 "$table" --explain && says '--explain is for one policy and one set'
verdict $? 'a command line that is wrong is told'

head -c 1500 "$table" > short.json
printf '{"slots": 4,\n"classes": [\n{"name": "a", "min": 5, "max": 5, "steps": 1, "step_time": 1}]}' > big.json
simulates 65 short.json && says 'short.json:' && says ': this is not JSON' &&
	simulates 65 big.json && says 'big.json:3: class a: max 5, and 0 for a launcher, are more than the 4 slots' &&
	simulates 65 nothere.json && says 'nothere.json' &&
	simulates 65 short.json --json && says '"exit_code":65'
verdict $? 'a workload that is wrong is told, with its line'

truncate -s 1G huge.json
simulates 65 huge.json && says 'huge.json:1: the file has more than 64 MiB'
verdict $? 'a gigabyte of nothing is not read'

printf '{"slots": 4, "classes": [{"name": "a", "min": 1, "max": 4, "steps": 1, "step_time": 1}],\n"jobs": [{"class": "a", "submit": 1}]}' > timed.json
simulates 0 timed.json && simulates 64 timed.json --sweep gap=0:10:1 &&
	says "every job has a 'submit' of its own"
verdict $? 'a gap between jobs that have a time is refused'
