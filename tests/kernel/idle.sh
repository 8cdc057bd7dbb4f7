#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Without traffic the settings are the original ones within 10 s; traffic that steps up and down causes one change
# a step, not a series. Settings are sampled from outside, ten times a second. Relies on tests/lib/daemon.sh.
# shellcheck disable=SC2317 # functions are called by check

set -u
here=${0%/*}
# shellcheck source=tests/lib/daemon.sh
. "$here/../lib/daemon.sh"

idle_limit=10		# seconds until everything is back
settle=3		# seconds after the start that do not count
step=12			# seconds of each load

# Settings in force every 0.1 s while the given phases run: "SECONDS LOAD TIMEOUT_NS DEFER RECEIVED_PPS" each.
sample() {
	"$VLOAD" --tx-ns "$lab-a" --rx-ns "$lab-b" --dev "$rx1" --peer "$tx1" --no-perf --awake --json \
		--interval 0.1 --skip 0.05 --phase "$1" | awk '
	function field(key) {
		if (!match($0, "\"" key "\":[^,}]*")) return "null"
		return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
	}
	/"row":"interval"/ {
		t += field("seconds")
		load = field("load"); gsub(/"/, "", load)
		print t, load, field("gro_flush_timeout_ns"), field("napi_defer_hard_irqs"), field("received_pps")
	}'
}

# Seconds of idle until the settings are the originals for good; 1e9 when they never are.
seconds_to() {	# TIMEOUT DEFER, samples on stdin
	awk -v timeout="$1" -v defer="$2" '
	$2 == "idle" && start == "" { start = $1 - 0.1 }
	$2 == "idle" {
		if ($3 != timeout || $4 != defer) since = ""
		else if (since == "") since = $1 - start
	}
	END { print since == "" ? 1e9 : since }'
}

# Of each load in turn: "LOAD UPS DOWNS HIGHEST LAST", by the timeout; deferral switched off counts as 0.
steps() {
	awk -v settle="$settle" '
	function done() { if (load != "") print load, ups, downs, highest, last }
	$2 != load { done(); load = $2; ups = downs = 0; highest = 0 }
	{
		now = $4 > 0 ? $3 : 0
		if ($1 > settle && last != "" && now > last) ups++
		if ($1 > settle && last != "" && now < last) downs++
		if (now > highest) highest = now
		last = now
	}
	END { done() }'
}

limit() {	# VALUE OPERATOR LIMIT
	awk "BEGIN { exit !($1 $2 $3) }" || { echo "$1, not $2 $3"; false; }
}

test_idle() {
	local seconds
	daemon_start "$@"
	sample "udp:50000:6,idle:$((idle_limit + 2))" >"$tmp/samples"
	check "50k packets/s: deferral is on" grep -q 'udp:50000 [1-9][0-9]* [1-9]' "$tmp/samples"
	seconds=$(seconds_to "$timeout" "$defer" <"$tmp/samples")
	check "idle: originals are back after $seconds s" limit "$seconds" '<=' "$idle_limit"
	check "... all of them" is_at "$rx1" "$originals"
	check "... while the daemon runs" daemon_runs
	check "TERM: ends with 0" daemon_stop
}

# Share of half seconds in which 20 % more or less than usual of the higher load arrived: other work on this machine
# makes steps that we did not ask for.
wobble() {
	awk '$2 ~ /50000/ && ++n > 10 { sum += $5; if (n % 5 == 0) { print sum / 5; sum = 0 } }' | sort -g | awk '
	{ v[NR] = $1 }
	END {
		usual = v[int((NR + 1) / 2)]
		for (i = 1; i <= NR; i++) bad += v[i] < 0.8 * usual || v[i] > 1.2 * usual
		printf "%.2f\n", NR ? bad / NR : 1
	}'
}

# Sets $most, the changes allowed per load and direction.
run_steps() {
	local attempt unrest
	for attempt in 1 2 3; do
		daemon_start "$@"
		sample "udp:1000-rr:$step,udp:50000-rr:$step,udp:1000-rr:$step" >"$tmp/samples"
		unrest=$(wobble <"$tmp/samples")
		comment "run $attempt: unrest $unrest
$(log_lines "$rx1: gro")"
		most=1
		awk "BEGIN { exit !($unrest <= 0.1) }" && return
		most=3
		[ "$attempt" = 3 ] || daemon_stop
	done
	comment "the machine has too much other work for a strict judgement"
}

test_steps() {
	local load ups downs highest last part=0 most
	run_steps "$@"
	steps <"$tmp/samples" >"$tmp/steps"
	comment "load ups downs highest last
$(cat "$tmp/steps")"
	while read -r load ups downs highest last; do
		part=$((part + 1))
		check "$load: up at most $most" limit "$ups" '<=' "$most"
		check "$load: down at most $most" limit "$downs" '<=' "$most"
		case $part in
		2) check "$load: follows" limit "$highest" '>' "$timeout" ;;
		*) check "$load: ends at rest" limit "$last" '==' "$timeout" ;;
		esac
	done <"$tmp/steps"
	check "three loads were seen" [ "$part" = 3 ]
	check "TERM: ends with 0" daemon_stop
	check "... with the originals" is_at "$rx1" "$originals"
}

lab_begin idle
inside "$napictl" "$rx1" set 0 0 0 || skip "this kernel does not tell the settings of NAPI instances"
timeout=0 defer=0 originals=$(values "$rx1")
test_idle --mode throughput --max-latency 250us
test_steps --mode throughput --max-latency 250us
# Again where it was there before us, on the instance only: the count alone, and what some drivers are born with.
inside "$napictl" "$rx1" set 0 3 0
defer=3 originals=$(values "$rx1")
test_idle --mode powersave --max-latency 500us
inside "$napictl" "$rx1" set 0 1 20000
timeout=20000 defer=1 originals=$(values "$rx1")
test_idle --mode powersave --max-latency 500us
lab_end
