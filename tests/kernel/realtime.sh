#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Under the shipped real-time policy an interface is not written to, ever: not at the start, not under 50k packets/s,
# not at the end; no originals are saved either, since those come before a first write. That the same load has an
# interface beside it tuned shows that there was a reason to write. Settings are looked at from outside all the time;
# where there is strace, the calls by which the daemon could have written are counted too.
# Environment: SECONDS_BUSY (12). Relies on tests/lib/daemon.sh and conf/examples/50-realtime.conf.
# shellcheck disable=SC2054,SC2317 # commas in options; functions are called by check

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

busy=udp:50000-rr:100		# ended by load_stop
tuned=10			# seconds in which the settings must have followed the load
length=${SECONDS_BUSY:-12}
mode=(--mode powersave --max-latency 500us)	# of the interface beside it
trace=''

# --- writes, counted as system calls ----------------------------------------------------------

# -D: the traced one is the child, the tracer goes with it.
trace_begin() {
	strace -D -qq -o "$tmp/probe" true 2>/dev/null && within 1 test -s "$tmp/probe" || return
	trace=$tmp/trace
	daemon_in=(strace -D -qq -xx -o "$trace" -e trace=sendto,sendmsg,openat -e "signal=none")
}

# What could write: command 14 of the netdev family, 16 and 20 of ethtool's (NAPI, rings, coalescing), and a file in
# /sys that is opened for it. With -xx "sys/" reads \x73\x79\x73\x2f.
calls() {
	grep -cE -e 'nlmsg_type=netdev,.*, "\\x0e' -e 'nlmsg_type=ethtool,.*, "\\x(10|14)' \
		-e '\\x73\\x79\\x73\\x2f.*O_(WRONLY|RDWR)' "$trace"
}

# --- settings, seen from outside --------------------------------------------------------------

# For SECONDS: nothing may differ, nothing may be saved. Says how often it looked.
watched() {
	local end=$((SECONDS + $1)) looks=0
	while [ "$SECONDS" -lt "$end" ]; do
		same "$originals" "$(knobs "$rx1")" || return
		[ -z "$(saved_files)" ] || { saved_files; return 1; }
		looks=$((looks + 1))
		sleep 0.1
	done
	comment "$looks looks" >&3
	daemon_runs
}

received() {
	inside cat "/sys/class/net/$rx1/statistics/rx_packets"
}

arrived() {	# PACKETS FEWEST
	[ "$1" -ge "$2" ] || { echo "$1 packets"; false; }
}

test_busy() {
	local before
	before=$(received)
	load_start 1 "$busy"
	check "$length s of 50k packets/s: not one write" watched "$length"
	# on a machine with other work fewer arrive; the law would act on far fewer
	check "... although they came" arrived $(($(received) - before)) $((length * 10000))
	load_stop
	[ -z "$trace" ] || check "... and no call that could have been one" same 0 "$(calls)"
	check "... nor a word but that it is left alone" log_once "$rx1: "
}

test_beside() {
	load_start 2 "$busy"
	check "the interface beside it is tuned" log_wait "$rx2: gro-flush-timeout [0-9]+ ->" "$tuned"
	[ -z "$trace" ] || check "... by calls that are counted" differ 0 "$(calls)"
	load_stop
	check "... and this one is not" same "$originals" "$(knobs "$rx1")"
}

# What else may happen to an interface.
test_events() {
	log_mark
	kill -HUP "$daemon_pid"
	check "reload" log_wait 'configuration read anew' 2
	inside sh -c "ip link set $rx1 down; ip link set $rx1 up"
	sleep 0.5
	check "reload, down and up: no write" is_at "$rx1" "$original_values"
	check "... and no word" log_never "$rx1: "
}

exec 3>&1
lab_begin realtime
lab_pair
# The example for a port of this name, as shipped otherwise.
sed "s/^name = ecat.*/name = $rx1/" "$here/../../conf/examples/50-realtime.conf" >"$tmp/ethtuned.conf"
check "the example is for ports that can be named" grep -q "^name = $rx1\$" "$tmp/ethtuned.conf"
trace_begin || comment "no strace: calls are not counted"
originals=$(knobs "$rx1") original_values=$(values "$rx1")
daemon_start "${mode[@]}"
check "left alone, and why" log_wait "$rx1: left alone: policy" 2
test_busy
test_beside
test_events
check "TERM: ends with 0" daemon_stop
check "... without a write" is_at "$rx1" "$original_values"
check "... and nothing stays saved" [ -z "$(saved_files)" ]
lab_end
