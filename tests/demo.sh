#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# demo.sh: scripts/demo in a copy of the sources, with one job and with six, as a
# user without rights and then as root.  Speaks TAP.
cd "$(dirname "$0")/.." || exit 1
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
tests/lint/files.sh . '*' | xargs -d '\n' cp --parents -t "$copy" || exit 1
cd "$copy" || exit 1

. tests/tap.sh

left() { # what a demo makes outside of its folder
	ls -d /tmp/bellows-demo.* 2>/dev/null
}

demo() { # SENTENCE DRAWING WORD COMMAND...: WORD may be empty
	local sentence=$1 drawing=$2 word=$3 before
	shift 3
	rm -rf demo
	before=$(left)
	# shellcheck disable=SC2086 # no word is none
	"$@" env -u TMPDIR scripts/demo $word >out 2>&1 </dev/null
	report $? "the demo of $sentence"
	[ "$(tail -n 1 out | tr -d ' ')" = equal ]
	report $? "the answer is the same, of $sentence"
	grep -q '</svg>' "demo/$drawing"
	report $? "the drawing is there, of $sentence"
	[ "$(left)" = "$before" ]
	report $? "nothing is left in /tmp, of $sentence"
}

# Ctrl-C when the first table has come.  Whatever holds the output has ended
# where the loop ends.
interrupted() { # COMMAND...
	local before line pid
	before=$(left)
	rm -rf demo said
	mkfifo said
	"$@" env -u TMPDIR --default-signal=INT scripts/demo --cluster \
		>said 2>&1 </dev/null &
	pid=$!
	while read -r line; do
		echo "$line"
		[[ $line != JOB*NAME* ]] || kill -INT $pid
	done <said >out
	wait $pid
	[ $? -eq 130 ] && grep -q 'JOB.*NAME' out
	report $? 'Ctrl-C ends the demo of six jobs'
	[ "$(left)" = "$before" ] && ! pgrep -f "$copy/build-demo" >>out
	report $? 'Ctrl-C leaves no file in /tmp and no process'
}

if [ "$(id -u)" -ne 0 ]; then
	demo 'one job, as a user without rights' timeline.svg ''
	demo 'six jobs, as a user without rights' queue.svg --cluster
	interrupted
	echo "ok $((n + 1)) - the demos, as root # SKIP this is not root"
	echo "1..$((n + 1))"
else
	chmod 711 "$copy"
	chown -R 65534:65534 "$copy"
	as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups
		env HOME="$copy")
	demo 'one job, as a user without rights' timeline.svg '' "${as_user[@]}"
	demo 'six jobs, as a user without rights' queue.svg --cluster \
		"${as_user[@]}"
	interrupted "${as_user[@]}"
	demo 'six jobs, as root' queue.svg --cluster
	demo 'one job, as root' timeline.svg ''
	grep -q 'hosts, which are network namespaces' out
	report $? 'as root it runs on hosts'
	echo "1..$n"
fi
[ $failures -eq 0 ]
