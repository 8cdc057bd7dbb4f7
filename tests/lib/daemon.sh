# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by tests that run the real daemon in network namespaces of their own.
#   lab_begin NAME [QUEUES]    namespaces $lab-a, $lab-b joined by pair 1; skips or ends the test where it must
#   lab_pair                   adds pair 2, lab_tap adds a tap, $tap, in $lab-b
#   lab_end                    prints the plan and ends the test; lab_need TOOL... skips without
#   daemon_start [OPTION...]   in $lab-b; daemon_stop ends it with TERM; daemon_kill with KILL
#   log_mark, log_wait, log_once, log_lines     what the daemon has said since the mark
#   load_start PAIR PHASES, load_stop, load_runs traffic through a pair, in the background
#   knobs DEV                  every setting of a device in $lab-b, read from outside; values DEV: without ids
#   inside COMMAND...          runs in $lab-b, or in the namespace $where
#   check and more             see check.sh
# $tx1, $rx1, $tx2, $rx2 are the ends of the pairs. Relies on ETHTUNED, ETHTUNE, VLOAD (see Makefile.am) and
# on tests/lib/{check.sh,netns.sh,napictl.c,vload*.c}.

lib=${BASH_SOURCE[0]%/*}
daemon_pid='' load_pid='' lab='' tmp='' log='' log_from=1
nets=('' 192.0.2 198.51.100)
# shellcheck disable=SC2034 # for the tests
tx1=ta$$ rx1=ra$$ tx2=tb$$ rx2=rb$$ tap=tap$$
export NETNS_TX_DEV=$tx1 NETNS_RX_DEV=$rx1
# shellcheck source=tests/lib/check.sh
. "$lib/check.sh"
# shellcheck source=tests/lib/netns.sh
. "$lib/netns.sh"

fatal() {
	echo "$0: $*" >&2
	[ ! -s "$log" ] || sed 's/^/# /' "$log" >&2
	exit 1
}

lab_need() {
	local tool
	for tool; do
		command -v "$tool" >/dev/null || skip "no $tool"
	done
}

# What was not built yet, e.g. when a test is run by hand.
_lab_tools() {
	if [ -z "${VLOAD:-}" ]; then
		VLOAD=$tmp/vload
		"${CC:-cc}" -std=gnu11 -O2 -pthread -o "$VLOAD" "$lib"/vload*.c -lm || fatal "cannot build vload"
	fi
	napictl=${builddir:-.}/tests/lib/napictl
	if [ ! -x "$napictl" ]; then
		napictl=$tmp/napictl
		"${CC:-cc}" -std=gnu11 -O2 -o "$napictl" "$lib/napictl.c" || fatal "cannot build napictl"
	fi
	daemon=${ETHTUNED:-./ethtuned}
	[ -x "$daemon" ] || skip "no $daemon"
}

_lab_clean() {
	daemon_kill
	load_stop
	rm -rf "$tmp"
}

lab_begin() {
	netns_skip_unless_root
	lab=$1$$
	tmp=$(mktemp -d) || exit 1
	log=$tmp/log
	: >"$log"
	: >"$tmp/ethtuned.conf"
	netns_trap "$lab" _lab_clean
	_lab_tools
	netns_up "$lab" "${2:-1}" || exit 1
}

lab_pair() {
	NETNS_TX_DEV=$tx2 NETNS_RX_DEV=$rx2 NETNS_NET=${nets[2]} netns_pair "$lab" || fatal "no second pair"
}

lab_tap() {
	inside ip tuntap add "$tap" mode tap || skip "no tap device in this kernel"
	inside sysctl -qw "net.ipv6.conf.$tap.disable_ipv6=1" 2>/dev/null
	inside ip link set "$tap" up || fatal "$tap does not come up"
}

lab_end() {
	echo "1..$checks"
	if [ "$failures" != 0 ]; then
		echo "# $failures of $checks failed; the daemon's log:"
		sed 's/^/# /' "$log"
		exit 1
	fi
	exit 0
}

inside() {
	ip netns exec "${where:-$lab-b}" "$@"
}

# --- settings ---------------------------------------------------------------------------------

# sysfs VALUE FILES, then a line for each NAPI instance, then what ethtool knows of coalescing.
knobs() {
	# shellcheck disable=SC2016 # expanded inside
	inside sh -c 'cd "/sys/class/net/$1" && echo sysfs $(cat gro_flush_timeout napi_defer_hard_irqs)' sh "$1" ||
		return
	inside "$napictl" "$1" 2>&1 | sed 's/^/napi /'
	inside ethtool -c "$1" 2>/dev/null | sed -n 's/^\(.*:\)[[:space:]]*\([0-9].*\)/\1 \2/p'
	return 0
}

# The same without the numbers of the instances, which change with down and up.
values() {
	knobs "$1" | sed 's/^napi [0-9]*/napi/'
}

