#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# supersteps.sh BELLOWS: what `bellows simulate --supersteps` prints and refuses;
# speaks TAP.
bellows=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

. "$here/ask.sh"

simulates() { # CODE ARGUMENT...
	code=$1
	shift
	ends "$code" "$bellows" simulate --supersteps "$@"
}

# forecast LATE FIRST: what is expected of work that begins with FIRST
forecast() {
	awk -v late="$1" -v first="$2" 'BEGIN {
		for (s = 0; s < 40; s++) for (k = 0; k < 20; k++) {
			at = s + k > late ? s + k - late : 0
			printf "%d%s", int(at / 5) % 2 ? 60 - first : first, k < 19 ? "," : "\n"
		}
	}'
}

# A task takes 1000 s by workload and share.  The work of a and b changes every
# 5 steps; what is forecast of a comes 1 step late.
make_files() {
	awk 'BEGIN { print "task,workload,shares,seconds"
		for (t = 0; t < 2; t++) for (w = 10; w <= 50; w += 10)
			for (s = 1000; s <= 4000; s += 500)
				printf "%s, %d, %d, %.9f\n", t ? "b" : "a", w, s, 1000 * w / s
	}' > profile.csv
	awk 'BEGIN { for (s = 0; s < 40; s++) print s "," (int(s / 5) % 2 ? 50 : 10) }' > a.csv
	awk 'BEGIN { print "time,value"; for (s = 0; s < 40; s++) print s "," (int(s / 5) % 2 ? 10 : 50) }' > b.csv
	forecast 1 10 > a_forecast.csv
	forecast 0 50 > b_forecast.csv
	cat > app.json <<-'END'
	{
	  "steps": 40, "change": 2,
	  "shares": {"total": 5000, "least": 1000, "increment": 500},
	  "profile": "profile.csv",
	  "tasks": [
	    {"name": "a", "series": "a.csv", "forecast": "a_forecast.csv"},
	    {"name": "b", "series": "b.csv", "forecast": "b_forecast.csv"}
	  ]
	}
	END
}

# The same with 60 steps before the first one and 40 behind the last.
make_school() {
	make_files
	for task in a b; do
		awk -v first=$([ $task = a ] && echo 10 || echo 50) \
			'BEGIN { for (s = 0; s < 140; s++) print int(s / 5) % 2 ? 60 - first : first }' > $task.csv
		awk -v first=$([ $task = a ] && echo 10 || echo 50) -v late=$([ $task = a ] && echo 1 || echo 0) 'BEGIN {
			for (s = 60; s < 140; s++) for (k = 0; k < 6; k++)
				printf "%d%s", int((s + k - late) / 5) % 2 ? 60 - first : first, k < 5 ? "," : "\n"
		}' > ${task}_forecast.csv
	done
	sed 's/"steps": 40/"first": 60, &/' app.json > school.json
}

# changed SED-SCRIPT: app.json, changed, is wrong.json
changed() {
	sed "$1" app.json > wrong.json
}

make_files
echo 1..16

simulates 0 app.json --planner static,window-5,mpc,scenario --forecast known &&
	[ "$(wc -l < out)" -eq 5 ] &&
	says 'PLANNER   FORECAST            STEPS/s  CHANGES      TOTAL/s     GAIN ABOVE BOUND' &&
	says 'static    none                 800.00        0       800.00   0.00 %           -' &&
	says 'window-5  known                500.00        7       514.00  35.75 %           -' &&
	says 'mpc       known                500.00        7       514.00  35.75 %           -' &&
	says 'scenario  known                500.00        7       514.00  35.75 %           -'
verdict $? 'planners are compared in a table'

simulates 0 app.json --planner window-5 --csv &&
	[ "$(sed -n 1p out)" = planner,forecast,steps_s,changes,total_s,gain,above_bound ] &&
	[ "$(sed -n 2p out)" = window-5,given,526.785714,7,540.785714,0.324018, ]
verdict $? 'the forecast of the files is what planners are told, if it is there'

simulates 0 app.json --planner mpc --forecast known --json &&
	[ "$(cat out)" = '{"planner":"mpc","forecast":"known","steps_s":500,"changes":7,"total_s":514,"gain":0.3575,"above_bound":null}' ]
verdict $? 'JSON is an object a planner'

simulates 0 app.json --planner window-5,exact --csv &&
	[ "$(sed -n 2p out)" = window-5,given,526.785714,7,540.785714,0.324018,0.052112 ] &&
	[ "$(sed -n 3p out)" = exact,known,500.000000,7,514.000000,0.357500,0.000000 ]
verdict $? 'the optimum is found, and how far another planner is from it'

