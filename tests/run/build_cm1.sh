#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the real CM1 with gfortran and MPI, beside its source and not in it.
# args: SOURCE PROGRAM
set -e
source=$1
program=$2
work=$program.work

mkdir -p "$work/run"
cp -a "$source/src" "$work"
make -C "$work/src" -j"$(nproc)" FC=gfortran USE_MPI=true > "$work/log" 2>&1 || {
	tail -20 "$work/log" >&2
	exit 1
}
cp "$work/run/cm1.exe" "$program"
