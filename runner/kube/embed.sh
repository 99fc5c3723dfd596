#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# embed.sh IN OUT: write the text of IN as the C array that manifests.c reads.
{
	echo 'extern const char kube_manifests_json[];'
	echo 'const char kube_manifests_json[] = {'
	od -An -v -tx1 "$1" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
	echo '0};'
} > "$2"
