#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# kube.sh BELLOWS DIR_OF_FAKE_COORDINATOR: the command line program against an
# API of Kubernetes that plays one cluster (fake_api.py); speaks TAP.
bellows=$(realpath "$1")
coordinator=$(realpath "$2")/bellows-coordinator
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
api=$work/api
KUBECONFIG=$api/kubeconfig
TMPDIR=$work/tmp
export KUBECONFIG TMPDIR
unset FAKE XDG_RUNTIME_DIR BELLOWS_STATE
cd "$work" || exit 1
mkdir api tmp
ln -s "$bellows" kubectl-bellows

cat > job.yaml <<'YAML'
name: heat
app: parint
command: [parint, --array-size, 1000, --iterations, 10, --nloop, 1]
ranks: {initial: 2, max: 6}
checkpoint: {dir: ckpt}
wait_deadline: 20s
YAML

# A cluster of its own for each test; FAKE as of fake_coordinator.c.
server=
cluster() { # [FAKE]
	stop
	rm -rf api
	mkdir api
	mkfifo api/life
	FAKE=${1:-} /usr/bin/python3 "$here/fake_api.py" api "$coordinator" \
		< api/life 2> api/log &
	server=$!
	exec 9> api/life
	for _ in $(seq 200); do
		[ -e "$KUBECONFIG" ] && return 0
		sleep 0.05
	done
	return 1
}

stop() {
	exec 9>&-
	[ -z "$server" ] || wait "$server"
	server=
}
job= watch=
trap 'kill $job $watch 2> /dev/null; stop; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

. "$here/ask.sh"
logs="run.out run.err api/log"
within="timeout 60"

# What of the cluster's objects there is, as plural/name.
objects() { # PLURAL...
	url=$(sed 's/.*"server": "\([^"]*\)".*/\1/' "$KUBECONFIG")
	for plural; do
		case $plural in
		vcjobs) path=apis/batch.volcano.sh/v1alpha1/namespaces/physics/jobs ;;
		jobs) path=apis/batch/v1/namespaces/physics/jobs ;;
		roles | rolebindings) path=apis/rbac.authorization.k8s.io/v1/namespaces/physics/$plural ;;
		networkpolicies) path=apis/networking.k8s.io/v1/namespaces/physics/$plural ;;
		poddisruptionbudgets) path=apis/policy/v1/namespaces/physics/$plural ;;
		*) path=api/v1/namespaces/physics/$plural ;;
		esac
		curl -s --noproxy '*' "$url/$path" | /usr/bin/python3 -c '
import json, sys
for item in json.load(sys.stdin)["items"]:
    print(sys.argv[1] + "/" + item["metadata"]["name"],
          len(item["metadata"].get("ownerReferences", [])))' "$plural"
	done
}

