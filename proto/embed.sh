#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# embed.sh IN OUT: write the bytes of IN as the C array that descriptors.h names.
{
	echo '#include "proto/descriptors.h"'
	echo 'const uint8_t proto_descriptors[] = {'
	od -An -v -tx1 "$1" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
	echo '};'
	echo 'const size_t proto_descriptors_size = sizeof(proto_descriptors);'
} > "$2"
