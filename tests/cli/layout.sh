#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# layout.sh BELLOWS: what `bellows simulate --layout` prints and refuses; speaks
# TAP.
bellows=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

. "$here/ask.sh"

simulates() { # CODE ARGUMENT...
	code=$1
	shift
	ends "$code" "$bellows" simulate --layout "$@"
}

# Four ranks want all the memory that a socket has, so 16 of them on one take
# 2.5 times as long, and 8 on each of two 1.5 times.
cat > pace.json <<'END'
{
  "launch": 5, "release": 20, "bandwidth": 4,
  "programs": [
    {"name": "net", "profile": "network", "ranks": 16, "seconds": 100,
     "floating": 2, "apart": 50},
    {"name": "cpu", "profile": "cpu", "ranks": 16, "seconds": 100,
     "of_4": 1.5, "of_16": 2, "floating": 3},
    {"name": "mem", "profile": "memory", "ranks": 16, "seconds": 100,
     "bandwidth": 1, "slowing": 0.5}
  ]
}
END
printf 'benchmark,submit_s,measured\nmem,0,120\ncpu,1,x\nnet,2,\n' > jobs.csv
echo 1..8

simulates 0 jobs.csv --pace pace.json &&
	[ "$(wc -l < out)" -eq 8 ] &&
	says 'POLICY    MAKESPAN/s    WAITS/s     RUNS/s RESPONSES/s  OVER none    OVER cm' &&
	says 'none             306         15        650         665      0.0 %    -17.7 %' &&
	says 'cm               255         15        550         565     15.0 %      0.0 %' &&
	says 'cm_s             156         15        350         365     45.1 %     35.4 %' &&
	says 'cm_g_tg          107         15        300         315     52.6 %     44.2 %' &&
	says 'bellows          107         15        300         315     52.6 %     44.2 %'
verdict $? 'all policies are compared in a table'

simulates 0 jobs.csv --pace pace.json --policy cm_s,cm --csv &&
	[ "$(sed -n 1p out)" = policy,makespan_s,wait_s,run_s,response_s,over_none,over_cm,makespan_over_none,makespan_over_cm ] &&
	[ "$(sed -n 2p out)" = cm_s,156.000000,15.000000,350.000000,365.000000,0.451128,0.353982,0.490196,0.388235 ] &&
	[ "$(sed -n 3p out)" = cm,255.000000,15.000000,550.000000,565.000000,0.150376,0.000000,0.166667,0.000000 ]
verdict $? 'CSV has the policies that are asked for'

simulates 0 jobs.csv --pace pace.json --policy cm --json &&
	grep -q '^{"policy":"cm","makespan_s":255,"wait_s":15,"run_s":550,"response_s":565,' out &&
	says '"programs":{"net":{"jobs":1,"wait_s":5,"run_s":100},"cpu":{"jobs":1,"wait_s":5,"run_s":200},"mem":{"jobs":1,"wait_s":5,"run_s":250}}}'
verdict $? 'JSON has the mean times of each program'

simulates 0 jobs.csv --pace pace.json --policy cm_s --explain &&
	[ "$(sed -n 1p out)" = '5 s: mem-0, which waited 5 s: 4 workers; node 0: 4 + 0; node 1: 4 + 0; node 2: 4 + 0; node 3: 4 + 0' ] &&
	[ "$(sed -n 3p out)" = '7 s: net-0, which waited 5 s: 1 worker; node 0: 0 + 16' ] &&
	simulates 0 jobs.csv --pace pace.json --policy bellows --explain --json &&
	[ "$(sed -n 1p out)" = '{"job":"mem-0","start_s":5,"wait_s":5,"workers":16,"ranks":[[2,2],[2,2],[2,2],[2,2]]}' ]
verdict $? 'each placing is explained'

simulates 0 jobs.csv --pace pace.json --policy cm --nodes 1 --sockets 1 --cores 16 --csv &&
	[ "$(cut -d, -f2,3,4 out | sed -n 2p)" = 605.000000,787.000000,550.000000 ]
verdict $? 'the cluster is as large as it is said to be'

# The paper's programs need no file of their pace.
printf 'benchmark,submit_s\nminife,0\nhpccstream,60\nhpccstream,60\nhpccdgemm,61\n' > known.csv
simulates 0 known.csv --policy cm,cm_g_tg,bellows --svg chart.svg --csv &&
	awk -F, 'NR > 1 { if (NR > 2 && !($5 < last)) wrong = 1; last = $5 } END { exit wrong }' out &&
	says 'hpccdgemm-0' chart.svg && says '4 jobs; 4 nodes of 2 sockets of 16 cores' chart.svg
verdict $? 'known programs are simulated and drawn, and finer layouts are faster'

simulates 65 jobs.csv &&
	says "jobs.csv:2: how fast the benchmark 'mem' runs is not known" &&
	simulates 65 pace.json --pace pace.json && says "pace.json:1: no column is named 'benchmark'" &&
	simulates 65 jobs.csv --pace jobs.csv && says 'jobs.csv:1: this is not JSON' &&
	simulates 65 jobs.csv --pace pace.json --policy cm --cores 7 &&
	says 'jobs.csv:2: under the policy cm 16 ranks of mem have no room on 4 nodes of 14 cores' &&
	sed 3,4d jobs.csv > mem.csv && simulates 0 mem.csv --pace pace.json --policy cm_g --cores 7 --csv &&
	[ "$(sed -n 2p out)" = cm_g,105.000000,5.000000,100.000000,105.000000,,,, ] &&
	simulates 65 none.csv && says 'none.csv: No such file or directory' &&
	simulates 65 jobs.csv --pace none.json && says 'none.json: No such file or directory'
verdict $? 'files that are wrong are told, with their line'

simulates 64 jobs.csv --policy fifo &&
	says "there is no policy of layout 'fifo'; there are none, cm, cm_s, cm_g, cm_s_tg, cm_g_tg, bellows" &&
	simulates 64 jobs.csv --explain && says '--explain is for one --policy' &&
	simulates 64 jobs.csv --json --csv && says '--json and --csv do not go together' &&
	simulates 64 jobs.csv --slots 4 && says '--slots does not go together with --layout' &&
	simulates 64 jobs.csv --supersteps && says '--supersteps does not go together with --layout' &&
	simulates 64 jobs.csv --nodes 10001 && says '--nodes' &&
	ends 64 "$bellows" simulate jobs.csv --nodes 4 && says '--nodes needs --layout' &&
	ends 64 "$bellows" simulate --supersteps jobs.csv --pace pace.json && says '--pace needs --layout'
verdict $? 'a command line that is wrong is told'
