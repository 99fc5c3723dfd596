#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# entrypoint.sh ENTRYPOINT: what it becomes, with programs in its folder that
# tell how they were called instead of doing anything.  Speaks TAP.

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 failures=0
job='--job /etc/bellows/job/job.yaml'
token='--token-file /etc/bellows/token/token'
ready='--ready /tmp/ready'
unset BELLOWS_ROLE BELLOWS_COORDINATOR BELLOWS_POD_IP BELLOWS_SLOTS \
	VC_MASTER_HOSTS
BELLOWS_TLS=$dir/none
export BELLOWS_TLS

stub() { # FILE LINE...
	file=$1
	shift
	printf '%s\n' '#!/bin/sh' "$@" >"$file"
	chmod +x "$file"
}

mkdir -p "$dir/bin" "$dir/path"
cp "$1" "$dir/entrypoint" || exit 1
for program in bellows bellows-coordinator bellows-executor bellows-monitor; do
	# shellcheck disable=SC2016 # the stub's
	stub "$dir/bin/$program" 'printf "%s" "$$ ${0##*/}"' 'for word; do' \
		'case $word in *" "*) word="{$word}" ;; esac' \
		'printf " %s" "$word"' 'done' 'echo'
done
# shellcheck disable=SC2016
stub "$dir/path/uname" 'echo "$HOST"'
stub "$dir/path/parint" 'echo "$$ the one of the image $*"'
stub "$dir/bin/parint" 'echo not this one'

# With that environment and those words; one argument is one word.
enter() { # [NAME=VALUE...] -- WORD...
	words=
	while [ "$1" != -- ]; do
		words="$words $1"
		shift
	done
	shift
	# shellcheck disable=SC2086
	env HOST=w PATH="$dir/path:$PATH" $words sh -c \
		'echo $$; exec "$@"' sh "$dir/entrypoint" "$@" >"$dir/out" 2>&1
	status=$?
	pid=$(sed -n 1p "$dir/out")
	said=$(sed 1d "$dir/out")
}

report() { # RESULT SENTENCE
	n=$((n + 1))
	[ "$1" = ok ] || failures=$((failures + 1))
	echo "$1 $n - $2"
}

# The same process is that program now, with those arguments.
becomes() { # "PROGRAM ARG..." SENTENCE
	if [ "$said" = "$pid $1" ] && [ "$status" -eq 0 ]; then
		report ok "$2"
	else
		echo "# status $status, said: $said"
		echo "# expected: $pid $1"
		report 'not ok' "$2"
	fi
}

refuses() { # STATUS LINE SENTENCE
	if [ "$said" = "entrypoint: $2" ] && [ "$status" -eq "$1" ]; then
		report ok "$3"
	else
		echo "# status $status, said: $said"
		report 'not ok' "$3"
	fi
}

coordinator="bellows-coordinator $job --state /var/lib/bellows/job"
coordinator="$coordinator --listen 0.0.0.0:7000 --metrics 0.0.0.0:7001"
coordinator="$coordinator --health 0.0.0.0:7002 $token"
at=BELLOWS_COORDINATOR=10.0.0.5:7001

enter HOST=heat-master-0 --
becomes "$coordinator" 'the master of a Volcano Job is the coordinator'
enter HOST=heat-worker-1 $at --
becomes "bellows-executor --coordinator 10.0.0.5:7001 $token $ready" \
	'any other host is an executor'
enter HOST=tune-master-lr-worker-0 $at --
becomes "bellows-executor --coordinator 10.0.0.5:7001 $token $ready" \
	'a worker of a job that is called like a master is an executor'
enter HOST=tune-worker-x-master-0 --
becomes "$coordinator" 'a master of a job that is called like a worker is none'
enter HOST=heat-master-0 BELLOWS_ROLE=executor $at --
becomes "bellows-executor --coordinator 10.0.0.5:7001 $token $ready" \
	'BELLOWS_ROLE comes before the name of the host'
enter HOST=heat-master-0 BELLOWS_ROLE=executor $at -- coordinator
becomes "$coordinator" 'a role on the command line comes before BELLOWS_ROLE'
enter $at -- monitor --provider kube --mode 'two words'
becomes "bellows-monitor $job --coordinator 10.0.0.5:7001 $token \
--provider kube --mode {two words}" 'options are handed on, behind ours'
enter HOST=x-master-0 -- --state /tmp/x --verbose
becomes "$coordinator --state /tmp/x --verbose" \
	'options alone leave the role to the environment'

enter VC_MASTER_HOSTS=a-master-0.a,b-master-0.b --
becomes "bellows-executor --coordinator a-master-0.a:7000 $token $ready" \
	'without a coordinator it is the first master of Volcano, port 7000'
enter VC_MASTER_HOSTS=elsewhere BELLOWS_COORDINATOR=heat --
becomes "bellows-executor --coordinator heat:7000 $token $ready" \
	'BELLOWS_COORDINATOR comes before that, and may lack the port'
enter $at BELLOWS_POD_IP=10.0.0.8 BELLOWS_SLOTS=4 --
becomes "bellows-executor --coordinator 10.0.0.5:7001 --address 10.0.0.8 \
--slots 4 $token $ready" 'an executor tells its address and its slots'
enter BELLOWS_POD_IP=fd00::8 -- coordinator
becomes "bellows-coordinator $job --state /var/lib/bellows/job \
--listen [::]:7000 --metrics [::]:7001 --health [::]:7002 $token" \
	'in a pod of IPv6 the coordinator listens to it'
enter -- executor --coordinator unix:/x
becomes "bellows-executor $token $ready --coordinator unix:/x" \
	'a coordinator on the command line will do'
enter -- monitor --coordinator=unix:/x
becomes "bellows-monitor $job $token --coordinator=unix:/x" \
	'also behind an equals sign'

mkdir "$dir/tls"
: >"$dir/tls/tls.crt"
tls="--tls $dir/tls"
enter BELLOWS_TLS="$dir/tls" -- coordinator
becomes "$coordinator $tls" 'a certificate that is there is taken'
enter BELLOWS_TLS="$dir/tls" $at -- executor
becomes "bellows-executor --coordinator 10.0.0.5:7001 $token $tls $ready" \
	'by an executor too'
enter BELLOWS_TLS="$dir/tls" $at -- monitor
becomes "bellows-monitor $job --coordinator 10.0.0.5:7001 $token $tls" \
	'and by a monitor'

enter BELLOWS_ROLE=nonsense -- parint --iterations 4
becomes 'the one of the image --iterations 4' \
	'a program is run as it is, the image'\''s own first'
enter -- bellows status
becomes 'bellows status' 'and one of Bellows is found'

enter -- executor
refuses 64 "there is no coordinator to go to: set BELLOWS_COORDINATOR to \
HOST:PORT, or run under Volcano's plugin svc, which sets VC_MASTER_HOSTS" \
	'an executor without a coordinator says what is missing'
enter BELLOWS_ROLE=master --
refuses 64 "BELLOWS_ROLE: 'master' is no role; coordinator, executor or \
monitor" 'an unknown role is refused'
enter -- wroker
refuses 127 "'wroker' is neither a program here nor a role; coordinator, \
executor or monitor" 'so is an unknown program'

echo "1..$n"
[ "$failures" -eq 0 ]
