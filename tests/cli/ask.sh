# SPDX-License-Identifier: Apache-2.0
#
# What the scripts here source: a command is run, and the verdict on what it
# printed, which is in the files `out` and `err`, is told as TAP.
n=0
logs=    # more files that tell why
within=  # a command that ends the one that is run

verdict() { # STATUS SENTENCE
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		# shellcheck disable=SC2086 # several names
		sed 's/^/# /' out err $logs 2> /dev/null | tail -40
	fi
}

# Runs the rest of the arguments; they must end with the status CODE.
ends() { # CODE COMMAND...
	code=$1
	shift
	$within "$@" > out 2> err
	[ $? -eq "$code" ]
}

says() { # TEXT [FILE]
	grep -qF -- "$1" ${2:-out err}
}
