#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Deferral that somebody had set before the daemon began is theirs, as busy polling applications do it: not one write,
# one line that says why, also under load; with `mechanism = software` it is ours. The kernel's own default is nobody's.
# What a crash left is put back also where the policy is off by then. Relies on tests/lib/daemon.sh.
# shellcheck disable=SC2317 # the parts are called by name

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

busy=udp:50000-rr:100		# ended by load_stop
tuned=10			# seconds in which the settings must have followed the load
mode=(--mode powersave --max-latency 500us)

found() {	# TIMEOUT DEFER
	inside sh -c "echo $1 >/sys/class/net/$rx1/gro_flush_timeout; echo $2 >/sys/class/net/$rx1/napi_defer_hard_irqs"
	originals=$(values "$rx1")
}

test_busy_poll() {
	found 200000 2
	daemon_start "${mode[@]}"
	check "found on: left alone" log_wait "$rx1: left alone: somebody set software deferral" 2
	load_start 1 "$busy"
	sleep 5
	check "... also under load" is_at "$rx1" "$originals"
	check "... said once" log_once "$rx1:"
	log_mark
	printf '[policy]\nmode = powersave\nmax-latency = 500us\nmechanism = software\n' >"$tmp/ethtuned.conf"
	kill -HUP "$daemon_pid"
	check "asked for by mechanism = software: taken" log_wait "$rx1: under control" 2
	load_stop
	check "TERM: ends with 0" daemon_stop
	check "... with the originals" is_at "$rx1" "$originals"
	: >"$tmp/ethtuned.conf"
}

test_kernel_default() {
	found 20000 1
	daemon_start "${mode[@]}"
	check "the kernel's own default: taken" log_wait "$rx1: under control" 2
	check "TERM: ends with 0" daemon_stop
	check "... with the originals" is_at "$rx1" "$originals"
}

test_crash_then_off() {
	found 0 0
	daemon_start "${mode[@]}"
	load_start 1 "$busy"
	check "tunes $rx1" within "$tuned" is_not_at "$rx1" "$originals"
	daemon_kill
	load_stop
	check "killed: its settings stay" is_not_at "$rx1" "$originals"
	printf '[policy]\nmode = off\n' >"$tmp/ethtuned.conf"
	daemon_start
	check "the next one is told to keep off: originals are back" within 2 is_at "$rx1" "$originals"
	check "... and nothing stays saved" [ -z "$(saved_files)" ]
	check "TERM: ends with 0" daemon_stop
}

lab_begin alone
for part in ${PARTS:-busy_poll kernel_default crash_then_off}; do
	echo "# $part"
	"test_$part"
done
lab_end
