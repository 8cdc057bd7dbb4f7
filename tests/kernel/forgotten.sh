#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a device forgets, because its queues are made anew, is written again: after down and up, other numbers of queues,
# another MTU. By the kernel's notifications, so at once, and nobody else's doing.
# Relies on tests/lib/daemon.sh.
# shellcheck disable=SC2317 # the events are called by name

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

at_once=0.8			# two intervals, and the machine's other work

# Both NAPI instances have what the policy says.
tuned() {
	same $'napi 2 77000\nnapi 2 77000' "$(values "$rx1" | grep napi)"
}

event_down_up() {
	inside sh -c "ip link set $rx1 down && ip link set $rx1 up"
}

event_down_a_while() {
	inside ip link set "$rx1" down && sleep 0.7 && inside ip link set "$rx1" up
}

event_queues() {
	inside sh -c "ethtool -L $rx1 rx 1 && ethtool -L $rx1 rx 2"
}

event_mtu() {
	inside sh -c "ip link set $rx1 mtu 1400 && ip link set $rx1 mtu 1500"
}

forgets() {	# WHAT
	check "$1: all is set before" within 3 tuned
	sleep 1.2	# at most one write a second
	log_mark
	check "... it happens" "event_$1"
	check "... and is at once as before" within "$at_once" tuned
	sleep 1.2
	check "... not taken for somebody's doing" log_never "someone else|left alone|cannot be|could not be put"
}

lab_begin forgotten 2
inside "$napictl" "$rx1" set 0 0 0 || skip "this kernel does not set single NAPI instances"
originals=$(values "$rx1")
printf '%s\n' '[policy]' 'mechanism = software' '[limits]' 'gro-flush-timeout = 77000' 'napi-defer-hard-irqs = 2' \
	>"$tmp/ethtuned.conf"
daemon_start --mode balanced
for event in ${EVENTS:-down_up down_a_while queues mtu}; do
	forgets "$event"
done
check "TERM: ends with 0" daemon_stop
check "... with the originals" is_at "$rx1" "$originals"
lab_end
