#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# spdx.sh [ROOT]: every source, script and meson file says its licence, once, in
# its first two lines; prints those that do not.

here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}" || exit 1

key='SPDX-License-''Identifier:'
line="^(/\* |// |# )$key Apache-2\.0( \*/)?\$"

# A file without an extension is a script if it says so.
candidates() {
	"$here/files.sh" . '*.[ch]' '*.sh' '*.py' '*.proto' meson.build \
		'*/meson.build' meson_options.txt
	"$here/files.sh" . '*' | while read -r file; do
		case ${file##*/} in
		*.*) ;;
		*) head -c 2 "$file" | grep -q '^#!' && echo "$file" ;;
		esac
	done
}

wrong=$(
	candidates | sort -u | while read -r file; do
		if ! head -n 2 "$file" | grep -qE "$line"; then
			echo "$file: no licence line"
		elif [ "$(grep -c "$key" "$file")" -ne 1 ]; then
			echo "$file: more than one licence line"
		fi
	done
)

[ -z "$wrong" ] && exit 0
printf '%s\n' "$wrong"
exit 1