# Deletes an object behind the program's back.
delete() { # PATH
	curl -s --noproxy '*' -X DELETE "$(sed 's/.*"server": "\([^"]*\)".*/\1/' "$KUBECONFIG")/$1" > deleted
}

all='secrets configmaps serviceaccounts roles rolebindings networkpolicies
	poddisruptionbudgets persistentvolumeclaims services podtemplates jobs
	vcjobs'

# What a run makes with Volcano, each with the number of its owners.
made='configmaps/heat-job 1 networkpolicies/heat 1 networkpolicies/heat-compute 1 '
made=$made'persistentvolumeclaims/heat-data 0 poddisruptionbudgets/heat 1 '
made=$made'rolebindings/heat-monitor 1 rolebindings/heat-monitor-volcano 1 '
made=$made'roles/heat-monitor 1 roles/heat-monitor-volcano 1 '
made=$made'secrets/heat-client-tls 1 secrets/heat-coordinator-tls 1 '
made=$made'secrets/heat-executor-tls 1 secrets/heat-monitor-tls 1 secrets/heat-scheduler-tls 1 secrets/heat-token 1 '
made=$made'serviceaccounts/heat 1 serviceaccounts/heat-monitor 1 vcjobs/heat 0 '

# Nothing of ours is left in the folder for sockets.
clean() {
	[ -z "$(ls "$TMPDIR")" ]
}

# Starts a job that runs on, as process $job.
start() { # [OPTION...]
	: > run.err
	"$bellows" run job.yaml --on kube "$@" > run.out 2> run.err &
	job=$!
	for _ in $(seq 400); do
		grep -q 'running on 2' run.err && return 0
		sleep 0.05
	done
	return 1
}

# Watches it, as process $watch, which SIGHUP ends also below nohup.
follow() {
	: > out
	env --default-signal=HUP "$bellows" watch heat --on kube > out 2> err &
	watch=$!
	for _ in $(seq 400); do
		grep -q 'running on 2' out && return 0
		sleep 0.05
	done
	kill $watch
	return 1
}

finish() { # CODE
	wait "$job"
	[ $? -eq "$1" ]
}

echo 1..37

cluster && ends 0 "$bellows" run job.yaml --on kube --timeline t.svg &&
	says 'growing 2 -> 4' && says 'cost a pause of 0.210 s' &&
	grep -q '^step at 1400' out && grep -q "a rank's own words" out &&
	grep -q '^</svg>' t.svg && clean
verdict $? 'a run in the cluster shows what a local one shows'

[ "$(objects $all | sort | tr '\n' ' ')" = "$made" ]
verdict $? 'the Job owns all that was made but the data'

finished() { # whether Volcano says so, which this cluster has not
	echo vcjobs/heat > api/over
}

finished && ends 0 "$bellows" run job.yaml --on kube &&
	says 'the former run of heat is over' && grep -q '^step at 1400' out &&
	rm api/over && [ "$(objects $all | wc -l)" -eq 18 ]
verdict $? 'the same command replaces a run that is over, and keeps its data'

ends 71 "$bellows" run job.yaml --on kube &&
	says "job heat runs already in namespace physics" &&
	says "'kubectl -n physics delete vcjob heat' removes it" &&
	[ "$(objects $all | wc -l)" -eq 18 ]
verdict $? 'a job that runs is refused, with what to do, and left alone'

ends 71 "$bellows" run job.yaml --on kube --run-id b2 --detach &&
	says 'job heat runs already' && [ "$(objects $all | wc -l)" -eq 18 ]
verdict $? 'a run of another ID does not take a job that runs'

cluster forever && ends 0 "$bellows" run job.yaml --on kube --run-id a1 --detach &&
	echo 'create vcjobs' > api/forbid &&
	ends 0 "$bellows" run job.yaml --on kube --run-id a1 --detach &&
	says 'the Job of this run is there already' &&
	[ "$(objects $all | sort | tr '\n' ' ')" = "$made" ]
verdict $? 'a run of the same ID goes on with the Job that is there'

cluster && printf 'create vcjobs\ndelete roles\n' > api/forbid &&
	ends 71 "$bellows" run job.yaml --on kube --run-id a1 &&
	[ "$(objects roles | wc -l)" -eq 2 ] && rm api/forbid &&
	ends 0 "$bellows" run job.yaml --on kube --run-id a1 &&
	[ "$(objects $all | sort | tr '\n' ' ')" = "$made" ]
verdict $? 'what a run has left without its Job is made anew by one of its ID'

# A job that is being deleted; these objects are not gone before api/linger is.
deleted_slowly() { # PLURAL
	cluster forever && ends 0 "$bellows" run job.yaml --on kube --detach &&
		echo "$1" > api/linger &&
		delete apis/batch.volcano.sh/v1alpha1/namespaces/physics/jobs/heat
}

# The same command again, in the meantime, and its end.
run_again() { # WHAT_HOLDS_THE_FORMER_RUN
	"$bellows" run job.yaml --on kube --detach > run.out 2> run.err &
	job=$!
	for _ in $(seq 400); do
		says 'still ending: waiting for that, 10 s at most' run.err && break
		if ! kill -0 "$job"; then
			wait "$job"
			echo "it ended with $?" >> run.err
			return 1
		fi
		sleep 0.05
	done
	[ -s run.err ] || ls -l "/proc/$job/fd" > run.out 2>&1 # where it stands
	[ "$(grep -c 'still ending' run.err)" -eq 1 ] && rm "$1" && finish 0 &&
		says 'job heat runs in namespace physics' run.err &&
		[ "$(objects vcjobs)" = 'vcjobs/heat 0' ]
}

deleted_slowly vcjobs && run_again api/linger
verdict $? 'a job that is being deleted is waited for, and then replaced'

deleted_slowly vcjobs && ends 69 "$bellows" run job.yaml --on kube &&
	says 'the former run of heat in namespace physics did not end within 10 s' &&
	says "'kubectl -n physics get vcjob heat' shows" &&
	[ "$(objects $all | wc -l)" -eq 18 ]
verdict $? 'one whose deletion does not end is waited for no longer than said'

deleted_slowly roles && [ -z "$(objects vcjobs)" ] && run_again api/linger &&
	[ "$(objects $all | wc -l)" -eq 18 ]
verdict $? 'what a deleted job leaves to the garbage collector is waited for'

deleted_slowly roles && ends 69 "$bellows" run job.yaml --on kube &&
	says 'is there already in namespace physics'
verdict $? 'what the garbage collector does not delete is waited for no longer'

cluster fail && ends 3 "$bellows" run job.yaml --on kube --quiet &&
	says 'the application failed'
verdict $? 'the exit status is the job'\''s own'

cluster && : > api/no-volcano && ends 0 "$bellows" run job.yaml --on kube &&
	says 'the cluster has no Volcano Jobs' &&
	[ "$(objects jobs services podtemplates | tr '\n' ' ')" = 'jobs/heat 0 jobs/heat-monitor 1 services/heat 1 podtemplates/heat-worker 1 ' ]
verdict $? 'without Volcano a plain Job is made, and that is told'

cluster && : > api/no-volcano &&
	ends 64 "$bellows" run job.yaml --on kube --mode replicas &&
	says 'which this cluster does not have' && [ -z "$(objects secrets)" ]
verdict $? 'replicas without Volcano are refused before anything is made'

cluster && echo 'create vcjobs' > api/forbid &&
	ends 71 "$bellows" run job.yaml --on kube && says '"create"' &&
	[ -z "$(objects $all)" ] && clean
verdict $? 'what was made is removed when the rest is refused'

cluster && printf 'create vcjobs\ndelete roles\n' > api/forbid &&
	ends 71 "$bellows" run job.yaml --on kube &&
	says 'roles heat-monitor stays' &&
	[ "$(objects $all | tr '\n' ' ')" = 'roles/heat-monitor 0 roles/heat-monitor-volcano 0 ' ]
verdict $? 'what cannot be removed is told'

{ cat job.yaml && echo 'placement: {exclusive: true}'; } > own.yaml
ends 64 "$bellows" run own.yaml --on kube --print &&
	says '--memory: placement.exclusive needs the memory of an executor' &&
	ends 64 "$bellows" run own.yaml --on kube --print --memory 1Gi --cpu 1500m &&
	says "--cpu: '1500m' is no whole number of processors" &&
	ends 0 "$bellows" run own.yaml --on kube --print --memory 1Gi --cpu 2 &&
	[ "$(grep -o '"limits":{"cpu":"2","memory":"1Gi"}' out | wc -l)" -eq 1 ]
verdict $? 'executors with processors of their own have limits, and need memory'

ends 65 "$bellows" run nothere.yaml --on kube && says nothere.yaml
verdict $? 'the job file is read before anything is made'

cluster && ends 0 "$bellows" run job.yaml --on kube --detach --json &&
	says 'bellows watch heat --on kube' && ends 0 "$bellows" watch heat --on kube
verdict $? 'a detached job runs on, and is watched'

cluster forever && echo 'Unschedulable' > api/pending && {
	"$bellows" run job.yaml --on kube > run.out 2> run.err &
	job=$!
	for _ in $(seq 200); do
		grep -q 'pod heat-master-0: Pending: Unschedulable' run.err && break
		sleep 0.05
	done
	ends 69 "$bellows" status heat --on kube &&
		says 'does not run: pod heat-master-0 in namespace physics: Pending: Unschedulable' &&
		ends 0 "$bellows" status --on kube && says 'heat: Pending: Unschedulable' &&
		kill -TERM $job && finish 130 && [ -z "$(objects vcjobs pods secrets)" ]
}
verdict $? 'what a pod waits for is told, and a signal takes the job away'

cluster forever && echo 'ErrImagePull' > api/pending &&
	sed 's/20s/500ms/' job.yaml > hasty.yaml &&
	ends 69 "$bellows" run hasty.yaml --on kube &&
	says 'the coordinator did not come up within 0.5 s: Pending: ErrImagePull' &&
	[ -z "$(objects vcjobs pods)" ]
verdict $? 'a coordinator that does not come is waited for no longer than said'

cluster forever && start &&
	ends 0 "$bellows" scale heat +2 --on kube && says 'accepted, 2 -> 4' &&
	ends 76 "$bellows" scale heat 7 --on kube
verdict $? 'scale reaches the coordinator in its pod'

ends 0 "$bellows" status --on kube && says heat &&
	ends 0 ./kubectl-bellows status heat --json -n physics && says '"ranks":2' &&
	ends 0 ./kubectl-bellows status -n other && says 'no job runs' &&
	ends 69 ./kubectl-bellows history cold -n physics &&
	says 'there is no job cold in namespace physics'
verdict $? 'the plugin of kubectl shows what the program shows'

ends 69 "$bellows" status cold --on kube &&
	says 'there is no job cold in namespace physics'
verdict $? 'an unknown job is told'

echo 'get secrets' > api/forbid
ends 69 "$bellows" status heat --on kube && says '"get"' && says '--token-file'
verdict $? 'a token that may not be read is told, and the way around'

echo 'get pods/portforward' > api/forbid
ends 69 "$bellows" status heat --on kube && says 'pods/portforward' &&
	ends 0 "$bellows" status --on kube && says 'heat: ' && says 'unknown'
verdict $? 'a port that may not be forwarded is told'

: > api/forbid
ends 0 "$bellows" cancel heat --save --on kube && says 'saved and stopped' &&
	finish 75 && clean
verdict $? 'cancel --save suspends the job'

start && says "the former run of heat is over" run.err && kill -INT $job && finish 75
verdict $? 'the same command goes on from what was saved'

cluster forever && start && kill -INT $job && finish 75 &&
	grep -q 'once more to stop at once' run.err
verdict $? 'one signal saves and stops'

# The same command meanwhile, as process $other: if it is refused, the API is
# told at last.
refused() {
	"$bellows" run job.yaml --on kube > out 2> err
	[ $? -eq 71 ] && says 'job heat runs already' && rm api/late
}

# A signal saves the job, and the API is not told that its container has ended.
saved_untold() {
	cluster forever && : > api/late && start && kill -INT $job &&
		awaits '^heat: suspended'
}

awaits() { # WORDS: of the run
	for _ in $(seq 200); do
		grep -q "$1" run.err && return 0
		sleep 0.05
	done
	return 1
}

saved_untold && {
	refused &
	other=$!
	finish 75 && [ ! -e api/late ] && wait $other && start &&
		says 'the former run of heat is over' run.err && kill -INT $job && finish 75
}
verdict $? 'a saved run ends once the API knows, and the same command goes on'

saved_untold && awaits 'a signal ends this wait' && kill -INT $job &&
	finish 75 && [ -e api/late ]
verdict $? 'a wait for the API is told, and a signal ends it'

cluster forever && : > api/again && start && kill -INT $job && finish 75 &&
	run_again api/again && says 'the former run of heat is over' run.err
verdict $? 'a saved run whose container was started again is waited for'

cluster stubborn && start && kill -INT $job && sleep 0.3 && kill -INT $job &&
	sleep 0.3 && kill -INT $job && finish 130 && [ -z "$(objects vcjobs pods secrets)" ]
verdict $? 'three signals delete the job, whatever it does'

cluster forever && start && follow && {
	kill "$(cat api/heat-master-0/pid)"
	wait $watch
	[ $? -eq 69 ] && says 'the coordinator of heat is gone: pod heat-master-0: Failed: exit status 130'
} && finish 130
verdict $? 'a coordinator that ends without a word ends watch with a sentence'

cluster forever && start && follow && {
	delete api/v1/namespaces/physics/pods/heat-master-0
	wait $watch
	[ $? -eq 69 ] && says 'pod heat-master-0: it was deleted'
} && finish 69
verdict $? 'a pod that is deleted ends watch with a sentence'

cluster forever && start && follow && {
	sockets=$(ls "$TMPDIR")
	kill -HUP $watch
	wait $watch
	[ $? -eq 129 ] && [ -n "$sockets" ] && kill -INT $job && finish 75 && clean
}
verdict $? 'no signal leaves a socket behind'

cluster forever && : > api/restart && start && follow && {
	kill -KILL "$(cat api/heat-master-0/pid)"
	for _ in $(seq 200); do
		[ "$(grep -c 'running on 2' out)" -eq 2 ] && break
		sleep 0.05
	done
	ends2=$(grep -c 'running on 2' out)
	"$bellows" run job.yaml --on kube > again 2>&1
	[ $? -eq 71 ] && says 'job heat runs already' again && kill -INT $job && wait $watch
	[ $? -eq 75 ] && [ "$ends2" -eq 2 ] && finish 75
}
verdict $? 'a coordinator that is started again in its pod is followed on'
