#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# install.sh BUILD: what `meson install` puts where, and that it works from
# there.  Speaks TAP; started by scripts/test, because it needs all to be built.
build=$(realpath "$1") || exit 1
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

programs='bellows bellows-coordinator bellows-executor bellows-launch
	bellows-monitor bellows-scheduler bellows-supersteps parint'
. "$source/tests/tap.sh"

# One line at least, with that word in the first.
answers() { # WORD COMMAND...
	word=$1
	shift
	"$@" >out 2>&1 && head -n 1 out | grep -q -- "$word"
}

DESTDIR=$work/root meson install -C "$build" --no-rebuild >out 2>&1
report $? 'meson install'

adapter_h=$(cd root 2>/dev/null && find . -name adapter.h)
prefix=$work/root/${adapter_h%/include/bellows/adapter.h}
# without those of the build
PATH=$prefix/bin:$PATH
BELLOWS_STATE=$work/state
export PATH BELLOWS_STATE
# of mpiexec without Bellows
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

version=$(sed -n "s/^[[:space:]]*version: '\(.*\)',/\1/p" \
	"$source/meson.build" | head -n 1)
for program in $programs; do
	answers '' "$prefix/bin/$program" --help
	report $? "$program --help"
	answers "^$program $version\$" "$prefix/bin/$program" --version
	report $? "$program --version"
done

for page in bellows.1 bellows-coordinator.1 bellows-executor.1 \
	bellows-launch.1 bellows-monitor.1 \
	bellows-scheduler.1 bellows-supersteps.1 parint.1 bellows-job.5; do
	echo "no $page" >out
	[ -s "$prefix/share/man/man${page##*.}/$page" ]
	report $? "the page $page"
done

for file in bash-completion/completions/bellows zsh/site-functions/_bellows; do
	echo "no $file" >out
	grep -q scale "$prefix/share/$file" 2>>out
	report $? "share/$file"
done

# What the .pc file says is true of the place that DESTDIR stands for.
pc=$(find "$prefix" -name bellows-adapter.pc)
[ -n "$pc" ] && sed -i "s|^prefix=.*|prefix=$prefix|" "$pc"
PKG_CONFIG_PATH=${pc%/*}
export PKG_CONFIG_PATH
cp -r "$source/apps/example" example
meson setup example/build example >out 2>&1 &&
	ninja -C example/build >>out 2>&1
report $? 'an adapter outside of this tree is built for what is installed'
meson test -C example/build >out 2>&1
report $? 'its own test passes'
chmod -R go-w example
PATH=$work/example/build:$PATH

mkdir example/ckpt
timeout 120 mpiexec --oversubscribe -n 2 plate 600 3000 alone >out 2>&1
sed -n 's/^plate: answer \([0-9a-f]*\) .*/\1/p' out >alone
[ -s alone ]
report $? 'its application runs alone'
timeout 240 bellows run --adapter example/build/plate-adapter.so \
	example/plate.yaml >out 2>&1 &&
	grep -q "^plate: answer $(cat alone) on 3 ranks\$" out &&
	grep -q '^plate: restarted at step [1-9]' out
report $? 'the installed programs rescale it from 2 to 3, with the same answer'
bellows validate example/plate.yaml >out 2>&1
[ $? -eq 65 ] && grep -q "'plate' is unknown; .*--adapter FILE" out
report $? 'without its adapter it is unknown'

mkdir ckpt
timeout 60 bellows run --name installed --app parint --ranks 2 \
	--checkpoint-dir ckpt -- \
	parint --array-size 1000 --iterations 100 --nloop 4 >out 2>&1 &&
	grep -q '^parint: digest [0-9a-f]*$' out
report $? 'the installed programs run a job'

timeout 120 bellows profile --ranks 2 --json -- \
	parint --array-size 1000 --iterations 100 --nloop 4 >out 2>&1 &&
	grep -q '"mpi":{"ranks":2,' out
report $? 'the installed programs say what binds a program'

echo "1..$n"
[ "$failures" -eq 0 ]
