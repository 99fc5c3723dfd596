#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# by-hand.sh SIZES WORD...: mpiexec WORD... with one number of ranks after the
# other.  What a user writes today around a program that saves and leaves when
# it gets a signal: no pause between, nothing that polls.  With HOSTS it takes
# the hosts of each size from the hostfile $HOSTS/SIZE.
sizes=$1
shift
for n in $sizes; do
	mpiexec -np "$n" ${HOSTS:+--hostfile "$HOSTS/$n"} "$@" || exit
done
