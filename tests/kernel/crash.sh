#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The daemon is killed at random moments while it changes settings; afterwards "ethtuned --restore" puts every
# setting back to what it was before, those of single NAPI instances too. Now and then several kills come in a
# row: what starts next takes over the originals of the first.
# Environment: SEED (printed), KILLS (50). Relies on tests/lib/daemon.sh.

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

kills=${KILLS:-50}
RANDOM=${SEED:=$RANDOM}
echo "# SEED=$SEED"
row=5		# every so many moments are kills in a row
caught=0	# kills that left changed settings behind
restored=0 first=0

random_sleep() {	# at most MILLISECONDS
	local ms=$((RANDOM % $1))
	sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
}

changed() {
	[ "$(knobs "$rx1")" != "$originals" ]
}

# At most MILLISECONDS after the start, or, with a second argument, after a change; sometimes while it puts things back.
kill_once() {
	daemon_spawn --mode powersave --max-latency 500us
	[ $# = 1 ] || within 1.5 changed >/dev/null
	random_sleep "$1"
	if [ $((RANDOM % 4)) = 0 ]; then
		kill -TERM "$daemon_pid"
		random_sleep 10
	fi
	daemon_kill
}

restore() {
	RUNTIME_DIRECTORY=$tmp/run inside "$daemon" --restore >>"$log" 2>&1
}

one_moment() {	# NUMBER
	local left=()
	if [ $(($1 % row)) = 0 ]; then
		kill_once 400 changed
		kill_once 200
		kill_once 200
	fi
	if [ $(($1 % 5)) -lt 3 ]; then
		kill_once 900
	else
		kill_once 400 changed
	fi
	! changed || caught=$((caught + 1))
	: >"$log"
	restore || { echo "# moment $1: --restore failed"; comment "$(cat "$log")"; return 1; }
	mapfile -t left < <(saved_files)
	[ ${#left[@]} = 0 ] || { echo "# moment $1: ${left[*]} is left"; return 1; }
	is_at_all "$1"
}

is_at_all() {
	local now
	now=$(knobs "$rx1")
	[ "$now" = "$originals" ] && return
	echo "# moment $1: $rx1 is not as it was"
	diff <(echo "$originals") <(echo "$now") | sed 's/^/# /'
	return 1
}

# The traffic comes and goes faster than the kills do, so that both are at any moment of the other.
traffic() {
	local phases=udp:50000-rr:2.5,idle:0.5 i
	load_runs && return
	for ((i = 1; i < 16; i++)); do
		phases+=,udp:50000-rr:2.5,idle:0.5
	done
	load_start 1 "$phases"
}

lab_begin crash 2
# Deferral that is found on is somebody's, unless asked for; fixed values are written at once, whatever the law thinks.
printf '%s\n' '[policy]' 'mode = powersave' 'max-latency = 500us' 'mechanism = software' '[limits]' \
	'gro-flush-timeout = 77000' 'napi-defer-hard-irqs = 2' >"$tmp/ethtuned.conf"
# Nothing is 0, and no two instances are alike, nor like their device.
netns_sysfs "$lab" gro_flush_timeout 11000
netns_sysfs "$lab" napi_defer_hard_irqs 1
inside "$napictl" "$rx1" set 0 3 21000 || skip "this kernel cannot set single NAPI instances"
inside "$napictl" "$rx1" set 1 4 31000
originals=$(knobs "$rx1")
comment "$originals"

for ((i = 1; i <= kills; i++)); do
	traffic
	if one_moment "$i"; then
		restored=$((restored + 1))
	else
		[ "$first" != 0 ] || first=$i
	fi
done
load_stop
echo "# $restored of $kills as before; $caught kills left changed settings behind"
check "all settings are back after each kill (first failure: $first)" [ "$restored" = "$kills" ]
check "enough kills came after a change to mean something" [ "$caught" -ge $((kills / 5)) ]
: >"$log"
check "with nothing to put back, --restore does nothing" restore
check "... and says nothing" [ ! -s "$log" ]
lab_end
