#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# size.sh [ROOT]: a file fits in 500 lines, a function in 60; prints what does
# not.

here=$(cd "$(dirname "$0")" && pwd)
root=${1:-.}
cd "$root" || exit 1
ctags --version 2>/dev/null | grep -q Universal || {
	echo 'universal-ctags is missing'
	exit 77
}

big=$(
	"$here/files.sh" . '*.[ch]' '*.sh' '*.py' '*.proto' |
		xargs -d '\n' -r wc -l |
		awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines" }'
	"$here/files.sh" . '*.[ch]' |
		ctags --languages=C --map-C=+.h --kinds-C=f --fields=+ne -f - -L - 2>/dev/null |
		sed -nE 's/^([^\t]+)\t([^\t]+)\t.*\tline:([0-9]+).*\tend:([0-9]+).*/\1 \2 \3 \4/p' |
		awk '$4 - $3 + 1 > 60 { print $2 ":" $3 ": " $1 "() has " $4 - $3 + 1 " lines" }'
)

[ -z "$big" ] && exit 0
printf '%s\n' "$big"
exit 1
