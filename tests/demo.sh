#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# demo.sh: scripts/demo in a copy of the sources, as a user without rights and
# then as root.  Speaks TAP.
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

demo() { # AS_A_USER COMMAND...
	local user=$1 before
	shift
	rm -rf demo
	before=$(left)
	"$@" env -u TMPDIR scripts/demo >out 2>&1 </dev/null
	report $? "the demo, $user"
	[ "$(tail -n 1 out | tr -d ' ')" = equal ]
	report $? "the answer is the same, $user"
	grep -q '</svg>' demo/timeline.svg
	report $? "the drawing is there, $user"
	[ "$(left)" = "$before" ]
	report $? "nothing is left in /tmp, $user"
}

if [ "$(id -u)" -ne 0 ]; then
	demo 'as a user without rights'
	echo "ok $((n + 1)) - the demo, as root # SKIP this is not root"
	echo "1..$((n + 1))"
else
	chmod 711 "$copy"
	chown -R 65534:65534 "$copy"
	demo 'as a user without rights' setpriv --reuid=65534 --regid=65534 \
		--clear-groups env HOME="$copy"
	demo 'as root'
	grep -q 'hosts, which are network namespaces' out
	report $? 'as root it runs on hosts'
	echo "1..$n"
fi
[ $failures -eq 0 ]