# The first 10 values are the past: enough for `last`, too few for a period.
sed 's/"steps": 40/"steps": 30, "first": 10/; s/, "forecast": "[ab]_forecast.csv"//' app.json > past.json
simulates 0 past.json --planner window-1 --forecast last --csv &&
	! grep -q . err && grep -q '^window-1,last,[0-9.]*,29,' out &&
	simulates 0 past.json --planner window-1 --csv &&
	grep -q '^window-1,autoregressive,' out &&
	grep -q '^bellows: window-1: before [0-9]* of 30 steps a history was too short for a forecast' err
verdict $? 'workloads are forecast from those before, and a history that is too short is told'

simulates 0 app.json --planner window-5 --forecast known --explain &&
	[ "$(wc -l < out)" -eq 40 ] &&
	[ "$(sed -n 1p out)" = 'step 1: 12.50 s, b; shares: a 1000, b 4000' ] &&
	[ "$(sed -n 2p out)" = 'step 2: 12.50 s, b' ] &&
	[ "$(sed -n 6p out)" = 'step 6: 12.50 s, a; the shares change: a 1000 -> 4000, b 4000 -> 1000' ]
verdict $? 'every step is explained'

simulates 0 app.json --planner window-5 --forecast known --explain --json &&
	[ "$(sed -n 6p out)" = '{"step":6,"step_s":12.5,"slowest":"a","changed":true,"shares":{"a":4000,"b":1000},"tasks_s":{"a":12.5,"b":10},"workloads":{"a":50,"b":10},"expected":{"a":[50,50,50,50,50],"b":[10,10,10,10,10]}}' ]
verdict $? 'and so it is in JSON'

