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
		find "$root/apps" -name '*.c' ! -path '*/example/*' |
			grep -vE '/parint/(options|parint|slice|array_file)\.c$'
		;;
	base)
		find "$root/lib/base" -name '*.c' ! -name error.c
		;;
	coordinator)
		find "$root/coordinator" -name '*.c' |
			grep -vE '/(disk|journal|main|mpirun|journal/print|output_(files|writer))\.c$'
		;;
	lib/loop)
		find "$root/lib/loop" -name '*.c' |
			grep -vE '/(file_queue|log_thread)\.c$'
		;;
	*)
		find "$root/$name" -name '*.c'
		;;
	esac
done | LC_ALL=C sort
