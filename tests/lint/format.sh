#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# format.sh [ROOT]: clang-format would change nothing; prints what it would.

here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}" || exit 1
command -v clang-format >/dev/null || {
	echo 'clang-format is missing'
	exit 77
}

files=$("$here/files.sh" . '*.[ch]')
[ -n "$files" ] || exit 0
wrong=$(printf '%s\n' "$files" |
	xargs clang-format --style=file --dry-run -Werror 2>&1 |
	grep -E ': error: ')

[ -z "$wrong" ] && exit 0
printf '%s\n' "$wrong"
exit 1