simulates 0 app.json --planner static,window-5,exact --svg chart.svg &&
	says 'static: 800 s and 0 changes, in total 800 s, 55.6 % above the bound' chart.svg &&
	says 'window-5 (given): 527 s and 7 changes, in total 541 s, 32.4 % less than unchanged, 5.2 % above the bound' chart.svg &&
	[ "$(grep -c 'class="line slowest" d="M[0-9. ]*L' chart.svg)" -eq 3 ] &&
	[ "$(grep -o 'M[0-9. ]*v-7' chart.svg | wc -l)" -eq 15 ]
verdict $? 'the times of the tasks are drawn, and where the shares change'

simulates 64 app.json --planner best && says "there is no planner 'best'; there are static, " &&
	simulates 64 app.json --planner window-21 && says 'windows of up to 20 steps' &&
	simulates 64 app.json --forecast dreamt && says "there is no forecast 'dreamt'; there are known, given, last, seasonal, autoregressive" &&
	simulates 64 app.json --policy elastic && says '--policy does not go together with --supersteps' &&
	simulates 64 app.json --explain && says '--explain is for one planner' &&
	ends 64 "$bellows" simulate app.json --planner mpc && says '--planner needs --supersteps'
verdict $? 'a command line that is wrong is told'

changed 's/"total": 5000/"total": 1500/' &&
	simulates 65 wrong.json && says "wrong.json:3: 2 tasks with 1000 shares at least need 2000, and 'total' is 1500" &&
	changed 's/"least": 1000/"least": 500/' &&
	simulates 65 wrong.json && says "wrong.json:3: 'least' is 500 shares, and the profile of a begins at 1000" &&
	changed 's/"name": "b"/"name": "c"/' &&
	simulates 65 wrong.json && says 'profile.csv: there is no line of the task c' &&
	changed 's/"name": "b"/"name": "a"/' &&
	simulates 65 wrong.json && says 'wrong.json:7: there are two tasks named a' &&
	changed 's/"steps": 40/"steps": 41/' &&
	simulates 65 wrong.json && says 'a.csv: the series has 40 values; 41 steps from row 0 on need more' &&
	changed 's/"steps": 40, //' &&
	simulates 65 wrong.json && says "wrong.json:1: 'steps' is missing" &&
	changed 's/a_forecast/none/' &&
	simulates 65 wrong.json && says 'cannot read none.csv: No such file or directory'
verdict $? 'an application that is wrong is told, with its line'

sed -i '/^a, 30, 2500,/d' profile.csv &&
	simulates 65 app.json &&
	says 'profile.csv: the profile of a has no line for a workload of 30 with 2500 shares' &&
	make_files && sed -i 's/^b, 10, 1000,.*/b, 10, 1000, nan/' profile.csv &&
	simulates 65 app.json && says "profile.csv:37: the duration is 'nan', and not a number" &&
	make_files && sed -i 's/^b, 10, 1000,.*/b, 10, 1000, 0/' profile.csv &&
	simulates 65 app.json && says 'profile.csv:37: the duration is 0, and not from 1e-09 to 1e+12' &&
	make_files && sed -i 's/^b, 10, 1000,.*/b, 10/' profile.csv &&
	simulates 65 app.json && says 'profile.csv:37: the line has 2 fields, and the number of shares is to be field 3'
verdict $? 'a profile with holes, or with what is no duration, is told'

make_files
sed -i '3s/,[^,]*$/,NaN/' a_forecast.csv &&
	simulates 65 app.json && says "a_forecast.csv:3: the value is 'NaN', and not a number" &&
	make_files && sed -i '5,$d' a_forecast.csv &&
	simulates 65 app.json && says 'a_forecast.csv: the forecast has 4 rows, and not one for each of 40 steps' &&
	make_files && sed 's/, "forecast": "b_forecast.csv"//' app.json > wrong.json &&
	simulates 65 wrong.json --forecast given && says "the task b has no 'forecast' file" &&
	simulates 0 wrong.json --planner mpc && says 'autoregressive' out &&
	tr '\n' '\0' < a.csv > b.csv && simulates 65 app.json && says 'b.csv:1: the line has a byte 0; this is no text'
verdict $? 'a forecast of NaN, one that is too short and bytes that are no text are told'

make_school
simulates 0 school.json --train weights --seed 3 --episodes 20 &&
	says 'weights: learned from 54 steps before the first' &&
	says '34 steps behind the last, by which it was tried: ' &&
	[ "$(sed -n 1,3p weights | tr '\n' ' ')" = 'bellows-network 1 layers 24 32 4 seed 3 ' ] &&
	simulates 0 school.json --planner static,learned --weights weights --csv &&
	grep -q '^static,none,800.000000,0,' out &&
	awk -F, '$1 == "learned" { found = $6 > 0.2 && $4 > 5 } END { exit !found }' out
verdict $? 'a planner learns from the steps before, and is better than shares that never change'

# A change pays off after two steps, or never.
sed 's/"change": 2/"change": 15/' school.json > dear.json &&
	simulates 0 dear.json --train dear --seed 3 --episodes 40 &&
	simulates 0 dear.json --planner learned --weights dear --csv &&
	awk -F, '$1 == "learned" { found = $6 > 0.02 } END { exit !found }' out &&
	sed 's/"change": 2/"change": 100/' school.json > dear.json &&
	simulates 0 dear.json --train dear --seed 3 --episodes 40 &&
	simulates 0 dear.json --planner learned --weights dear --csv &&
	grep -q '^learned,given,800.000000,0,' out
verdict $? 'it learns what a change costs, and what it brings later'

simulates 0 school.json --train again --seed 3 --episodes 20 && cmp weights again &&
	awk -F, -v OFS=, 'NR <= 40 { $1 = 30; $2 = 30 } 1' a_forecast.csv > other.csv &&
	cp other.csv a_forecast.csv &&
	awk 'NR > 60 && NR <= 100 { $1 = 33 } 1' a.csv > other.csv && cp other.csv a.csv &&
	simulates 0 school.json --train again --seed 3 --episodes 20 && cmp weights again &&
	simulates 0 school.json --train other --seed 4 --episodes 20 && ! cmp -s weights other &&
	simulates 0 school.json --train known --forecast known --seed 3 --episodes 20 && ! cmp -s weights known &&
	simulates 0 school.json --planner learned --weights known --forecast known
verdict $? 'a seed gives the same weights again, whatever the steps are that planners are compared by'

simulates 64 school.json --planner learned && says 'the planner learned needs --weights, a file that --train has made' &&
	simulates 64 school.json --weights weights && says '--weights is for the planner learned' &&
	simulates 64 school.json --episodes 3 && says '--episodes needs --train' &&
	simulates 64 school.json --seed 3 && says '--seed needs --train' &&
	simulates 64 school.json --train weights --planner mpc && says '--train and --planner do not go together' &&
	simulates 65 school.json --planner learned --weights a.csv &&
	says "a.csv:1: this is no file of weights, which begins with 'bellows-network 1'" &&
	printf 'bellows-network 1\nlayers 2 1\nseed 1\n0\n0\n0\n' > small &&
	simulates 65 school.json --planner learned --weights small &&
	says "small: the network has 2 inputs and 1 outputs, and a planner's has 24 and 4" &&
	simulates 71 school.json --planner learned --weights nothere && says 'cannot read nothere' &&
	simulates 71 school.json --train nothere/weights && says nothere &&
	simulates 65 app.json --train weights &&
	says 'to learn, there are to be 26 steps before the first and 20 behind the last, with their forecasts; there are 0 and 34' &&
	sed 's/, "forecast": "b_forecast.csv"//' school.json > wrong.json &&
	simulates 65 wrong.json --train weights --forecast given && says "not each task has a 'forecast' file" &&
	ends 64 "$bellows" simulate app.json --train weights && says '--train needs --supersteps'
verdict $? 'what cannot be learned, and a file that is no weights, is told'
