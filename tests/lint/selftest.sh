#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The lints find what is planted in a small tree, and nothing when nothing is.

here=$(cd "$(dirname "$0")" && pwd)
key='SPDX-License-''Identifier: Apache-2.0'
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
n=0 failures=0

plant() { # FILE LINE...
	mkdir -p "$tree/$(dirname "$1")"
	file=$tree/$1
	shift
	printf '%s\n' "$@" >"$file"
}

clean_tree() {
	rm -rf "$tree"
	mkdir -p "$tree"
	cp "$here/../../.clang-format" "$tree"
	plant meson.build "# $key" "project('x', 'c')"
	plant lib/base/a.h "/* $key */" '#include <stdio.h>'
	plant lib/rpc/a.c "/* $key */" '#include "rpc/a.h"' '' \
		'#include "proto/a.pb-c.h"'
	plant core/a.c "/* $key */" '#include "base/a.h"' '' 'int one(void)' '{' \
		"$(printf '\treturn 1;')" '}'
	plant monitor/a.c "/* $key */" '#include "monitor/a.h"' '' \
		'#include "core/a.h"'
	plant scripts/tool '#!/bin/sh' "# $key"
	plant build-x/bad.c 'int   x;'
	plant jobfile/exit.h "/* $key */" 'enum exit_code {' \
		"$(printf '\tEXIT_USAGE = 64,')" '};'
	plant README.md '## Exit status' '| 64 | usage |' '## Limits' \
		'[keys](docs/job-file.md)'
	plant docs/job-file.md '| `name` | a text | required | x | its name |' \
		'| `lost_after` | a duration | 3s | x | silence |'
	plant docs/architecture.md '# Architecture'
	plant docs/stated.md '3 s of silence (`lost_after`), `--grace` (25 s)'
	plant build-x/cli/schema '#!/bin/sh' 'echo name' \
		'echo "        a text; required"' 'echo lost_after' \
		'echo "        a duration; default: 3s"'
	for program in coordinator executor monitor scheduler; do
		plant build-x/$program/bellows-$program '#!/bin/sh' \
			'echo "  --grace SECONDS  time to save; default 25"'
	done
	chmod +x "$tree"/build-x/*/*
}

report() { # RESULT SENTENCE
	n=$((n + 1))
	[ "$1" = ok ] || failures=$((failures + 1))
	echo "$1 $n - $2"
}

passes() { # LINT SENTENCE
	if out=$("$here/$1.sh" "$tree" "$tree/build-x/cli/schema"); then
		report ok "$2"
	else
		echo "# $out"
		report 'not ok' "$2"
	fi
}

# The lint fails and names the text.
catches() { # LINT TEXT SENTENCE
	out=$("$here/$1.sh" "$tree" "$tree/build-x/cli/schema")
	if [ $? -eq 1 ] && printf '%s\n' "$out" | grep -qF "$2"; then
		report ok "$3"
	else
		echo "# $out"
		report 'not ok' "$3"
	fi
	clean_tree
}

has() {
	command -v "$1" >/dev/null
}

clean_tree
passes layers 'layers.sh accepts a clean tree'
passes spdx 'spdx.sh accepts a clean tree'
passes docs 'docs.sh accepts a clean tree'
has ctags && passes size 'size.sh accepts a clean tree'
has clang-format && passes format 'format.sh accepts a clean tree'

plant core/b.c "/* $key */" '#include "rpc/rpc.h"'
catches layers core/b.c:2 'core must not include rpc'
plant core/b.c "/* $key */" 'int x = getenv("X") != 0;'
catches layers core/b.c:2 'core must be pure'
plant sim/b.c "/* $key */" '#include "apps/load.h"'
catches layers sim/b.c:2 'the simulator knows no application'
plant coordinator/job/b.c "/* $key */" '#include "sim/engine.h"'
catches layers coordinator/job/b.c:2 'the coordinator does not simulate'
plant lib/loop/b.h "/* $key */" '#include "rpc/rpc.h"'
catches layers lib/loop/b.h:2 'lib/loop must not include lib/rpc'
plant lib/new/b.h "/* $key */"
catches layers lib/new/ 'a new library needs a rule'
plant apps/x/b.c "/* $key */" '#include "core/job.h"'
catches layers apps/x/b.c:2 'apps must not include core'
plant apps/example/b.c "/* $key */" '#include "apps/adapter.h"'
catches layers apps/example/b.c:2 'the example sees what is installed alone'
plant jobfile/b.c "/* $key */" '# include "loop/loop.h"'
catches layers jobfile/b.c:2 'jobfile must not include loop'
plant client/b.c "/* $key */" '#include "jobfile/jobfile.h"'
catches layers client/b.c:2 'a client needs no job file'
plant runner/b.c "/* $key */" '#include "cli/views/show.h"'
catches layers runner/b.c:2 'a run does not know what shows it'
plant runner/local/b.c "/* $key */" '#include "runner/kube/reach.h"'
catches layers runner/local/b.c:2 'a local run knows no cluster'
plant monitor/b.c "/* $key */" '#include "coordinator/service/service.h"'
catches layers monitor/b.c:2 'no program includes another'
plant coordinator/journal/b.c "/* $key */" '#include "coordinator/job/driver.h"'
catches layers coordinator/journal/b.c:2 'the journal must not include the job'
plant coordinator/launch/b.c "/* $key */" '#include "coordinator/coordinator.h"'
catches layers coordinator/launch/b.c:2 'no folder includes the whole coordinator'
plant coordinator/service/b.c "/* $key */" '#include "coordinator/job/internal.h"'
catches layers coordinator/service/b.c:2 'the state of a folder is its own'
plant coordinator/new/b.h "/* $key */"
catches layers coordinator/new/ 'a new folder of the coordinator needs a rule'
plant cli/b.c "/* $key */" '#include "output.h"'
catches layers cli/b.c:2 'an include names its room'
plant executor/b.c "/* $key */" 'void f(void) { grpc_init(); }'
catches layers executor/b.c:2 'only lib/rpc calls gRPC'
plant monitor/b.c "/* $key */" '#include <yaml.h>'
catches layers monitor/b.c:2 'YAML is read in two rooms'

plant monitor/b.c "/* $key */" '#include <openssl/evp.h>'
catches layers monitor/b.c:2 'only lib/http uses OpenSSL'

plant lib/base/b.c 'int x;'
catches spdx lib/base/b.c 'a source without licence is found'
plant scripts/tool '#!/bin/sh' 'true'
catches spdx scripts/tool 'a script without licence is found'
plant monitor/meson.build 'x = 1'
catches spdx monitor/meson.build 'a meson file without licence is found'
plant lib/base/b.c "/* $key */" "/* $key */"
catches spdx lib/base/b.c 'a second licence line is found'

plant docs/job-file.md '| `name` | a text | optional | x | its name |' \
	'| `lost_after` | a duration | 3s | x | silence |'
catches docs 'missing or different: name|a text|required' \
	'a default that is not the schema'\''s is found'
plant docs/job-file.md '| `name` | a text | required | x | its name |' \
	'| `lost_after` | a duration | 3s | x | silence |' \
	'| `nome` | a text | required | x | its name |'
catches docs 'not so in the schema: nome|' 'a key that is not there is found'
plant jobfile/exit.h "/* $key */" 'enum exit_code {' \
	"$(printf '\tEXIT_USAGE = 64,')" "$(printf '\tEXIT_DONE = 0,')" '};'
catches docs 'README.md: missing or different: 0' \
	'an exit status that is not documented is found'
plant docs/other.md 'after 5 s of silence (`lost_after`)'
catches docs 'docs/other.md: lost_after: the default is not 5s' \
	'a default of a key that is wrong in a document is found'
plant docs/other.md 'within its `--grace` (20 s)'
catches docs 'docs/other.md: --grace: the default is not 20s' \
	'a default of an option that is wrong in a document is found'
plant docs/other.md 'see [this](nothing.md)'
catches docs 'docs/other.md: there is no nothing.md' 'a dead link is found'

if has ctags; then
	{ echo "/* $key */" && yes 'int x;' | head -n 500; } >"$tree/core/b.c"
	catches size 'core/b.c: 501 lines' 'a long file is found'
	{ echo 'int f(void)' && echo '{' && yes '' | head -n 58 && echo '}'; } \
		>"$tree/core/b.c"
	catches size 'core/b.c:1: f() has 61 lines' 'a long function is found'
	{ echo 'static inline int f(void)' && echo '{' && yes '' | head -n 58 &&
		echo '}'; } >"$tree/core/b.h"
	catches size 'core/b.h:1: f() has 61 lines' \
		'a long function in a header is found'
fi
if has clang-format; then
	plant core/b.c 'int   x;'
	catches format core/b.c:1 'wrong spaces are found'
fi
has git && {
	git -C "$tree" init -q
	plant .gitignore '/build*/'
	plant core/b.c 'int   x;'
	catches spdx core/b.c 'a file that git does not know yet is looked at'
}

echo "1..$n"
[ "$failures" -eq 0 ]
