#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A policy with [queue] sections on a veth of three queues: each NAPI instance within what its section says, somebody's
# hand on one of them leaves the others to the daemon, and the end brings back what each had. Relies on
# tests/lib/daemon.sh.
# shellcheck disable=SC2119,SC2317 # functions are called by check, the daemon without options

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

# Values of the NTH instance, from 0: "DEFER TIMEOUT_NS".
instance() {
	inside "$napictl" "$rx1" | sed -n "$(($1 + 1))s/^[0-9]* //p"
}

timeout_of() {
	instance "$1" | cut -d' ' -f2
}

is() {	# NTH DEFER TIMEOUT_NS
	same "$2 $3" "$(instance "$1")"
}

above() {	# NTH NS
	[ "$(timeout_of "$1")" -gt "$2" ] || { inside "$napictl" "$rx1"; false; }
}

below() {	# NTH NS
	[ "$(timeout_of "$1")" -le "$2" ] || { inside "$napictl" "$rx1"; false; }
}

# By its hash one flow may land in any queue, also in the exempted one: all of them go to the first.
steer() {
	# shellcheck disable=SC2016 # expanded there
	where=$lab-a inside bash -c 'cd "/sys/class/net/$1/queues" && for q in tx-*; do
		[ "$q" = tx-0 ] && cpus=$2 || cpus=0
		echo "$cpus" >"$q/xps_cpus" || exit
	done' - "$tx1" "$(printf %x $(((1 << $(nproc)) - 1)))"
}

test_sections() {
	daemon_start
	load_start 1 'udp:50000:30'
	check "a queue without a section is deferred" within 15 above 0 60000
	check "... and one with a lower cap" above 2 1000
	check "... below that cap" below 2 100000
	check "a queue that is exempted is not" is 1 0 0
	check "it is told by queue, with why" \
		log_wait "$rx1: queue 0: gro-flush-timeout [1-9][0-9]+.*; queue 2: .*: [0-9]+k packets/s" 1
}

test_operator() {
	local ours
	log_mark
	inside "$napictl" "$rx1" set 2 7 33000
	check "somebody sets one instance: told" log_wait "$rx1: queue 2: changed by someone else" 5
	ours=$(timeout_of 0)
	sleep 2
	check "... and left" is 2 7 33000
	check "... the other is still ours" above 0 60000
	log_mark
	inside "$napictl" "$rx1" set 0 0 "$((ours / 2))"
	check "... until he sets that as well" log_wait "$rx1: queue 0: changed by someone else" 5
	check "... which is left, too" is 0 0 "$((ours / 2))"
	load_stop
	check "TERM: ends with 0" daemon_stop
	check "what he set stays" is 2 7 33000
	check "what nobody set is as it was" is 1 0 0
}

test_end() {
	inside "$napictl" "$rx1" set 0 3 0
	inside "$napictl" "$rx1" set 1 0 0
	inside "$napictl" "$rx1" set 2 5 0
	daemon_start
	load_start 1 'udp:50000:30'
	check "started again: deferred" within 15 above 0 60000
	check "KILL" daemon_kill
	load_stop
	RUNTIME_DIRECTORY=$tmp/run check "--restore" inside "$daemon" --restore
	check "each instance has what it had" same "3 0,0 0,5 0," \
		"$(inside "$napictl" "$rx1" | sed 's/^[0-9]* //' | tr '\n' ,)"
}

lab_begin queues 3
inside "$napictl" "$rx1" set 2 0 0 || skip "this kernel does not tell the settings of NAPI instances"
steer || skip "this kernel cannot choose the queue of a sender (CONFIG_XPS)"
cat >"$tmp/ethtuned.conf" <<EOC
[policy]
mode = throughput
max-latency = 250us

[queue 1]
mode = off

[queue 2]
max-latency = 100us
EOC
test_sections
test_operator
test_end
lab_end
