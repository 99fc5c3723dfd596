#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# layers.sh [ROOT]: every room includes only the rooms it may; prints what does
# not.  Tests may include anything.

cd "${1:-.}" || exit 1

programs='base|cgroup|loop|journal|rpc|tls|local|ssh|http|json|kube|metrics|prometheus|web|core|apps|jobfile|client|runner|proto'

# The room's own name is always allowed.
check() {
	folder=$1 allowed=${1##*/}${2:+|$2}
	[ -d "$folder" ] || return 0
	grep -rnE --include='*.[ch]' --exclude-dir=example '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$folder" |
		grep -vE "\"($allowed)/" | sed 's|$| is not allowed here|'
}

# inside FOLDER ALLOWED: which other folders of its program it may include
inside() {
	program=${1%/*}
	[ -d "$1" ] || return 0
	grep -rnE --include='*.[ch]' "^[[:space:]]*#[[:space:]]*include[[:space:]]*\"$program/" "$1" |
		grep -vE "\"($1${2:+|$2})/" | sed 's|$| is not allowed here|'
}

# only FOLDER PATTERN WHAT: no other folder has such lines
only() {
	for room in proto lib core supersteps sim profiler apps jobfile client runner coordinator executor monitor scheduler cli launch; do
		[ -d $room ] && grep -rnE --include='*.[ch]' "$2" $room
	done | grep -vE "^$1/" | sed "s#\$# $3 belongs to $1#"
}

wrong=$(
	check proto
	check lib/base
	check lib/cgroup 'base'
	check lib/loop 'base'
	check lib/journal 'base|loop'
	check lib/rpc 'base|loop|tls|proto'
	check lib/tls 'base'
	check lib/yaml 'base'
	check lib/json 'base'
	check lib/local 'base|loop|proto'
	check lib/ssh 'base|loop'
	check lib/http 'base|loop'
	check lib/kube 'base|loop|http|yaml'
	check lib/metrics base
	check lib/network 'base'
	check lib/prometheus 'base|loop|http'
	check lib/web 'base|loop'
	check core 'base'
	check supersteps 'base|cgroup|core|json|loop|network'
	check sim 'base|core|json|network|supersteps'
	check profiler 'base|loop'
	check apps/supersteps/run 'apps|base|cgroup|core|loop|network|supersteps'
	check apps 'base' | grep -v '^apps/supersteps/run/'
	check jobfile 'base|apps|yaml'
	check client 'base|loop|rpc|tls|proto'
	check runner 'base|loop|rpc|tls|kube|apps|jobfile|client|proto'
	# The example is a project of its own: it sees what is installed, no more.
	grep -rnE --include='*.[ch]' '#include "[^"]*/' apps/example 2>/dev/null |
		sed 's|$| is not allowed here|'
	for program in coordinator executor monitor scheduler launch; do
		check $program "$programs"
	done
	check cli "$programs|sim|network|profiler|supersteps"
	# Calls lead down to the job and from there to what it drives; what
	# happens down there comes up as a callback.
	inside coordinator/service 'coordinator/(job|launch|checkpoint|journal|members)' |
		grep -v '"coordinator/config.h"'
	inside coordinator/job 'coordinator/(launch|checkpoint|journal|members)'
	inside coordinator/launch 'coordinator/members'
	inside coordinator/checkpoint
	inside coordinator/journal
	inside coordinator/members
	for folder in coordinator/*/; do
		case $folder in
		coordinator/service/ | coordinator/job/ | coordinator/launch/ | coordinator/checkpoint/ | coordinator/journal/ | coordinator/members/ | 'coordinator/*/') ;;
		*) echo "$folder is a folder without a rule in layers.sh" ;;
		esac
	done
	# A run on this machine and one in a cluster know nothing of each other.
	grep -rn '#include "runner/kube/' runner/local 2>/dev/null |
		sed 's|$| is not allowed here|'
	grep -rn '#include "runner/local/' runner/kube 2>/dev/null |
		sed 's|$| is not allowed here|'
	# The state of a folder is seen by its own files alone.
	grep -rnE --include='*.[ch]' '#include "(coordinator|runner)/.*internal\.h"' coordinator runner 2>/dev/null |
		awk -F'[:"]' '{ a = $1; b = $4; sub("/[^/]*$", "", a); sub("/[^/]*$", "", b) } a != b { print $0 " is not allowed here" }'
	for folder in lib/*/; do
		case $folder in
		lib/base/ | lib/cgroup/ | lib/loop/ | lib/journal/ | lib/rpc/ | lib/tls/ | lib/local/ | lib/ssh/ | lib/http/ | lib/json/ | lib/kube/ | lib/metrics/ | lib/network/ | lib/prometheus/ | lib/web/ | lib/yaml/ | 'lib/*/') ;;
		*) echo "$folder is a room without a rule in layers.sh" ;;
		esac
	done

	only lib/rpc '\bgrpc_[a-z_]+\(|#include <grpc' gRPC
	only lib/ssh '#include <libssh' libssh
	only lib/http '#include <curl' libcurl
	only executor '#include <hwloc' hwloc
	only lib/web '#include <microhttpd' libmicrohttpd
	only apps '#include <pcre2' PCRE2
	only lib/network '#include <[a-z]*fann' FANN
	only 'lib/(http|tls)' '#include <openssl' OpenSSL
	only '(apps|profiler)' '#include <mpi\.h>' MPI
	only '(jobfile|lib/yaml)' '#include <yaml\.h>' YAML

	# The domain neither waits, nor prints, nor allocates, nor asks for the time.
	[ -d core ] && grep -rnE --include='*.[ch]' \
		'\b(v?f?printf|puts|malloc|calloc|realloc|strdup|free|getenv|time|clock_gettime|loop_now|open|fopen|read|write|close|sleep|usleep|nanosleep|rand|random|exit|log_[a-z]+)\(' core |
		sed 's|$| is not pure|'
)

[ -z "$wrong" ] && exit 0
printf '%s\n' "$wrong"
exit 1
