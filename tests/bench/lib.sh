# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by the benchmarks: a veth pair in two namespaces of their own, traffic through it, fixed settings of its
# NAPI deferral, and medians. bench_begin PREFIX first; it sets $prefix, $tmp, $results, $daemon, $daemon_log.
# Relies on root, tests/lib/{netns.sh,vload*.c} and tests/bench/contender.sh.

bench_name=${0##*/}
bench_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench_lib=$bench_dir/../lib
# The tracepoint that counts polls tells devices by name only: names of our own.
export NETNS_TX_DEV=va$$ NETNS_RX_DEV=vb$$
# shellcheck source=tests/lib/netns.sh
. "$bench_lib/netns.sh"
# shellcheck source=tests/bench/contender.sh
. "$bench_dir/contender.sh"

# shellcheck disable=SC2034 # for the scripts
static_defer=2			# napi_defer_hard_irqs of the fixed settings
failures=0			# counted by expect() and by the scripts
number=0			# of assertions
bench_clean_up=:		# further command of a script

fail() {
	echo "$bench_name: $*" >&2
	exit 1
}

# Schedulers that group tasks by session weigh sessions first: without this the nice values inside vload would mean
# nothing against the other sessions of the machine.
autogroup_nice=''

raise_session() {
	[ -w /proc/self/autogroup ] || return 0
	autogroup_nice=$(sed 's/.*nice //' /proc/self/autogroup)
	echo -20 2>/dev/null >/proc/self/autogroup
}

_bench_clean() {
	[ -z "$autogroup_nice" ] || echo "$autogroup_nice" 2>/dev/null >/proc/self/autogroup
	daemon_kill
	$bench_clean_up
	rm -rf "$tmp"
}

bench_begin() {	# PREFIX
	prefix=$1$$
	netns_skip_unless_root
	tmp=$(mktemp -d) || exit 1
	results=$tmp/results
	daemon_log=$tmp/ethtuned.log
	: >"$results"
	daemon=${ETHTUNED:-./ethtuned}
	netns_trap "$prefix" _bench_clean
	raise_session
	netns_up "$prefix" || exit 1
	build_vload
	local reason
	reason=$(vload --summary --phase idle:0.1 | field polls_missing_reason)
	[ -z "$reason" ] || echo "# polls are not counted: $reason"
}

daemon_exists() {
	[ -x "$daemon" ] || command -v "$daemon" >/dev/null
}

skip_without_daemon() {
	daemon_exists || { echo "skipped: no $daemon" >&2; exit 77; }
}

build_vload() {
	[ -n "${VLOAD:-}" ] && return
	VLOAD=$tmp/vload
	"${CC:-cc}" -std=gnu11 -O2 -pthread -o "$VLOAD" "$bench_lib"/vload*.c -lm || fail "cannot build vload"
}

vload() {
	"$VLOAD" --tx-ns "$prefix-a" --rx-ns "$prefix-b" --dev "$NETNS_RX_DEV" \
		--peer "$NETNS_TX_DEV" --json "$@"
}

# field KEY: of each JSON line on stdin, "null" included.
field() {
	sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p"
}

set_static() {	# usecs defer
	netns_sysfs "$prefix" napi_defer_hard_irqs "$2"
	netns_sysfs "$prefix" gro_flush_timeout "$(($1 * 1000))"
}

calc() {
	case $* in
	*null*) echo null ;;
	*) awk "BEGIN { print ($*) }" ;;
	esac
}

# median_of_lines: of the numbers on stdin; "null" when there is none.
median_of_lines() {
	grep -v null | sort -g | awk '{ v[NR] = $1 } END {
		if (!NR) print "null"
		else if (NR % 2) print v[(NR + 1) / 2]
		else print (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# median LOAD CONFIG COLUMN: of $results, whose first two columns are load and configuration.
median() {
	awk -v l="$1" -v c="$2" -v k="$3" '$1 == l && $2 == c { print $k }' "$results" | median_of_lines
}

# shuffled SEED WORD...: the words in an order that the seed alone decides, one a line.
shuffled() {
	local seed=$1
	shift
	printf '%s\n' "$@" |
		awk -v s="$seed" 'BEGIN { srand(s) } { print rand(), $0 }' | sort -g | cut -d' ' -f2-
}

# report_ok WHETHER(0 = good) TEXT: one line of result, counted.
report_ok() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failures=$((failures + 1))
	fi
}

# expect WHAT VALUE OPERATOR LIMIT
expect() {
	if [ "$2" = null ] || [ "$4" = null ]; then
		number=$((number + 1))
		echo "ok $number - $1 # SKIP not measured: polls cannot be counted here"
		return
	fi
	awk "BEGIN { exit !($2 $3 $4) }"
	report_ok $? "$1: $2 $3 $4"
}
