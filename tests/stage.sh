#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# stage.sh DIR STAMP PROGRAM...: put the programs side by side, as installed.
dir=$1 stamp=$2
shift 2
# -f: a program that still runs is replaced, not written to
mkdir -p "$dir" && cp -f "$@" "$dir" && touch "$stamp"
