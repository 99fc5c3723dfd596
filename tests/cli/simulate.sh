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

echo 1..18

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
	simulates 64 "$table" --set C && says "the workload has no set 'C'; it has 2" &&
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

job() { # NUMBER SUBMIT RUN PROCESSORS REQUESTED-TIME
	echo "$1 $2 -1 $3 $4 -1 -1 $4 $5 -1 1 1 1 -1 -1 -1 -1 -1"
}
{
	echo '; MaxProcs: 8'
	job 1 100 60 4 90
	job 2 110 50 1 50
	job 3 120 -1 4 90
	job 4 130 40 8 90
} > log.swf
simulates 0 log.swf --compare easy,elastic && [ "$(wc -l < out)" -eq 3 ] &&
	grep -q '^easy  *100 .* 10\.00 ' out &&
	[ "$(cat err)" = 'bellows: log.swf: 1 of 4 jobs is left out: 1 without a run time' ] &&
	cp log.swf log && simulates 0 log --policy easy && grep -q '^easy  *100 ' out &&
	simulates 0 log.swf --slots 9 --explain && says 'start job-1 on 4: '
verdict $? 'a log in Standard Workload Format is simulated, and says what it leaves out'

simulates 0 log.swf --policy operator --malleable 100 --explain &&
	says 'start job-1 on 4: ' && says 'resize job-4 3 -> 7: ' &&
	simulates 0 log.swf --policy easy --malleable 100 --grow 2 --explain &&
	says 'start job-1 on 8: ' && says 'start job-2 on 1: ' &&
	simulates 0 log.swf --policy operator --malleable 100 --csv && mv out thirty &&
	simulates 0 log.swf --policy operator --malleable 100 --grow 1 --move 30s --seed 1 --csv &&
	cmp -s out thirty &&
	simulates 0 log.swf --policy operator --malleable 100 --move 5s --csv &&
	! cmp -s out thirty
verdict $? 'jobs of a log are made malleable, with a price for each rescale'

head -c 60 log.swf > short.swf
sed 1d log.swf > headless.swf
gzip -c log.swf > packed.swf.gz
truncate -s 1G huge.swf
simulates 65 short.swf && says 'short.swf:2: the line has ' &&
	simulates 65 headless.swf && says "headless.swf:1: neither '; MaxProcs: N' nor " &&
	simulates 0 headless.swf --slots 8 &&
	simulates 65 packed.swf.gz && says 'packed.swf.gz:1: the log is compressed; gunzip it first' &&
	simulates 65 huge.swf && says 'huge.swf:1: byte 1 of the line is 0' &&
	simulates 65 nothere.swf && says 'nothere.swf'
verdict $? 'a log that is wrong is told, with its line'

simulates 64 timed.json --slots 9 &&
	says '--slots is for a log in Standard Workload Format, and timed.json is none' &&
	simulates 64 log.swf --seed 3 && says '--grow, --seed and --move need --malleable' &&
	simulates 64 log.swf --malleable 101 && says '--malleable' &&
	simulates 64 log.swf --sweep gap=0:10:1 && says "every job has a 'submit' of its own"
verdict $? 'options of a log are refused where they mean nothing'

# Whether the file is XML of SVG elements alone.
is_svg() { # FILE
	python3 -B -c 'import sys, xml.etree.ElementTree as tree
space = "{http://www.w3.org/2000/svg}"
kinds = {at.tag.removeprefix(space) for at in tree.parse(sys.argv[1]).iter()}
sys.exit(not kinds <= {"svg", "style", "title", "rect", "path", "text", "g"})' "$1"
}

hostile='<b>&"'\''.json'
cp "$table" "$hostile"
simulates 0 "$hostile" --set A --compare elastic,published --csv --svg jobs.svg &&
	[ "$(wc -l < out)" -eq 3 ] && is_svg jobs.svg &&
	says '&lt;b&gt;&amp;&quot;' jobs.svg &&
	[ "$(grep -c '>xlarge-2</text>' jobs.svg)" -eq 2 ]
verdict $? 'the jobs of a set are drawn, each with its name, for every policy'

simulates 0 "$table" --compare elastic,moldable --sweep gap=0:360:90 --csv --svg gap.svg &&
	[ "$(wc -l < out)" -eq 11 ] && is_svg gap.svg &&
	[ "$(grep -c '>moldable</text>' gap.svg)" -eq 1 ] &&
	[ "$(grep -c 'class="line l1"' gap.svg)" -eq 5 ]
verdict $? 'a sweep is printed and drawn, one line a policy in four panels'

awk 'BEGIN {
	printf "{\"slots\": 200, \"classes\": [{\"name\": \"a\", \"min\": 2, \"max\": 40,"
	printf "\"steps\": 10, \"step_time\": {\"points\": [[2, 20], [40, 2]]}}],\n\"jobs\": ["
	for (i = 0; i < 1000; i++)
		printf "%s{\"class\": \"a\", \"priority\": %d, \"submit\": %d}", i ? ",\n" : "", i * 7 % 19 + 1, i * 3
	print "]}"
}' > thousand.json
simulates 0 thousand.json --svg thousand.svg && is_svg thousand.svg &&
	[ "$(grep -c '<path class="a p[0-4]" .*<title>' thousand.svg)" -eq 1000 ] &&
	[ "$(wc -c < thousand.svg)" -lt 2097152 ]
verdict $? 'a thousand jobs are areas over the slots, in less than 2 MiB'

simulates 71 "$table" --set A --svg nowhere/jobs.svg && says 'nowhere/jobs.svg' && says 'nowhere' &&
	simulates 64 "$table" --svg jobs.svg && says '--svg draws the jobs of one set (--set)' &&
	mkdir folder && simulates 71 "$table" --set A --svg folder && says 'folder: '
verdict $? 'a drawing that cannot be made is told'

simulates 0 "$workloads/elastic_random.json" --set 100 --svg last.svg &&
	says '>elastic_random.json: set 100</text>' last.svg && says '>large-3</text>' last.svg &&
	simulates 64 "$workloads/elastic_random.json" --set 101 && says "the workload has no set '101'; it has 100" &&
	simulates 64 "$workloads/elastic_random.json" --set 0 && simulates 64 "$workloads/elastic_random.json" --set -1
verdict $? 'a set without a name goes by its number'
