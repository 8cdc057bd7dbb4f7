#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Packet schedulers that promise times: from when one comes until it goes the device has its originals and is left
# alone, noticed at once. Relies on tests/lib/daemon.sh; each kind is left out where the kernel lacks it.

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

busy=udp:50000-rr:100		# ended by load_stop
tuned=10			# seconds in which the settings must have followed the load
queues='num_tc 2 map 0 1 queues 1@0 1@1'
entries='sched-entry S 01 300000 sched-entry S 02 300000'
declare -A add=(
	[mqprio]="handle 1: mqprio $queues hw 0"
	[taprio]="handle 1: taprio $queues base-time 0 clockid CLOCK_TAI $entries"
	[etf]="etf clockid CLOCK_TAI delta 200000"
	[cbs]="cbs locredit -1470 hicredit 30 sendslope -980000 idleslope 20000"
)

qdisc_add() {	# KIND
	# shellcheck disable=SC2086 # words on purpose
	inside tc qdisc add dev "$rx1" root ${add[$1]}
}

comes_and_goes() {	# KIND
	check "$1: tunes before" within "$tuned" is_not_at "$rx1" "$originals"
	log_mark
	check "$1: comes" qdisc_add "$1"
	check "... left alone at once" log_wait "$rx1: left alone: an? $1 qdisc" 0.5
	check "... with the originals" is_at "$rx1" "$originals"
	sleep 3
	check "... also under load" is_at "$rx1" "$originals"
	inside tc qdisc del dev "$rx1" root
	check "... goes: under control at once" log_wait "$rx1: under control" 0.5
}

lab_need tc
lab_begin qdiscs 2
kinds=()
for kind in "${!add[@]}"; do
	if qdisc_add "$kind" 2>/dev/null; then
		inside tc qdisc del dev "$rx1" root
		kinds+=("$kind")
	else
		comment "this kernel has no $kind"
	fi
done
[ ${#kinds[@]} != 0 ] || skip "this kernel has none of ${!add[*]}"
originals=$(values "$rx1")
daemon_start --mode powersave --max-latency 500us
load_start 1 "$busy"
for kind in "${kinds[@]}"; do
	comes_and_goes "$kind"
done
load_stop
check "TERM: ends with 0" daemon_stop
check "... with the originals" is_at "$rx1" "$originals"
lab_end
