#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# agent.sh HOST COMMAND...: mpiexec's remote shell, for hosts that are all this
# machine.  As ssh, but for the time that ssh takes to connect; each host has
# its own TMPDIR, or the daemons would share their session directories.
host=$1
shift
TMPDIR=${TMPDIR:-/tmp}/$host
export TMPDIR
mkdir -p "$TMPDIR" && exec /bin/sh -c "$*"
