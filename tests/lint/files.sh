#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# files.sh ROOT PATTERN... prints the files of the tree whose names match, one a
# line: those that git knows or would take, or else all outside of build
# directories.

cd "$1" || exit 1
shift
if [ -e .git ]; then
	git ls-files --cached --others --exclude-standard -- "$@"
else
	find . -type f -not -path './.*' -not -path './build*' | sed 's|^\./||' |
		while read -r file; do
			for pattern in "$@"; do
				# shellcheck disable=SC2254 # a pattern it is
				case $file in
				$pattern) echo "$file" && break ;;
				esac
			done
		done
fi | while read -r file; do
	[ -f "$file" ] && echo "$file"
done | sort -u
