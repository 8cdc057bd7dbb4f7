#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An application that polls a device by an AF_XDP socket has it to itself, from when it comes until it goes; a policy
# that names the device is stronger. Relies on tests/lib/daemon.sh and on tests/kernel/test-occupancy.
# shellcheck disable=SC2317 # the parts are called by name

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

busy=udp:50000-rr:100		# ended by load_stop
tuned=10			# seconds in which the settings must have followed the load
mode=(--mode powersave --max-latency 500us)
application=''

application_start() {
	ip netns exec "$lab-b" "${builddir:-.}/tests/kernel/test-occupancy" hold "$rx1" >"$tmp/application" 2>&1 &
	application=$!
	_become "$application"
	within 2 polls
}

polls() {
	inside grep -q '^XDP  *[0-9][0-9]*  *[1-9]' /proc/net/protocols
}

application_stop() {
	kill "$application" && wait "$application"
} 2>/dev/null

test_comes_and_goes() {
	daemon_start "${mode[@]}"
	load_start 1 "$busy"
	check "tunes $rx1" within "$tuned" is_not_at "$rx1" "$originals"
	log_mark
	application_start || skip "no AF_XDP here: $(cat "$tmp/application")"
	check "an application polls it: left alone" log_wait "$rx1: left alone: an AF_XDP socket polls it" 12
	check "... with the originals" is_at "$rx1" "$originals"
	sleep 3
	check "... also under load" is_at "$rx1" "$originals"
	log_mark
	kill -USR1 "$daemon_pid"
	check "... and the state says why" log_wait "$rx1: untunable; .*an AF_XDP socket" 2
	application_stop
	check "it goes: under control again" log_wait "$rx1: under control" 12
	check "... and tuned" within "$tuned" is_not_at "$rx1" "$originals"
	load_stop
	check "TERM: ends with 0" daemon_stop
	check "... with the originals" is_at "$rx1" "$originals"
}

test_overruled() {
	printf '[match]\nname = %s\n[policy]\nmode = powersave\n' "$rx1" >"$tmp/ethtuned.conf"
	application_start || skip "no AF_XDP here: $(cat "$tmp/application")"
	daemon_start
	check "a policy that names it: under control all the same" log_wait "$rx1: under control" 2
	check "TERM: ends with 0" daemon_stop
	application_stop
}

lab_begin xdp
originals=$(values "$rx1")
for part in ${PARTS:-comes_and_goes overruled}; do
	echo "# $part"
	"test_$part"
done
lab_end
