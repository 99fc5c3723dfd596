#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# rooms.sh ROOT NAME...: the sources that a fuzz target is made of, when these
# are whole rooms: without main() and what the target has a fake of.
set -eu

root=$1
shift
for name; do
	case $name in
	apps)
		find "$root/apps" -name '*.c' ! -path '*/example/*' \
			! -path '*/supersteps/run/*' |
			grep -vE '/parint/(options|parint|slice|array_file)\.c$'
		;;
	base)
		find "$root/lib/base" -name '*.c' ! -name error.c
		;;
	coordinator)
		find "$root/coordinator" -name '*.c' |
			grep -vE '/(disk|main|mpirun|journal/print(_json)?|output_(files|writer))\.c$'
		;;
	lib/journal)
		find "$root/lib/journal" -name '*.c' ! -name journal_queue.c
		;;
	*)
		find "$root/$name" -name '*.c'
		;;
	esac
done | LC_ALL=C sort
