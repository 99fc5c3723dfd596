# SPDX-License-Identifier: Apache-2.0
#
# What the scripts here that speak TAP source: the verdict on one test after the
# other.  What a test printed is in the file `out`.
n=0 failures=0

report() { # STATUS SENTENCE
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		failures=$((failures + 1))
		echo "not ok $n - $2"
		sed 's/^/# /' out
	fi
}