is_at() {	# DEV VALUES
	same "$2" "$(values "$1")"
}

is_not_at() {
	differ "$2" "$(values "$1")"
}

# A job that is killed before it has become its program still has this shell's traps, and takes the lab down.
_become() {	# PID
	while [ "/proc/$1/exe" -ef "/proc/$$/exe" ]; do :; done
}

# --- the daemon -------------------------------------------------------------------------------

# "ip netns exec" replaces itself, so $! is the daemon. $daemon_in, an array, is put in front of it.
daemon_in=()
patience=5
daemon_spawn() {
	mkdir -p "$tmp/run"
	RUNTIME_DIRECTORY=$tmp/run STATE_DIRECTORY=$tmp ip netns exec "$lab-b" "${daemon_in[@]}" "$daemon" \
		--config "$tmp/ethtuned.conf" "$@" >>"$log" 2>&1 &
	daemon_pid=$!
	_become "$daemon_pid"
}

daemon_start() {
	log_mark
	daemon_spawn "$@"
	within 5 grep -q 'under control\|observed only\|left alone' "$log" || fatal "the daemon does not begin"
}

daemon_kill() {
	[ -z "$daemon_pid" ] || { kill -KILL "$daemon_pid" && wait "$daemon_pid"; } 2>/dev/null
	daemon_pid=
}

daemon_runs() {
	kill -0 "$daemon_pid"
}

_daemon_gone() {
	! kill -0 "$daemon_pid" 2>/dev/null
}

# Waits for its end; returns its exit status, 124 when it does not end within $patience seconds.
daemon_wait() {
	local rc=0
	within "$patience" _daemon_gone || { daemon_kill; return 124; }
	wait "$daemon_pid" || rc=$?
	daemon_pid=
	return $rc
}

daemon_stop() {
	kill -TERM "$daemon_pid" || return
	daemon_wait
}

saved_files() {
	find "$tmp/run" -name '*originals*'
}

log_mark() {
	log_from=$(($(wc -l <"$log") + 1))
}

log_lines() {	# REGEX
	tail -n "+$log_from" "$log" | grep -E -- "$1"
}

log_wait() {	# REGEX SECONDS
	within "$2" log_lines "$1"
}

# Exactly one line since the mark.
log_once() {
	[ "$(log_lines "$1" | wc -l)" = 1 ] || { tail -n "+$log_from" "$log"; false; }
}

log_never() {
	! log_lines "$1"
}

# --- traffic ----------------------------------------------------------------------------------

# Counters are those of lo: the pair's ends may vanish meanwhile.
load_start() {	# PAIR PHASES [OPTION...]
	local pair=$1 phases=$2
	shift 2
	"$VLOAD" --tx-ns "$lab-a" --rx-ns "$lab-b" --dev lo --peer lo --no-perf --summary \
		--dst "${nets[$pair]}.2" --phase "$phases" "$@" >"$tmp/load" 2>&1 &
	load_pid=$!
	_become "$load_pid"
}

load_stop() {
	[ -z "$load_pid" ] || { kill "$load_pid" && wait "$load_pid"; } 2>/dev/null
	load_pid=
}

load_runs() {
	[ -n "$load_pid" ] && kill -0 "$load_pid" 2>/dev/null
}
