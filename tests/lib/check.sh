# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by tests that print a line for each check.
#   check WHAT COMMAND...      one line of result; counts what failed in $failures, all in $checks
#   same A B, differ A B       conditions that show what they compare
#   within SECONDS COMMAND...  until it succeeds
#   skip REASON, comment TEXT
# Relies on $tmp, a directory of the test's.

checks=0 failures=0

skip() {
	echo "skipped: $*" >&2
	exit 77
}

comment() {
	echo "# ${1//$'\n'/$'\n'# }"
}

# The command's output is shown when it fails. Not in a subshell: the command may wait for a child of the shell.
check() {
	local what=$1
	shift
	checks=$((checks + 1))
	if "$@" >"$tmp/check" 2>&1; then
		echo "ok $checks - $what"
		return 0
	fi
	echo "not ok $checks - $what: ${*//$'\n'/; }"
	sed 's/^/# /' "$tmp/check"
	failures=$((failures + 1))
	return 1
}

same() {
	[ "$1" = "$2" ] || { diff <(echo "$1") <(echo "$2"); false; }
}

differ() {
	[ "$1" != "$2" ] || { echo "both: $1"; false; }
}

# Not in a subshell: the command may set what is waited for.
within() {
	local end
	end=$(awk "BEGIN { printf \"%.0f\", ${EPOCHREALTIME/[.,]/} + $1 * 1000000 }")
	shift
	until "$@" >"$tmp/within" 2>&1; do
		if [ "${EPOCHREALTIME/[.,]/}" -ge "$end" ]; then
			cat "$tmp/within"
			return 1
		fi
		sleep 0.05
	done
}
