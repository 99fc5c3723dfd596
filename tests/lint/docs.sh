#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# docs.sh [ROOT] [BELLOWS]: what the documents repeat is what the sources say;
# prints what is not.
#
#   docs/job-file.md  a row for each key that `bellows validate --schema` knows,
#                     with its type and default, and for no other
#   README.md         a row for each exit status in jobfile/exit.h
#   all of them       a default that stands beside its name, as in `lost_after`
#                     (3 s) or 3 s (`lost_after`), is that of the schema or of a
#                     program's --help
#   all of them       a link to a file leads to one
#   docs/architecture.md  a file that it names is there

bellows=${2:-bellows}
case $bellows in
*/*) bellows=$(realpath "$bellows") ;;
esac
build=$(dirname "$(dirname "$bellows")")
cd "${1:-.}" || exit 1

# key|type|default, as the schema says
schema() {
	"$bellows" validate --schema | awk '
		/^[^ ]/ { key = $0; next }
		key != "" {
			sub(/^ +/, "")
			type = $0
			sub(/; [^;]*$/, "", type)
			rest = substr($0, length(type) + 3)
			sub(/^default: /, "", rest)
			gsub(/^\(|\)$/, "", rest)
			print key "|" type "|" rest
			key = ""
		}'
}

# The same of the document's tables: | `key` | type | default | ...
documented() {
	sed -n 's/^| `\([^`]*\)` | \([^|]*\) | \([^|]*\) |.*/\1|\2|\3/p' \
		docs/job-file.md
}

statuses_of_source() {
	sed -n 's/^[[:space:]]*EXIT_[A-Z]* = \([0-9]*\),.*/\1/p' jobfile/exit.h
}

statuses_of_readme() {
	sed -n '/^## Exit status/,/^## Limits/s/^| \([0-9]*\) |.*/\1/p' README.md
}

# NAME VALUE, as in lost_after 3s or --grace 25s: the defaults that are durations
defaults() {
	schema | awk -F'|' '$2 ~ /duration/ { print $1, $3; sub(/.*\./, "", $1); print $1, $3 }'
	for program in coordinator executor monitor scheduler; do
		"$build/$program/bellows-$program" --help | awk '
			/^  --/ { name = $1; text = ""; unit = $2 }
			/^$/ { name = "" }
			name != "" {
				text = text " " $0
				if (unit == "SECONDS" && match(text, /default [0-9]+/)) {
					print name, substr(text, RSTART + 8, RLENGTH - 8) "s"
					name = ""
				}
			}'
	done
}

# FILE NAME VALUE, for each default that a document states
stated() {
	grep -oE '`[a-z_.-]+` \([0-9.]+ ?(ms|s|min|h)\)' README.md docs/*.md |
		sed 's/^\([^:]*\):`\([^`]*\)` (\([0-9.]*\) *\([a-z]*\))/\1 \2 \3\4/'
	grep -oE '[0-9.]+ (ms|s|min|h)( of [a-z]+)? \(`[a-z_.-]+`\)' README.md docs/*.md |
		sed 's/^\([^:]*\):\([0-9.]*\) \([a-z]*\)[^(]*(`\([^`]*\)`)/\1 \4 \2\3/'
}

differ() { # FILE WHERE: of two sorted lists, "<" is missing, ">" is too much
	diff "$work/source" "$work/document" |
		sed -n "s|^< |$1: missing or different: |p; s|^> |$1: not so in $2: |p"
}

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

wrong=$(
	schema | sort >"$work/source"
	[ -s "$work/source" ] || echo "$bellows validate --schema says nothing"
	documented | sort >"$work/document"
	differ docs/job-file.md 'the schema'

	statuses_of_source | sort >"$work/source"
	statuses_of_readme | sort >"$work/document"
	differ README.md jobfile/exit.h

	defaults | sort -u >"$work/source"
	stated >"$work/document"
	grep -q ' --grace ' "$work/document" && grep -q '^--grace ' "$work/source" ||
		echo 'no default is found beside its name in the documents'
	while read -r file name value; do
		grep -qxF -- "$name $value" "$work/source" ||
			echo "$file: $name: the default is not $value"
	done <"$work/document"

	grep -oE '\b(proto|core|supersteps|sim|lib|apps|jobfile|client|runner|coordinator|executor|monitor|cli|launch)(/[a-z_]*[a-z])+' \
		docs/architecture.md | sort -u | while read -r name; do
		[ -e "$name" ] || [ -e "$name.c" ] || [ -e "$name.h" ] ||
			[ -e "$name.proto" ] ||
			echo "docs/architecture.md: there is no $name"
	done

	for file in *.md docs/*.md; do
		grep -oE '\]\([^):#]+' "$file" | cut -c3- | while read -r link; do
			[ -e "$(dirname "$file")/$link" ] ||
				echo "$file: there is no $link"
		done
	done
)

[ -z "$wrong" ] && exit 0
printf '%s\n' "$wrong"
exit 1
