#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# spdx.sh [ROOT]: every source, script and meson file says its licence, once, in
# its first two lines; prints those that do not.

here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}" || exit 1

key='SPDX-License-''Identifier:'
export KEY="$key"
export LINE="^(/\* |// |# )$key Apache-2\.0( \*/)?\$"

# A file without an extension is a script if it says so.
candidates() {
	"$here/files.sh" . '*.[ch]' '*.sh' '*.py' '*.proto' meson.build \
		'*/meson.build' meson_options.txt
	"$here/files.sh" . '*' | grep -vE '\.[^/]*$' |
		xargs -d '\n' -r awk 'FNR == 1 && /^#!/ { print FILENAME } { nextfile }'
}

# One awk for all files: a program for each takes seconds.
wrong=$(
	candidates | sort -u | xargs -d '\n' -r awk '
		function tell() {
			if (file && !licensed)
				print file ": no licence line"
			else if (file && n != 1)
				print file ": more than one licence line"
		}
		FNR == 1 { tell(); file = FILENAME; licensed = n = 0 }
		FNR <= 2 && $0 ~ ENVIRON["LINE"] { licensed = 1 }
		index($0, ENVIRON["KEY"]) { n++ }
		END { tell() }'
)

[ -z "$wrong" ] && exit 0
printf '%s\n' "$wrong"
exit 1
